// Channels and powers of a machine, evaluated at a state.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/observe.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <set>

#include "mechanics/reaction.h"
#include "mechanics/wrench.h"

namespace trunnion {

namespace {

constexpr const char* kAxis[] = {"x", "y", "z"};

/// A unit quaternion (w, x, y, z) of a rotation matrix, by its largest part.
template <class S>
std::array<S, 4> quaternion_of(const Mat<3, S>& R) {
  const std::array<S, 4> square{S(1) + R(0, 0) + R(1, 1) + R(2, 2), S(1) + R(0, 0) - R(1, 1) - R(2, 2), S(1) - R(0, 0) + R(1, 1) - R(2, 2),
                                S(1) - R(0, 0) - R(1, 1) + R(2, 2)};
  int largest = 0;
  for (int i = 1; i < 4; ++i)
    if (value_of(square[i]) > value_of(square[largest])) largest = i;
  const std::array<S, 3> odd{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  const auto even = [&](int i, int j) { return S(R(i, j) + R(j, i)); };
  std::array<S, 4> e;
  if (largest == 0)
    e = {square[0], odd[0], odd[1], odd[2]};
  else
    for (int i = 0; i < 4; ++i) e[i] = i == 0 ? odd[largest - 1] : i == largest ? square[i] : even(i - 1, largest - 1);
  const S scale = S(0.5) / sqrt(square[largest]);
  for (S& part : e) part = part * scale;
  return e;
}

/// The readings of a machine on a scalar S; `Base` defines how a state is set.
template <int D, class S, class Base>
class MachineReadings : public Base {
  static constexpr bool kPlain = std::is_same_v<S, double>;  // powers and energies are read

 public:
  /// `offered` (may be null) receives all channels on request.
  explicit MachineReadings(std::shared_ptr<const CompiledModel> model, std::vector<Channel>* offered = nullptr)
      : offered_(offered),
        model_(std::move(model)),
        m_(std::get<Mechanism<D>>(model_->mechanism)),
        netlist_(model_->hydraulics),
        q_(model_->layout.nq),
        v_(model_->layout.nv),
        a_(model_->layout.nv),
        y_(model_->layout.ny),
        ydot_(model_->layout.ny),
        multipliers_(model_->layout.rows),
        mechanism_(m_),
        oil_(netlist_),
        inputs_(model_->signals.inputs()),
        readings_(joint_readings(*model_)),
        joint_values_(readings_.size()) {
    for (const JointReading<D>& reading : readings_) near_.push_back(reading.start);
    for (const JointInfo& joint : model_->joints) add_joint(joint, kJointWords);
    for (const JointInfo& place : model_->placements) add_joint(place, kPlacementWords);
    for (const BodyInfo& body : model_->bodies)
      if (body.mass > 0 && body.node > 0) add_body(body);
    for (int i = 0; i < netlist_.pistons; ++i) add_actuator(i);
    for (const JointPort& port : model_->joint_ports)
      if (port.port >= netlist_.pistons) add_joint_elements(port);
    for (const Volume& volume : netlist_.volumes) add_volume(volume);
    add_sources();
    for_each_element(netlist_, [&](const auto& element) { add_element(element); });
    for (const Component& c : netlist_.components) add_component(c);
    for (const QuasistaticCircuit& q : netlist_.quasistatic) add_quasistatic(q);
    for (const ControlBlock& block : netlist_.control)
      for (int k = 1; k <= block.states(); ++k)
        add("control", model_->state_names[block.output + k], "", "state of the control block", y_.data() + block.output + k);
    add_springs();
    add_loads();
    add_constraints();
    add_contacts();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto& [name, input] = model_->description.inputs[i];
      add("inputs", name + ".input", input.unit.c_str(), "input, set from outside", &inputs_[i]);
    }
    powers_.resize(entries_.size());
    for (const auto& [name, marker] : model_->description.markers) add_marker(name, marker);
    if (offered_ != nullptr || !model_->description.record.channels.empty()) add_channels_on_request();
  }

 protected:
  /// Everything at q_ ... multipliers_ and the signals in oil_.
  void read(const Signals& signals, double time, Side side) {
    update_inputs(m_, signals, time, side, mechanism_);
    for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
      if (netlist_.nodes[i].state < 0) oil_.pressure[i] = oil_.signal[netlist_.nodes[i].source];
    update_positions<D, S>(m_, q_.data(), nullptr, mechanism_);
    update_rates<D, S>(m_, v_.data(), a_.data(), mechanism_);
    evaluate_forces<S>(netlist_, mechanism_.s.data(), mechanism_.s_dot.data(), y_.data(), oil_);
    stored_ = {};
    power_ = powers_.data();
    read_joints();
    read_bodies();
    read_actuators();
    read_volumes();
    read_flows();
    read_quasistatic();
    read_springs();
    read_loads();
    read_constraints();
    read_contacts();
    read_motions();
    read_signals(signals, time, side);
    if (!reactions_.empty()) read_reactions();
  }

  std::vector<Channel>* offered_;
  std::shared_ptr<const CompiledModel> model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  std::vector<S> q_, v_, a_, y_, ydot_, multipliers_;  // the observed state; channels point into it
  std::vector<S> outflow_;                             // per node [m3/s]; of sources including flow to their pistons
  MechanismState<D, S> mechanism_;
  OilValues<S> oil_;
  std::vector<S> inputs_;
  const double* signal_change_ = nullptr;  // of all signals, if S is a dual number
  SignalIndex input_signal(std::size_t number) const { return model_->signals.first_input() + static_cast<SignalIndex>(number); }

  using Base::powers_;
  using Base::stored_;

 private:
  using Base::channels_;
  using Base::entries_;
  using Base::sources_;
  using Base::violations_;

  // ---------------------------------------------------------------- declaring channels and ledger entries

  /// A channel whose value is at `source`. If the name exists, the section is prepended.
  void add(const std::string& section, const std::string& name, const char* unit, const std::string& meaning, const S* source,
           bool error = false) {
    const std::string own = names_.contains(name) ? section + "." + name : name;
    names_.insert(own);
    channels_.push_back({own, unit, meaning, error});
    sources_.push_back(source);
  }
  /// A computed channel; returns its destination.
  S* add(const std::string& section, const std::string& name, const char* unit, const std::string& meaning, bool error = false) {
    cells_.push_back(S(0));
    add(section, name, unit, meaning, &cells_.back(), error);
    return &cells_.back();
  }
  void add_entry(const std::string& name, Account account) { entries_.push_back({name, account}); }

  struct JointWords {
    const char *section, *angle, *displacement, *quaternion, *angular_velocity;
  };
  static constexpr JointWords kJointWords{"joints", "joint angle, not wrapped", "joint displacement",
                                          "unit quaternion of the joint's rotation",
                                          "angular velocity relative to the parent, axes of the joint at rotation zero"};
  static constexpr JointWords kPlacementWords{"bodies", "absolute angle of the body in the plane, not wrapped",
                                              "cartesian coordinate of the body's centre of mass", "unit quaternion of the body's rotation",
                                              "angular velocity, ground axes"};

  /// Machines in relative coordinates have none.
  static const std::vector<JointReading<D>>& joint_readings(const CompiledModel& model) {
    static const std::vector<JointReading<D>> kNone;
    const auto* readings = std::get_if<std::vector<JointReading<D>>>(&model.readings);
    return readings != nullptr ? *readings : kNone;
  }
  const S* position(const JointPart& part) const {
    return part.reading < 0 ? q_.data() + part.q : joint_values_[part.reading].position.data();
  }
  const S* rate(const JointPart& part) const { return part.reading < 0 ? v_.data() + part.v : joint_values_[part.reading].rate.data(); }
  const S* acceleration(const JointPart& part) const {
    return part.reading < 0 ? a_.data() + part.v : joint_values_[part.reading].acceleration.data();
  }

  /// Channels of a joint or of a body's position: all positions, then all rates, then all accelerations.
  void add_joint(const JointInfo& j, const JointWords& words) {
    for (const JointPart& part : j.parts) {
      const S* q = position(part);
      const std::string name = j.name + "." + part.position;
      if (part.joint == NodeJoint::revolute) add(words.section, name, "rad", words.angle, q);
      if (part.joint == NodeJoint::prismatic) add(words.section, name, "m", words.displacement, q);
      if (part.joint != NodeJoint::spherical) continue;
      constexpr const char* kPart[] = {"w", "x", "y", "z"};
      for (int i = 0; i < 4; ++i)
        add(words.section, name + "_" + kPart[i], "", std::string(words.quaternion) + ", part " + kPart[i], q + i);
    }
    for (const JointPart& part : j.parts)
      add_part(words, j.name + "." + part.rate, part, part.joint == NodeJoint::prismatic ? "m/s" : "rad/s", "rate of " + part.position,
               words.angular_velocity, rate(part));
    for (const JointPart& part : j.parts)
      add_part(words, j.name + "." + part.acceleration, part, part.joint == NodeJoint::prismatic ? "m/s^2" : "rad/s^2",
               "second derivative of " + part.position, "rate of the angular velocity", acceleration(part));
  }
  /// One channel, or one per axis of a spherical joint.
  void add_part(const JointWords& words, const std::string& name, const JointPart& part, const char* unit, const std::string& meaning,
                const std::string& meaning_of_ball, const S* source) {
    if (part.joint != NodeJoint::spherical) return add(words.section, name, unit, meaning, source);
    for (int i = 0; i < 3; ++i) add(words.section, name + "_" + kAxis[i], unit, meaning_of_ball + ", component " + kAxis[i], source + i);
  }
  void add_body(const BodyInfo& body) {
    std::array<S*, 3> cells{};
    for (int i = 0; i < 3; ++i)
      cells[i] = add("bodies", body.name + ".center_" + kAxis[i], "m", std::string("centre of mass in the ground frame, ") + kAxis[i]);
    centers_.push_back({&body, cells});
  }
  struct ActuatorWords {
    const char *section, *position, *position_unit, *position_meaning, *rate_unit, *rate_meaning;
    const char *force, *force_unit, *force_meaning, *power_meaning, *bristle_unit;
  };
  static constexpr ActuatorWords kCylinderWords{"cylinders",
                                                "length",
                                                "m",
                                                "distance between the mounts",
                                                "m/s",
                                                "rate of the length, positive when extending",
                                                "force",
                                                "N",
                                                "net force on the mechanism, positive when pushing",
                                                "power on the mechanism, force times rate",
                                                "m"};
  static constexpr ActuatorWords kMotorWords{"motors",
                                             "angle",
                                             "rad",
                                             "joint angle",
                                             "rad/s",
                                             "rate of the joint angle",
                                             "torque",
                                             "N m",
                                             "net torque on the mechanism, positive when turning the joint forward",
                                             "power on the mechanism, torque times rate",
                                             "rad"};
  void add_actuator(int i) {
    const Actuator& a = netlist_.actuators[i];
    const ActuatorWords& w = a.is_rotary ? kMotorWords : kCylinderWords;
    const std::string section = w.section, n = a.name;
    const PortForces<S>& port = oil_.ports[i];
    add(section, n + "." + w.position, w.position_unit, w.position_meaning, &mechanism_.s[i]);
    add(section, n + ".rate", w.rate_unit, w.rate_meaning, &mechanism_.s_dot[i]);
    S* const angle = D == 2 && !a.is_rotary
                         ? add(section, n + ".angle", "rad", "direction from base to rod end, from ground x projected into the plane")
                         : nullptr;
    add(section, n + "." + w.force, w.force_unit, w.force_meaning, &port.force);
    add(section, n + ".friction", w.force_unit, "seal friction, positive with positive rate", &port.friction);
    if (a.cylinder.viscous > 0) add(section, n + ".viscous", w.force_unit, "viscous drag, positive with positive rate", &port.viscous);
    if (a.cylinder.damper.length > 0)
      add(section, n + ".end_damper", w.force_unit, std::string(w.force) + " of the end dampers, positive when pushing", &port.damper);
    actuators_.push_back({angle, add(section, n + ".power", "W", w.power_meaning),
                          add(section, n + ".flow_A", "m^3/s", "displaced flow into chamber A"),
                          add(section, n + ".flow_B", "m^3/s", "displaced flow out of chamber B")});
    add_friction_states(section, n + ".", a, w.bristle_unit);
    add_entry(n, Account::actuator);
    add_entry(n, Account::friction);
  }
  void add_friction_states(const std::string& section, const std::string& stem, const Actuator& a, const char* bristle_unit) {
    const auto states = friction_state_info(a.friction);
    for (std::size_t k = 0; k < states.size(); ++k) {
      const bool bristle = states[k].name == "bristle";
      const char* const of_bristle = a.A >= 0 ? "mean deflection of the seal's bristles" : "mean deflection of the bristles";
      add(section, stem + std::string(states[k].name), bristle ? bristle_unit : "",
          bristle ? of_bristle : "thickness of the lubricating film, relative", y_.data() + a.state + k);
    }
  }
  /// Friction and limits of a joint coordinate; position and rate of one that is not a coordinate of the tree.
  void add_joint_elements(const JointPort& port) {
    const CoordinatePlace& place = port.place;
    const Actuator& a = netlist_.actuators[port.port];
    const bool is_angle = a.is_rotary;
    const std::string section = a.section, load = is_angle ? "torque" : "force", unit = is_angle ? "N m" : "N",
                      stem = place.joint + (place.alone ? std::string(".") : "." + std::string(place.name.position) + "_");
    if (place.of_loop) {
      add(section, place.joint + "." + place.name.position, is_angle ? "rad" : "m",
          is_angle ? "angle of the second body relative to the first" : "displacement of the second body along the axis",
          &mechanism_.s[port.port]);
      add(section, place.joint + "." + place.name.rate, is_angle ? "rad/s" : "m/s", std::string("rate of ") + place.name.position,
          &mechanism_.s_dot[port.port]);
    }
    const CoordinateElements* elements = elements_of(model_->description, place);
    if (elements == nullptr) return;
    JointCells& cells = joint_cells_.emplace_back();
    cells.actuator = port.port;
    if (elements->friction) {
      add(section, stem + "friction_" + load, unit.c_str(), "friction " + load + ", positive with positive rate",
          &oil_.ports[port.port].friction);
      cells.power = add(section, stem + "friction_power", "W", "power taken by friction, " + load + " times rate");
    }
    if (elements->limits)
      add(section, stem + "limit_" + load, unit.c_str(), load + " of the limits, positive towards larger values",
          &oil_.ports[port.port].damper);
    add_friction_states(section, stem, a, is_angle ? "rad" : "m");
    add_entry(section + "." + a.name, Account::damping);
  }
  void add_volume(const Volume& volume) {
    const PressureNode& node = netlist_.nodes[volume.node];
    add("volumes", node.name + ".pressure", "Pa", "absolute pressure", y_.data() + node.state);
    add_entry(node.name, Account::oil);
  }
  void add_sources() {
    outflow_.resize(netlist_.nodes.size());
    for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
      if (netlist_.nodes[i].state >= 0) continue;
      add("sources", netlist_.nodes[i].name + ".pressure", "Pa", "absolute pressure", &oil_.pressure[i]);
      add("sources", netlist_.nodes[i].name + ".flow", "m^3/s", "flow out of the source", &outflow_[i]);
      add_entry(netlist_.nodes[i].name, Account::supply);
    }
    for (const FlowSource& source : netlist_.flow_sources) {
      add("sources", source.name + ".flow", "m^3/s", "delivered flow", &oil_.signal[source.flow]);
      source_powers_.push_back(add("sources", source.name + ".power", "W", "power into the oil"));
      add_entry(source.name, Account::supply);
    }
  }
  void add_element(const Orifice& o) {
    if (o.spool >= 0) {
      add_spool("valves", netlist_.spools[o.spool]);
      openings_.push_back({add("valves", o.name + ".opening", "", "opening from 0 to 1"), &o});
    }
    add_flow(o.name, o.B);
  }
  /// Flows, states and powers with the names that the component defines.
  void add_component(const Component& c) {
    const ComponentInfo& info = c.law->info();
    ComponentCells& cells = components_.emplace_back();
    for (int spool : c.spools) add_spool(c.section, netlist_.spools[spool]);
    for (std::size_t i = 0; i < info.states.size(); ++i)
      add(c.section, c.name + "." + info.states[i].name, info.states[i].unit, info.states[i].meaning, y_.data() + c.state + i);
    for (const ComponentFlow& flow : info.flows) cells.flows.push_back(add(c.section, c.name + "." + flow.name, "m^3/s", flow.meaning));
    for (const ComponentPower& power : info.powers) {
      cells.powers.push_back(add(c.section, c.name + "." + power.name, "W", power.meaning));
      constexpr Account kAccount[] = {Account::throttling, Account::oil, Account::supply};  // in the order of PowerKind
      add_entry(info.powers.size() == 1 ? c.name : c.name + "." + power.name, kAccount[static_cast<int>(power.kind)]);
    }
  }
  /// The acting command; valves may share it.
  void add_spool(const std::string& section, const Spool& spool) {
    if (!shown_spools_.insert(spool.name).second) return;
    add(section, spool.name + ".spool", "", "acting command, in the unit of its signal", y_.data() + spool.state);
    if (spool.second_order()) add(section, spool.name + ".spool_rate", "", "rate of the spool, per second", y_.data() + spool.state + 1);
  }
  void add_element(const OneWayValve& v) { add_flow(v.name, v.B); }
  void add_flow(const std::string& name, int B) {
    flows_.push_back({add("valves", name + ".flow", "m^3/s", "flow from A to B"), B, 1});
    add_loss("valves", name);
  }
  void add_element(const Leakage& l) {
    const auto pistons = pistons_of(netlist_);
    const bool motor =
        std::any_of(pistons.begin(), pistons.end(), [&](const Actuator& a) { return a.is_rotary && l.name == a.name + ".leakage"; });
    const char* const section = motor ? "motors" : "cylinders";
    flows_.push_back({add(section, l.name + ".flow", "m^3/s", "leakage from chamber A to chamber B"), l.B, 1});
    add_loss(section, l.name);
  }
  void add_element(const DirectionalValve& v) {
    add_spool("valves", netlist_.spools[v.spool]);
    flows_.push_back({add("valves", v.name + ".flow_P", "m^3/s", "flow out of P into the valve"), v.P, -1});
    flows_.push_back({add("valves", v.name + ".flow_T", "m^3/s", "flow out of the valve into T"), v.T, 1});
    flows_.push_back({add("valves", v.name + ".flow_A", "m^3/s", "flow out of the valve into A"), v.A, 1});
    flows_.push_back({add("valves", v.name + ".flow_B", "m^3/s", "flow out of the valve into B"), v.B, 1});
    add_loss("valves", v.name);
  }
  void add_loss(const std::string& section, const std::string& name) {
    losses_.push_back({add(section, name + ".power_loss", "W", "dissipated power"), static_cast<int>(flows_.size())});
    add_entry(name, Account::throttling);
  }
  /// Channels of the actuators' oil by name of the actuator, of the pump by that of the circuit.
  void add_quasistatic(const QuasistaticCircuit& q) {
    QuasistaticCells& cells = quasistatic_.emplace_back();
    const auto flow = [&](const std::string& n, const char* meaning) { return add("quasistatic", n, "m^3/s", meaning); };
    for (const QuasistaticPort& port : q.ports) {
      const std::string n = netlist_.actuators[port.actuator].name;
      const bool rotary = netlist_.actuators[port.actuator].is_rotary;
      add("quasistatic", n + ".spool", "", "acting command, in the unit of its signal", y_.data() + netlist_.spools[port.lever].state);
      add("quasistatic", n + ".piston", rotary ? "rad" : "m", "position of the actuator proper, behind its virtual element",
          y_.data() + port.state);
      auto& c = cells.ports.emplace_back();
      c.rate = add("quasistatic", n + ".piston_rate", rotary ? "rad/s" : "m/s", "rate of the piston");
      c.pressure_A = add("quasistatic", n + ".pressure_A", "Pa", "absolute pressure in chamber A");
      c.pressure_B = add("quasistatic", n + ".pressure_B", "Pa", "absolute pressure in chamber B");
      c.P_A = flow(n + ".flow_P_A", "flow from the pump to chamber A");
      c.P_B = flow(n + ".flow_P_B", "flow from the pump to chamber B");
      c.A_T = flow(n + ".flow_A_T", "flow from chamber A through its valve to the tank");
      c.B_T = flow(n + ".flow_B_T", "flow from chamber B through its valve to the tank");
      c.relief_A = flow(n + ".relief_flow_A", "flow of the relief valve of chamber A; negative: suction from the tank");
      c.relief_B = flow(n + ".relief_flow_B", "flow of the relief valve of chamber B; negative: suction from the tank");
      c.B_A = port.regenerates ? flow(n + ".flow_B_A", "regeneration: flow from chamber B to chamber A") : nullptr;
      c.segment = add("quasistatic", n + ".segment", "",
                      "segment of the force-velocity curve: 0 hold, 1 to 8 extending +0a +0b +1a +1b +2a +2b +3 -FrM, 9 to 16 retracting "
                      "-0a -0b -1a -1b -2a -2b -3 FhM");
      c.loss = add("quasistatic", n + ".power_loss", "W", "power dissipated in its valves");
      c.element = add("quasistatic", n + ".element_power", "W", "power dissipated in the virtual element");
      add_entry(n + ".valves", Account::throttling);
      add_entry(n + ".element", Account::friction);
    }
    cells.pressure = add("quasistatic", q.name + ".pressure", "Pa", "absolute pressure at the pump");
    cells.flow = flow(q.name + ".flow", "flow of the pump");
    cells.bleed = flow(q.name + ".bleed_flow", "flow of the bleed valve");
    cells.relief = flow(q.name + ".relief_flow", "flow of the pump's relief valve");
    cells.power = add("quasistatic", q.name + ".power", "W", "power of the pump into the oil");
    cells.loss = add("quasistatic", q.name + ".power_loss", "W", "power dissipated in its bleed and relief valves");
    add_entry(q.name, Account::supply);
    add_entry(q.name + ".valves", Account::throttling);
  }
  void add_springs() {
    for (std::size_t i = 0; i < m_.springs.size(); ++i) {
      const std::string& n = m_.springs[i].name;
      add("springs", n + ".length", "m", "distance between the end points", &mechanism_.springs[i].length);
      spring_forces_.push_back(add("springs", n + ".force", "N", "tension of spring and damper"));
      add_entry(n, Account::damping);
    }
    for (const JointSpring& spring : m_.joint_springs) {
      spring_forces_.push_back(add("springs", spring.name + ".load", "N or N m", "load of spring and damper against the joint coordinate"));
      add_entry(spring.name, Account::damping);
    }
  }
  void add_loads() {
    for (const BodyLoad<D>& load : m_.body_loads) add_entry(load.name, Account::external);
    for (const JointLoad& load : m_.joint_loads) add_entry(load.name, Account::external);
    for (const DrivenLoad& load : model_->driven_loads) add_entry(load.name, Account::external);
    for (const PrescribedMotion& motion : m_.motions) add_entry(motion.name, Account::external);
    for (const SoilResistance<D>& soil : m_.soils) {
      soil_cells_.push_back({add("forces", soil.name + ".depth", "m", "depth of its point in the soil, negative above"),
                             add("forces", soil.name + ".resistance", "N", "force against the motion of its point")});
      add_entry(soil.name, Account::damping);
    }
  }
  void add_constraints() {
    violations_.resize(model_->constraints.size());
    for (std::size_t i = 0; i < violations_.size(); ++i) {
      const ConstraintInfo& info = model_->constraints[i];
      const std::string section = info.path.substr(0, info.path.find('.'));
      const bool contact = section == "wheels" || section == "blades";
      if (m_.holonomic[info.rows.begin] != 0)
        add(section, info.name + ".violation", "m or 1", "maximum error of its constraint equations", &violations_[i], true);
      for (int row = info.rows.begin; row < info.rows.end && !contact; ++row)
        add(section, info.name + ".multiplier_" + std::to_string(row - info.rows.begin + 1), "N or N m",
            "Lagrange multiplier of one equation", multipliers_.data() + row);
    }
  }

  /// Channels of velocity-level constraints: slip, and at contacts the forces on the wheel or blade and the contact point.
  void add_contacts() {
    for (std::size_t i = 0; i < m_.constraints.size(); ++i) {
      const ConstraintGroup<D>& g = m_.constraints[i];
      if (!g.holds_velocities_alone()) continue;
      const ConstraintInfo& info = model_->constraints[g.joint];
      const std::string section = info.path.substr(0, info.path.find('.'));
      const bool wheel = g.type == ConstraintType::wheel;
      ContactCells c{static_cast<int>(i), nullptr, {}, {}};
      c.slip = add(section, info.name + ".slip", wheel || g.type == ConstraintType::blade ? "m/s" : "m/s or rad/s",
                   "violation of its velocity condition", true);
      constexpr const char* kForce[] = {"normal_force", "longitudinal_force", "lateral_force"};
      constexpr const char* kMeaning[] = {"force of the plane on it along the normal, positive in compression",
                                          "force of the plane on it along the rolling direction axis x normal",
                                          "lateral force on it: along normal x (axis x normal), or `across`"};
      for (int row = 0; row < g.rows.size() && g.type != ConstraintType::velocity_coupling; ++row)
        c.force[row] = add(section, info.name + "." + kForce[wheel ? row : 2], "N", kMeaning[wheel ? row : 2]);
      for (int k = 0; k < 3 && wheel; ++k)
        c.place[k] = add(section, info.name + ".contact_" + kAxis[k], "m", std::string("contact point in the ground frame, ") + kAxis[k]);
      contacts_.push_back(c);
    }
  }

  // ---------------------------------------------------------------- channels on request, and markers

  /// A channel on request: its destination, or null if no pattern of `record.channels` names it. `spelled`: the beginning of its name that a
  /// pattern has to spell out.
  S* offer(const std::string& section, const std::string& name, const std::string& spelled, const char* unit, const std::string& meaning,
           const S* source = nullptr) {
    const bool taken = names_.contains(name);
    const std::string own = taken ? section + "." + name : name;
    const std::size_t letters = spelled.size() + (taken ? section.size() + 1 : 0);
    if (offered_ != nullptr) offered_->push_back({own, unit, meaning});
    const std::vector<std::string>& wanted = model_->description.record.channels;
    if (std::none_of(wanted.begin(), wanted.end(), [&](const std::string& w) { return names_channel(w, own, letters); })) {
      names_.insert(own);
      return nullptr;
    }
    if (source == nullptr) return add(section, name, unit, meaning);
    add(section, name, unit, meaning, source);
    return nullptr;
  }
  /// Three of them, `stem`_x ... _z.
  bool offer_vector(const std::string& section, const std::string& stem, const std::string& spelled, const char* unit,
                    const std::string& meaning, std::array<S*, 3>& cells) {
    for (int i = 0; i < 3; ++i) cells[i] = offer(section, stem + "_" + kAxis[i], spelled, unit, meaning + ", " + kAxis[i]);
    return std::any_of(cells.begin(), cells.end(), [](const S* cell) { return cell != nullptr; });
  }

  void add_channels_on_request() {
    for (const BodyInfo& body : model_->bodies)
      if (body.has_orientation) offer_motion(body);
    for (const Spool& spool : netlist_.spools)
      if (spool.signal >= 0)
        offer("valves", spool.name + ".command", spool.name + ".command", "", "command, before the spool", &oil_.signal[spool.signal]);
    for (const ControlBlock& block : netlist_.control)
      offer("control", block.name + ".output", block.name + ".output", "", "value of the control block", y_.data() + block.output);
    for (const auto& item : model_->description.signals)
      if (S* cell = offer("signals", item.first + ".signal", item.first + ".signal", "", "value of the signal"))
        signal_cells_.push_back({cell, model_->signals.find(item.first), 1});
    for (const BodyLoad<D>& load : m_.body_loads) offer_factor(load.name, load.signal);
    for (const JointLoad& load : m_.joint_loads) {
      offer_factor(load.name, load.signal);
      if (S* cell = offer("forces", load.name + ".load", load.name + ".load", "N or N m", "load on the joint coordinate"))
        signal_cells_.push_back({cell, load.signal, load.load});
    }
    for (const DrivenLoad& load : model_->driven_loads) {
      offer("forces", load.name + ".factor", load.name + ".factor", "", "factor of the load over time",
            &oil_.signal[netlist_.actuators[load.port].drive]);
      if (m_.ports[load.port].kind != PortKind::load)
        offer("forces", load.name + ".load", load.name + ".load", "N or N m", "load on the joint coordinate", &oil_.ports[load.port].force);
    }
    for (const SoilResistance<D>& soil : m_.soils) offer_factor(soil.name, soil.signal);
    for (std::size_t i = 0; i < model_->joints.size(); ++i) offer_reactions_of_joint(i);
    for (const auto& [name, loop] : model_->description.loops) offer_reactions_of_loop(name, loop);
    body_factors_.resize(m_.body_loads.size());
    joint_factors_.resize(m_.joint_loads.size());
    soil_factors_.resize(m_.soils.size());
    port_forces_.resize(m_.ports.size());
    wrenches_.resize(m_.tree.nodes.size());
  }
  void offer_factor(const std::string& name, SignalIndex signal) {
    if (S* cell = offer("forces", name + ".factor", name + ".factor", "", "factor of the load over time"))
      signal_cells_.push_back({cell, signal, 1});
  }
  void offer_motion(const BodyInfo& body) {
    MotionCells c;
    c.body = &body;
    bool any = false;
    const auto vector = [&](const char* quantity, const char* unit, const char* meaning, std::array<S*, 3>& cells) {
      const std::string stem = body.name + "." + quantity;
      any = offer_vector("bodies", stem, stem + "_", unit, meaning, cells) || any;
    };
    vector("origin", "m", "origin of the body in the ground frame", c.position);
    vector("velocity", "m/s", "velocity of the body's origin, ground axes", c.velocity);
    vector("acceleration", "m/s^2", "acceleration of the body's origin, ground axes", c.acceleration);
    vector("angular_velocity", "rad/s", "absolute angular velocity of the body, ground axes", c.angular_velocity);
    vector("angular_acceleration", "rad/s^2", "absolute angular acceleration of the body, ground axes", c.angular_acceleration);
    constexpr const char* kPart[] = {"w", "x", "y", "z"};
    for (int i = 0; i < 4; ++i) {
      const std::string stem = body.name + ".attitude_";
      c.attitude[i] = offer("bodies", stem + kPart[i], stem, "", std::string("unit quaternion of the body's rotation, part ") + kPart[i]);
      any = any || c.attitude[i] != nullptr;
    }
    if (any) motions_.push_back(c);
  }
  /// A marker has its channels without a request: it is one.
  void add_marker(const std::string& name, const MarkerDescription& marker) {
    MotionCells c;
    c.body = body_named(marker.body);
    c.frame = body_named(marker.frame);
    for (int i = 0; i < 3; ++i) c.at[i] = marker.at[i];
    const std::string in = marker.frame == "ground" ? "in the ground frame, " : "relative to " + marker.frame + ", its axes, ";
    const auto vector = [&](const char* quantity, const char* unit, const char* meaning, std::array<S*, 3>& cells) {
      for (int i = 0; i < 3; ++i)
        cells[i] = add("markers", name + "." + quantity + "_" + kAxis[i], unit, std::string(meaning) + " " + in + kAxis[i]);
    };
    vector("position", "m", "position of the point", c.position);
    vector("velocity", "m/s", "velocity of the point", c.velocity);
    vector("acceleration", "m/s^2", "acceleration of the point", c.acceleration);
    vector("angular_velocity", "rad/s", "angular velocity of its body", c.angular_velocity);
    constexpr const char* kPart[] = {"w", "x", "y", "z"};
    for (int i = 0; i < 4; ++i)
      c.attitude[i] = add("markers", name + ".attitude_" + kPart[i], "",
                          std::string("unit quaternion of its body's rotation ") + in + "part " + kPart[i]);
    motions_.push_back(c);
  }
  /// Null: the ground.
  const BodyInfo* body_named(const std::string& name) const {
    const auto number = model_->body_numbers.find(name);
    return number == model_->body_numbers.end() ? nullptr : &model_->bodies[number->second];
  }

  /// A point fixed in a body (null: the ground).
  struct BodyPoint {
    const BodyInfo* body = nullptr;
    Vec<3> at = Vec<3>::Zero();
  };
  struct ReactionCells {
    int node = 0;                                // whose joint it is; 0: of the groups
    std::vector<std::pair<int, double>> groups;  // of constraints, and sign
    std::vector<std::pair<int, double>> ports;   // of a loop closure's friction and limits, and sign
    int angle = -1;  // in the plane: the velocity that is both the joint's and its body's, without rows; -1: none
    BodyPoint point;
    const BodyInfo* axes = nullptr;  // null: the ground's
    std::array<S*, 3> force{}, moment{};
  };
  /// Constraint groups of a named constraint, with the sign of their force on the body of node `on`.
  void add_groups(const std::string& path, int on, ReactionCells& c) const {
    for (std::size_t i = 0; i < m_.constraints.size(); ++i) {
      const ConstraintGroup<D>& g = m_.constraints[i];
      if (model_->constraints[g.joint].path == path && !g.of_coordinates())
        c.groups.emplace_back(static_cast<int>(i), g.line.node_B == on ? 1 : -1);
    }
  }
  void offer_reactions_of_joint(std::size_t number) {
    const JointInfo& joint = model_->joints[number];
    const auto& all = model_->description.joints;
    const JointDescription& d = std::find_if(all.begin(), all.end(), [&](const auto& item) { return item.first == joint.name; })->second;
    if (joint.parts.empty() || d.kind == JointKind::free) return;
    const BodyInfo &child = model_->bodies[number], *parent = body_named(d.parent);
    ReactionCells c;
    if (model_->relative == nullptr)
      c.node = joint.node;
    else
      add_groups("joints." + joint.name, child.node, c);
    if (D == 2 && model_->relative != nullptr && joint.parts[0].joint == NodeJoint::revolute && joint.parts[0].node == child.node)
      c.angle = joint.parts[0].v;
    // where the joint has displacements, its point moves with the child
    const bool slides =
        std::any_of(joint.parts.begin(), joint.parts.end(), [](const JointPart& p) { return p.joint == NodeJoint::prismatic; });
    const Vec3d& at = slides ? d.child_at : d.at;
    c.point = {slides ? &child : parent, {at[0], at[1], at[2]}};
    offer_reactions("joints", joint.name, "of " + d.parent + " on " + joint.name, parent, &child, c);
  }
  void offer_reactions_of_loop(const std::string& name, const LoopDescription& loop) {
    const BodyInfo *first = body_named(loop.between[0]), *second = body_named(loop.between[1]);
    ReactionCells c;
    const int on = second == nullptr ? 0 : second->node;
    add_groups("loops." + name, on, c);
    for (const JointPort& port : model_->joint_ports)
      if (port.place.of_loop && port.place.joint == name) c.ports.emplace_back(port.port, m_.ports[port.port].node_B == on ? 1 : -1);
    const Vec3d& at = loop.at[1];
    c.point = {second, {at[0], at[1], at[2]}};
    offer_reactions("loops", name, "of " + loop.between[0] + " on " + loop.between[1], first, second, c);
  }
  /// At the joint's point and at every marker of the two bodies, in the axes of ground and both bodies.
  void offer_reactions(const std::string& section, const std::string& name, const std::string& on, const BodyInfo* A, const BodyInfo* B,
                       const ReactionCells& c) {
    offer_reaction(section, name + ".reaction", on, "", A, B, c);
    for (const auto& [marker, point] : model_->description.markers) {
      const BodyInfo* const body = body_named(point.body);
      if (body != A && body != B) continue;
      ReactionCells moved = c;
      moved.point = {body, {point.at[0], point.at[1], point.at[2]}};
      offer_reaction(section, name + ".reaction_at_" + marker, on, " about " + marker, A, B, moved);
    }
  }
  void offer_reaction(const std::string& section, const std::string& stem, const std::string& on, const std::string& about,
                      const BodyInfo* A, const BodyInfo* B, const ReactionCells& c) {
    const auto in_axes = [&](const BodyInfo* body, const std::string& in, const std::string& axes) {
      ReactionCells r = c;
      r.axes = body;
      const std::string own = stem + in;
      const bool force = offer_vector(section, own + ".force", own, "N", "force " + on + ", " + axes + " axes", r.force);
      const bool moment = offer_vector(section, own + ".moment", own, "N m", "moment " + on + about + ", " + axes + " axes", r.moment);
      if (force || moment) reactions_.push_back(r);
    };
    in_axes(nullptr, "", "ground");
    for (const BodyInfo* body : {A, B})
      if (body != nullptr && body->has_orientation) in_axes(body, "_in_" + body->name, body->name + "'s");
  }

  // ---------------------------------------------------------------- reading, in the order of the entries

  void read_joints() {
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      joint_values_[i] = read_joint<D, S>(readings_[i], mechanism_.tree, q_.data(), v_.data(), a_.data(), near_[i]);
      near_[i] = value_of(joint_values_[i].position[0]);
    }
  }

  void read_bodies() {
    TreeState<D, S>& tree = mechanism_.tree;
    if constexpr (kPlain) {
      update_inertial_forces(m_.tree, false, tree);
      stored_.kinetic = kinetic_energy(m_.tree, tree);
      stored_.potential = potential_energy(m_.tree, tree);
    }
    for (const Center& c : centers_) {
      const NodeState<D, S>& node = tree.nodes[c.body->node];
      const Vec<D, S> reference = m_.reference.template cast<S>();
      Vec<3, S> r;
      if constexpr (D == 3) {
        r = reference + node.r + node.R * Vec<3, S>(c.body->r_NC.template cast<S>());
      } else {
        const Vec<2, S> in_plane = reference + node.r + node.R * Vec<2, S>(S(c.body->r_NC_plane.x()), S(c.body->r_NC_plane.y()));
        r = model_->plane.axes.template cast<S>() * Vec<3, S>(in_plane.x(), in_plane.y(), S(c.body->r_NC_plane.z()));
      }
      for (int i = 0; i < 3; ++i) *c.cells[i] = r[i];
    }
  }

  void read_actuators() {
    std::fill(outflow_.begin(), outflow_.end(), S(0));
    for (int i = 0; i < netlist_.pistons; ++i) {
      const Actuator& a = netlist_.actuators[i];
      const PortForces<S>& port = oil_.ports[i];
      const S &s = mechanism_.s[i], &rate = mechanism_.s_dot[i];
      if constexpr (D == 2)
        if (!a.is_rotary) *actuators_[i].angle = atan2(mechanism_.ports[i].u.y(), mechanism_.ports[i].u.x());
      *actuators_[i].power = *power_++ = port.force * rate;
      *actuators_[i].flow_A = a.cylinder.area_A * rate;
      *actuators_[i].flow_B = a.cylinder.area_B * rate;
      const auto add_source = [&](int node, double area) {
        if (netlist_.nodes[node].state < 0) outflow_[node] += area * rate;
      };
      add_source(a.A, a.cylinder.area_A);
      add_source(a.B, -a.cylinder.area_B);
      *power_++ = actuator_heat(a, s, rate, port, stored_.cylinder);
    }
    for (const JointCells& c : joint_cells_) {
      const PortForces<S>& port = oil_.ports[c.actuator];
      const S& rate = mechanism_.s_dot[c.actuator];
      if (c.power != nullptr) *c.power = port.friction * rate;
      *power_++ = actuator_heat(netlist_.actuators[c.actuator], mechanism_.s[c.actuator], rate, port, stored_.spring);
    }
  }
  /// Energies of bristles and dampers are functions of the state, added to `stored`; the rest of their power is heat.
  template <class Energy>
  S actuator_heat(const Actuator& a, const S& s, const S& rate, const PortForces<S>& port, Energy& stored) {
    S heat = port.viscous * rate - port.damper * rate;
    if constexpr (kPlain) {
      heat += friction_dissipated_power(a.friction, rate, y_.data() + a.state);
      stored += friction_stored_energy(a.friction, y_.data() + a.state);
    }
    const EndDamper& d = a.cylinder.damper;
    const S x_A = max(S(d.length - a.cylinder.chamber_A(s)), 0.0), x_B = max(S(d.length - a.cylinder.chamber_B(s)), 0.0);
    stored += 0.5 * d.stiffness * (x_A * x_A + x_B * x_B);
    return heat - d.stiffness * (x_B - x_A) * rate;
  }

  /// C of a node: its own volume or a chamber on it.
  S capacity(const S& volume, const S& pressure, double wall) const {
    return sub_volume_capacity(volume, netlist_.fluid.compressibility_at(pressure), wall);
  }

  void read_volumes() {
    S* const first = power_;
    for (const Volume& volume : netlist_.volumes) {
      const int state = netlist_.nodes[volume.node].state;
      *power_++ = y_[state] * ydot_[state] * capacity(S(volume.volume), y_[state], volume.wall_compressibility);
    }
    // the swept volume contains oil and, below saturation, air, which takes up pressure work as any gas
    const auto add_chamber = [&](int node, double area, const S& length, double wall, const S& swept) {
      const int state = netlist_.nodes[node].state;  // volumes come first in y and in the entries
      if (state < 0) return;
      const S& p = y_[state];
      first[state] += p * ydot_[state] * capacity(S(area * length), p, wall) - p * (1 - netlist_.fluid.liquid_fraction(p)) * swept;
    };
    for (int i = 0; i < netlist_.pistons; ++i) {
      const Cylinder& c = netlist_.actuators[i].cylinder;
      const S &s = mechanism_.s[i], &rate = mechanism_.s_dot[i];
      add_chamber(netlist_.actuators[i].A, c.area_A, c.chamber_A(s), c.wall_compressibility, c.area_A * rate);
      add_chamber(netlist_.actuators[i].B, c.area_B, c.chamber_B(s), c.wall_compressibility, -c.area_B * rate);
    }
  }

  void read_flows() {
    const OilValues<S>& oil = oil_;
    const FlowInputs<S> in = oil.flow_inputs();
    S* supply = power_;
    power_ += static_cast<std::ptrdiff_t>(netlist_.nodes.size() - netlist_.volumes.size() + netlist_.flow_sources.size());
    for (Flow& flow : flows_) *flow.cell = S(0);
    for (const Opening& opening : openings_) *opening.cell = opening.orifice->opening_at(in);
    std::size_t flow = 0, loss = 0;
    for_each_element(netlist_, [&](const auto& element) {
      const std::size_t end = losses_[loss].flows_end;
      S heat(0);
      element.edges(in, [&](int A, int B, auto&& law) {
        const S drop = oil.pressure[A] - oil.pressure[B], Q = law(drop);
        heat += drop * Q;
        outflow_[A] += Q;
        outflow_[B] -= Q;
        for (std::size_t i = flow; i < end; ++i)
          *flows_[i].cell += flows_[i].sign * (double(flows_[i].node == B) - double(flows_[i].node == A)) * Q;
      });
      flow = end;
      *losses_[loss++].cell = *power_++ = heat;
    });
    read_components(in);
    for (std::size_t i = 0; i < netlist_.flow_sources.size(); ++i) {
      const FlowSource& source = netlist_.flow_sources[i];
      const S Q = source_flow(netlist_, source, oil);
      S power(0);
      if (source.to >= 0) {
        power += oil.pressure[source.to] * Q;
        outflow_[source.to] -= Q;
      }
      if (source.from >= 0) {
        power -= oil.pressure[source.from] * Q;
        outflow_[source.from] += Q;
      }
      *source_powers_[i] = power;
    }
    for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
      if (netlist_.nodes[i].state < 0) *supply++ = oil.pressure[i] * outflow_[i];
    for (const S* power : source_powers_) *supply++ = *power;
  }

  void read_components(const FlowInputs<S>& in) {
    ComponentValues<S> values;
    S power[kMaxComponentPowers];
    for (std::size_t i = 0; i < netlist_.components.size(); ++i) {
      const Component& c = netlist_.components[i];
      const ComponentCells& cells = components_[i];
      read_component(c, in, y_.data(), values);
      c.law->evaluate(values.inputs(), values.Q, values.rate);
      c.law->powers(values.inputs(), values.Q, values.rate, power);
      for (std::size_t k = 0; k < cells.flows.size(); ++k) *cells.flows[k] = values.Q[k];
      for (std::size_t k = 0; k < cells.powers.size(); ++k) *cells.powers[k] = *power_++ = power[k];
      for_each_flow_path(c, values.Q, [&](int A, int B, const S& Q) {
        if (A >= 0) outflow_[A] += Q;
        if (B >= 0) outflow_[B] -= Q;
      });
    }
  }

  void read_quasistatic() {
    for (std::size_t i = 0; i < netlist_.quasistatic.size(); ++i) {
      const QuasistaticCircuit& q = netlist_.quasistatic[i];
      QuasistaticCells& cells = quasistatic_[i];
      QuasistaticWork& work = oil_.quasistatic[i];
      if (q.discrete) {  // any line through the point of the last step
        read_command(q, oil_.signal.data(), oil_.spool.data(), work);
        for (std::size_t j = 0; j < q.ports.size(); ++j) {
          const QuasistaticPort& port = q.ports[j];
          work.beta[j] = port.element.damping;
          work.fbar[j] = value_of(y_[port.state + kElementForce]) - work.beta[j] * value_of(y_[port.state + kPistonRate]);
        }
      }
      if (kPlain || q.discrete) recover_flows(q, work);
      const auto number = [](double value, double change) {
        if constexpr (kPlain)
          return value;
        else
          return S::chain(value, change, S::variable(0, 0));
      };
      const S tank = oil_.pressure[q.tank], P = number(work.pump.P, work.pump_change.P);
      for (std::size_t j = 0; j < q.ports.size(); ++j) {
        const QuasistaticPort& port = q.ports[j];
        const auto& c = cells.ports[j];
        const MeteringFlows &at = work.flows[j], &d = work.flow_changes[j];
        *c.rate = number(at.v, d.v);
        *c.pressure_A = tank + number(at.P_h, d.P_h);
        *c.pressure_B = tank + number(at.P_r, d.P_r);
        *c.P_A = number(at.Q_ph, d.Q_ph);
        *c.P_B = number(at.Q_pr, d.Q_pr);
        *c.A_T = number(at.Q_th, d.Q_th);
        *c.B_T = number(at.Q_tr, d.Q_tr);
        *c.relief_A = number(at.Q_ho, d.Q_ho);
        *c.relief_B = number(at.Q_ro, d.Q_ro);
        if (c.B_A != nullptr) *c.B_A = number(at.Q_a, d.Q_a);
        *c.segment = static_cast<double>(at.segment);
        *c.loss = *power_++ = P * number(at.Q_p, d.Q_p) - *c.rate * number(at.f, d.f);
        const S stretch = y_[port.state] - mechanism_.s[port.actuator], rate = *c.rate - mechanism_.s_dot[port.actuator];
        stored_.cylinder += 0.5 * port.element.stiffness * stretch * stretch;
        *c.element = *power_++ = port.element.damping * rate * rate;
      }
      *cells.pressure = tank + P;
      *cells.flow = number(work.pump.Q, work.pump_change.Q);
      *cells.bleed = number(work.pump.Q_bleed, work.pump_change.Q_bleed);
      *cells.relief = number(work.pump.Q_relief, work.pump_change.Q_relief);
      *cells.power = *power_++ = P * *cells.flow;
      *cells.loss = *power_++ = P * (*cells.bleed + *cells.relief);
    }
  }

  void read_springs() {
    std::size_t cell = 0;
    for (std::size_t i = 0; i < m_.springs.size(); ++i) {
      const PointSpring<D>& s = m_.springs[i];
      const LineState<D, S>& line = mechanism_.springs[i];
      const S x = line.length - s.rest;
      stored_.spring += (0.5 * s.stiffness * x + s.preload) * x;
      *spring_forces_[cell++] = s.stiffness * x + s.damping * line.rate + s.preload;
      *power_++ = s.damping * line.rate * line.rate;
    }
    for (const JointSpring& s : m_.joint_springs) {
      const S x = q_[s.q] - s.rest, rate = v_[s.v];
      stored_.spring += (0.5 * s.stiffness * x + s.preload) * x;
      *spring_forces_[cell++] = s.load(q_[s.q], rate);
      *power_++ = s.damping * rate * rate;
    }
  }

  void read_loads() {
    read_applied_powers();
    for (std::size_t i = 0; i < m_.soils.size(); ++i) {
      const SoilState<D, S> soil = soil_state(m_.soils[i], mechanism_.soil[i], mechanism_.tree.nodes[m_.soils[i].node]);
      const S square = soil.v_P.squaredNorm(), viscosity = soil.strength * soil.slowness;
      *soil_cells_[i].depth = soil.depth;
      *soil_cells_[i].resistance = square > 0 ? S(viscosity * sqrt(square)) : S(0);  // the square root has no derivative at zero
      if constexpr (kPlain) *power_++ = viscosity * square;
    }
  }
  void read_applied_powers() {
    if constexpr (kPlain) {
      for (std::size_t i = 0; i < m_.body_loads.size(); ++i) {
        const BodyLoad<D>& load = m_.body_loads[i];
        const NodeState<D>& node = mechanism_.tree.nodes[load.node];
        const Vec<D> force = load.force * mechanism_.body_load[i];
        const Angular<D> torque = load.torque * mechanism_.body_load[i];
        const Vec<D> f = load.in_body ? Vec<D>(node.R * force) : force, r_P = node.r + node.R * load.r_BP;
        Angular<D> n = torque;
        if constexpr (D == 3)
          if (load.in_body) n = node.R * torque;
        *power_++ = f.dot(node.V.at(r_P)) + dot(n, node.V.angular);
      }
      for (std::size_t i = 0; i < m_.joint_loads.size(); ++i)
        *power_++ = m_.joint_loads[i].load * mechanism_.joint_load[i] * v_[m_.joint_loads[i].v];
      for (const DrivenLoad& load : model_->driven_loads) *power_++ = oil_.ports[load.port].force * mechanism_.s_dot[load.port];
      for (const ConstraintGroup<D>& g : m_.constraints)
        if (g.motion >= 0) power_[g.motion] = -multipliers_[g.rows.begin] * v_[m_.motions[g.motion].v];
      power_ += static_cast<std::ptrdiff_t>(m_.motions.size());
    }
  }

  void read_constraints() {
    for (std::size_t i = 0; i < violations_.size(); ++i) {
      S worst(0);
      for (int row = model_->constraints[i].rows.begin; row < model_->constraints[i].rows.end; ++row)
        worst = max(worst, S(abs(mechanism_.Phi[row])));
      violations_[i] = worst;
    }
    if constexpr (kPlain) {
      constraint_rates(m_, v_.data(), mechanism_);
      this->constraint_power_ = 0;
      for (int row = 0; row < m_.rows; ++row) this->constraint_power_ -= multipliers_[row] * mechanism_.Phi_dot[row];
    }
  }

  void read_contacts() {
    if (!kPlain && !contacts_.empty()) constraint_rates(m_, v_.data(), mechanism_);
    for (const ContactCells& c : contacts_) {
      const ConstraintGroup<D>& g = m_.constraints[c.group];
      double square = 0;  // of a change: not available
      for (int row = g.rows.begin + g.holonomic; row < g.rows.end; ++row) square += std::pow(value_of(mechanism_.Phi_dot[row]), 2);
      *c.slip = S(std::sqrt(square));
      for (int row = 0; row < g.rows.size(); ++row)  // M a + Phi_q^T lambda = Q: the force is -lambda
        if (c.force[row] != nullptr) *c.force[row] = -multipliers_[g.rows.begin + row];
      if constexpr (D == 3)
        for (int k = 0; k < 3; ++k)
          if (c.place[k] != nullptr) *c.place[k] = m_.reference[k] + mechanism_.constraints[c.group].line.r_Q[k];
    }
  }

  // ---------------------------------------------------------------- reading what was requested

  /// Motion of a body in space: its origin, ground axes.
  struct BodyMotion {
    Mat<3, S> R = Mat<3, S>::Identity();
    Vec<3, S> r = Vec<3, S>::Zero(), v = Vec<3, S>::Zero(), a = Vec<3, S>::Zero();
    Vec<3, S> w = Vec<3, S>::Zero(), alpha = Vec<3, S>::Zero();

    Vec<3, S> position(const Vec<3, S>& d) const { return r + d; }
    Vec<3, S> velocity(const Vec<3, S>& d) const { return v + w.cross(d); }
    Vec<3, S> acceleration(const Vec<3, S>& d) const { return a + alpha.cross(d) + w.cross(w.cross(d)); }
  };
  /// A vector of the mechanism in space.
  Vec<3, S> in_space(const Vec<D, S>& v) const {
    if constexpr (D == 3)
      return v;
    else
      return model_->plane.axes.template leftCols<2>().template cast<S>() * v;
  }
  Vec<3, S> turn_in_space(const Angular<D, S>& w) const {
    if constexpr (D == 3)
      return w;
    else
      return model_->plane.axes.col(2).template cast<S>() * w;
  }
  BodyMotion motion_of(const BodyInfo* body) const {
    BodyMotion x;
    if (body == nullptr) return x;
    if (body->node == 0) {
      x.R = body->R_NB.template cast<S>();
      x.r = body->r_NB.template cast<S>();
      return x;
    }
    const NodeState<D, S>& node = mechanism_.tree.nodes[body->node];
    Vec<D, S> d;  // from the reference point
    if constexpr (D == 3) {
      d = node.r + node.R * Vec<3, S>(body->r_NB.template cast<S>());
      x.R = node.R.m * body->R_NB.template cast<S>();
      x.r = m_.reference.template cast<S>() + d;
    } else {
      const Mat<3, S> axes = model_->plane.axes.template cast<S>();
      d = node.r + node.R * Vec<2, S>(S(body->r_NB_plane.x()), S(body->r_NB_plane.y()));
      Mat<3, S> turned = Mat<3, S>::Identity();
      turned.template topLeftCorner<2, 2>() << node.R.c, -node.R.s, node.R.s, node.R.c;
      x.R = axes * turned * body->R_NB_plane.template cast<S>();
      const Vec<2, S> r = m_.reference.template cast<S>() + d;
      x.r = axes * Vec<3, S>(r.x(), r.y(), S(body->r_NB_plane.z()));
    }
    const Vec<D, S> v = node.V.at(d);
    x.v = in_space(v);
    x.w = turn_in_space(node.V.angular);
    x.a = in_space(Vec<D, S>(node.A.at(d) + cross(node.V.angular, v) + m_.tree.gravity.template cast<S>()));
    x.alpha = turn_in_space(node.A.angular);
    return x;
  }

  void read_motions() {
    const auto set = [](const std::array<S*, 3>& cells, const Vec<3, S>& value) {
      for (int i = 0; i < 3; ++i)
        if (cells[i] != nullptr) *cells[i] = value[i];
    };
    for (MotionCells& c : motions_) {
      const BodyMotion body = motion_of(c.body), frame = motion_of(c.frame);
      const Vec<3, S> d = body.R * Vec<3, S>(c.at.template cast<S>()), e = body.position(d) - frame.r;
      const Mat<3, S> back = frame.R.transpose();
      const Vec<3, S> u = body.velocity(d) - frame.velocity(e), turn = body.w - frame.w;
      set(c.position, back * e);
      set(c.velocity, back * u);
      set(c.acceleration, back * Vec<3, S>(body.acceleration(d) - frame.acceleration(e) - frame.w.cross(u) * S(2)));
      set(c.angular_velocity, back * turn);
      set(c.angular_acceleration, back * Vec<3, S>(body.alpha - frame.alpha - frame.w.cross(turn)));
      if (std::all_of(c.attitude.begin(), c.attitude.end(), [](const S* cell) { return cell == nullptr; })) continue;
      const std::array<S, 4> attitude = quaternion_of<S>(back * body.R);
      double along = 0;  // of the two signs the one that continues
      for (int i = 0; i < 4; ++i) along += c.last[i] * value_of(attitude[i]);
      for (int i = 0; i < 4; ++i) {
        const S part = along < 0 ? S(-attitude[i]) : attitude[i];
        c.last[i] = value_of(part);
        if (c.attitude[i] != nullptr) *c.attitude[i] = part;
      }
    }
  }

  S signal_value(const Signals& signals, SignalIndex signal, double time, Side side) const {
    if (signal < 0) return S(1);
    S value(signals.value(signal, time, side));
    if constexpr (!kPlain) value.d[0] = signal_change_[signal];
    return value;
  }
  void read_signals(const Signals& signals, double time, Side side) {
    for (const SignalCell& c : signal_cells_) *c.cell = signal_value(signals, c.signal, time, side) * c.factor;
    if (reactions_.empty()) return;
    for (std::size_t i = 0; i < m_.body_loads.size(); ++i) body_factors_[i] = signal_value(signals, m_.body_loads[i].signal, time, side);
    for (std::size_t i = 0; i < m_.joint_loads.size(); ++i) joint_factors_[i] = signal_value(signals, m_.joint_loads[i].signal, time, side);
    for (std::size_t i = 0; i < m_.soils.size(); ++i) soil_factors_[i] = signal_value(signals, m_.soils[i].signal, time, side);
  }

  /// Of springs, loads, ports and rows on a velocity coordinate.
  S load_on(int velocity) const {
    S load(0);
    for (std::size_t i = 0; i < m_.ports.size(); ++i)
      if (m_.ports[i].is_coordinate() && m_.paths[m_.ports[i].path.begin].dof == velocity) load += port_forces_[i];
    for (const JointSpring& spring : m_.joint_springs)
      if (spring.v == velocity) load -= spring.load(q_[spring.q], v_[velocity]);
    for (std::size_t i = 0; i < m_.joint_loads.size(); ++i)
      if (m_.joint_loads[i].v == velocity) load += joint_factors_[i] * m_.joint_loads[i].load;
    for (const ConstraintGroup<D>& g : m_.constraints)
      for (int k = 0; k < g.path.size() && g.of_coordinates(); ++k)
        if (m_.paths[g.path.begin + k].dof == velocity)
          load -= mechanism_.jacobian[static_cast<std::size_t>(g.jacobian + k)] * multipliers_[g.rows.begin];
    return load;
  }
  void read_reactions() {
    for (std::size_t i = 0; i < m_.ports.size(); ++i) port_forces_[i] = oil_.ports[i].force;
    joint_wrenches<D, S>(m_, {body_factors_.data(), soil_factors_.data()}, port_forces_.data(), multipliers_.data(), mechanism_,
                         wrenches_.data());
    for (const ReactionCells& c : reactions_) {
      Force<D, S> wrench = Force<D, S>::zero();
      if (c.node > 0) wrench = wrenches_[c.node];
      for (const auto& [group, sign] : c.groups) {
        const Force<D, S> rows =
            row_wrench(m_.constraints[group], mechanism_.constraints[group], multipliers_.data() + m_.constraints[group].rows.begin);
        if (sign > 0)
          wrench -= rows;
        else
          wrench += rows;
      }
      for (const auto& [port, sign] : c.ports) {
        const Force<D, S> push = joint_push<D, S>(m_.ports[port], mechanism_.ports[port], port_forces_[port]);
        if (sign > 0)
          wrench += push;
        else
          wrench -= push;
      }
      if constexpr (D == 2)
        if (c.angle >= 0) wrench.moment += load_on(c.angle);
      const BodyMotion body = motion_of(c.point.body);
      const Vec<3, S> r = body.position(body.R * Vec<3, S>(c.point.at.template cast<S>()));
      Vec<D, S> d;
      if constexpr (D == 3)
        d = r - m_.reference.template cast<S>();
      else
        d = (model_->plane.axes.transpose().template topRows<2>().template cast<S>() * r) - m_.reference.template cast<S>();
      const Mat<3, S> back = motion_of(c.axes).R.transpose();
      const Vec<3, S> force = back * in_space(wrench.linear),
                      moment_P = back * turn_in_space(Angular<D, S>(wrench.moment - moment(d, wrench.linear)));
      for (int i = 0; i < 3; ++i) {
        if (c.force[i] != nullptr) *c.force[i] = force[i];
        if (c.moment[i] != nullptr) *c.moment[i] = moment_P[i];
      }
    }
  }

  struct MotionCells {
    const BodyInfo *body = nullptr, *frame = nullptr;                                                      // null: the ground
    Vec<3> at = Vec<3>::Zero();                                                                            // [m] body frame
    std::array<S*, 3> position{}, velocity{}, acceleration{}, angular_velocity{}, angular_acceleration{};  // null: not requested
    std::array<S*, 4> attitude{};
    std::array<double, 4> last{1, 0, 0, 0};  // the attitude read before, for its sign
  };
  struct SignalCell {
    S* cell;
    SignalIndex signal;  // -1: 1
    double factor;
  };
  struct ContactCells {
    int group;  // of constraints
    S* slip;
    std::array<S*, 3> force, place;  // per row, per axis; null where not applicable
  };
  struct Center {
    const BodyInfo* body;
    std::array<S*, 3> cells;
  };
  struct ActuatorCells {
    S *angle, *power, *flow_A, *flow_B;  // of the line, in the plane
  };
  struct JointCells {
    int actuator = 0;
    S* power = nullptr;  // of friction; null: none
  };
  struct QuasistaticCells {
    struct Port {
      S *rate, *pressure_A, *pressure_B, *P_A, *P_B, *A_T, *B_T, *relief_A, *relief_B, *B_A, *segment, *loss, *element;
    };
    std::vector<Port> ports;
    S *pressure, *flow, *bleed, *relief, *power, *loss;
  };
  struct ComponentCells {
    std::vector<S*> flows, powers;
  };
  struct Opening {
    S* cell;
    const Orifice* orifice;
  };
  struct Flow {
    S* cell;
    int node;  // flow into this node, times sign
    double sign;
  };
  struct SoilCells {
    S *depth, *resistance;
  };
  struct Loss {
    S* cell;
    int flows_end;  // flows_ of this element end here
  };

  const std::vector<JointReading<D>>& readings_;
  std::vector<JointValue<S>> joint_values_;  // joint coordinates computed from the bodies' poses
  std::vector<double> near_;                 // their last values, for continuous angles
  std::deque<S> cells_;                      // computed channels; never moves
  std::set<std::string> names_;
  std::vector<Center> centers_;
  std::vector<ActuatorCells> actuators_;
  std::vector<JointCells> joint_cells_;
  std::vector<QuasistaticCells> quasistatic_;
  std::vector<ComponentCells> components_;
  std::set<std::string> shown_spools_;
  std::vector<Opening> openings_;
  std::vector<ContactCells> contacts_;
  std::vector<SoilCells> soil_cells_;
  std::vector<MotionCells> motions_;  // of markers, and on request
  std::vector<SignalCell> signal_cells_;
  std::vector<ReactionCells> reactions_;
  std::vector<S> body_factors_, joint_factors_, soil_factors_, port_forces_;  // for reactions
  std::vector<Force<D, S>> wrenches_;                                         // per node
  std::vector<Flow> flows_;
  std::vector<Loss> losses_;
  std::vector<S*> source_powers_, spring_forces_;
  S* power_ = nullptr;  // next entry to write
};

template <int D>
class MachineObserver final : public MachineReadings<D, double, Observer> {
 public:
  using MachineReadings<D, double, Observer>::MachineReadings;
  void observe(const StateVector& state, Side side) override {
    const StateLayout& n = state.layout();
    std::copy_n(state.q(), n.nq, this->q_.begin());
    std::copy_n(state.v(), n.nv, this->v_.begin());
    std::copy_n(state.a(), n.nv, this->a_.begin());
    std::copy_n(state.y(), n.ny, this->y_.begin());
    std::copy_n(state.ydot(), n.ny, this->ydot_.begin());
    std::copy_n(state.multipliers(), n.rows, this->multipliers_.begin());
    const Signals signals = signals_at(*this->model_, state);
    for (SignalIndex i : this->netlist_.used_signals) this->oil_.signal[i] = signals.value(i, state.time, side);
    for (std::size_t i = 0; i < this->inputs_.size(); ++i) this->inputs_[i] = signals.value(this->input_signal(i), state.time, side);
    this->read(signals, state.time, side);
  }
  std::ptrdiff_t place_in_state(std::size_t channel) const override {
    const double* const at = &this->value(channel);
    StateVector state(this->model_->layout);
    const auto within = [&](const std::vector<double>& values, const double* begin) -> std::ptrdiff_t {
      const std::less<> before;  // of pointers into different arrays
      if (before(at, values.data()) || !before(at, values.data() + values.size())) return -1;
      return begin - state.values().data() + (at - values.data());
    };
    for (const auto& [values, begin] : {std::pair<const std::vector<double>&, const double*>{this->q_, state.q()},
                                        {this->v_, state.v()},
                                        {this->a_, state.a()},
                                        {this->y_, state.y()},
                                        {this->ydot_, state.ydot()},
                                        {this->multipliers_, state.multipliers()}})
      if (const std::ptrdiff_t place = within(values, begin); place >= 0) return place;
    return -1;
  }
  int input_of(std::size_t channel) const override {
    for (std::size_t i = 0; i < this->inputs_.size(); ++i)
      if (&this->value(channel) == &this->inputs_[i]) return static_cast<int>(i);
    return -1;
  }
  Observer::Oil oil() const override { return {&this->netlist_, this->y_.data(), this->mechanism_.s.data(), this->outflow_.data()}; }
};

template <int D>
class MachineChangeObserver final : public MachineReadings<D, Dual<1>, ChangeObserver> {
 public:
  using S = Dual<1>;
  using MachineReadings<D, S, ChangeObserver>::MachineReadings;
  void observe(const StateVector& state, Side side, const StateChange& change) override {
    const StateLayout& n = state.layout();
    const auto take = [](const double* value, const double* rate, int size, std::vector<S>& out) {
      for (int i = 0; i < size; ++i) {
        out[i] = value[i];
        out[i].d[0] = rate[i];
      }
    };
    std::vector<S>& theta = this->a_;  // scratch, first
    for (int i = 0; i < n.nv; ++i) {
      theta[i] = 0.0;
      theta[i].d[0] = change.theta[i];
    }
    advance_configuration(this->m_.tree, state.q(), theta.data(), this->q_.data());
    take(state.v(), change.v, n.nv, this->v_);
    take(state.a(), change.a, n.nv, this->a_);
    take(state.y(), change.y, n.ny, this->y_);
    take(state.ydot(), change.ydot, n.ny, this->ydot_);
    take(state.multipliers(), change.multipliers, n.rows, this->multipliers_);
    const Signals signals = signals_at(*this->model_, state);
    this->signal_change_ = change.signal;
    const auto set = [&](SignalIndex i, S& out) {
      out = signals.value(i, state.time, side);
      out.d[0] = change.signal[i];
    };
    for (SignalIndex i : this->netlist_.used_signals) set(i, this->oil_.signal[i]);
    for (std::size_t i = 0; i < this->inputs_.size(); ++i) set(this->input_signal(i), this->inputs_[i]);
    this->read(signals, state.time, side);
  }
};

/// Plane or space, whichever the model is compiled in.
template <template <int> class Reader, class Base>
std::unique_ptr<Base> make_reader(std::shared_ptr<const CompiledModel> model, std::vector<Channel>* offered = nullptr) {
  if (model->planar) return std::make_unique<Reader<2>>(std::move(model), offered);
  return std::make_unique<Reader<3>>(std::move(model), offered);
}

}  // namespace

bool names_channel(const std::string& pattern, const std::string& name, std::size_t spelled) {
  if (pattern.empty() || pattern.back() != '*') return pattern == name;
  const std::size_t letters = pattern.size() - 1;
  return letters >= spelled && name.compare(0, letters, pattern, 0, letters) == 0;
}

std::vector<Channel> channels_on_request(const std::shared_ptr<const CompiledModel>& model) {
  std::vector<Channel> offered;
  (void)make_reader<MachineObserver, Observer>(model, &offered);
  return offered;
}

std::string how_to_request(const std::shared_ptr<const CompiledModel>& model, const std::string& name) {
  const std::vector<Channel> offered = channels_on_request(model);
  const bool found = std::any_of(offered.begin(), offered.end(), [&](const Channel& c) { return c.name == name; });
  return found ? "it is evaluated on request: record.channels=[\"*\", " + name + "]" : "";
}

std::size_t channel_of(const std::vector<Channel>& channels, const std::string& section, const std::string& part,
                       const std::string& quantity) {
  const std::string name = part + "." + quantity;
  std::size_t place = channels.size();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (channels[i].name == section + "." + name) return i;
    if (channels[i].name == name) place = i;
  }
  return place;
}

std::unique_ptr<Observer> make_observer(std::shared_ptr<const CompiledModel> model) {
  return make_reader<MachineObserver, Observer>(std::move(model));
}
std::unique_ptr<ChangeObserver> make_change_observer(std::shared_ptr<const CompiledModel> model) {
  return make_reader<MachineChangeObserver, ChangeObserver>(std::move(model));
}

}  // namespace trunnion
