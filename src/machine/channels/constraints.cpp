// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/constraints.h"

#include <cmath>

#include "mechanics/mechanism.h"

namespace trunnion {

namespace {

using Array = ValuePlace::Array;

std::string section_of(const ConstraintInfo& info) { return info.path.substr(0, info.path.find('.')); }

/// Slip, and at contacts the forces on the wheel or blade and the contact point.
template <int D>
ConstraintChannels::Contact add_contact(const ConstraintGroup<D>& g, int number, const ConstraintInfo& info, ChannelList& list) {
  const std::string section = section_of(info);
  const bool wheel = g.type == ConstraintType::wheel;
  ConstraintChannels::Contact c{number, 0};
  c.slip = list.add(section, info.name + ".slip", wheel || g.type == ConstraintType::blade ? "m/s" : "m/s or rad/s",
                    "violation of its velocity condition", true);
  constexpr const char* kForce[] = {"normal_force", "longitudinal_force", "lateral_force"};
  constexpr const char* kMeaning[] = {"force of the plane on it along the normal, positive in compression",
                                      "force of the plane on it along the rolling direction axis x normal",
                                      "lateral force on it: along normal x (axis x normal), or `across`"};
  for (int row = 0; row < g.rows.size() && g.type != ConstraintType::velocity_coupling; ++row)
    c.force[row] = list.add(section, info.name + "." + kForce[wheel ? row : 2], "N", kMeaning[wheel ? row : 2]);
  for (int k = 0; k < 3 && wheel; ++k) {
    const std::string axis = ChannelList::kAxis[k];
    c.place[k] = list.add(section, info.name + ".contact_" + axis, "m", "contact point in the ground frame, " + axis);
  }
  return c;
}

}  // namespace

ConstraintChannels::ConstraintChannels(const CompiledModel& model, ChannelList& list) {
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 0; i < model.constraints.size(); ++i) {
          const ConstraintInfo& info = model.constraints[i];
          const std::string section = section_of(info);
          const bool contact = section == "wheels" || section == "blades";
          if (info.rows.size() == 0 || m.holonomic[info.rows.begin] != 0)
            list.add(section, info.name + ".violation", "m or 1", "maximum error of its constraint equations",
                     {Array::violation, static_cast<int>(i)}, true);
          for (int row = info.rows.begin; row < info.rows.end && !contact; ++row)
            list.add(section, info.name + ".multiplier_" + std::to_string(row - info.rows.begin + 1), "N or N m",
                     "Lagrange multiplier of one equation", {Array::multiplier, row});
        }
        for (std::size_t i = 0; i < m.constraints.size(); ++i)
          if (m.constraints[i].holds_velocities_alone())
            contacts.push_back(add_contact(m.constraints[i], static_cast<int>(i), model.constraints[m.constraints[i].joint], list));
      },
      model.mechanism);
}

template <int D, class S>
void read_constraints(const ConstraintChannels& channels, MachineValues<D, S>& x) {
  for (std::size_t i = 0; i < x.ledger.violations.size(); ++i) {
    S worst(0);
    for (int row = x.model.constraints[i].rows.begin; row < x.model.constraints[i].rows.end; ++row)
      worst = max(worst, S(abs(x.mechanism.Phi[row])));
    x.ledger.violations[i] = worst;
  }
  if (kPlain<S> || !channels.contacts.empty()) constraint_rates(x.m, x.v.data(), x.mechanism);
  if constexpr (kPlain<S>) {
    x.ledger.constraint_power = 0;
    for (int row = 0; row < x.m.rows; ++row) x.ledger.constraint_power -= x.multipliers[row] * x.mechanism.Phi_dot[row];
  }
  for (const ConstraintChannels::Contact& c : channels.contacts) {
    const ConstraintGroup<D>& g = x.m.constraints[c.group];
    double square = 0;  // of a change: not available
    for (int row = g.rows.begin + g.holonomic; row < g.rows.end; ++row) square += std::pow(value_of(x.mechanism.Phi_dot[row]), 2);
    x.set(c.slip, S(std::sqrt(square)));
    for (int row = 0; row < g.rows.size(); ++row)  // M a + Phi_q^T lambda = Q: the force is -lambda
      x.set(c.force[row], -x.multipliers[g.rows.begin + row]);
    if constexpr (D == 3)
      for (int k = 0; k < 3; ++k)
        if (c.place[k] >= 0) x.set(c.place[k], x.m.reference[k] + x.mechanism.constraints[c.group].line.r_Q[k]);
  }
}
TR_INSTANTIATE_READING(read_constraints, ConstraintChannels)

}  // namespace trunnion
