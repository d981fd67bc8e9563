// The hydraulic netlist: pressure nodes (volumes with a state, sources with a given pressure), flow elements between them,
// cylinders at the ports, friction on joint coordinates. Evaluates the pressure equations in the capacity form, (13)-(14), (43):
//   R_i = C_i(p, s) p_i_dot + sum A_j s_j_dot - sum Q_in = 0,    C_i = V_i / B_e,i
// together with friction states, R_x = x_dot - rate(v, x), those of components (component.h), R_x = x_dot - rate(p, x, u), control blocks
// (control.h), and the port forces; all with exact local derivatives.
// In a step the rule acts on the content N of a volume, and a piston's sweep is a volume in it, not a rate (oil_rule.h):
//   dN_i = sum over hose and chambers of (V_0 + V_1)/2 (g(p_1) - g(p_0)) + (chi_0 + chi_1)/2 (e_0 + e_1)/2 A_j (s_j,1 - s_j,0)
//   R_i = factor dN_i - offset_i - sum Q_in          g, chi: fluid.h; e: displacement fraction of a motor, whose chi is that of its inlet
// so that the oil balance is exact to rounding, and trapped oil is a spring without numerical damping at any step.
// Circuits without shared volumes are separate blocks; so is each actuator without chambers. Oil sees mechanics only as (s, sdot) at its
// ports.
//
// Ports may also be driven by a quasistatic circuit (hydraulics/quasistatic), whose actuators' p are unknowns of the block: in a step
// they are solved locally, R = 0, T = 1, with their derivatives in the ports' s and sdot as R_s and R_v.
//
// A netlist may follow a LinearOil instead: R_i = p_i_dot - (f + J (p - p_0) + f_s (s - s_0) + f_w (sdot - w_0))_i, cylinders unchanged.
//
// Condensation: with T = dR/dy of a circuit, a Newton increment eliminates its unknowns,
//   dF_i = -w_i . R + sum_j (K_s,ij ds_j + K_v,ij dsdot_j),   w_i = T^-T dF_i/dy
// so that the mechanism sees each circuit as a dynamic stiffness between its ports.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), sections 2.2 and 4.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/system_matrix.h"
#include "friction/friction.h"
#include "hydraulics/component.h"
#include "hydraulics/control.h"
#include "hydraulics/cylinder.h"
#include "hydraulics/directional_valve.h"
#include "hydraulics/fluid.h"
#include "hydraulics/one_way_valve.h"
#include "hydraulics/orifice.h"
#include "hydraulics/quasistatic/quasistatic_circuit.h"
#include "hydraulics/spool.h"
#include "signals/signal.h"

namespace trunnion {

struct LinearOil;

/// A node of one pressure: a volume (with a state in y) or a source.
struct PressureNode {
  std::string name;
  int state = -1;           // index in y of a volume; -1: source
  int circuit = -1;         // of a volume
  int local = -1;           // index in the circuit's block
  SignalIndex source = -1;  // pressure signal of a source
};

/// The constant part of a volume; chambers add theirs.
struct Volume {
  int node = 0;
  double volume = 0;                     // [m3] hose
  double wall_compressibility = 0;       // [1/Pa]
  double mean_wall_compressibility = 0;  // [1/Pa] with the connected chambers: the mean by volume at the start
};

/// A flow from node A to node B with its derivative in p_A - p_B.
struct FlowEdge {
  int A, B;
  double flow;   // [m3/s]
  double slope;  // [m3/(s Pa)]
};

/// Inputs of flow elements.
template <class S = double>
struct FlowInputs {
  const S* pressure;          // per node [Pa]
  const S* signal;            // per signal, at the current time
  const S* spool;             // per spool
  const S* length = nullptr;  // per port [m]; null: no piston is near its end
};

/// Opening of a chamber's port over the length l of the chamber near the end of its stroke: with x = clamp(l / length, 0, 1)
///   least + (1 - least) x^2 (3 - 2 x)
struct PortCushion {
  int port = -1;             // of the cylinder
  double length = 0;         // [m] of the chamber, below which the port closes
  double least = 1;          // [-] at the end of the stroke
  double l_0 = 0, sign = 1;  // l = l_0 + sign s
  template <class S>
  S opening(const S& s) const {
    const S x = min(max(S((l_0 + sign * s) / length), 0.0), 1.0);
    return least + (1 - least) * x * x * (3 - 2 * x);
  }
};

// ---- flow elements: each has a name and reports its edges, sink(A, B, law) with law(dp) the flow from A to B at pressure drop dp,
// on the scalar type of the inputs or, with plain inputs, on any
struct Orifice {
  std::string name;
  int A = 0, B = 0;
  double coefficient = 0;  // [m3/(s Pa^0.5)] fully open
  LaminarZone zone;
  int spool = -1;  // its command; -1: always open
  OpeningCurve opening;
  const char* section = "valves";
  PortCushion cushion;
  /// Opening from 0 to 1.
  template <class S>
  S opening_at(const FlowInputs<S>& in) const {
    if (cushion.port >= 0 && in.length != nullptr) return cushion.opening(in.length[cushion.port]);
    return spool < 0 ? S(1) : opening(in.spool[spool]);
  }
  template <class S, class Sink>
  void edges(const FlowInputs<S>& in, Sink&& sink) const;
};
struct DirectionalValve {
  std::string name;
  int P = 0, T = 0, A = 0, B = 0;
  double coefficient = 0;  // [m3/(s Pa^0.5 signal)]
  double dead_band = 0, at_signal = 10;
  LaminarZone zone;
  int spool = 0;
  template <class S, class Sink>
  void edges(const FlowInputs<S>& in, Sink&& sink) const;
};
/// Check or relief valve.
struct OneWayValve {
  std::string name;
  int A = 0, B = 0;
  OneWayLaw law;
  const char* section = "valves";
  template <class S, class Sink>
  void edges(const FlowInputs<S>& in, Sink&& sink) const;
};
/// Laminar leakage past a piston, or into a case.
struct Leakage {
  std::string name;
  int A = 0, B = 0;
  double conductance = 0;  // [m3/(s Pa)]
  const char *section = "cylinders", *meaning = "leakage from chamber A to chamber B";
  template <class S, class Sink>
  void edges(const FlowInputs<S>& in, Sink&& sink) const;
};
/// A prescribed flow out of node `from` (may be -1: from outside) into node `to` (may be -1).
struct FlowSource {
  std::string name;
  int from = -1, to = -1;
  SignalIndex flow = -1;
};

/// The values at a component's ports and its results.
template <class S = double>
struct ComponentValues {
  S p[kMaxComponentNodes], x[kMaxComponentStates], u[kMaxComponentCommands], Q[kMaxComponentFlows], rate[kMaxComponentStates];
  ComponentInputs<S> inputs() const { return {p, x, u}; }
};
/// A component's inputs among those of the netlist.
template <class S>
void read_component(const Component& c, const FlowInputs<S>& in, const S* y, ComponentValues<S>& values) {
  for (std::size_t i = 0; i < c.nodes.size(); ++i) values.p[i] = in.pressure[c.nodes[i]];
  for (std::size_t i = 0; i < c.law->info().states.size(); ++i) values.x[i] = y[c.state + static_cast<int>(i)];
  for (std::size_t i = 0; i < c.spools.size(); ++i) values.u[i] = in.spool[c.spools[i]];
}
/// Calls sink(A, B, Q) for every flow of a component between nodes A and B of the netlist, -1: outside.
template <class S, class Sink>
void for_each_flow_path(const Component& c, const S* Q, Sink&& sink) {
  for (const ComponentFlow& flow : c.law->info().flows)
    sink(flow.from < 0 ? -1 : c.nodes[flow.from], flow.to < 0 ? -1 : c.nodes[flow.to], *Q++);
}

/// What acts at port i (i-th of the list): a cylinder or motor with its friction, or what acts without chambers: on a joint coordinate, or
/// as a load that a control block drives.
struct Actuator {
  std::string name;
  const char* section = "cylinders";  // of the file
  bool is_rotary = false;             // about an axis
  int load = -1;                      // in y: load of its joint, which its friction follows (FrictionLoad); -1: it does not
  Cylinder cylinder;
  int A = -1, B = -1;      // nodes; -1: no chambers
  int spool = -1;          // its displacement fraction, of a motor whose chambers keep their volumes; -1: 1
  SignalIndex drive = -1;  // of the control block that its force follows; -1: none
  double gain = 0;         // [N or N m] force per value of the block
  bool follows = false;    // it has no force: the coordinate of the port follows the block's value, whose change is condensed instead
  FrictionLaw friction;
  bool friction_local = false;
  int friction_states = 0;
  int state = 0;  // first friction state in y
  int circuit = 0;
  int local = 0;  // first friction state in the circuit's block (monolithic)
};

/// The load of a joint in y, in units of its friction's nominal load. It follows from the accelerations, so that it is no unknown of a step
/// (machine/friction_load.h).
enum FrictionLoad : int {
  kAppliedLoad,  // factor of the friction; extrapolated by a step. For its rate: count of steps that missed it in turn
  kFoundLoad,    // that of the state, and its rate over the step that led there [1/s]
  kFrictionLoadStates
};

/// A set of volumes and friction states that are solved together.
struct Circuit {
  int size = 0;    // unknowns
  int offset = 0;  // first of its unknowns in the list of circuit unknowns
  int block = 0;   // first entry of its size x size block
  std::vector<int> actuators;
  std::vector<int> acting;  // those whose force depends on the circuit's unknowns
};

/// The compiled netlist of a machine.
struct Hydraulics {
  Fluid fluid;
  std::vector<PressureNode> nodes;
  std::vector<Volume> volumes;
  /// The one list of element types.
  std::tuple<std::vector<Orifice>, std::vector<DirectionalValve>, std::vector<Leakage>, std::vector<OneWayValve>> elements;
  std::vector<FlowSource> flow_sources;
  std::vector<Component> components;
  std::vector<Spool> spools;
  std::vector<Actuator> actuators;
  bool cushions = false;                        // whether a port is cushioned
  int pistons = 0;                              // number of actuators with chambers, the first ones; the others act on joint coordinates
  std::vector<QuasistaticCircuit> quasistatic;  // their actuators have both chambers connected to their tank
  std::vector<ControlBlock> control;            // blocks in the order of their dependence
  std::vector<int> block_of_signal;             // per signal: the block whose value it is; -1: none
  std::vector<int> driven_sources;              // nodes of sources whose pressures are values of blocks
  std::vector<Circuit> circuits;
  std::vector<int> unknown_state;         // index in y of each circuit unknown
  int ny = 0;                             // states in y: circuit unknowns, local friction states, spools
  int signals = 0;                        // size of the signal set
  std::vector<SignalIndex> used_signals;  // those read by elements and sources
  /// Not null: the pressure rates of all volumes, in the caller's memory and with the caller's sizes; volumes, elements and flow sources
  /// do not contribute. The caller may change it between steps.
  const LinearOil* linear_oil = nullptr;
  std::shared_ptr<SystemPatterns> patterns = std::make_shared<SystemPatterns>();  // of the circuits' blocks
  /// Of every circuit's block, as found by block_patterns(); empty: found again by every HydraulicState.
  std::vector<std::shared_ptr<const SystemPattern>> blocks;
};

/// Displacement fraction of an actuator, at the positions of the spools.
template <class S>
TR_INLINE S fraction_of(const Actuator& a, const std::vector<S>& spool) {
  return a.spool < 0 ? S(1) : spool[a.spool];
}
/// Factor of the friction of an actuator by the pressures in its chambers, or by the load of its joint.
template <class S>
TR_INLINE S friction_factor(const Actuator& a, const std::vector<S>& pressure, const S* y) {
  if (a.load >= 0) return y[a.load + kAppliedLoad];
  return a.cylinder.has_friction_of_pressure() ? a.cylinder.friction_factor(pressure[a.A], pressure[a.B]) : S(1);
}
/// The same at states y.
inline double fraction_at(const Hydraulics& netlist, const Actuator& a, const double* y) {
  return a.spool < 0 ? 1 : y[netlist.spools[a.spool].state];
}

/// The node whose liquid fraction a piston's sweep has: the chamber's own, as the oil stays in a chamber that grows; of a motor whose
/// chambers keep their volumes the side that it draws from, as it passes the oil on.
inline int drawn_node(const Actuator& a, int chamber, double swept) { return a.cylinder.travel > 0 ? chamber : swept >= 0 ? a.A : a.B; }
/// Calls visit(node, share) for it, the share 1; in a recording, which does not branch there, for both nodes with shares 1 and 0.
template <class Visit>
TR_INLINE void visit_drawn_node(const Actuator& a, int chamber, double swept, Visit&& visit) {
  if (!kRecording || a.cylinder.travel > 0) return visit(drawn_node(a, chamber, swept), 1.0);
  visit(a.A, select(swept >= 0, 1.0, 0.0));
  visit(a.B, select(swept >= 0, 0.0, 1.0));
}

/// Actuators with chambers: cylinders and motors.
inline std::span<const Actuator> pistons_of(const Hydraulics& netlist) {
  return {netlist.actuators.data(), static_cast<std::size_t>(netlist.pistons)};
}

/// Patterns of the circuits' blocks dR/dy of a step, from the parts of the netlist.
std::vector<std::shared_ptr<const SystemPattern>> block_patterns(const Hydraulics& netlist);

/// Forces [N] of a cylinder along its line, torques [N m] of a motor about its axis.
template <class S = double>
struct PortForces {
  S force{};     // net, positive when pushing
  S oil{};       // of the oil alone
  S friction{};  // seals, positive with positive rate
  S viscous{};   // drag, positive with positive rate
  S damper{};    // end dampers, positive when pushing
};

/// Values of the netlist at given pressures, signals and spools, on any scalar; sized once.
template <class S = double>
struct OilValues {
  explicit OilValues(const Hydraulics& netlist)
      : signal(netlist.signals),
        pressure(netlist.nodes.size()),
        spool(netlist.spools.size()),
        length(netlist.actuators.size()),
        ports(netlist.actuators.size()),
        quasistatic(netlist.quasistatic.begin(), netlist.quasistatic.end()),
        quasistatic_v(netlist.actuators.size()),
        quasistatic_f(netlist.actuators.size()) {}
  FlowInputs<S> flow_inputs() const { return {pressure.data(), signal.data(), spool.data(), length.data()}; }

  std::vector<S> signal;    // per signal: value at the evaluation's time
  std::vector<S> pressure;  // per node [Pa]
  std::vector<S> spool;     // per spool
  std::vector<S> length;    // per port [m, rad]
  std::vector<PortForces<S>> ports;
  std::vector<QuasistaticWork> quasistatic;     // per quasistatic circuit
  std::vector<S> quasistatic_v, quasistatic_f;  // of the one evaluated last, from solve_rates()
};

/// Derivatives of a motor in its displacement fraction.
struct FractionSlopes {
  double A = 0, B = 0;  // of the residuals of its volumes [m3/s]
  double force = 0;     // [N m]
  /// Of the residual of a volume [m3/s].
  double of(int node, const Actuator& a) const { return (node == a.A ? A : 0) + (node == a.B ? B : 0); }
};

/// Effect of a pressure change on oil and walls over a step, between the means of both ends.
struct StrainChange {
  double oil = 0, pressure = 0;  // g(p_1) - g(p_0) of the oil [-]; p_1 - p_0 [Pa]
  double liquid = 1;             // (chi_0 + chi_1)/2
  TR_INLINE double of(double wall) const { return oil + wall * pressure; }
};

/// Of control blocks in a step: what they drive, found once, and slopes.
struct ControlWork {
  explicit ControlWork(const Hydraulics& netlist);

  std::vector<int> driven_spools, driven_components;  // by blocks whose values vary in a step
  std::vector<double> value_slope;                    // of values in their origins, at ControlBlock::slope
  std::vector<Dual<1>> spool;                         // per spool, driven ones with their slope in the value that drives them; scratch
};

/// Scratch of the circuit evaluation, sized once.
struct HydraulicState : OilValues<> {
  explicit HydraulicState(const Hydraulics& netlist);

  std::vector<StrainChange> strain;            // per node, over the step; of sources, which deliver liquid, as constructed
  std::vector<Dual<1>> compressibility;        // per node [1/Pa], of the oil, with its slope; sources: not in use
  std::vector<Dual<1>> liquid;                 // per node [-]: liquid fraction, with its slope
  std::vector<double> capacity;                // per node [m3/Pa]; zero for sources
  std::vector<double> R;                       // per circuit unknown: residual; after eliminate(): its Newton increment
  std::vector<double> T;                       // blocks dR/dy
  std::vector<SystemMatrix> block;             // per circuit: its T, factored by condense()
  std::vector<double> force_s, force_v;        // per port: direct derivatives of its force
  std::vector<std::array<double, 2>> force_p;  // per port: derivatives of its force in the pressures of A and B
  std::vector<FractionSlopes> by_fraction;     // per port: derivatives in its displacement fraction
  std::vector<double> oil_rate;                // per port: scratch of evaluate_rates
  std::vector<double> R_s, R_v;                // per port: derivative of its circuit's R, at `column`
  std::vector<double> F_y;                     // per port: derivative of F in its circuit's unknowns, at `column`; after condense(): w
  std::vector<int> column;                     // per port: first entry in R_s, R_v, F_y
  std::vector<std::vector<double*>> F_y_of_circuit;  // per circuit: F_y of the ports that act
  std::vector<double> y_scratch, ydot_scratch;       // of evaluate_slopes
  std::vector<ControlWork> control;                  // one if the netlist has blocks
  std::vector<double> linear_f, linear_J;            // of a LinearOil at the evaluation's time
};

/// Step data for the evaluation at the end point: of a state with rate x_dot,  factor (x - x_begin) - offset = x_dot.
struct RateRelation {
  double step = 0;                  // [s]
  double factor = 0;                // [1/s] of the rule, oil_rule.h; 0: no step, given rates
  const double* y_begin = nullptr;  // states
  /// Per state; of a volume: of its content [m3/s], with a LinearOil of its pressure [Pa/s].
  const double* offset = nullptr;
  const double* s_begin = nullptr;  // [m] per port
};

/// Memory of the rule from step to step, in one array.
template <class Pointer = double*>
struct OilMemory {
  Pointer step;    // [s] that led to the present state; 0: unknown
  Pointer lag;     // per state: running mean of its rate minus the rate; of a volume: of its inflow [m3/s]
  Pointer inflow;  // per volume [m3/s]: net, without pistons; with a LinearOil the rate of its pressure [Pa/s]
  Pointer s;       // [m] per port
};
template <class Pointer>
OilMemory<Pointer> oil_memory(const Hydraulics& netlist, Pointer values) {
  Pointer lag = values + 1, inflow = lag + netlist.ny;
  return {values, lag, inflow, inflow + netlist.volumes.size()};
}
inline int oil_memory_size(const Hydraulics& netlist) {
  return 1 + netlist.ny + static_cast<int>(netlist.volumes.size() + netlist.actuators.size());
}
/// Memory of a state with consistent rates and no history, for a step of that length [s].
void start_oil_memory(const Hydraulics& netlist, double step, const double* s, const double* s_dot, const double* y, const double* ydot,
                      OilMemory<> memory);
/// The same where the rates have jumped: the lags are kept, so that the means jump along, but of states that stand still from there on.
void renew_oil_memory(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                      OilMemory<> memory);

/// Change of every volume's content [m3] from pressures and spools in y_0 and lengths s_0 to y_1 and s_1. `strain`: per node, those of
/// volumes are set.
void content_changes(const Hydraulics& netlist, const double* y_0, const double* s_0, const double* y_1, const double* s_1, double* dN,
                     StrainChange* strain);
/// Rates of the pressures [Pa/s] at the inflow [m3/s] of every volume, without pistons; written to ydot.
void pressure_rates(const Hydraulics& netlist, const double* s, const double* s_dot, const double* inflow, const double* y, double* ydot,
                    HydraulicState& state);

/// Signals at time t and the pressures of sources.
void update_inputs(const Hydraulics& netlist, const Signals& signals, double t, Side side, HydraulicState& state);

/// Residual R, port forces and all derivatives at (s, sdot) per port and (y, ydot), at the end of a step by its rule; without a rule
/// (factor 0) the residual of the capacity form, C_i p_i_dot + sum A_j s_j_dot - sum Q_in. Locally integrated friction states, control
/// blocks that are no unknowns, and spools that these drive are solved here and written to y and ydot.
void evaluate_hydraulics(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                         HydraulicState& state);

/// R and the port forces only, in a step, without derivatives and at lower cost, if nothing but control is solved locally; except for
/// capacities, which are scratch here, the rest of `state` remains as left by evaluate_hydraulics().
void evaluate_residual(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                       HydraulicState& state);

/// Port forces only, with given friction states; for start values, outputs and the energy ledger. Sets pressures, spools, port forces;
/// signals and the pressures of sources are inputs.
template <class S>
void evaluate_forces(const Hydraulics& netlist, const S* s, const S* s_dot, const S* y, OilValues<S>& values);
/// As above with the direct derivatives of the forces, except those of friction.
void evaluate_forces(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, HydraulicState& state);

/// Locally solved states at the end of a step with lengths s and speeds s_dot: locally integrated friction states and
/// those of quasistatic circuits; writes y and ydot. Signals are inputs.
void finish_local_states(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, const RateRelation& rule,
                         HydraulicState& state);
/// Quasistatic circuits at the end of a step of h [s] at lengths s, where y holds all other states at the end: discrete states by (72),
/// and, if rates s_dot are given (otherwise null), p of the differential form by the implicit Euler rule. Signals are inputs.
void advance_quasistatic_states(const Hydraulics& netlist, const double* s, const double* s_dot, double h, const double* y_begin, double* y,
                                HydraulicState& state);

/// The netlist as an ordinary differential equation, without derivatives: ydot and the port forces at (s, sdot) and y,
///   p_i_dot = (sum Q_in - chi(p_i) sum A_j (s_j_dot + u_j)) / C_i(p, s)     (13), (14); chi 1 above saturation, fluid.h
///   x_dot   = rate(s_dot, x)                                       friction
///   x_dot   = rate(p, x, u)                                        components
///   U_dot   = rate(U_ref, U)                                       spools; 0 if they equal their signals
/// `extra_rate` u [m/s] per port: an additional rate seen by the oil only; null: none. Signals and the pressures of sources are inputs.
/// Also sets capacities, and in y the values of control blocks.
void evaluate_rates(const Hydraulics& netlist, const double* s, const double* s_dot, double* y, double* ydot, HydraulicState& state,
                    const double* extra_rate = nullptr);
/// Its derivatives: those of the residual at constant ydot (null: zero), without an integration rule and without control blocks.
void evaluate_slopes(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, const double* ydot,
                     HydraulicState& state);

/// The first cylinder whose piston is outside its stroke at lengths s [m] (or at NaN); -1: none.
int piston_outside(const Hydraulics& netlist, const double* s);
/// The first circuit unknown outside its valid range: pressures (0, 1e12) Pa, friction states below 1e12; -1: none. Instability
/// shows here first.
int unknown_out_of_range(const Hydraulics& netlist, const double* y);
/// Whether that unknown is a pressure at or below vacuum.
bool below_vacuum(const Hydraulics& netlist, const double* y, int unknown);

/// Factors every circuit block and turns F_y into w. False if a block is singular; `circuit` then names it.
bool condense(const Hydraulics& netlist, HydraulicState& state, int* circuit);

/// Newton increments of all circuit unknowns for port increments ds, dsdot; written over R. `rows`: per port, those of its circuit that
/// depend on them.
void eliminate(const Hydraulics& netlist, const std::vector<std::vector<int>>& rows, const double* ds, const double* dsdot,
               HydraulicState& state);

// ---- templates
template <class S, class Sink>
TR_INLINE void orifice_edge(int A, int B, const S& coefficient, const LaminarZone& zone, Sink&& sink) {
  sink(A, B, [&](const auto& dp) {
    using R = std::decay_t<decltype(dp)>;
    return orifice_flow(R(coefficient), dp, zone);
  });
}
template <class S, class Sink>
void Orifice::edges(const FlowInputs<S>& in, Sink&& sink) const {
  orifice_edge(A, B, S(coefficient * opening_at(in)), zone, sink);
}
template <class S, class Sink>
void DirectionalValve::edges(const FlowInputs<S>& in, Sink&& sink) const {
  const S &U = in.spool[spool], C = coefficient * spool_opening(U, dead_band, at_signal);
  orifice_edge(P, U < 0 ? B : A, C, zone, sink);
  orifice_edge(U < 0 ? A : B, T, C, zone, sink);
}
template <class S, class Sink>
void Leakage::edges(const FlowInputs<S>&, Sink&& sink) const {
  sink(A, B, [&](const auto& dp) { return conductance * dp; });
}

template <class S, class Sink>
void OneWayValve::edges(const FlowInputs<S>&, Sink&& sink) const {
  sink(A, B, [&](const auto& dp) { return one_way_flow(law, dp); });
}

/// Nodes of a flow element.
template <class Element>
auto element_nodes(Element& e) {
  if constexpr (requires { e.P; })
    return std::array{&e.P, &e.T, &e.A, &e.B};
  else
    return std::array{&e.A, &e.B};
}

/// Calls sink(FlowEdge) for every edge of an element: flows with their slopes.
template <class Element, class Sink>
TR_INLINE void for_each_flow(const Element& element, const FlowInputs<>& in, Sink&& sink) {
  element.edges(in, [&](int A, int B, auto&& law) {
    const Dual<1> Q = law(Dual<1>::variable(in.pressure[A] - in.pressure[B], 0));
    sink(FlowEdge{A, B, Q.value, Q.d[0]});
  });
}

/// Calls visit(node, part) for both ends of a flow source with the part of the command Q that it draws from there: `from`, or `to` if it is
/// negative. node: a volume, from a cavity of which it draws the liquid fraction only; otherwise -1.
template <class S, class Visit>
void visit_drawn(const Hydraulics& netlist, const FlowSource& source, const S& Q, Visit&& visit) {
  const Mask forward = value_of(Q) >= 0;
  const auto end = [&](int node, const S& part) { visit(node >= 0 && netlist.nodes[node].state >= 0 ? node : -1, part); };
  if (kRecording || forward) end(source.from, select(forward, Q, S(0)));
  if (kRecording || !forward) end(source.to, select(forward, S(0), Q));
}
/// Flow of a flow source [m3/s].
template <class S>
S source_flow(const Hydraulics& netlist, const FlowSource& source, const OilValues<S>& values) {
  S flow(0);
  visit_drawn(netlist, source, values.signal[source.flow],
              [&](int node, const S& part) { flow += node >= 0 ? S(part * netlist.fluid.liquid_fraction(values.pressure[node])) : part; });
  return flow;
}

/// Its change with the command: the liquid fraction where it draws.
inline double source_slope(const FlowSource& source, const HydraulicState& state) {
  const auto liquid = [&](int node) { return node >= 0 ? state.liquid[node].value : double(1); };
  return select(state.signal[source.flow] >= 0, liquid(source.from), liquid(source.to));
}

/// Calls visit(element) for every flow element, in the order of the list.
template <class Visit>
void for_each_element(const Hydraulics& netlist, Visit&& visit) {
  std::apply(
      [&](const auto&... list) {
        (..., [&] {
          for (const auto& element : list) visit(element);
        }());
      },
      netlist.elements);
}

}  // namespace trunnion
