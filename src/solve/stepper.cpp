// Names of unknowns and checks common to all steppers.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/stepper.h"

namespace trunnion {

int unknown_of_cylinder(const CompiledModel& model, int cylinder) {
  return model.layout.nv + static_cast<int>(model.hydraulics.unknown_state.size()) + cylinder;
}

int unknown_of_row(const CompiledModel& model, int row) {
  std::size_t i = 0;
  while (i + 1 < model.constraints.size() && row >= model.constraints[i].rows.end) ++i;
  return unknown_of_cylinder(model, static_cast<int>(model.hydraulics.actuators.size() + i));
}

int unknown_of_state(const CompiledModel& model, int state) {
  return unknown_of_cylinder(model, static_cast<int>(model.hydraulics.actuators.size() + model.constraints.size())) + state;
}

std::shared_ptr<const LaneStep> Stepper::lanes(std::string& remark) const {
  remark.clear();
  return nullptr;
}

std::string name_of_unknown(const CompiledModel& model, int unknown) {
  const Hydraulics& netlist = model.hydraulics;
  if (unknown < 0) return "the linear system";
  const int nv = model.layout.nv;
  if (unknown < nv) return model.velocity_names[unknown];
  const int cylinder = unknown - unknown_of_cylinder(model, 0);
  if (cylinder < 0) return model.state_names[netlist.unknown_state[unknown - nv]];
  const int cylinders = static_cast<int>(netlist.actuators.size());
  const int state = unknown - unknown_of_state(model, 0);
  if (state >= 0) return model.state_names[state];
  if (cylinder >= cylinders) return model.constraints[cylinder - cylinders].path;
  const Actuator& a = netlist.actuators[cylinder];
  return std::string(a.section) + "." + a.name;
}

bool pistons_inside(const CompiledModel& model, const double* s, StepOutcome& report) {
  const int cylinder = piston_outside(model.hydraulics, s);
  if (cylinder < 0) return true;
  report.status = StepStatus::end_of_stroke;
  report.worst = unknown_of_cylinder(model, cylinder);
  return false;
}

bool wheels_regular(const CompiledModel& model, int fallen_row, StepOutcome& report) {
  if (fallen_row < 0) return true;
  report.status = StepStatus::wheel_singular;
  report.worst = unknown_of_row(model, fallen_row);
  return false;
}

}  // namespace trunnion
