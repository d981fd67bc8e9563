// Builds the netlist of a machine, its states and their names from the description. Its parts: nodes, lines and components
// (compile_hydraulics.cpp), valves (compile_valves.cpp), cylinders, motors and what acts on joints (compile_actuators.cpp), quasistatic
// circuits (compile_quasistatic.cpp), control blocks (compile_control.cpp), and what is solved together (compile_circuits.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/compile_parts.h"
#include "model/component_plan.h"
#include "model/control_plan.h"

namespace trunnion {

/// One object per machine. Names in the description have been checked before.
class NetlistBuilder {
  static constexpr double kNever = 1e300;  // [rad, m] unlimited stroke

 public:
  NetlistBuilder(const Description& d, CompiledModel& model) : d_(d), model_(model), netlist_(model.hydraulics) {}

  void build(const std::vector<double>& starts);

 private:
  static double wall(double bulk_modulus) { return 1 / bulk_modulus; }  // zero for a rigid wall
  int add_state(const std::string& name, double start);
  SignalIndex signal(const NumberOrSignal& value);
  bool is_block(SignalIndex signal) const;
  SignalIndex used(const std::string& name) { return signal(NumberOrSignal(name)); }
  int node(const std::string& name) const;

  void add_nodes();
  int add_spool(const std::string& name, const SpoolDynamics& dynamics, const NumberOrSignal& command);
  int add_spool(const std::string& name, double time_constant, const NumberOrSignal& command);
  void add_component(const std::string& name, const char* section, const ComponentPlan& plan);
  /// Its states; their start values follow from the pressures.
  void start_component(Component& c);
  /// The k-th segment of a line, from 1.
  static std::string inside(const std::string& line, int k) { return line + "." + std::to_string(k); }
  /// Segments in series; half a segment's oil is at either end of the line.
  void add_line(const std::string& name, const LineDescription& line);
  template <class V>
  requires requires(const V& v, const Fluid& fluid) { plan_component(v, fluid); }
  void add_valve(const std::string& name, const V& v) { add_component(name, "valves", plan_component(v, netlist_.fluid)); }
  void add_valve(const std::string& name, const OrificeDescription& v);
  void add_valve(const std::string& name, const CheckValveDescription& v);
  void add_valve(const std::string& name, const ReliefValveDescription& v);
  /// Its edges are orifices with a common spool.
  void add_valve(const std::string& name, const SpoolValveDescription& v);
  void add_valve(const std::string& name, const DirectionalValveDescription& v);
  void add_cylinder(const std::string& name, const CylinderDescription& c, double length);
  /// The port of a chamber, which closes over its length l_0 + sign s, and a check valve past it.
  void add_cushion(const std::string& name, const std::string& chamber, const std::optional<CushionDescription>& c, double l_0,
                   double sign);
  void add_motor(const std::string& name, const char* section, const MotorDescription& c, double angle);
  template <class ActuatorDescription>
  void add_actuator(const std::string& name, const ActuatorDescription& c, double start, Actuator a);
  /// The friction of an actuator; names of its states begin with `stem`, after the section where another state has that name.
  void add_friction(const std::string& stem, const FrictionDescription& friction, Actuator& a);
  /// What acts on a joint coordinate: an actuator without chambers.
  void add_joint_actuator(const JointPort& port, double start);
  void add_marker_actuator(const MarkerPort& port);
  /// Its joint's load, which its friction follows.
  void add_load(const std::string& stem, Actuator& a);
  void add_driven_load(const DrivenLoad& load);
  /// The states of the block that a motion follows. Such a block has its value as first state, and the second one in proportion to its rate.
  void follow_block(const DrivenLoad& motion);
  /// Limits as end dampers of a piston without area: a chamber is as long as the damper at the limit.
  static void set_limits(const LimitsDescription& limits, const EndDamper& law, Cylinder& c);

  // ---- control

  /// What a name or number stands for as the input of a block.
  BlockInput input_of(const NumberOrSignal& value);
  void add_control();
  /// Whether nothing in a step changes a signal; of blocks those before are known, which includes all that one without states reads.
  bool is_ahead(SignalIndex signal) const;
  /// Blocks after those that their values depend on. Throws InputError for algebraic loops.
  std::vector<int> evaluation_order(const std::vector<ControlBlock>& blocks) const;
  std::vector<int> after_what_they_read(const std::vector<ControlBlock>& blocks, const std::vector<int>& order) const;
  Diagnostic algebraic_loop(const std::vector<ControlBlock>& blocks, const std::vector<int>& loop) const;
  void add_spool_states(Spool& spool);

  // ---- quasistatic circuits

  /// The tank of the quasistatic circuit that an actuator without chambers belongs to.
  const std::string& tank_of(const std::string& actuator) const;
  CommandedOpening opening(const std::string& name, const MeteringValveDescription& m, int lever);
  VirtualElement element(const VirtualElementDescription& e, const Cylinder& c) const;
  void add_quasistatic(const std::string& name, const QuasistaticDescription& q);

  void average_walls();

  // ---- circuits

  void build_circuits();
  /// Joins control blocks with what they read and drive.
  template <class Join, class ComponentNumber, class BlockNumber>
  void join_control(const Join& join, const ComponentNumber& component, const BlockNumber& block);

  const Description& d_;
  CompiledModel& model_;
  Hydraulics& netlist_;
  std::vector<BlockPlan> plans_;
  SignalIndex first_block_signal_ = 0;  // of the control blocks, in the order of their plans
  std::unordered_map<std::string, int> node_numbers_;
};

}  // namespace trunnion
