// Small machines for the tests: from model text to a compiled model, a run, and values by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "file/model_file.h"
#include "machine/start.h"
#include "run/run.h"

namespace trunnion::test {

inline Description description(const std::string& text) { return parse_model("trunnion: 1\n" + text, "model.yaml"); }
inline std::shared_ptr<const CompiledModel> machine(const std::string& text) { return compile(description(text)); }
inline Description example(const std::string& name, const std::vector<Override>& overrides = {}) {
  return load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/" + name + ".yaml", overrides);
}

/// Item of a section, to be changed.
template <class T>
T& item(NamedList<T>& list, const std::string& name) {
  for (auto& entry : list)
    if (entry.first == name) return entry.second;
  throw std::out_of_range(name);
}

inline const JointInfo& joint(const CompiledModel& model, const std::string& name) {
  for (const JointInfo& info : model.joints)
    if (info.name == name) return info;
  throw std::out_of_range(name);
}
inline double coordinate(const CompiledModel& model, const StateVector& state, const std::string& joint_name) {
  return state.q()[joint(model, joint_name).q];
}
inline double rate(const CompiledModel& model, const StateVector& state, const std::string& joint_name) {
  return state.v()[joint(model, joint_name).v];
}
inline double acceleration(const CompiledModel& model, const StateVector& state, const std::string& joint_name) {
  return state.a()[joint(model, joint_name).v];
}

/// Index in y of `v1.pressure`, `lift.bristle`, `valve.spool`.
inline int state_index(const CompiledModel& model, const std::string& name) {
  for (std::size_t i = 0; i < model.state_names.size(); ++i)
    if (model.state_names[i] == name) return static_cast<int>(i);
  throw std::out_of_range(name);
}
inline double value(const CompiledModel& model, const StateVector& state, const std::string& name) {
  return state.y()[state_index(model, name)];
}
inline double pressure(const CompiledModel& model, const StateVector& state, const std::string& volume) {
  return value(model, state, volume + ".pressure");
}

using MachineRun = Runner;

/// The state after running to `end` [s].
inline StateVector run(const std::shared_ptr<const CompiledModel>& model, double end) {
  MachineRun r(model);
  r.advance(end);
  return r.state();
}

}  // namespace trunnion::test
