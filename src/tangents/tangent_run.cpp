// Runs of the machine with numbers that have derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#include "tangents/tangent_run.h"

#include "machine/start.h"
#include "model/model.h"
#include "run/channel_samples.h"
#include "run/run.h"
#include "tangents/variables.h"

namespace tangents {

namespace {

constexpr long kStepsBetweenCalls = 16;  // of a watch

/// Takes the samples of a run and calls its watch.
class WatchedSamples final : public trunnion::RunWatcher {
 public:
  WatchedSamples(trunnion::ChannelSamples& samples, const Watch& watch) : samples_(samples), watch_(watch) {}
  void at(const trunnion::StepRecord& step) override {
    samples_.at(step);
    if (watch_ && ++steps_ % kStepsBetweenCalls == 0) watch_(step.state.time.value());
  }

 private:
  trunnion::ChannelSamples& samples_;
  const Watch& watch_;
  long steps_ = 0;
};

}  // namespace

std::string follow_run(const std::string& compact, const std::vector<std::string>& parameters, std::vector<Response>& responses,
                       bool& in_plane, const Watch& watch) {
  const std::shared_ptr<const trunnion::CompiledModel> model = trunnion::compile(with_variables(compact, parameters));
  in_plane = model->planar;
  std::vector<trunnion::SampledChannel> channels;
  for (const Response& response : responses)
    channels.push_back({response.channel, std::vector<Number>(response.times.begin(), response.times.end())});
  trunnion::ChannelSamples samples(model, channels);
  WatchedSamples watched(samples, watch);
  trunnion::Runner run(model, trunnion::start_state(*model));
  std::string failure;
  try {
    samples.begin(run.state());
    if (run.state().time < samples.last_time()) run.advance(samples.last_time(), &watched);
  } catch (const trunnion::SimulationError& error) { failure = error.what(); }
  for (std::size_t c = 0; c < responses.size(); ++c) {
    Response& response = responses[c];
    response.values.clear();
    response.derivatives.assign(parameters.size(), {});
    for (const Number& y : samples.values()[c]) {
      response.values.push_back(y.value());
      for (std::size_t i = 0; i < parameters.size(); ++i) response.derivatives[i].push_back(y.partial(static_cast<int>(i)));
    }
  }
  return failure;
}

}  // namespace tangents
