// Values of channels of a run at given times.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/channel_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"
#include "base/scalar.h"

namespace trunnion {

ChannelSamples::ChannelSamples(const std::shared_ptr<const CompiledModel>& model, std::vector<SampledChannel> channels)
    : reader_(model),
      channels_(std::move(channels)),
      next_(channels_.size()),
      before_(channels_.size()),
      slope_before_(channels_.size()),
      values_(channels_.size()) {
  for (const SampledChannel& channel : channels_) {
    const auto at =
        std::find_if(reader_.channels().begin(), reader_.channels().end(), [&](const Channel& c) { return c.name == channel.name; });
    if (at == reader_.channels().end()) throw Error(fmt::format("there is no channel '{}'", channel.name));
    index_.push_back(static_cast<std::size_t>(at - reader_.channels().begin()));
  }
}

void ChannelSamples::begin(const StateVector& state) {
  reader_.begin(state);
  take();
}

void ChannelSamples::resume(const StateVector& state, const Progress& progress) {
  reader_.begin(state);
  next_ = progress.next;
  slope_before_ = progress.slopes;
  for (std::size_t c = 0; c < channels_.size(); ++c) before_[c] = reader_.values()[index_[c]];
  time_before_ = reader_.time();
}

void ChannelSamples::at(const StepRecord& step) {
  reader_.at(step);
  take();
}

double ChannelSamples::last_time() const {
  double last = 0;
  for (const SampledChannel& channel : channels_)
    if (!channel.times.empty()) last = std::max(last, channel.times.back());
  return last;
}

void ChannelSamples::take() {
  const std::vector<double>& now = reader_.values();
  const double t = reader_.time(), near = kSameSampleTime * std::max(1.0, t);
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const std::vector<double>& times = channels_[c].times;
    const double y = now[index_[c]];
    // slopes at this end of the step, from this step and the one before; at a jump, that before it
    const bool moved = t - time_before_ > near;
    const double slope = moved ? (y - before_[c]) / (t - time_before_) : slope_before_[c];
    for (std::size_t& i = next_[c]; i < times.size() && times[i] <= t + near; ++i) {
      const bool here = t - times[i] <= near;
      if (here && kTangents)  // a step that ends here may end elsewhere with other parameters, and so does not have the value at this time
        values_[c].push_back(y - (1.5 * slope - 0.5 * slope_before_[c]) * (t - times[i]));
      else
        values_[c].push_back(here ? y : before_[c] + (y - before_[c]) * (times[i] - time_before_) / (t - time_before_));
    }
    before_[c] = y;
    slope_before_[c] = slope;
  }
  time_before_ = t;
}

}  // namespace trunnion
