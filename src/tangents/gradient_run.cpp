// Gradients of a run, backwards.
// SPDX-License-Identifier: BSD-3-Clause
#include "tangents/gradient_run.h"

#include "machine/start.h"
#include "model/model.h"
#include "run/channel_samples.h"
#include "run/run.h"
#include "schema/compact.h"
#include "schema/parameters.h"

namespace tangents {

namespace {

constexpr int kStepsOfPart = 16;  // whose operations are kept at a time

/// Puts operations of this thread on a tape during its life; null: on none.
class InUse {
 public:
  explicit InUse(Tape* tape) : before_(Tape::current()) { Tape::current() = tape; }
  ~InUse() { Tape::current() = before_; }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  Tape* before_;
};

/// Where a part of the run begins.
struct Begin {
  trunnion::StateVector state;
  trunnion::ChannelSamples::Progress progress;
};

/// The numbers of a state, the time last.
template <class State, class Visit>
void for_each_number(State& state, Visit&& visit) {
  std::size_t i = 0;
  for (auto& number : state.values()) visit(number, i++);
  visit(state.time, i);
}

class Backwards {
 public:
  Backwards(const std::string& compact, const std::vector<std::string>& parameters, const std::vector<Response>& responses,
            const Watch& watch)
      : watch_(watch) {
    for (const Response& response : responses)
      channels_.push_back({response.channel, std::vector<Number>(response.times.begin(), response.times.end())});
    const InUse use(&tape_);
    trunnion::Description description = trunnion::parse_compact(compact);
    places_.resize(parameters.size());
    for (const trunnion::Parameter& parameter : trunnion::parameters_of(description))
      for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i] == parameter.path) {
          *parameter.value = Number::leaf(parameter.value->value());
          places_[i] = parameter.value->place();
        }
    model_ = trunnion::compile(std::move(description));
    start_ = trunnion::start_state(*model_);
    tape_.keep();
  }

  /// The run without its operations; the values of the channels.
  std::string follow(std::vector<Response>& responses) {
    trunnion::ChannelSamples samples(model_, channels_);
    trunnion::Runner run(model_, start_);
    std::string failure;
    try {
      samples.begin(run.state());
      const Real step = trunnion::grid_step(model_->description).value(), last = samples.last_time().value();
      parts_.push_back({run.state(), samples.progress()});
      for (long part = 1; run.state().time.value() < last; ++part) {
        run.advance(std::min(last, step * static_cast<Real>(part * kStepsOfPart)), &samples);
        parts_.push_back({run.state(), samples.progress()});
        if (watch_) watch_(run.state().time.value());
      }
    } catch (const trunnion::SimulationError& error) { failure = error.what(); }
    for (std::size_t c = 0; c < responses.size(); ++c) {
      responses[c].values.clear();
      for (const Number& y : samples.values()[c]) responses[c].values.push_back(y.value());
    }
    return failure;
  }

  std::vector<std::vector<Real>> gradients(const SumWeights& weights) {
    if (weights.empty()) return {};
    sums_.assign(weights.size(), Tape::Weights(tape_));
    of_state_.assign(weights.size(), std::vector<Real>(start_.values().size() + 1));
    for (std::size_t k = parts_.size(); k-- > 1;) {
      follow_part(parts_[k - 1], parts_[k].state.time.value(), weights);
      if (watch_) watch_(parts_[k - 1].state.time.value());
    }
    const InUse use(&tape_);
    trunnion::ChannelSamples first(model_, channels_);
    first.begin(start_);
    std::vector<std::vector<Real>> result(weights.size());
    for (std::size_t j = 0; j < weights.size(); ++j) {
      weigh(j, first, std::vector<std::size_t>(channels_.size()), start_, weights[j]);
      sums_[j].sweep_kept();
      for (const Place place : places_) result[j].push_back(sums_[j][place]);
    }
    return result;
  }

 private:
  void follow_part(const Begin& begin, Real end, const SumWeights& weights) {
    trunnion::StateVector state = begin.state;
    std::vector<Place> leaves(of_state_.front().size());
    const InUse use(&tape_);
    for_each_number(state, [&](Number& number, std::size_t i) {
      number = number.varies() ? Number::leaf(number.value()) : Number(number.value());
      leaves[i] = number.place();
    });
    trunnion::ChannelSamples samples(model_, channels_);
    samples.resume(state, begin.progress);
    trunnion::Runner run(model_, start_);
    run.restore(state);
    run.advance(end, &samples);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      weigh(j, samples, begin.progress.next, run.state(), weights[j]);
      for (std::size_t i = 0; i < leaves.size(); ++i) of_state_[j][i] = leaves[i] > 0 ? sums_[j][leaves[i]] : 0;
    }
    tape_.drop();
  }

  /// The weights of a part's operations in sum j, whose weights at its end are those of the state and of the channel values taken in it.
  void weigh(std::size_t j, trunnion::ChannelSamples& samples, const std::vector<std::size_t>& first, const trunnion::StateVector& end,
             const std::vector<std::vector<Real>>& of_channels) {
    Tape::Weights& sum = sums_[j];
    sum.begin();
    for_each_number(end, [&](const Number& number, std::size_t i) { sum[number.place()] += of_state_[j][i]; });
    for (std::size_t c = 0; c < channels_.size(); ++c)
      for (std::size_t i = 0; i < samples.values()[c].size(); ++i) sum[samples.values()[c][i].place()] += of_channels[c][first[c] + i];
    sum.sweep();
  }

  const Watch& watch_;
  Tape tape_;
  std::vector<trunnion::SampledChannel> channels_;
  std::vector<Place> places_;  // of the parameters
  std::shared_ptr<const trunnion::CompiledModel> model_;
  trunnion::StateVector start_;
  std::vector<Begin> parts_;                 // and the end of the run
  std::vector<Tape::Weights> sums_;          // per sum
  std::vector<std::vector<Real>> of_state_;  // per sum: weights of the state at the end of a part
};

}  // namespace

std::string follow_gradients(const std::string& compact, const std::vector<std::string>& parameters, std::vector<Response>& responses,
                             const std::function<SumWeights()>& weigh, std::vector<std::vector<Real>>& gradients, const Watch& watch) {
  Backwards backwards(compact, parameters, responses, watch);
  gradients.clear();
  std::string failure = backwards.follow(responses);
  if (failure.empty()) gradients = backwards.gradients(weigh());
  return failure;
}

}  // namespace tangents
