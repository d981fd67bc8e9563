// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/loads.h"

namespace trunnion {

namespace {

template <int D, class S>
void read_springs(const LoadChannels& channels, MachineValues<D, S>& x) {
  std::size_t cell = 0;
  const auto read = [&](const SpringLaw& spring, const S& s, const S& rate) {
    x.ledger.stored.spring += spring.energy(s);
    x.set(channels.spring_forces[cell++], spring.load(s, rate));
    x.add_power(spring.damping * rate * rate);
    x.add_impulse_load(-spring.damping * rate, rate, S(0));
  };
  for (std::size_t i = 0; i < x.m.springs.size(); ++i) read(x.m.springs[i], x.mechanism.springs[i].length, x.mechanism.springs[i].rate);
  for (const JointSpring& s : x.m.joint_springs) read(s, x.q[s.q], x.v[s.v]);
}

template <int D>
void read_applied_powers(MachineValues<D, double>& x) {
  for (std::size_t i = 0; i < x.m.body_loads.size(); ++i) {
    const NodeState<D>& node = x.mechanism.tree.nodes[x.m.body_loads[i].node];
    x.add_power(placed_load(x.m.body_loads[i], x.mechanism.body_load[i], node).power(node.V));
  }
  for (std::size_t i = 0; i < x.m.joint_loads.size(); ++i)
    x.add_power(x.m.joint_loads[i].load * x.mechanism.joint_load[i] * x.v[x.m.joint_loads[i].v]);
  for (const DrivenLoad& load : x.model.driven_loads)
    if (load.motion < 0 && x.m.ports[load.port].kind != PortKind::soil)
      x.add_power(x.oil.ports[load.port].force * x.mechanism.s_dot[load.port]);
  for (const ConstraintGroup<D>& g : x.m.constraints)
    if (g.motion >= 0) x.power[g.motion] = -x.multipliers[g.rows.begin] * x.v[x.m.motions[g.motion].v];
  x.power += static_cast<std::ptrdiff_t>(x.m.motions.size());
}

}  // namespace

[[gnu::cold]] LoadChannels::LoadChannels(const CompiledModel& model, ChannelList& list) {
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 0; i < m.springs.size(); ++i) {
          const std::string& n = m.springs[i].name;
          list.add("springs", n + ".length", "m", "distance between the end points",
                   {ValuePlace::Array::spring_length, static_cast<int>(i)});
          spring_forces.push_back(list.add("springs", n + ".force", "N", "tension of spring and damper"));
          list.add_entry(n, Account::damping);
        }
        for (const JointSpring& spring : m.joint_springs) {
          spring_forces.push_back(
              list.add("springs", spring.name + ".load", "N or N m", "load of spring and damper against the joint coordinate"));
          list.add_entry(spring.name, Account::damping);
        }
        for (const auto& load : m.body_loads) list.add_entry(load.name, Account::external);
        for (const JointLoad& load : m.joint_loads) list.add_entry(load.name, Account::external);
        for (const DrivenLoad& load : model.driven_loads)
          if (load.motion < 0 && m.ports[load.port].kind != PortKind::soil) list.add_entry(load.name, Account::external);
        for (const PrescribedMotion& motion : m.motions) list.add_entry(motion.name, Account::external);
        const auto add_soil = [&](const std::string& name) {
          const int depth = list.add("forces", name + ".depth", "m", "depth of its point in the soil, negative above");
          soils.push_back({depth, list.add("forces", name + ".resistance", "N", "force against the motion of its point")});
          list.add_entry(name, Account::damping);
        };
        for (const auto& soil : m.soils) add_soil(soil.name);
        for (const DrivenLoad& load : model.driven_loads)
          if (m.ports[load.port].kind == PortKind::soil) add_soil(load.name);
      },
      model.mechanism);
}

template <int D, class S>
void read_loads(const LoadChannels& channels, MachineValues<D, S>& x) {
  read_springs(channels, x);
  if constexpr (kPlain<S>) read_applied_powers(x);
  const std::size_t soils = x.m.soils.size();  // over time; those of driven loads follow
  const auto driven = [&](const DrivenLoad& load) { return x.m.ports[load.port].kind == PortKind::soil; };
  const DrivenLoad* load = x.model.driven_loads.data();
  for (std::size_t i = 0; i < channels.soils.size(); ++i) {
    while (i >= soils && !driven(*load)) ++load;
    const SoilLaw<D>& law = i < soils ? x.m.soils[i] : x.m.ports[load->port].soil;
    const S factor = i < soils ? S(x.mechanism.soil[i]) : x.oil.ports[(load++)->port].force;
    const SoilState<D, S> soil = soil_state(law, factor, x.mechanism.tree.nodes[law.node]);
    const S square = soil.v_P.squaredNorm(), viscosity = soil.strength * soil.slowness;
    x.set(channels.soils[i].depth, soil.depth);
    // the square root has no derivative at zero
    x.set(channels.soils[i].resistance, square > 0 ? S(viscosity * sqrt(square)) : S(0));
    if constexpr (kPlain<S>) x.add_power(viscosity * square);
  }
}
TR_INSTANTIATE_READING(read_loads, LoadChannels)

}  // namespace trunnion
