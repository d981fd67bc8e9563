// Channels of a machine by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machine/observe.h"
#include "run/run.h"
#include "support/machines.h"

namespace trunnion::test {

class Channels {
 public:
  explicit Channels(const std::shared_ptr<const CompiledModel>& model)
      : observer_(make_observer(model)), values_(observer_->channels().size()) {
    for (std::size_t i = 0; i < values_.size(); ++i) index_[observer_->channels()[i].name] = i;
  }
  void read(const StateVector& state, Side side = Side::left) {
    observer_->observe(state, side);
    observer_->values(values_.data());
  }
  double operator[](const std::string& name) const { return values_.at(index_.at(name)); }
  bool has(const std::string& name) const { return index_.contains(name); }
  const Observer& observer() const { return *observer_; }

 private:
  std::unique_ptr<Observer> observer_;
  std::vector<double> values_;
  std::map<std::string, std::size_t> index_;
};

/// A run step by step, `see(channels, state)` at each.
inline void watch(const std::shared_ptr<const CompiledModel>& model, double end,
                  const std::function<void(const Channels&, const StateVector&)>& see) {
  Runner run(model);
  Channels at(model);
  while (run.state().time < end - 1e-9) {
    run.step();
    at.read(run.state());
    see(at, run.state());
  }
}

}  // namespace trunnion::test
