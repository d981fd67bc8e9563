// Description of the hydraulic circuit -> nodes, flow elements, actuators, and the blocks that are solved together.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>

#include "model/compile_parts.h"
#include "model/component_plan.h"
#include "model/control_plan.h"

namespace trunnion {

namespace {

double wall(double bulk_modulus) { return 1 / bulk_modulus; }  // zero for a rigid wall

/// Which volumes are solved together.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  int root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int a, int b) { parent_[std::max(root(a), root(b))] = std::min(root(a), root(b)); }

 private:
  std::vector<int> parent_;
};

class NetlistBuilder {
  static constexpr double kNever = 1e300;  // [rad, m] unlimited stroke

 public:
  NetlistBuilder(const Description& d, CompiledModel& model) : d_(d), model_(model), netlist_(model.hydraulics) {}

  void build(const std::vector<double>& starts) {
    netlist_.fluid = make_fluid(d_.fluid);
    first_block_signal_ = model_.signals.size();
    plans_ = plan_control(d_);
    for (const BlockPlan& plan : plans_) model_.signals.add_block(plan.name);
    add_nodes();
    for (const auto& [name, valve] : d_.valves) std::visit([&, &n = name](const auto& v) { add_valve(n, v); }, valve);
    for (const auto& [name, pump] : d_.pumps)
      if (pump.joint.empty()) add_component(name, "pumps", plan_component(pump, netlist_.fluid));
    for (const auto& [name, accumulator] : d_.accumulators)
      add_component(name, "accumulators", plan_component(accumulator, netlist_.fluid));
    for (const auto& [name, line] : d_.lines) add_line(name, line);
    const double* start = starts.data();
    for (const auto& [name, cylinder] : d_.cylinders) add_cylinder(name, cylinder, *start++);
    for (const auto& [name, motor] : d_.motors) add_motor(name, "motors", motor, *start++);
    for (const auto& [name, pump] : d_.pumps)
      if (!pump.joint.empty()) add_motor(name, "pumps", shaft_pump(pump), *start++);
    netlist_.pistons = static_cast<int>(netlist_.actuators.size());
    for (const JointPort& port : model_.joint_ports)
      if (port.port >= netlist_.pistons) add_joint_actuator(port, starts[static_cast<std::size_t>(port.port)]);
    for (const DrivenLoad& load : model_.driven_loads) add_driven_load(load);
    for (const auto& [name, q] : d_.quasistatic) add_quasistatic(name, q);
    average_walls();
    for (Component& c : netlist_.components) start_component(c);
    add_control();
    for (Spool& spool : netlist_.spools) add_spool_states(spool);
    netlist_.ny = static_cast<int>(model_.y_start.size());
    build_circuits();
    netlist_.signals = model_.signals.size();
    netlist_.block_of_signal.resize(static_cast<std::size_t>(netlist_.signals), -1);
    std::sort(netlist_.used_signals.begin(), netlist_.used_signals.end());
    netlist_.used_signals.erase(std::unique(netlist_.used_signals.begin(), netlist_.used_signals.end()), netlist_.used_signals.end());
  }

 private:
  int add_state(const std::string& name, double start) {
    model_.state_names.push_back(name);
    model_.y_start.push_back(start);
    return static_cast<int>(model_.y_start.size()) - 1;
  }
  SignalIndex signal(const NumberOrSignal& value) {
    const SignalIndex index = std::holds_alternative<double>(value) ? model_.signals.add_constant(std::get<double>(value))
                                                                    : model_.signals.find(std::get<std::string>(value));
    if (!is_block(index)) netlist_.used_signals.push_back(index);
    return index;
  }
  bool is_block(SignalIndex signal) const {
    return signal >= first_block_signal_ && signal < first_block_signal_ + static_cast<int>(plans_.size());
  }
  SignalIndex used(const std::string& name) { return signal(NumberOrSignal(name)); }
  int node(const std::string& name) const {
    const auto number = node_numbers_.find(name);
    if (number == node_numbers_.end()) throw Error("there is no volume or pressure source '" + name + "'");
    return number->second;
  }

  void add_nodes() {
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
      if (const auto* p = std::get_if<PressureSourceDescription>(&source))
        netlist_.nodes.push_back({name, -1, -1, -1, signal(p->pressure)});
    for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
      if (netlist_.nodes[i].state < 0 && is_block(netlist_.nodes[i].source)) netlist_.driven_sources.push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) node_numbers_.emplace(netlist_.nodes[i].name, static_cast<int>(i));
    for (const auto& [name, source] : d_.sources)
      if (const auto* f = std::get_if<FlowSourceDescription>(&source))
        netlist_.flow_sources.push_back({name, f->from.empty() ? -1 : node(f->from), f->to.empty() ? -1 : node(f->to), signal(f->flow)});
  }
  int add_spool(const std::string& name, const SpoolDynamics& dynamics, const NumberOrSignal& command) {
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
  int add_spool(const std::string& name, double time_constant, const NumberOrSignal& command) {
    return add_spool(name, SpoolDynamics{time_constant, {}, {}, {}, {}}, command);
  }
  void add_component(const std::string& name, const char* section, const ComponentPlan& plan) {
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
  /// Its states; their start values follow from the pressures.
  void start_component(Component& c) {
    c.state = static_cast<int>(model_.y_start.size());
    for (const ComponentState& state : c.law->info().states) add_state(c.name + "." + state.name, c.start);
  }
  /// The k-th segment of a line, from 1.
  static std::string inside(const std::string& line, int k) { return line + "." + std::to_string(k); }
  /// Segments in series; half a segment's oil is at either end of the line.
  void add_line(const std::string& name, const LineDescription& line) {
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
  template <class V>
  requires requires(const V& v, const Fluid& fluid) { plan_component(v, fluid); }
  void add_valve(const std::string& name, const V& v) { add_component(name, "valves", plan_component(v, netlist_.fluid)); }
  void add_valve(const std::string& name, const OrificeDescription& v) {
    Orifice o;
    o.name = name;
    o.A = node(v.A);
    o.B = node(v.B);
    o.zone = LaminarZone(v.laminar_limit);
    o.coefficient = orifice_coefficient(v, netlist_.fluid);
    if (v.signal) o.spool = add_spool(name, v.dynamics, *v.signal);
    o.opening.points = v.opening;
    std::get<std::vector<Orifice>>(netlist_.elements).push_back(o);
  }
  void add_valve(const std::string& name, const CheckValveDescription& v) {
    OneWayValve valve{name, node(v.A), node(v.B), {}};
    valve.law.cracking = v.cracking_pressure;
    valve.law.coefficient = orifice_coefficient(v, netlist_.fluid, v.cracking_pressure);
    valve.law.zone = LaminarZone(v.laminar_limit);
    std::get<std::vector<OneWayValve>>(netlist_.elements).push_back(valve);
  }
  void add_valve(const std::string& name, const ReliefValveDescription& v) {
    if (v.frequency || v.time_constant > 0) return add_component(name, "valves", plan_component(v, netlist_.fluid));
    OneWayValve valve{name, node(v.A), node(v.B), {}};
    valve.law.cracking = v.cracking_pressure;
    valve.law.gradient = v.gradient ? *v.gradient : *v.flow / *v.override_pressure;
    std::get<std::vector<OneWayValve>>(netlist_.elements).push_back(valve);
  }
  /// Its edges are orifices with a common spool.
  void add_valve(const std::string& name, const SpoolValveDescription& v) {
    const int spool = add_spool(name, v.dynamics, v.signal);
    for (EdgePlan& edge : plan_edges(v, netlist_.fluid)) {
      Orifice o;
      o.name = name + "." + edge.name;
      o.A = node(edge.A);
      o.B = node(edge.B);
      o.coefficient = edge.coefficient;
      o.zone = LaminarZone(edge.laminar_limit);
      o.spool = spool;
      o.opening.points = std::move(edge.opening);
      std::get<std::vector<Orifice>>(netlist_.elements).push_back(std::move(o));
    }
  }
  void add_valve(const std::string& name, const DirectionalValveDescription& v) {
    DirectionalValve valve;
    valve.name = name;
    valve.P = node(v.P);
    valve.T = node(v.T);
    valve.A = node(v.A);
    valve.B = node(v.B);
    valve.coefficient = nominal_coefficient(v.flow, v.at_pressure_drop) / v.at_signal;
    valve.dead_band = v.dead_band;
    valve.at_signal = v.at_signal;
    valve.zone = LaminarZone(v.laminar_limit);
    valve.spool = add_spool(name, v.dynamics, v.signal);
    std::get<std::vector<DirectionalValve>>(netlist_.elements).push_back(valve);
  }
  void add_cylinder(const std::string& name, const CylinderDescription& c, double length) {
    Actuator a;
    a.cylinder.chamber_A0 = c.chamber_length_A.value_or(1);
    a.cylinder.chamber_B0 = c.chamber_length_B.value_or(c.plunger ? kNever : 1);
    a.cylinder.travel = c.chamber_length_A ? 1 : 0;  // unlimited stroke
    if (c.plunger) {
      a.cylinder.area_A = circle_area(*c.plunger);
      a.B = node(c.A);
    } else {
      a.cylinder.area_A = c.area_A ? *c.area_A : circle_area(c.bore.value_or(0));
      a.cylinder.area_B = c.area_B ? *c.area_B : circle_area(c.bore.value_or(0)) - circle_area(c.rod.value_or(0));
    }
    add_cushion(name + ".cushion_A", c.A, c.cushion_A, a.cylinder.chamber_A0 - length, 1);
    add_cushion(name + ".cushion_B", c.B, c.cushion_B, a.cylinder.chamber_B0 + length, -1);
    add_actuator(name, c, length, std::move(a));
  }
  /// The port of a chamber, which closes over its length l_0 + sign s, and a check valve past it.
  void add_cushion(const std::string& name, const std::string& chamber, const std::optional<CushionDescription>& c, double l_0,
                   double sign) {
    if (!c) return;
    Orifice o;
    o.name = name;
    o.section = "cylinders";
    o.A = node(chamber);
    o.B = node(c->node);
    o.zone = LaminarZone(c->port.laminar_limit);
    o.coefficient = orifice_coefficient(c->port, netlist_.fluid);
    const double least = orifice_coefficient(c->throttle, netlist_.fluid) / o.coefficient;
    if (least > 1) {
      const std::string place = "cylinders." + name + ".throttle";
      throw InputError({{span_of(d_, place), place, "the throttle is larger than the open port", "a smaller throttle", ""}});
    }
    o.cushion = {static_cast<int>(netlist_.actuators.size()), c->length, least, l_0, sign};
    std::get<std::vector<Orifice>>(netlist_.elements).push_back(std::move(o));
    netlist_.cushions = true;
    if (!c->check) return;
    OneWayValve valve{name + ".check", node(c->node), node(chamber), {}, "cylinders"};
    valve.law.coefficient = orifice_coefficient(*c->check, netlist_.fluid);
    valve.law.zone = LaminarZone(c->check->laminar_limit);
    std::get<std::vector<OneWayValve>>(netlist_.elements).push_back(std::move(valve));
  }
  void add_motor(const std::string& name, const char* section, const MotorDescription& c, double angle) {
    Actuator a;
    a.section = section;
    a.is_rotary = true;
    a.cylinder.area_A = c.displacement ? *c.displacement : c.displacement_A.value_or(0);
    a.cylinder.area_B = c.displacement ? *c.displacement : c.displacement_B.value_or(0);
    a.cylinder.travel = c.chamber_angle_A ? 1 : 0;
    a.cylinder.chamber_A0 = c.chamber_angle_A ? *c.chamber_angle_A : c.volume / a.cylinder.area_A;
    a.cylinder.chamber_B0 = c.chamber_angle_B ? *c.chamber_angle_B : c.volume / a.cylinder.area_B;
    a.cylinder.coulomb = c.coulomb;
    if (const auto* command = std::get_if<std::string>(&c.fraction); command == nullptr || !command->empty())
      a.spool = add_spool(name + ".fraction", c.time_constant, c.fraction);
    if (c.case_drain) {
      const auto drain = [&](const char* side, const std::string& from, const char* meaning) {
        std::get<std::vector<Leakage>>(netlist_.elements)
            .push_back({name + ".case_leakage_" + side, node(from), node(c.case_drain->node), c.case_drain->leakage, "motors", meaning});
      };
      drain("A", c.A, "leakage from side A into the case");
      drain("B", c.B, "leakage from side B into the case");
    }
    add_actuator(name, c, angle, std::move(a));
  }
  template <class ActuatorDescription>
  void add_actuator(const std::string& name, const ActuatorDescription& c, double start, Actuator a) {
    a.name = name;
    a.A = node(c.A.empty() ? tank_of(name) : c.A);
    if (a.B < 0) a.B = node(c.B.empty() ? tank_of(name) : c.B);
    a.cylinder.length_0 = start;
    a.cylinder.wall_compressibility = wall(c.bulk_modulus);
    a.cylinder.viscous = c.viscous;
    if (c.end_damper) a.cylinder.damper = {c.end_damper->stiffness, c.end_damper->damping, c.end_damper->length, c.end_damper->law};
    a.cylinder.friction_A = c.friction.pressure_A;
    a.cylinder.friction_B = c.friction.pressure_B;
    add_friction(name + ".", c.friction, a);
    if (c.leakage > 0) std::get<std::vector<Leakage>>(netlist_.elements).push_back({name + ".leakage", a.A, a.B, c.leakage, a.section});
    netlist_.actuators.push_back(std::move(a));
  }
  /// The friction of an actuator; names of its states begin with `stem`, after the section where another state has that name.
  void add_friction(const std::string& stem, const FrictionDescription& friction, Actuator& a) {
    a.friction = make_friction(friction);
    a.friction_states = friction_states(a.friction);
    a.friction_local = friction.states == FrictionStates::local;
    a.state = static_cast<int>(model_.y_start.size());
    FrictionStateValues start_of{friction.start_bristle, friction.start_film};
    if (friction.model == FrictionKind::maxwell_slip) start_of.fill(friction.start_bristle);
    if (friction.model == FrictionKind::maxwell_slip)
      std::copy(friction.start_bristles.begin(), friction.start_bristles.end(), start_of.begin());
    for (const double* x = start_of.data(); const FrictionStateInfo& info : friction_state_info(a.friction)) {
      const std::string name = stem + std::string(info.name);
      const bool taken = std::find(model_.state_names.begin(), model_.state_names.end(), name) != model_.state_names.end();
      add_state(taken ? std::string(a.section) + "." + name : name, *x++);
    }
  }
  /// What acts on a joint coordinate: an actuator without chambers.
  void add_joint_actuator(const JointPort& port, double start) {
    Actuator a;
    a.name = port.place.label();
    a.section = port.place.of_loop ? "loops" : "joints";
    a.is_rotary = port.place.name.kind == JointPartKind::angle;
    a.cylinder.length_0 = start;
    a.cylinder.travel = 0;
    a.state = static_cast<int>(model_.y_start.size());
    if (const CoordinateElements* elements = elements_of(d_, port.place)) {
      if (elements->limits) set_limits(*elements->limits, limit_law(model_, port.place, port.port, *elements->limits), a.cylinder);
      const CoordinatePlace& at = port.place;
      if (elements->friction) {
        const std::string stem = at.joint + "." + (at.alone ? "" : at.name.position + std::string("_"));
        add_friction(stem, *elements->friction, a);
        if (elements->friction->nominal_load) add_load(stem, a);
      }
    }
    netlist_.actuators.push_back(std::move(a));
  }
  /// Its joint's load, which its friction follows.
  void add_load(const std::string& stem, Actuator& a) {
    a.load = static_cast<int>(model_.y_start.size());
    add_state(stem + "friction_load", 1);
    add_state(stem + "friction_load_found", 1);
  }
  void add_driven_load(const DrivenLoad& load) {
    Actuator a;
    a.name = load.name;
    a.section = "forces";
    a.cylinder.travel = 0;
    a.state = static_cast<int>(model_.y_start.size());
    a.drive = signal(load.signal);
    a.gain = load.factor;
    netlist_.actuators.push_back(std::move(a));
  }
  /// Limits as end dampers of a piston without area: a chamber is as long as the damper at the limit.
  static void set_limits(const LimitsDescription& limits, const EndDamper& law, Cylinder& c) {
    c.damper = law;
    c.travel = 1;
    c.chamber_A0 = limits.minimum ? c.length_0 - *limits.minimum + c.damper.length : kNever;
    c.chamber_B0 = limits.maximum ? *limits.maximum - c.length_0 + c.damper.length : kNever;
  }

  // ---- control

  /// What a name or number stands for as the input of a block.
  BlockInput input_of(const NumberOrSignal& value) {
    using Kind = BlockInput::Kind;
    const auto* name = std::get_if<std::string>(&value);
    if (name == nullptr || model_.signals.find(*name) >= 0) return {.kind = Kind::signal, .index = signal(value)};
    const std::size_t dot = name->rfind('.');
    const std::string item = name->substr(0, dot), quantity = dot == std::string::npos ? "" : name->substr(dot + 1);
    if (quantity == "pressure") {
      const PressureNode& n = netlist_.nodes[static_cast<std::size_t>(node(item))];
      if (n.state < 0 && is_block(n.source)) return {.kind = Kind::signal, .index = n.source};
      return {.kind = Kind::pressure, .index = node(item)};
    }
    for (int i = 0; i < netlist_.pistons; ++i)
      if (netlist_.actuators[i].name == item) return {.kind = quantity == "rate" ? Kind::rate : Kind::position, .index = i};
    if (const auto reading = coordinate_reading(d_, *name))
      for (const JointPort& port : model_.joint_ports)
        if (port.place == reading->place) return {.kind = reading->rate ? Kind::rate : Kind::position, .index = port.port};
    throw Error("there is no quantity '" + *name + "'");
  }
  void add_control() {
    std::vector<ControlBlock> blocks;
    for (const BlockPlan& plan : plans_) {
      ControlBlock& b = blocks.emplace_back();
      b.name = plan.name;
      b.law = plan.law;
      for (const NumberOrSignal& input : plan.inputs) b.inputs.push_back(input_of(input));
      b.signal = model_.signals.find(plan.name);
      b.period = plan.period;
      b.offset = plan.offset;
      b.latency = plan.latency;
      b.jitter = plan.jitter;
      b.seed = plan.seed;
    }
    netlist_.block_of_signal.assign(static_cast<std::size_t>(model_.signals.size()), -1);
    for (const int i : evaluation_order(blocks)) {
      ControlBlock& b = blocks[static_cast<std::size_t>(i)];
      netlist_.block_of_signal[b.signal] = static_cast<int>(netlist_.control.size());
      b.output = add_state(b.name + ".output", std::numeric_limits<double>::quiet_NaN());
      for (const std::string& entry : entry_names(b)) add_state(entry, std::numeric_limits<double>::quiet_NaN());
      if (const int state = plans_[static_cast<std::size_t>(i)].state; state >= 0)
        b.inputs[0].state = netlist_.control[netlist_.block_of_signal[b.inputs[0].index]].output + 1 + state;
      for (BlockInput& input : b.inputs) input.ahead = input.kind == BlockInput::Kind::signal && is_ahead(input.index);
      netlist_.control.push_back(std::move(b));
    }
  }
  /// Whether nothing in a step changes a signal; of blocks those before are known, which includes all that one without states reads.
  bool is_ahead(SignalIndex signal) const {
    if (!is_block(signal)) return true;
    const int i = netlist_.block_of_signal[signal];
    if (i < 0) return false;
    const ControlBlock& b = netlist_.control[static_cast<std::size_t>(i)];
    return b.sampled() || (b.states() == 0 && b.law->modes() == 0 &&
                           std::all_of(b.inputs.begin(), b.inputs.end(), [](const BlockInput& input) { return input.ahead; }));
  }
  /// Blocks after those that their values depend on. Throws InputError for algebraic loops.
  std::vector<int> evaluation_order(const std::vector<ControlBlock>& blocks) const {
    std::vector<int> order, path;
    std::vector<char> done(blocks.size(), 0), open(blocks.size(), 0);
    std::vector<Diagnostic> findings;
    const auto reads_state = [&](int i) { return plans_[static_cast<std::size_t>(i)].state >= 0; };
    const auto visit = [&](auto&& self, int i) -> void {
      const ControlBlock& b = blocks[static_cast<std::size_t>(i)];
      if (done[static_cast<std::size_t>(i)] != 0) return;
      if (reads_state(i) && open[static_cast<std::size_t>(b.inputs[0].index - first_block_signal_)] != 0) return;
      path.push_back(i);
      open[static_cast<std::size_t>(i)] = 1;
      for (int k = 0; k < b.law->inputs(); ++k) {
        const BlockInput& input = b.inputs[static_cast<std::size_t>(k)];
        if (input.kind != BlockInput::Kind::signal || !is_block(input.index) || !b.law->direct(k)) continue;
        const int other = input.index - first_block_signal_;
        if (open[static_cast<std::size_t>(other)] == 0) {
          self(self, other);
          continue;
        }
        if (std::any_of(std::find(path.begin(), path.end(), other), path.end(),
                        [&](int at) { return blocks[static_cast<std::size_t>(at)].sampled(); }))
          continue;  // a loop is closed from one sample to the next
        std::string members;
        for (auto at = std::find(path.begin(), path.end(), other); at != path.end(); ++at)
          members += blocks[static_cast<std::size_t>(*at)].name + " -> ";
        const std::string place = "control." + blocks[static_cast<std::size_t>(other)].name;
        findings.push_back(
            {span_of(d_, place), place,
             "algebraic loop: each value depends directly on the next, " + members + blocks[static_cast<std::size_t>(other)].name,
             "a block with a state in every loop, such as `integrator` or `low_pass`", ""});
      }
      open[static_cast<std::size_t>(i)] = 0;
      path.pop_back();
      const auto add = [&](int block) {
        if (done[static_cast<std::size_t>(block)] == 0) order.push_back(block);
        done[static_cast<std::size_t>(block)] = 1;
      };
      add(i);
      for (int k = 0; k < static_cast<int>(blocks.size()); ++k)  // its states follow it, whatever reads them
        if (reads_state(k) && blocks[static_cast<std::size_t>(k)].inputs[0].index - first_block_signal_ == i) add(k);
    };
    for (std::size_t i = 0; i < blocks.size(); ++i) visit(visit, static_cast<int>(i));
    if (!findings.empty()) throw InputError(std::move(findings));
    return order;
  }
  void add_spool_states(Spool& spool) {
    spool.block = spool.signal < static_cast<int>(netlist_.block_of_signal.size()) ? netlist_.block_of_signal[spool.signal] : -1;
    if (spool.driven() && spool.follows()) {
      spool.state = netlist_.control[spool.block].output;
      return;
    }
    spool.state =
        add_state(spool.name + ".spool", spool.start.value_or(Signals(model_.signals, nullptr).value(spool.signal, 0, Side::right)));
    if (spool.second_order()) add_state(spool.name + ".spool_rate", 0);
  }

  // ---- quasistatic circuits

  /// The tank of the quasistatic circuit that an actuator without chambers belongs to.
  const std::string& tank_of(const std::string& actuator) const {
    for (const auto& [name, q] : d_.quasistatic)
      for (const auto& item : q.actuators)
        if (item.first == actuator) return q.tank;
    throw Error("`" + actuator + "` has neither chambers on nodes nor a quasistatic circuit");
  }
  CommandedOpening opening(const std::string& name, const MeteringValveDescription& m, int lever) {
    return {has_command(m) ? add_spool(name, 0, m.command) : lever, {m.opening}};
  }
  VirtualElement element(const VirtualElementDescription& e, const Cylinder& c) const {
    const auto capacity = [&](double area, double length, double line) {
      return (area * length + line) * netlist_.fluid.compressibility + area * length * c.wall_compressibility;
    };
    VirtualElement element;
    element.stiffness = e.stiffness ? *e.stiffness
                                    : oil_stiffness(c.area_A, capacity(c.area_A, c.chamber_A0, e.line_volume_A), c.area_B,
                                                    capacity(c.area_B, c.chamber_B0, e.line_volume_B));
    element.damping = e.damping ? *e.damping : settling_damping(element.stiffness, *e.settling_time);
    return element;
  }
  void add_quasistatic(const std::string& name, const QuasistaticDescription& q) {
    std::vector<MeteringActuator> actuators;
    std::vector<QuasistaticPort> ports;
    for (const auto& [actuator, m] : q.actuators) {
      const auto at =
          std::find_if(netlist_.actuators.begin(), netlist_.actuators.end(), [&n = actuator](const Actuator& a) { return a.name == n; });
      const Cylinder& c = at->cylinder;
      MeteringActuator constants;
      constants.area_h = c.area_A;
      constants.area_r = c.area_B;
      constants.relief_h = m.relief_A;
      constants.relief_r = m.relief_B;
      constants.c_ph = orifice_coefficient(m.P_A, netlist_.fluid);
      constants.c_tr = orifice_coefficient(m.B_T, netlist_.fluid);
      constants.c_pr = orifice_coefficient(m.P_B, netlist_.fluid);
      constants.c_th = orifice_coefficient(m.A_T, netlist_.fluid);
      constants.c_a = m.B_A ? orifice_coefficient(*m.B_A, netlist_.fluid) : 0;
      actuators.push_back(constants);
      QuasistaticPort port;
      port.actuator = static_cast<int>(at - netlist_.actuators.begin());
      port.lever = add_spool(actuator, m.time_constant, m.command);
      port.ph = opening(actuator + ".P_A", m.P_A, port.lever);
      port.tr = opening(actuator + ".B_T", m.B_T, port.lever);
      port.pr = opening(actuator + ".P_B", m.P_B, port.lever);
      port.th = opening(actuator + ".A_T", m.A_T, port.lever);
      port.regenerates = m.B_A.has_value();
      if (m.B_A) port.a = opening(actuator + ".B_A", *m.B_A, port.lever);
      port.element = element(m.element, c);
      port.state = add_state(actuator + ".piston", c.length_0);
      if (q.form == VirtualElementForm::discrete) {
        add_state(actuator + ".last_length", c.length_0);
        add_state(actuator + ".piston_rate", 0);
        add_state(actuator + ".element_force", 0);
      }
      ports.push_back(port);
    }
    QuasistaticCircuit circuit{name,
                               MeteringCircuit(actuators, {q.relief, q.bleed ? orifice_coefficient(*q.bleed, netlist_.fluid) : 0}),
                               signal(q.flow),
                               q.bleed ? opening(name + ".bleed", *q.bleed, -1) : CommandedOpening{},
                               {q.open_centre},
                               q.form == VirtualElementForm::discrete,
                               node(q.tank),
                               std::move(ports)};
    netlist_.quasistatic.push_back(std::move(circuit));
  }

  void average_walls() {
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

  void build_circuits() {
    // nodes that can exchange oil share a circuit; a cylinder's chambers and friction belong together; sources separate
    const int volumes = static_cast<int>(netlist_.volumes.size());
    const std::size_t items = netlist_.nodes.size() + netlist_.actuators.size() + netlist_.components.size() + netlist_.control.size();
    Groups groups(items);
    const auto join = [&](int a, int b) {
      const bool source_a = a < static_cast<int>(netlist_.nodes.size()) && a >= volumes,
                 source_b = b < static_cast<int>(netlist_.nodes.size()) && b >= volumes;
      if (!source_a && !source_b) groups.join(a, b);
    };
    for_each_element(netlist_, [&](const auto& element) {
      const auto ends = element_nodes(element);
      for (const int* a : ends)
        for (const int* b : ends) join(*a, *b);
    });
    for (const FlowSource& source : netlist_.flow_sources)
      if (source.from >= 0 && source.to >= 0) join(source.from, source.to);
    for (int i = 0; i < netlist_.pistons; ++i) {
      join(static_cast<int>(netlist_.nodes.size()) + i, netlist_.actuators[i].A);
      join(static_cast<int>(netlist_.nodes.size()) + i, netlist_.actuators[i].B);
    }
    const auto component = [&](std::size_t i) { return static_cast<int>(netlist_.nodes.size() + netlist_.actuators.size() + i); };
    for (std::size_t i = 0; i < netlist_.components.size(); ++i)
      for (int node : netlist_.components[i].nodes) join(component(i), node);
    for (const QuasistaticCircuit& q : netlist_.quasistatic)
      for (const QuasistaticPort& port : q.ports)
        join(static_cast<int>(netlist_.nodes.size()) + q.ports.front().actuator, static_cast<int>(netlist_.nodes.size()) + port.actuator);
    const auto block = [&](int i) { return component(netlist_.components.size()) + i; };
    join_control(join, component, block);
    std::vector<int> circuits(items, -1);  // by root
    const auto circuit_of = [&](int i) {
      int& circuit = circuits[groups.root(i)];
      if (circuit < 0) {
        circuit = static_cast<int>(netlist_.circuits.size());
        netlist_.circuits.emplace_back();
      }
      return circuit;
    };
    std::vector<std::vector<int>> unknowns;
    const auto add_unknown = [&](int circuit, int state) {
      unknowns.resize(netlist_.circuits.size());
      unknowns[circuit].push_back(state);
      return static_cast<int>(unknowns[circuit].size()) - 1;
    };
    for (const Volume& v : netlist_.volumes) {
      PressureNode& n = netlist_.nodes[v.node];
      n.circuit = circuit_of(v.node);
      n.local = add_unknown(n.circuit, n.state);
    }
    for (std::size_t i = 0; i < netlist_.actuators.size(); ++i) {
      Actuator& a = netlist_.actuators[i];
      a.circuit = circuit_of(static_cast<int>(netlist_.nodes.size() + i));
      unknowns.resize(netlist_.circuits.size());
      a.local = static_cast<int>(unknowns[a.circuit].size());
      if (!a.friction_local)
        for (int k = 0; k < a.friction_states; ++k) add_unknown(a.circuit, a.state + k);
      netlist_.circuits[a.circuit].actuators.push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < netlist_.components.size(); ++i) {
      Component& c = netlist_.components[i];
      const int states = static_cast<int>(c.law->info().states.size());
      const bool has_volume = std::any_of(c.nodes.begin(), c.nodes.end(), [&](int node) { return node < volumes; });
      if (states == 0 && !has_volume) continue;
      c.circuit = circuit_of(component(i));
      unknowns.resize(netlist_.circuits.size());
      c.local = static_cast<int>(unknowns[c.circuit].size());
      for (int k = 0; k < states; ++k) add_unknown(c.circuit, c.state + k);
    }
    for (std::size_t i = 0; i < netlist_.control.size(); ++i) {
      ControlBlock& b = netlist_.control[i];
      b.circuit = circuit_of(block(static_cast<int>(i)));
      b.local = add_unknown(b.circuit, b.output);
      for (int k = 1; k < b.size(); ++k) add_unknown(b.circuit, b.output + k);
    }
    for (Spool& spool : netlist_.spools) {
      if (!spool.driven() || spool.follows()) continue;
      const int circuit = netlist_.control[spool.block].circuit;
      spool.local = add_unknown(circuit, spool.state);
      if (spool.second_order()) add_unknown(circuit, spool.state + 1);
    }
    for (QuasistaticCircuit& q : netlist_.quasistatic)
      for (QuasistaticPort& port : q.ports) port.local = add_unknown(netlist_.actuators[port.actuator].circuit, port.state);
    for (Circuit& c : netlist_.circuits)
      for (const int i : c.actuators) {
        const Actuator& a = netlist_.actuators[i];
        if (a.A >= 0 || a.drive >= 0 || (a.friction_states > 0 && !a.friction_local)) c.acting.push_back(i);
      }
    unknowns.resize(netlist_.circuits.size());
    int entries = 0;
    for (std::size_t i = 0; i < netlist_.circuits.size(); ++i) {
      Circuit& c = netlist_.circuits[i];
      c.size = static_cast<int>(unknowns[i].size());
      c.offset = static_cast<int>(netlist_.unknown_state.size());
      c.block = entries;
      entries += c.size * c.size;
      netlist_.unknown_state.insert(netlist_.unknown_state.end(), unknowns[i].begin(), unknowns[i].end());
    }
  }

  /// Joins control blocks with what they read and drive.
  template <class Join, class ComponentNumber, class BlockNumber>
  void join_control(const Join& join, const ComponentNumber& component, const BlockNumber& block) {
    const auto driver = [&](int spool) { return spool < 0 ? -1 : netlist_.spools[spool].block; };
    const auto actuator = [&](std::size_t i) { return static_cast<int>(netlist_.nodes.size() + i); };
    for (std::size_t i = 0; i < netlist_.actuators.size(); ++i)
      if (const SignalIndex drive = netlist_.actuators[i].drive; drive >= 0) join(block(netlist_.block_of_signal[drive]), actuator(i));
    for (const int node : netlist_.driven_sources) {
      const int by = block(netlist_.block_of_signal[netlist_.nodes[node].source]);
      for_each_element(netlist_, [&](const auto& element) {
        const auto nodes = element_nodes(element);
        if (std::any_of(nodes.begin(), nodes.end(), [&](const int* at) { return *at == node; }))
          for (const int* at : nodes) join(by, *at);
      });
      for (std::size_t i = 0; i < netlist_.components.size(); ++i) {
        const std::vector<int>& nodes = netlist_.components[i].nodes;
        if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) join(by, component(i));
      }
      for (int i = 0; i < netlist_.pistons; ++i)
        if (netlist_.actuators[i].A == node || netlist_.actuators[i].B == node) join(by, actuator(static_cast<std::size_t>(i)));
    }
    for (std::size_t i = 0; i < netlist_.control.size(); ++i)
      for (const BlockInput& input : netlist_.control[i].inputs) {
        const int other = input.kind == BlockInput::Kind::signal ? netlist_.block_of_signal[input.index] : -1,
                  at = block(static_cast<int>(i));
        if (other >= 0) join(at, block(other));
        if (input.kind == BlockInput::Kind::pressure) join(at, input.index);
        if (input.kind == BlockInput::Kind::position || input.kind == BlockInput::Kind::rate)
          join(at, actuator(static_cast<std::size_t>(input.index)));
      }
    for_each_element(netlist_, [&](const auto& element) {
      if constexpr (requires { element.spool; })
        if (const int by = driver(element.spool); by >= 0)
          for (const int* node : element_nodes(element)) join(block(by), *node);
    });
    for (std::size_t i = 0; i < netlist_.components.size(); ++i)
      for (const int spool : netlist_.components[i].spools)
        if (driver(spool) >= 0) join(block(driver(spool)), component(i));
    for (std::size_t i = 0; i < netlist_.actuators.size(); ++i)
      if (const int by = driver(netlist_.actuators[i].spool); by >= 0) join(block(by), static_cast<int>(netlist_.nodes.size() + i));
    for (const QuasistaticCircuit& q : netlist_.quasistatic) {
      const int at = actuator(static_cast<std::size_t>(q.ports.front().actuator));
      if (const int by = netlist_.block_of_signal[q.flow]; by >= 0) join(block(by), at);
      for (int k = 0; k < commands_of(q); ++k)
        if (const int by = driver(command_of(q, k)); by >= 0) join(block(by), at);
    }
    for (const FlowSource& source : netlist_.flow_sources)
      if (const int by = netlist_.block_of_signal[source.flow]; by >= 0)
        for (const int node : {source.from, source.to})
          if (node >= 0) join(block(by), node);
  }

  const Description& d_;
  CompiledModel& model_;
  Hydraulics& netlist_;
  std::vector<BlockPlan> plans_;
  SignalIndex first_block_signal_ = 0;  // of the control blocks, in the order of their plans
  std::unordered_map<std::string, int> node_numbers_;
};

}  // namespace

void compile_hydraulics(const Description& description, const std::vector<double>& starts, CompiledModel& model) {
  NetlistBuilder(description, model).build(starts);
}

}  // namespace trunnion
