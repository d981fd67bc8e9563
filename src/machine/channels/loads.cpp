// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/loads.h"

#include "mechanics/applied.h"

namespace trunnion {

namespace {

/// Whether a control block drives a force, or the resistance of soil, by a port of its own.
template <int D>
bool is_soil(const Mechanism<D>& m, const DrivenLoad& load) {
  return m.ports[load.port].kind == PortKind::soil;
}
template <int D>
bool is_load(const Mechanism<D>& m, const DrivenLoad& load) {
  return load.motion < 0 && !is_soil(m, load);
}

/// Reads the channels of applied elements, one after the other, and their energies and powers: of loads and soil, numbers only.
template <int D, class S>
struct LoadReader {
  void read(const PointSpring<D>& spring, const LineState<D, S>& at) { read_spring(spring, at.length, at.rate); }
  void read(const JointSpring& spring, NoState /*at*/) { read_spring(spring, x.q[spring.q], x.v[spring.v]); }
  void read(const SoilResistance<D>& soil, const S& factor) { read_soil(soil, factor); }
  template <class Load>
  void read(const Load& load, const S& factor) {
    if constexpr (kPlain<S>) x.add_power(power(load, factor, x.mechanism.tree, x.v.data()));
  }

  void read_spring(const SpringLaw& spring, const S& s, const S& rate) {
    x.ledger.stored.spring += spring.energy(s);
    x.set(*spring_force++, spring.load(s, rate));
    x.add_power(spring.damping * rate * rate);
    x.add_impulse_load(-spring.damping * rate, rate, S(0));
  }
  void read_soil(const SoilLaw<D>& law, const S& factor) {
    const SoilState<D, S> soil = soil_state(law, factor, x.mechanism.tree.nodes[law.node]);
    const S square = soil.v_P.squaredNorm(), viscosity = soil.strength * soil.slowness;
    x.set(next_soil->depth, soil.depth);
    // the square root has no derivative at zero
    x.set((next_soil++)->resistance, square > 0 ? S(viscosity * sqrt(square)) : S(0));
    if constexpr (kPlain<S>) x.add_power(viscosity * square);
  }
  void read_applied() {
    for_each_applied(x.m, x.mechanism, [this](const auto& element, const auto& at) { read(element, at); });
  }
  void read_driven_loads() {
    if constexpr (kPlain<S>)
      for (const DrivenLoad& load : x.model.driven_loads)
        if (is_load(x.m, load)) x.add_power(x.oil.ports[load.port].force * x.mechanism.s_dot[load.port]);
    for (const DrivenLoad& load : x.model.driven_loads)
      if (is_soil(x.m, load)) read_soil(x.m.ports[load.port].soil, x.oil.ports[load.port].force);
  }
  void read_motions() {
    for (const ConstraintGroup<D>& g : x.m.constraints)
      if (g.motion >= 0) x.power[g.motion] = -x.multipliers[g.rows.begin] * x.v[x.m.motions[g.motion].v];
    x.power += static_cast<std::ptrdiff_t>(x.m.motions.size());
  }

  MachineValues<D, S>& x;
  const int* spring_force;
  const LoadChannels::Soil* next_soil;
};

}  // namespace

[[gnu::cold]] LoadChannels::LoadChannels(const CompiledModel& model, ChannelList& list) {
  const auto add_soil = [&](const std::string& name) {
    const int depth = list.add("forces", name + ".depth", "m", "depth of its point in the soil, negative above");
    soils.push_back({depth, list.add("forces", name + ".resistance", "N", "force against the motion of its point")});
    list.add_entry(name, Account::damping);
  };
  std::visit(
      [&]<int D>(const Mechanism<D>& m) {
        for_each_applied(m, [&, i = 0]<class Element>(const Element& element) mutable {
          const std::string& name = element.name;
          if constexpr (std::is_same_v<Element, SoilResistance<D>>) {
            add_soil(name);
          } else if constexpr (std::is_base_of_v<SpringLaw, Element>) {
            if constexpr (kOnCoordinate<Element>) {
              spring_forces.push_back(
                  list.add("springs", name + ".load", "N or N m", "load of spring and damper against the joint coordinate"));
            } else {
              list.add("springs", name + ".length", "m", "distance between the end points", {ValuePlace::Array::spring_length, i++});
              spring_forces.push_back(list.add("springs", name + ".force", "N", "tension of spring and damper"));
            }
            list.add_entry(name, Account::damping);
          } else {
            list.add_entry(name, Account::external);
          }
        });
        for (const DrivenLoad& load : model.driven_loads)
          if (is_load(m, load)) list.add_entry(load.name, Account::external);
        for (const DrivenLoad& load : model.driven_loads)
          if (is_soil(m, load)) add_soil(load.name);
        for (const PrescribedMotion& motion : m.motions) list.add_entry(motion.name, Account::external);
      },
      model.mechanism);
}

template <int D, class S>
void read_loads(const LoadChannels& channels, MachineValues<D, S>& x) {
  LoadReader<D, S> reader{x, channels.spring_forces.data(), channels.soils.data()};
  reader.read_applied();
  reader.read_driven_loads();
  if constexpr (kPlain<S>) reader.read_motions();
}
TR_INSTANTIATE_READING(read_loads, LoadChannels)

}  // namespace trunnion
