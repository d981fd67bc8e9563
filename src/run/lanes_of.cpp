// SPDX-License-Identifier: BSD-3-Clause
#include "run/general_lanes.h"

namespace trunnion {

std::shared_ptr<const LaneStep> lanes_of(const Stepper& stepper, const std::shared_ptr<const CompiledModel>& model, std::string& remark) {
  if (auto compiled = stepper.lanes(remark)) return compiled;
  const MakeGeneralLanes make = general_lanes_factory();
  if (make == nullptr) {
    if (remark.empty()) remark = "no lanes: the core library has none";
    return nullptr;
  }
  const std::string without = remark;
  auto general = make(model, remark);
  if (!without.empty()) remark = general ? remark + " (" + without + ")" : without;
  return general;
}

}  // namespace trunnion
