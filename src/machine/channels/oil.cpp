// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/oil.h"

#include <set>

namespace trunnion {

namespace {

using Array = ValuePlace::Array;

/// Declares the channels of the oil in the order in which they are read.
class OilDeclaration {
 public:
  OilDeclaration(const Hydraulics& netlist, ChannelList& list, OilChannels& channels) : netlist_(netlist), list_(list), out_(channels) {}

  void add_volume(const Volume& volume) {
    const PressureNode& node = netlist_.nodes[volume.node];
    list_.add("volumes", node.name + ".pressure", "Pa", "absolute pressure", {Array::y, node.state});
    list_.add_entry(node.name, Account::oil);
  }
  void add_sources() {
    for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
      if (netlist_.nodes[i].state >= 0) continue;
      const std::string& n = netlist_.nodes[i].name;
      list_.add("sources", n + ".pressure", "Pa", "absolute pressure", {Array::pressure, static_cast<int>(i)});
      list_.add("sources", n + ".flow", "m^3/s", "flow out of the source", {Array::outflow, static_cast<int>(i)});
      list_.add_entry(n, Account::supply);
    }
    for (const FlowSource& source : netlist_.flow_sources) {
      list_.add("sources", source.name + ".flow", "m^3/s", "delivered flow", {Array::signal, source.flow});
      out_.source_powers.push_back(list_.add("sources", source.name + ".power", "W", "power into the oil"));
      list_.add_entry(source.name, Account::supply);
    }
  }
  void add(const Orifice& o) {
    if (o.spool >= 0) add_spool(o.section, netlist_.spools[o.spool]);
    if (o.spool >= 0 || o.cushion.port >= 0)
      out_.openings.push_back({list_.add(o.section, o.name + ".opening", "", "opening from 0 to 1"), &o});
    add_flow(o.section, o.name, "flow from A to B", o.B);
  }
  void add(const OneWayValve& v) { add_flow(v.section, v.name, "flow from A to B", v.B); }
  void add(const Leakage& l) { add_flow(l.section, l.name, l.meaning, l.B); }
  void add(const DirectionalValve& v) {
    add_spool("valves", netlist_.spools[v.spool]);
    const auto flow = [&](const char* name, const char* meaning, int node, double sign) {
      out_.flows.push_back({list_.add("valves", v.name + name, "m^3/s", meaning), node, sign});
    };
    flow(".flow_P", "flow out of P into the valve", v.P, -1);
    flow(".flow_T", "flow out of the valve into T", v.T, 1);
    flow(".flow_A", "flow out of the valve into A", v.A, 1);
    flow(".flow_B", "flow out of the valve into B", v.B, 1);
    add_loss("valves", v.name);
  }
  /// Flows, states and powers with the names that the component defines.
  void add(const Component& c) {
    const ComponentInfo& info = c.law->info();
    OilChannels::ComponentCells& cells = out_.components.emplace_back();
    for (int spool : c.spools) add_spool(c.section, netlist_.spools[spool]);
    for (std::size_t i = 0; i < info.states.size(); ++i)
      list_.add(c.section, c.name + "." + info.states[i].name, info.states[i].unit, info.states[i].meaning,
                {Array::y, c.state + static_cast<int>(i)});
    for (const ComponentFlow& flow : info.flows)
      cells.flows.push_back(list_.add(c.section, c.name + "." + flow.name, "m^3/s", flow.meaning));
    for (const ComponentPower& power : info.powers) {
      cells.powers.push_back(list_.add(c.section, c.name + "." + power.name, "W", power.meaning));
      constexpr Account kAccount[] = {Account::throttling, Account::oil, Account::supply};  // in the order of PowerKind
      list_.add_entry(info.powers.size() == 1 ? c.name : c.name + "." + power.name, kAccount[static_cast<int>(power.kind)]);
    }
  }

 private:
  /// The acting command; valves may share it.
  void add_spool(const std::string& section, const Spool& spool) {
    if (!shown_spools_.insert(spool.name).second) return;
    list_.add(section, spool.name + ".spool", "", "acting command, in the unit of its signal", {Array::y, spool.state});
    if (spool.second_order())
      list_.add(section, spool.name + ".spool_rate", "", "rate of the spool before `rate_limit`, per second", {Array::y, spool.state + 1});
  }
  void add_flow(const std::string& section, const std::string& name, const char* meaning, int B) {
    out_.flows.push_back({list_.add(section, name + ".flow", "m^3/s", meaning), B, 1});
    add_loss(section, name);
  }
  void add_loss(const std::string& section, const std::string& name) {
    out_.losses.push_back({list_.add(section, name + ".power_loss", "W", "dissipated power"), out_.flows.size()});
    list_.add_entry(name, Account::throttling);
  }

  const Hydraulics& netlist_;
  ChannelList& list_;
  OilChannels& out_;
  std::set<std::string> shown_spools_;
};

/// C of a node: its own volume or a chamber on it.
template <class S>
S capacity(const Fluid& fluid, const S& volume, const S& pressure, double wall) {
  return sub_volume_capacity(volume, fluid.compressibility_at(pressure), wall);
}

template <int D, class S>
void read_volumes(MachineValues<D, S>& x) {
  const Fluid& fluid = x.netlist.fluid;
  S* const first = x.power;
  for (const Volume& volume : x.netlist.volumes) {
    const int state = x.netlist.nodes[volume.node].state;
    x.add_power(x.y[state] * x.ydot[state] * capacity(fluid, S(volume.volume), x.y[state], volume.wall_compressibility));
  }
  // the swept volume contains oil and, below saturation, air, which takes up pressure work as any gas
  const auto add_chamber = [&](int node, int drawn, double area, const S& length, double wall, const S& swept) {
    const int state = x.netlist.nodes[node].state, from = x.netlist.nodes[drawn].state;  // volumes come first in y and in the entries
    if (state < 0) return;
    const S &p = x.y[state], air = from < 0 ? S(0) : S(1 - fluid.liquid_fraction(x.y[from]));
    first[state] += p * x.ydot[state] * capacity(fluid, S(area * length), p, wall) - p * air * swept;
  };
  for (int i = 0; i < x.netlist.pistons; ++i) {
    const Actuator& a = x.netlist.actuators[i];
    const Cylinder& c = a.cylinder;
    const S &s = x.mechanism.s[i], swept = fraction_of(a, x.oil.spool) * x.mechanism.s_dot[i];
    add_chamber(a.A, drawn_node(a, a.A, value_of(swept)), c.area_A, c.chamber_A(s), c.wall_compressibility, c.area_A * swept);
    add_chamber(a.B, drawn_node(a, a.B, value_of(swept)), c.area_B, c.chamber_B(s), c.wall_compressibility, -c.area_B * swept);
  }
}

template <int D, class S>
void read_components(const OilChannels& channels, const FlowInputs<S>& in, MachineValues<D, S>& x) {
  ComponentValues<S> values;
  S power[kMaxComponentPowers];
  for (std::size_t i = 0; i < x.netlist.components.size(); ++i) {
    const Component& c = x.netlist.components[i];
    const OilChannels::ComponentCells& cells = channels.components[i];
    read_component(c, in, x.y.data(), values);
    c.law->evaluate(values.inputs(), values.Q, values.rate);
    c.law->powers(values.inputs(), values.Q, values.rate, power);
    for (std::size_t k = 0; k < cells.flows.size(); ++k) x.set(cells.flows[k], values.Q[k]);
    for (std::size_t k = 0; k < cells.powers.size(); ++k) x.set(cells.powers[k], x.add_power(power[k]));
    for_each_flow_path(c, values.Q, [&](int A, int B, const S& Q) {
      if (A >= 0) x.outflow[A] += Q;
      if (B >= 0) x.outflow[B] -= Q;
    });
  }
}

template <int D, class S>
void read_elements(const OilChannels& channels, const FlowInputs<S>& in, MachineValues<D, S>& x) {
  for (const OilChannels::Flow& flow : channels.flows) x.set(flow.cell, S(0));
  for (const OilChannels::Opening& opening : channels.openings) x.set(opening.cell, opening.orifice->opening_at(in));
  std::size_t flow = 0, loss = 0;
  for_each_element(x.netlist, [&](const auto& element) {
    const std::size_t end = channels.losses[loss].flows_end;
    S heat(0);
    element.edges(in, [&](int A, int B, auto&& law) {
      const S drop = in.pressure[A] - in.pressure[B], Q = law(drop);
      heat += drop * Q;
      x.outflow[A] += Q;
      x.outflow[B] -= Q;
      for (std::size_t i = flow; i < end; ++i) {
        const OilChannels::Flow& f = channels.flows[i];
        x.cells[static_cast<std::size_t>(f.cell)] += f.sign * (double(f.node == B) - double(f.node == A)) * Q;
      }
    });
    flow = end;
    x.set(channels.losses[loss++].cell, x.add_power(heat));
  });
}

template <int D, class S>
void read_flow_sources(const OilChannels& channels, MachineValues<D, S>& x) {
  for (std::size_t i = 0; i < x.netlist.flow_sources.size(); ++i) {
    const FlowSource& source = x.netlist.flow_sources[i];
    const S Q = source_flow(x.netlist, source, x.oil);
    S power(0);
    if (source.to >= 0) {
      power += x.oil.pressure[source.to] * Q;
      x.outflow[source.to] -= Q;
    }
    if (source.from >= 0) {
      power -= x.oil.pressure[source.from] * Q;
      x.outflow[source.from] += Q;
    }
    x.set(channels.source_powers[i], power);
  }
}

}  // namespace

[[gnu::cold]] OilChannels::OilChannels(const CompiledModel& model, ChannelList& list) {
  const Hydraulics& netlist = model.hydraulics;
  OilDeclaration declaration(netlist, list, *this);
  for (const Volume& volume : netlist.volumes) declaration.add_volume(volume);
  declaration.add_sources();
  for_each_element(netlist, [&](const auto& element) { declaration.add(element); });
  for (const Component& c : netlist.components) declaration.add(c);
}

template <int D, class S>
void read_oil(const OilChannels& channels, MachineValues<D, S>& x) {
  read_volumes(x);
  S* supply = x.power;  // follows when all flows are known
  x.power += static_cast<std::ptrdiff_t>(x.netlist.nodes.size() - x.netlist.volumes.size() + x.netlist.flow_sources.size());
  const FlowInputs<S> in = x.oil.flow_inputs();
  read_elements(channels, in, x);
  read_components(channels, in, x);
  read_flow_sources(channels, x);
  for (std::size_t i = 0; i < x.netlist.nodes.size(); ++i)
    if (x.netlist.nodes[i].state < 0) *supply++ = x.oil.pressure[i] * x.outflow[i];
  for (const int cell : channels.source_powers) *supply++ = x.cells[static_cast<std::size_t>(cell)];
}
TR_INSTANTIATE_READING(read_oil, OilChannels)

}  // namespace trunnion
