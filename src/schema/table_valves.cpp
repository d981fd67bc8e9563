// The table, part 4: valves.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/table_parts.h"

namespace trunnion {

namespace {

// ---------------------------------------------------------------- keys common to several valves

void describe_dynamics(Visitor& v, SpoolDynamics& d, const char* what) {
  v.leaf({"time_constant", what, kTime, kNonNegative}, &d.time_constant);
  v.leaf({"frequency", "Natural frequency of a second-order spool, instead of a time constant", kFrequency, kPositive}, &d.frequency);
  v.leaf({"damping", "Damping ratio", kNumber, kNonNegative}, &d.damping);
  v.leaf({"rate_limit", "Maximum rate of the effective command, per second; default: none", kSignalValue, kPositive}, &d.rate_limit);
  v.leaf({"start", "Start position of the spool, in the unit of the command; default: its command", kSignalValue}, &d.start);
}

template <class Valve>
void describe_motion(Visitor& v, Valve& m) {
  v.leaf({"frequency", "Natural frequency of spool or poppet on its spring; default: no inertia", kFrequency, kPositive}, &m.frequency);
  v.leaf({"damping", "Damping ratio", kNumber, kNonNegative}, &m.damping);
}

template <class Valve>
void describe_spring_valve(Visitor& v, Valve& s, const Key& setting, const char* range) {
  v.leaf(setting, &s.setting);
  v.leaf({"range", range, kPressure, kPositive}, &s.range);
  describe_size(v, s);
  describe_motion(v, s);
}

void describe_node(Visitor& v, const char* name, const char* doc, std::string& node, unsigned flags = kRequired) {
  v.leaf({name, doc, kNumber, flags, Names::node}, &node);
}

/// Form `key: {...}` of a valve of type V.
template <class V>
Alternative valve_form(ValveDescription& valve, const char* key, const char* doc, void (*describe)(Visitor&, V&)) {
  return {key, doc, std::holds_alternative<V>(valve), [&valve] { valve = V{}; },
          [&valve, key, doc, describe](Visitor& w) {
            auto& d = std::get<V>(valve);
            w.group({key, doc, kNumber, kRequired}, {true, {}, [&d, describe](Visitor& u) { describe(u, d); }});
            if constexpr (std::is_same_v<V, OrificeDescription>)
              w.leaf({"signal", "Command over time; default: always open", kNumber, 0, Names::command}, &d.signal);
            if constexpr (std::is_same_v<V, DirectionalValveDescription> || std::is_same_v<V, SpoolValveDescription>)
              w.leaf({"signal", "Command over time", kNumber, kRequired, Names::command}, &d.signal);
          }};
}

// ---------------------------------------------------------------- opened by a signal

constexpr const char* kOpening = "Opening from 0 to 1 over the signal: points [signal, opening], linear between, constant outside";

void describe_orifice(Visitor& v, OrificeDescription& o) {
  describe_node(v, "A", "Node at one side; flow from A to B is positive", o.A);
  describe_node(v, "B", "Node at the other side", o.B);
  describe_size(v, o);
  v.leaf({"opening", kOpening, kNumber, kFraction}, OverSignal{&o.opening});
  describe_dynamics(v, o.dynamics, "Time constant of the command; 0: no lag");
}

void describe_directional_4_3(Visitor& v, DirectionalValveDescription& d) {
  describe_node(v, "P", "Supply node", d.P);
  describe_node(v, "T", "Return node", d.T);
  describe_node(v, "A", "Node supplied at positive signals", d.A);
  describe_node(v, "B", "Node supplied at negative signals", d.B);
  v.leaf({"flow", "Nominal flow over one edge", kFlow, kRequired | kPositive}, &d.flow);
  v.leaf({"at_pressure_drop", "Pressure drop over that edge at the nominal flow", kPressure, kPositive}, &d.at_pressure_drop);
  v.leaf({"at_signal", "Signal at which the valve is fully open", kSignalValue, kPositive}, &d.at_signal);
  describe_dynamics(v, d.dynamics, "Time constant of the spool; 0: no lag");
  v.leaf({"dead_band", "Signal below which the valve is closed", kSignalValue, kNonNegative}, &d.dead_band);
  v.leaf({"laminar_limit", "Pressure drop below which the flow is laminar", kPressure, kPositive}, &d.laminar_limit);
}

void describe_port(Visitor& v, PortDescription& p) { describe_node(v, "node", "Node at this port", p.node); }

void describe_edge(Visitor& v, SpoolEdgeDescription& e) {
  std::vector<Alternative> sizes = size_forms(e);
  for (Alternative& form : sizes) {
    form.activate = [&e, activate = form.activate] { e.areas.clear(), activate(); };
    form.describe = [&e, describe = form.describe](Visitor& w) {
      describe(w);
      w.leaf({"opening", kOpening, kNumber, kFraction}, OverSignal{&e.opening});
    };
  }
  sizes.push_back({"areas", "Size by areas over the signal", !e.areas.empty(), sizes.front().activate, [&e](Visitor& w) {
                     w.leaf({"areas", "Area over the signal: points [signal, area], linear between, constant outside", kArea, kRequired},
                            OverSignal{&e.areas, true});
                   }});
  v.alternatives(sizes, true);
  v.leaf({"discharge", "Discharge coefficient", kNumber, kPositive}, &e.discharge);
  v.leaf({"laminar_limit", "Pressure drop below which the flow is laminar", kPressure, kPositive}, &e.laminar_limit);
}

void describe_directional(Visitor& v, SpoolValveDescription& d) {
  v.section({"ports", "Ports by name, such as P, T, A, B, and their nodes", kNumber, kRequired}, named_items(d.ports, describe_port),
            "node");
  v.section({"edges", "Metering edges, each named after the ports it connects, such as P_A", kNumber, kRequired},
            named_items(d.edges, describe_edge), nullptr);
  describe_dynamics(v, d.dynamics, "Time constant of the spool; 0: no lag");
}

// ---------------------------------------------------------------- opened by pressures

void describe_check(Visitor& v, CheckValveDescription& c) {
  describe_node(v, "A", "Upstream node", c.A);
  describe_node(v, "B", "Downstream node", c.B);
  v.leaf({"cracking_pressure", "Pressure drop from A to B at which it opens", kPressure, kNonNegative}, &c.cracking_pressure);
  describe_size(v, c);
}

void describe_relief(Visitor& v, ReliefValveDescription& r) {
  describe_node(v, "A", "Node whose pressure it limits", r.A);
  describe_node(v, "B", "Node that receives the relief flow", r.B);
  v.leaf({"cracking_pressure", "Pressure drop from A to B at which it opens", kPressure, kRequired | kNonNegative}, &r.cracking_pressure);
  const auto clear = [&r] { r.flow.reset(), r.override_pressure.reset(), r.gradient.reset(); };
  v.alternatives(
      {{"flow", "Size by nominal flow", !r.gradient || r.flow || r.override_pressure, clear,
        [&r](Visitor& w) {
          w.leaf({"flow", "Nominal flow", kFlow, kRequired | kPositive}, &r.flow);
          w.leaf({"override", "Pressure above the cracking pressure at the nominal flow", kPressure, kRequired | kPositive},
                 &r.override_pressure);
        }},
       {"gradient", "Size by gradient", r.gradient.has_value(), clear,
        [&r](Visitor& w) {
          w.leaf({"gradient", "Flow per pressure above the cracking pressure", kFlowGradient, kRequired | kPositive}, &r.gradient);
        }}},
      true);
  describe_motion(v, r);
  v.leaf({"time_constant", "Time constant of the opening, without a frequency; 0: no lag", kTime, kNonNegative}, &r.time_constant);
  v.leaf({"laminar_limit", "With a frequency or a time constant: pressure drop below which the flow is laminar", kPressure, kPositive},
         &r.laminar_limit);
}

void describe_pilot_check(Visitor& v, PilotCheckValveDescription& c) {
  describe_node(v, "A", "Upstream node", c.A);
  describe_node(v, "B", "Downstream node; reverse flow when the pilot lifts the poppet", c.B);
  describe_node(v, "X", "Pilot node", c.X);
  v.leaf({"pilot_ratio", "Area ratio of pilot piston to seat", kNumber, kPositive}, &c.pilot_ratio);
  describe_spring_valve(v, c, {"cracking_pressure", "Pressure drop from A to B at which it opens", kPressure, kNonNegative},
                        "Additional pressure for full opening");
}

void describe_counterbalance(Visitor& v, CounterbalanceValveDescription& c) {
  describe_node(v, "A", "Load node", c.A);
  describe_node(v, "B", "Node towards the directional valve", c.B);
  describe_node(v, "X", "Pilot node, usually the other side of the actuator", c.X);
  describe_node(v, "drain", "Node that the spring chamber is vented to; default: B", c.drain, 0);
  v.leaf({"pilot_ratio", "Area ratio of pilot to load; 0: a relief valve with a check valve", kNumber, kNonNegative}, &c.pilot_ratio);
  describe_spring_valve(v, c, {"setting", "Load pressure that opens it without pilot", kPressure, kRequired | kPositive},
                        "Additional pressure for full opening");
  v.leaf({"cracking_pressure", "Pressure drop from B to A at which its check valve opens", kPressure, kNonNegative}, &c.cracking_pressure);
}

void describe_shuttle(Visitor& v, ShuttleValveDescription& s) {
  describe_node(v, "X", "One node", s.X);
  describe_node(v, "Y", "The other node", s.Y);
  describe_node(v, "Z", "Node connected to the higher of the two pressures", s.Z);
  v.leaf({"range", "Pressure difference that moves the shuttle from seat to seat", kPressure, kPositive}, &s.range);
  describe_size(v, s);
}

void describe_reducing(Visitor& v, ReducingValveDescription& r) {
  describe_node(v, "A", "Supply node", r.A);
  describe_node(v, "B", "Node whose pressure it limits", r.B);
  describe_node(v, "T", "Node that the spring chamber drains to", r.T);
  describe_spring_valve(v, r, {"setting", "Pressure of B above T at which it starts to throttle", kPressure, kRequired | kPositive},
                        "Additional pressure for full closing");
  v.leaf({"relieving", "Relieves B to T if the pressure rises further"}, &r.relieving);
  v.leaf({"overlap", "Relieving: pressure between closing A to B and opening B to T", kPressure, kNonNegative}, &r.overlap);
}

void describe_compensator(Visitor& v, CompensatorDescription& c) {
  v.leaf({"kind", "Upstream (`pre`) or downstream (`post`) of a metering edge", kNumber, kRequired}, choice(c.kind, {"pre", "post"}));
  describe_node(v, "A", "Upstream node; post: downstream of the metering edge", c.A);
  describe_node(v, "B", "Downstream node; pre: upstream of the metering edge", c.B);
  describe_node(v, "LS", "Load pressure; pre: downstream of the metering edge; post: the highest of all", c.LS);
  describe_spring_valve(
      v, c, {"setting", "Pressure of B (pre) or A (post) above LS at which the spool starts to move", kPressure, kRequired | kPositive},
      "Additional pressure for full travel");
  v.leaf({"load_check", "Blocks reverse flow from B to A"}, &c.load_check);
}

void describe_flow_divider(Visitor& v, FlowDividerDescription& f) {
  describe_node(v, "P", "Node of the total flow", f.P);
  describe_node(v, "A", "Node of the first partial flow", f.A);
  describe_node(v, "B", "Node of the second partial flow", f.B);
  v.leaf({"share", "Fraction of the flow to A", kNumber, kPositive | kFraction}, &f.share);
  describe_size(v, f);
  v.leaf({"range", "Difference of the two metering pressure drops for full spool travel", kPressure, kPositive}, &f.range);
  v.leaf({"time_constant", "Time constant of the spool", kTime, kPositive}, &f.time_constant);
}

void describe_priority(Visitor& v, PriorityValveDescription& p) {
  describe_node(v, "P", "Supply node", p.P);
  describe_node(v, "CF", "Controlled flow: node served first", p.CF);
  describe_node(v, "EF", "Excess flow: node that receives the rest", p.EF);
  describe_node(v, "LS", "Load pressure of the consumer at CF", p.LS);
  describe_spring_valve(v, p, {"setting", "Pressure of CF above LS at which EF starts to open", kPressure, kRequired | kPositive},
                        "Additional pressure at which all flow goes to EF");
}

void describe_resistance(Visitor& v, ResistanceDescription& r) {
  describe_node(v, "A", "Node at one side; flow from A to B is positive", r.A);
  describe_node(v, "B", "Node at the other side", r.B);
  v.leaf({"flow", "Nominal flow", kFlow, kRequired | kPositive}, &r.flow);
  v.leaf({"at_pressure_drop", "Pressure drop at the nominal flow", kPressure, kRequired | kPositive}, &r.at_pressure_drop);
  v.leaf({"laminar_share", "Fraction of that pressure drop that is linear in the flow", kNumber, kPositive | kFraction}, &r.laminar_share);
}

void describe_laminar(Visitor& v, LaminarRestrictionDescription& r) {
  describe_node(v, "A", "Node at one side; flow from A to B is positive", r.A);
  describe_node(v, "B", "Node at the other side", r.B);
  const auto clear = [&r] { r.diameter.reset(), r.width.reset(), r.height.reset(); };
  v.alternatives(
      {{"diameter", "A bore", r.diameter.has_value(), clear,
        [&r](Visitor& w) {
          w.leaf({"diameter", "Diameter", kLength, kRequired | kPositive}, &r.diameter);
        }},
       {"width", "A gap", r.width.has_value() || r.height.has_value(), clear,
        [&r](Visitor& w) {
          w.leaf({"width", "Width across the flow: the circumference of an annular gap", kLength, kRequired | kPositive}, &r.width);
          w.leaf({"height", "Height of the gap", kLength, kRequired | kPositive}, &r.height);
        }}},
      true);
  v.leaf({"length", "Length along the flow", kLength, kRequired | kPositive}, &r.length);
}

}  // namespace

void describe_valve(Visitor& v, ValveDescription& valve) {
  v.alternatives({valve_form(valve, "orifice", "Orifice between two nodes", describe_orifice),
                  valve_form(valve, "directional_4_3", "Directional valve, four ports and three positions", describe_directional_4_3),
                  valve_form(valve, "check", "Check valve: flow in one direction only", describe_check),
                  valve_form(valve, "relief", "Relief valve: limits a pressure", describe_relief),
                  valve_form(valve, "directional", "Proportional directional valve, defined edge by edge", describe_directional),
                  valve_form(valve, "pilot_check", "Pilot-operated check valve", describe_pilot_check),
                  valve_form(valve, "counterbalance", "Counterbalance valve: holds and lowers a load", describe_counterbalance),
                  valve_form(valve, "shuttle", "Shuttle valve: selects the higher of two pressures", describe_shuttle),
                  valve_form(valve, "reducing", "Pressure-reducing valve: limits the downstream pressure", describe_reducing),
                  valve_form(valve, "compensator", "Pressure compensator of a metering edge", describe_compensator),
                  valve_form(valve, "flow_divider", "Flow divider and combiner", describe_flow_divider),
                  valve_form(valve, "priority", "Priority valve: serves one node first", describe_priority),
                  valve_form(valve, "resistance", "Flow resistance of a filter, cooler or hose", describe_resistance),
                  valve_form(valve, "laminar", "Laminar restriction: a bore or a gap", describe_laminar)},
                 true);
}

}  // namespace trunnion
