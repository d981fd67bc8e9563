// Values of channels of a run at given times: by linear interpolation between steps; at a jump, the left limit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/channel_reader.h"

namespace trunnion {

inline constexpr double kSameSampleTime = 1e-9;  // [s], relative beyond 1 s: times no further apart are equal

/// The times at which a channel is read, in increasing order [s].
struct SampledChannel {
  std::string name;
  std::vector<double> times;
};

class ChannelSamples final : public RunWatcher {
 public:
  /// Throws Error if a channel does not exist.
  ChannelSamples(const std::shared_ptr<const CompiledModel>& model, std::vector<SampledChannel> channels);

  /// How far the samples of a run have got: per channel the next time, and the slope over the last step.
  struct Progress {
    std::vector<std::size_t> next;
    std::vector<double> slopes;
  };

  /// The first state.
  void begin(const StateVector& state);
  /// Continues from a state that another object has seen; energies count from there.
  void resume(const StateVector& state, const Progress& progress);
  Progress progress() const { return {next_, slope_before_}; }
  void at(const StepRecord& step) override;
  /// Per channel, as far as the run reached, SI.
  std::vector<std::vector<double>>& values() { return values_; }
  /// The last of all times [s].
  double last_time() const;

 private:
  void take();

  ChannelReader reader_;
  std::vector<SampledChannel> channels_;
  std::vector<std::size_t> index_, next_;      // in the channel reader; of the next time
  std::vector<double> before_, slope_before_;  // values, and their slopes over the step before
  double time_before_ = 0;
  std::vector<std::vector<double>> values_;
};

}  // namespace trunnion
