// Description of the hydraulic circuit -> nodes, lines, components, and in order everything else of the netlist.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/netlist_builder.h"

namespace trunnion {

void NetlistBuilder::build(const std::vector<double>& starts) {
  netlist_.fluid = make_fluid(d_.fluid);
  first_block_signal_ = model_.signals.size();
  plans_ = plan_control(d_);
  for (const BlockPlan& plan : plans_) model_.signals.add_block(plan.name);
  add_nodes();
  for (const auto& [name, valve] : d_.valves) std::visit([&, &n = name](const auto& v) { add_valve(n, v); }, valve);
  for (const auto& [name, pump] : d_.pumps)
    if (pump.joint.empty()) add_component(name, "pumps", plan_component(pump, netlist_.fluid));
  for (const auto& [name, accumulator] : d_.accumulators) add_component(name, "accumulators", plan_component(accumulator, netlist_.fluid));
  for (const auto& [name, line] : d_.lines) add_line(name, line);
  const double* start = starts.data();
  for (const auto& [name, cylinder] : d_.cylinders) add_cylinder(name, cylinder, *start++);
  for (const auto& [name, motor] : d_.motors) add_motor(name, "motors", motor, *start++);
  for (const auto& [name, pump] : d_.pumps)
    if (!pump.joint.empty()) add_motor(name, "pumps", shaft_pump(pump), *start++);
  netlist_.pistons = static_cast<int>(netlist_.actuators.size());
  for (const JointPort& port : model_.joint_ports)
    if (port.port >= netlist_.pistons) add_joint_actuator(port, starts[static_cast<std::size_t>(port.port)]);
  for (const MarkerPort& port : model_.marker_ports) add_marker_actuator(port);
  for (const DrivenLoad& load : model_.driven_loads) add_driven_load(load);
  for (const auto& [name, q] : d_.quasistatic) add_quasistatic(name, q);
  average_walls();
  for (Component& c : netlist_.components) start_component(c);
  add_control();
  for (Spool& spool : netlist_.spools) add_spool_states(spool);
  for (const DrivenLoad& load : model_.driven_loads)
    if (load.motion >= 0) follow_block(load);
  netlist_.ny = static_cast<int>(model_.y_start.size());
  build_circuits();
  netlist_.signals = model_.signals.size();
  netlist_.block_of_signal.resize(static_cast<std::size_t>(netlist_.signals), -1);
  std::sort(netlist_.used_signals.begin(), netlist_.used_signals.end());
  netlist_.used_signals.erase(std::unique(netlist_.used_signals.begin(), netlist_.used_signals.end()), netlist_.used_signals.end());
}

int NetlistBuilder::add_state(const std::string& name, double start) {
  model_.state_names.push_back(name);
  model_.y_start.push_back(start);
  return static_cast<int>(model_.y_start.size()) - 1;
}

SignalIndex NetlistBuilder::signal(const NumberOrSignal& value) {
  const SignalIndex index = std::holds_alternative<double>(value) ? model_.signals.add_constant(std::get<double>(value))
                                                                  : model_.signals.find(std::get<std::string>(value));
  if (!is_block(index)) netlist_.used_signals.push_back(index);
  return index;
}

bool NetlistBuilder::is_block(SignalIndex signal) const {
  return signal >= first_block_signal_ && signal < first_block_signal_ + static_cast<int>(plans_.size());
}

int NetlistBuilder::node(const std::string& name) const {
  const auto number = node_numbers_.find(name);
  if (number == node_numbers_.end()) throw Error("there is no volume or pressure source '" + name + "'");
  return number->second;
}

void NetlistBuilder::add_nodes() {
  for (const auto& [name, v] : d_.volumes) {
    const double start = v.pressure.equilibrium ? std::numeric_limits<double>::quiet_NaN() : v.pressure.value;
    netlist_.volumes.push_back({static_cast<int>(netlist_.nodes.size()), v.volume, wall(v.bulk_modulus), 0});
    netlist_.nodes.push_back({name, add_state(name + ".pressure", start), -1, -1, -1});
  }
  for (const auto& [name, line] : d_.lines) {
    const LineParts parts = line_parts(line, netlist_.fluid);
    for (int k = 1; k < line.segments; ++k) {  // starts: add_line
      netlist_.volumes.push_back({static_cast<int>(netlist_.nodes.size()), parts.volume, parts.wall_compressibility, 0});
      netlist_.nodes.push_back(
          {inside(name, k), add_state(inside(name, k) + ".pressure", std::numeric_limits<double>::quiet_NaN()), -1, -1, -1});
    }
  }
  for (const auto& [name, source] : d_.sources)
    if (const auto* p = std::get_if<PressureSourceDescription>(&source)) netlist_.nodes.push_back({name, -1, -1, -1, signal(p->pressure)});
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    if (netlist_.nodes[i].state < 0 && is_block(netlist_.nodes[i].source)) netlist_.driven_sources.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) node_numbers_.emplace(netlist_.nodes[i].name, static_cast<int>(i));
  for (const auto& [name, source] : d_.sources)
    if (const auto* f = std::get_if<FlowSourceDescription>(&source))
      netlist_.flow_sources.push_back({name, f->from.empty() ? -1 : node(f->from), f->to.empty() ? -1 : node(f->to), signal(f->flow)});
}

int NetlistBuilder::add_spool(const std::string& name, const SpoolDynamics& dynamics, const NumberOrSignal& command) {
  Spool spool;
  spool.name = name;
  spool.time_constant = dynamics.time_constant;
  spool.frequency = 2 * std::numbers::pi * dynamics.frequency.value_or(0);
  spool.damping = dynamics.damping;
  spool.rate_limit = dynamics.rate_limit.value_or(std::numeric_limits<double>::infinity());
  spool.signal = signal(command);
  spool.start = dynamics.start;
  netlist_.spools.push_back(std::move(spool));
  return static_cast<int>(netlist_.spools.size()) - 1;
}

int NetlistBuilder::add_spool(const std::string& name, double time_constant, const NumberOrSignal& command) {
  return add_spool(name, SpoolDynamics{time_constant, {}, {}, {}, {}}, command);
}

void NetlistBuilder::add_component(const std::string& name, const char* section, const ComponentPlan& plan) {
  Component c;
  c.name = name;
  c.section = section;
  c.law = plan.law;
  c.start = plan.start;
  for (const std::string& n : plan.nodes) c.nodes.push_back(node(n));
  for (const CommandPlan& command : plan.commands)
    c.spools.push_back(add_spool(command.name.empty() ? name : name + "." + command.name, command.dynamics, command.signal));
  netlist_.components.push_back(std::move(c));
}

void NetlistBuilder::start_component(Component& c) {
  c.state = static_cast<int>(model_.y_start.size());
  for (const ComponentState& state : c.law->info().states) add_state(c.name + "." + state.name, c.start);
}

void NetlistBuilder::add_line(const std::string& name, const LineDescription& line) {
  const LineParts parts = line_parts(line, netlist_.fluid);
  const int A = node(line.A), B = node(line.B);
  for (int end : {A, B}) {
    if (netlist_.nodes[end].state < 0) continue;
    Volume& v = netlist_.volumes[end];  // volumes come first among the nodes
    const double more = parts.volume / 2;
    v.wall_compressibility = (v.volume * v.wall_compressibility + more * parts.wall_compressibility) / (v.volume + more);
    v.volume += more;
  }
  const auto start = [&](int n) {
    return netlist_.nodes[n].state >= 0 ? model_.y_start[netlist_.nodes[n].state]
                                        : Signals(model_.signals, nullptr).value(netlist_.nodes[n].source, 0, Side::right);
  };
  const double from = start(A), to = start(B);
  for (int k = 1; k < line.segments; ++k)
    model_.y_start[netlist_.nodes[node(inside(name, k))].state] = std::isnan(from) ? to
                                                                  : std::isnan(to) ? from
                                                                                   : from + (to - from) * k / line.segments;
  for (int k = 1; k <= line.segments; ++k)
    add_component(
        line.segments == 1 ? name : inside(name, k), "lines",
        {parts.segment, {k == 1 ? line.A : inside(name, k - 1), k == line.segments ? line.B : inside(name, k)}, {}, line.start_flow});
}

void NetlistBuilder::average_walls() {
  std::vector<double> volume(netlist_.nodes.size()), walls(netlist_.nodes.size());
  const auto add = [&](int node, double part, double wall) {
    volume[node] += part;
    walls[node] += part * wall;
  };
  for (const Volume& v : netlist_.volumes) add(v.node, v.volume, v.wall_compressibility);
  for (const Actuator& a : pistons_of(netlist_)) {
    add(a.A, a.cylinder.area_A * a.cylinder.chamber_A0, a.cylinder.wall_compressibility);
    add(a.B, a.cylinder.area_B * a.cylinder.chamber_B0, a.cylinder.wall_compressibility);
  }
  for (Volume& v : netlist_.volumes) v.mean_wall_compressibility = walls[v.node] / volume[v.node];
}

void compile_hydraulics(const Description& description, const std::vector<double>& starts, CompiledModel& model) {
  NetlistBuilder(description, model).build(starts);
}

}  // namespace trunnion
