// The table, part 2: hydraulic circuit, cylinders, solver and records.
// SPDX-License-Identifier: BSD-3-Clause
#include "description/integrators.h"
#include "schema/table_parts.h"

namespace trunnion {

namespace {

void describe_volume_size(Visitor& v, VolumeDescription& d) {
  v.leaf({"volume", "Volume of the hose, pipe or block", kVolume, kRequired | kPositive}, &d.volume);
  v.leaf({"bulk_modulus", "Bulk modulus of the wall", kPressure, kPositive | kInfinite}, &d.bulk_modulus);
}

void describe_volume(Visitor& v, VolumeDescription& d) {
  v.alternatives({{"volume", "A volume", true, [] {}, [&d](Visitor& w) { describe_volume_size(w, d); }},
                  {"hose", "Alternative notation of a volume", false, [] {},
                   [&d](Visitor& w) {
                     w.group({"hose", "A hose", kNumber, kRequired}, {true, {}, [&d](Visitor& u) { describe_volume_size(u, d); }});
                   },
                   true}},
                 true);
  v.leaf({"pressure", "Absolute start pressure, or `equilibrium`: from static equilibrium", kPressure, kPositive}, &d.pressure);
}

void describe_source(Visitor& v, SourceDescription& s) {
  v.alternatives({{"pressure", "Pressure source; a node for valves and cylinders", std::holds_alternative<PressureSourceDescription>(s),
                   [&s] { s = PressureSourceDescription{}; },
                   [&s](Visitor& w) {
                     w.leaf({"pressure", "Absolute pressure, or the name of a signal", kPressure, kRequired | kNonNegative, Names::command},
                            &std::get<PressureSourceDescription>(s).pressure);
                   }},
                  {"flow", "Flow source", std::holds_alternative<FlowSourceDescription>(s), [&s] { s = FlowSourceDescription{}; },
                   [&s](Visitor& w) {
                     auto& f = std::get<FlowSourceDescription>(s);
                     w.leaf({"flow", "Volume flow, or the name of a signal", kFlow, kRequired, Names::command}, &f.flow);
                     w.leaf({"to", "Volume that receives the flow", kNumber, kRequired, Names::volume}, &f.to);
                     w.leaf({"from", "Node the flow is drawn from; default: outside the model", kNumber, 0, Names::node}, &f.from);
                   }}},
                 true);
}

// ---------------------------------------------------------------- cylinders and motors

/// Measures of an actuator's position, rate, force and coefficients.
struct ActuatorMeasures {
  const Measure &position, &rate, &force, &stiffness, &damping, &slowness;
};
constexpr ActuatorMeasures kAlongLine{kLength, kSpeed, kForce, kStiffness, kDamping, kSlowness};
constexpr ActuatorMeasures kAboutAxis{kAngle, kAngularRate, kTorque, kAngularStiffness, kAngularDamping, kAngularSlowness};

void describe_friction(Visitor& v, FrictionDescription& f, const ActuatorMeasures& in, bool of_seals) {
  v.leaf({"model", "Friction law"}, choice(f.model, friction_words()));
  v.leaf({"coulomb", "Coulomb friction F_c", in.force, kNonNegative}, &f.coulomb);
  v.leaf({"static", "Static friction F_s", in.force, kNonNegative}, &f.static_force);
  v.leaf({"stribeck_velocity", "Stribeck velocity v_s", in.rate, kPositive}, &f.stribeck_velocity);
  v.leaf({"viscous", "Viscous coefficient sigma_2", in.damping, kNonNegative}, &f.viscous);
  v.leaf({"decay", "Decay xi of the Bengisu-Akay law", in.slowness, kNonNegative}, &f.decay);
  v.leaf({"viscous_below_stribeck", "Bengisu-Akay: viscous term also below the Stribeck velocity (false: only above, as in the source)"},
         &f.viscous_below_stribeck);
  v.leaf({"viscous_factor", "Brown-McPhee: tanh 4, or 1", kNumber, kNonNegative}, &f.viscous_factor);
  v.leaf({"bristle_stiffness", "Bristle stiffness sigma_0", in.stiffness, kNonNegative}, &f.bristle_stiffness);
  v.leaf({"bristle_damping", "Bristle damping sigma_1", in.damping, kNonNegative}, &f.bristle_damping);
  v.leaf({"bristle_damping_velocity", "v_d of sigma_1 exp(-(v/v_d)^2); default: constant sigma_1", in.rate, kPositive},
         &f.bristle_damping_velocity);
  v.leaf({"exponent", "Exponent n of the Stribeck curve", kNumber, kPositive}, &f.exponent);
  v.leaf({"film_velocity", "Velocity v_b of the lubricant film", in.rate, kNonNegative}, &f.film_velocity);
  v.leaf({"film_time_up", "Time constant of film growth", kTime, kNonNegative}, &f.film_time_up);
  v.leaf({"film_time_down", "Time constant of film decay", kTime, kNonNegative}, &f.film_time_down);
  v.leaf({"film_time_dwell", "Time constant of the film at rest", kTime, kNonNegative}, &f.film_time_dwell);
  v.leaf({"element_forces", "Weights of the elements of `maxwell_slip` in the force, one to eight", kNumber}, &f.element_forces);
  v.leaf({"element_stiffnesses", "Their weights in the bristle stiffness and damping", kNumber}, &f.element_stiffnesses);
  if (of_seals) {
    v.leaf({"pressure_A", "Growth of the friction with the pressure in chamber A: factor 1 + pressure_A p_A + pressure_B p_B", kPerPressure,
            kNonNegative},
           &f.pressure_A);
    v.leaf({"pressure_B", "Growth of the friction with the pressure in chamber B", kPerPressure, kNonNegative}, &f.pressure_B);
  }
  if (!of_seals)
    v.leaf(
        {"nominal_load",
         "Load of the joint at which the friction is that of the law, and to which it is proportional: magnitude of the joint's reaction "
         "force, of sliding joints normal to the axis; default: the friction does not depend on the load",
         kForce, kPositive},
        &f.nominal_load);
  v.leaf({"states", "Bristle and film states as unknowns of the system, or integrated inside the element"},
         choice(f.states, {"monolithic", "local"}));
  v.leaf({"start_bristle", "Deflection of the bristles at the start", in.position}, &f.start_bristle);
  v.leaf({"start_film", "Lubricant film at the start", kNumber, kNonNegative}, &f.start_film);
  v.leaf({"start_bristles", "Deflections of the elements of `maxwell_slip` at the start; default: `start_bristle`", in.position},
         &f.start_bristles);
}

void describe_limits(Visitor& v, LimitsDescription& l, const ActuatorMeasures& in) {
  v.leaf({"minimum", "Least value of the coordinate; default: none", in.position}, &l.minimum);
  v.leaf({"maximum", "Greatest value of the coordinate; default: none", in.position}, &l.maximum);
  v.leaf(
      {"stiffness",
       "Stiffness beyond a limit; default: 1000 I g / L, I the inertia that the coordinate moves at the start, L its radius of gyration, "
       "of a displacement the largest lever arm of the mechanism",
       in.stiffness, kPositive},
      &l.stiffness);
  v.leaf({"damping", "Damping on the way in at `depth`, in proportion to the depth; on the way out the stop does not pull", in.damping,
          kNonNegative},
         &l.damping);
  v.leaf({"depth", "Depth beyond the limit at which `damping` acts", in.position, kPositive}, &l.depth);
  v.leaf({"rigid", "As stiff as the step resolves, without `stiffness`, `damping` and `depth`"}, &l.rigid);
  v.leaf({"restitution", "Speed after a strike of a rigid limit over that before", kNumber, kBelowOne}, &l.restitution);
}

void describe_mount(Visitor& v, MountDescription& m) {
  v.leaf({"body", "The body, or `ground`", kNumber, kRequired, Names::body}, &m.body);
  v.leaf({"at", "Position in the body's frame", kLength}, &m.at);
}

void describe_end_damper(Visitor& v, EndDamperDescription& e, const ActuatorMeasures& in) {
  v.leaf({"stiffness", "Stiffness", in.stiffness, kNonNegative}, &e.stiffness);
  v.leaf({"damping", "Damping", in.damping, kNonNegative}, &e.damping);
  v.leaf({"length", "Length of the damping zone at either end", in.position, kRequired | kPositive}, &e.length);
  v.leaf({"law", "Force law"}, choice(e.law, {"continuous", "rahikainen_2020"}, {{"printed", "rahikainen_2020"}}));
}

template <class Actuator>
void describe_actuator(Visitor& v, Actuator& a, const ActuatorMeasures& in) {
  v.leaf({"bulk_modulus", "Bulk modulus of the barrel", kPressure, kPositive | kInfinite}, &a.bulk_modulus);
  v.leaf({"viscous", "Viscous coefficient in addition to the friction law", in.damping, kNonNegative}, &a.viscous);
  v.leaf({"leakage", "Laminar leakage from A to B", kLeakage, kNonNegative}, &a.leakage);
  v.group({"friction", "Seal friction; parameters of unused laws are allowed"},
          {true, {}, [&a, &in](Visitor& w) { describe_friction(w, a.friction, in, true); }});
  v.group(
      {"end_damper", "Elastic stop at either end of the stroke"},
      {a.end_damper.has_value(), [&a] { a.end_damper.emplace(); }, [&a, &in](Visitor& w) { describe_end_damper(w, *a.end_damper, in); }});
}

void describe_areas(Visitor& v, CylinderDescription& c) {
  const auto clear = [&c] { c.bore.reset(), c.rod.reset(), c.area_A.reset(), c.area_B.reset(), c.plunger.reset(); };
  v.alternatives({{"bore", "Size by diameters", c.bore.has_value() || c.rod.has_value(), clear,
                   [&c](Visitor& w) {
                     w.leaf({"bore", "Bore diameter", kLength, kRequired | kPositive}, &c.bore);
                     w.leaf({"rod", "Rod diameter", kLength, kRequired | kNonNegative}, &c.rod);
                   }},
                  {"area_A", "Size by areas", c.area_A.has_value() || c.area_B.has_value(), clear,
                   [&c](Visitor& w) {
                     w.leaf({"area_A", "Piston area of chamber A", kArea, kRequired | kPositive}, &c.area_A);
                     w.leaf({"area_B", "Ring area of chamber B", kArea, kRequired | kPositive}, &c.area_B);
                   }},
                  {"plunger", "Plunger: chamber A only", c.plunger.has_value(), clear,
                   [&c](Visitor& w) {
                     w.leaf({"plunger", "Diameter of the plunger", kLength, kRequired | kPositive}, &c.plunger);
                   }}},
                 true);
}

void describe_cushion(Visitor& v, CushionDescription& c) {
  v.leaf({"node", "Node on the other side of the port", kNumber, kRequired, Names::node}, &c.node);
  v.leaf({"length", "Length of the chamber below which its port closes", kLength, kRequired | kPositive}, &c.length);
  v.group({"port", "Size of the open port", kNumber, kRequired}, {true, {}, [&c](Visitor& w) { describe_size(w, c.port); }});
  v.group({"throttle", "Size at the end of the stroke", kNumber, kRequired},
          {true, {}, [&c](Visitor& w) { describe_size(w, c.throttle); }});
  v.group({"check", "Check valve from the node into the chamber"},
          {c.check.has_value(), [&c] { c.check.emplace(); }, [&c](Visitor& w) { describe_size(w, *c.check); }});
}

void describe_cylinder(Visitor& v, CylinderDescription& c) {
  v.group({"base", "Mount of the barrel", kNumber, kRequired}, {true, {}, [&c](Visitor& w) { describe_mount(w, c.base); }});
  v.group({"rod_end", "Mount of the rod", kNumber, kRequired}, {true, {}, [&c](Visitor& w) { describe_mount(w, c.rod_end); }});
  v.leaf({"A", "Node of chamber A, which extends the rod; if omitted: supplied by a `quasistatic` circuit", kNumber, 0, Names::node}, &c.A);
  v.leaf({"B", "Node of chamber B, which retracts the rod", kNumber, 0, Names::node}, &c.B);
  describe_areas(v, c);
  const unsigned length = c.A.empty() ? 0U : unsigned{kRequired};
  v.leaf({"chamber_length_A", "Oil column of chamber A at the start; optional in a quasistatic circuit: unlimited stroke", kLength,
          kPositive | length},
         &c.chamber_length_A);
  v.leaf({"chamber_length_B", "Oil column of chamber B at the start; of a plunger: its remaining stroke, optional", kLength,
          kPositive | (c.plunger ? 0U : length)},
         &c.chamber_length_B);
  describe_actuator(v, c, kAlongLine);
  v.group({"cushion_A", "Cushioning where chamber A ends"},
          {c.cushion_A.has_value(), [&c] { c.cushion_A.emplace(); }, [&c](Visitor& w) { describe_cushion(w, *c.cushion_A); }});
  v.group({"cushion_B", "Cushioning where chamber B ends"},
          {c.cushion_B.has_value(), [&c] { c.cushion_B.emplace(); }, [&c](Visitor& w) { describe_cushion(w, *c.cushion_B); }});
}

void describe_motor(Visitor& v, MotorDescription& m) {
  v.leaf({"joint", "Driven joint angle", kNumber, kRequired, Names::coordinate}, &m.joint);
  v.leaf({"A", "Node of the side that drives the joint forward; if omitted: supplied by a `quasistatic` circuit", kNumber, 0, Names::node},
         &m.A);
  v.leaf({"B", "Node of the side that drives it backward", kNumber, 0, Names::node}, &m.B);
  const auto clear = [&m] { m.displacement.reset(), m.displacement_A.reset(), m.displacement_B.reset(); };
  v.alternatives({{"displacement", "Same displacement on both sides", m.displacement.has_value(), clear,
                   [&m](Visitor& w) {
                     w.leaf({"displacement", "Volume per angle", kDisplacement, kRequired | kPositive}, &m.displacement);
                   }},
                  {"displacement_A", "Different displacements", m.displacement_A.has_value() || m.displacement_B.has_value(), clear,
                   [&m](Visitor& w) {
                     w.leaf({"displacement_A", "Volume per angle of side A", kDisplacement, kRequired | kPositive}, &m.displacement_A);
                     w.leaf({"displacement_B", "Volume per angle of side B", kDisplacement, kRequired | kPositive}, &m.displacement_B);
                   }}},
                 true);
  v.leaf(
      {"fraction", "Displacement as a fraction of the full one, -1 to 1, or the name of a signal; default: 1", kNumber, 0, Names::command},
      &m.fraction);
  v.leaf({"time_constant", "Time constant of the fraction; 0: no lag", kTime, kNonNegative}, &m.time_constant);
  v.leaf({"volume", "Oil volume of either side, independent of the angle", kVolume, kNonNegative}, &m.volume);
  v.leaf({"chamber_angle_A", "Rotary vane actuator: remaining angle of side A at the start", kAngle, kPositive}, &m.chamber_angle_A);
  v.leaf({"chamber_angle_B", "Remaining angle of side B at the start", kAngle, kPositive}, &m.chamber_angle_B);
  v.leaf({"coulomb", "Friction torque divided by full displacement times pressure difference", kNumber, kNonNegative}, &m.coulomb);
  v.group({"case_drain", "Leakage from both sides into the case"},
          {m.case_drain.has_value(), [&m] { m.case_drain.emplace(); },
           [&m](Visitor& w) {
             w.leaf({"node", "Node of the case", kNumber, kRequired, Names::node}, &m.case_drain->node);
             w.leaf({"leakage", "Laminar leakage from either side", kLeakage, kRequired | kNonNegative}, &m.case_drain->leakage);
           }});
  describe_actuator(v, m, kAboutAxis);
}

// ---------------------------------------------------------------- quasistatic circuits

void describe_metering_valve(Visitor& v, MeteringValveDescription& m) {
  describe_area(v, m);
  v.leaf({"command", "Command, or the name of a signal or control block; default: command of the actuator", kNumber, 0, Names::command},
         &m.command);
  v.leaf(
      {"opening", "Opening from 0 to 1 over the command: points [command, opening], linear between, constant outside", kNumber, kFraction},
      OverSignal{&m.opening});
}

constexpr Measure kElementStiffness{"a stiffness", "N/m or N m/rad", "5e7 N/m", {0, 1, -2}, Dimension{2, 1, -2}};
constexpr Measure kElementDamping{"a damping", "N s/m or N m s/rad", "2.5e6 N s/m", {0, 1, -1}, Dimension{2, 1, -1}};

void describe_element(Visitor& v, VirtualElementDescription& e) {
  v.leaf({"stiffness", "Stiffness K; default: that of the oil in chambers and lines", kElementStiffness, kPositive}, &e.stiffness);
  v.leaf({"damping", "Damping B; default: from the settling time", kElementDamping, kPositive}, &e.damping);
  v.leaf({"settling_time", "Time after which a deflection has decayed to 2 %, 3.9 B / K", kTime, kPositive}, &e.settling_time);
  v.leaf({"line_volume_A", "Oil between the valves and chamber A, for the stiffness", kVolume, kNonNegative}, &e.line_volume_A);
  v.leaf({"line_volume_B", "Oil between the valves and chamber B, for the stiffness", kVolume, kNonNegative}, &e.line_volume_B);
}

void describe_metering(Visitor& v, MeteringDescription& m) {
  v.leaf({"command", "Lever position, or the name of a signal or control block", kNumber, kRequired, Names::command}, &m.command);
  v.leaf({"time_constant", "Time constant of the command; 0: no lag", kTime, kNonNegative}, &m.time_constant);
  v.leaf({"relief_A", "Setting of the relief valve of chamber A, above the tank", kPressure, kRequired | kPositive}, &m.relief_A);
  v.leaf({"relief_B", "Setting of the relief valve of chamber B, above the tank", kPressure, kRequired | kPositive}, &m.relief_B);
  const auto valve = [&v](const char* name, const char* doc, MeteringValveDescription& d) {
    v.group({name, doc, kNumber, kRequired}, {true, {}, [&d](Visitor& w) { describe_metering_valve(w, d); }});
  };
  valve("P_A", "Valve from the pump to chamber A", m.P_A);
  valve("B_T", "Valve from chamber B to the tank", m.B_T);
  valve("P_B", "Valve from the pump to chamber B", m.P_B);
  valve("A_T", "Valve from chamber A to the tank", m.A_T);
  v.group({"B_A", "Regeneration: valve from chamber B to chamber A, one way"},
          {m.B_A.has_value(), [&m] { m.B_A.emplace(); }, [&m](Visitor& w) { describe_metering_valve(w, *m.B_A); }});
  v.group({"element", "Virtual viscoelastic element between the actuator and the mechanism", kNumber, kRequired},
          {true, {}, [&m](Visitor& w) { describe_element(w, m.element); }});
}

void describe_quasistatic(Visitor& v, QuasistaticDescription& q) {
  v.leaf({"tank", "Pressure source that receives the return flow", kNumber, kRequired, Names::node}, &q.tank);
  v.leaf({"flow", "Flow of the pump, or the name of a signal or control block", kFlow, kRequired | kNonNegative, Names::command}, &q.flow);
  v.leaf({"relief", "Setting of the pump's relief valve, above the tank", kPressure, kRequired | kPositive}, &q.relief);
  v.group({"bleed", "Bleed valve from the pump to the tank"},
          {q.bleed.has_value(), [&q] { q.bleed.emplace(); }, [&q](Visitor& w) { describe_metering_valve(w, *q.bleed); }});
  v.leaf({"open_centre", "Opening of a bleed valve section over the magnitude of its actuator's command; sections in series", kNumber,
          kFraction},
         OverSignal{&q.open_centre, true});
  v.leaf({"form", "Deflection of the virtual elements: differential equations, or discrete states (implicit Euler)"},
         choice(q.form, {"differential", "discrete"}));
  v.section({"actuators", "Cylinders and motors supplied by the pump, by name"}, named_items(q.actuators, describe_metering), nullptr);
}

// ---------------------------------------------------------------- solver and records

void describe_ali1(Visitor& v, Ali1Description& a) {
  v.leaf({"xi", "Damping ratio of the stabilisation", kNumber, kNonNegative}, &a.xi);
  v.leaf(
      {"omega", "Decay rate of constraint violations; `auto`: 3.2 (g/L)^0.5, L the largest lever arm of the mechanism, at most 0.5 / step",
       kPerTime, kNonNegative},
      &a.omega);
  v.leaf({"alpha",
          "Acceleration penalty, kg or kg m^2; `auto`: 3e8 times the effective inertia of each constraint. A factor of 100 gains "
          "two digits per iteration",
          kMass, kPositive},
         &a.alpha);
}

void describe_settings(Visitor& v, SolverDescription& s) {
  v.leaf({"coordinates", "Coordinates of the mechanism: joint coordinates, or body coordinates with joints as constraints"},
         choice(s.coordinates, coordinate_words()));
  v.leaf({"constraints", "Treatment of the loop constraints"}, choice(s.constraints, constraint_words()));
  v.leaf({"integrator", "Time integration"}, choice(s.integrator, integrator_words()));
  v.leaf({"oil_rule",
          "Time rule of the hydraulics in implicit steps: `auto`, a second-order rule that damps dynamics faster than the step "
          "and subdivides steps where pressures jump; `alpha`, the same without subdivision; `trapezoidal`, the rule of the papers, with "
          "which "
          "small volumes oscillate after a jump"},
         choice(s.oil_rule, oil_rule_words()));
  v.group(
      {"generalized_alpha", "Generalised-alpha rules of the mechanism, `integrator: generalized_alpha` and `hht`"},
      {true, {}, [&s](Visitor& w) {
         w.leaf({"rho",
                 "Spectral radius at infinity: factor per step of infinitely fast parts, 0 ... 1, with `hht` 0.5 ... 1; 1: no damping, the "
                 "trapezoidal rule",
                 kNumber, kNonNegative | kFraction},
                &s.generalized_alpha.rho);
       }});
  v.leaf({"coupling", "Coupling of mechanism and hydraulics"}, choice(s.coupling, coupling_words()));
  v.leaf({"tangent", "Derivatives of the equations"}, choice(s.tangent, tangent_words()));
  v.leaf({"compiled",
          "Steps by C code generated for this model and compiled on this machine, the general step where that code does not apply; `auto`: "
          "where it is cached or the run takes longer than to make it"},
         choice(s.compiled, compiled_words()));
  v.leaf({"compiled_parameters",
          "Numbers of the model that the code takes as arguments, for models with other values of them (sweeps, batches); a `*` in a path "
          "matches any name"},
         &s.compiled_parameters);
  v.leaf({"step", "Time step", kTime, kPositive}, &s.step);
  v.leaf({"duration", "End of the simulation", kTime, kPositive}, &s.duration);
  v.leaf({"penalty",
          "Penalty factor of the constraints, N/m or N m/rad; `auto`: 3e8 times the effective stiffness of each constraint, including its "
          "inertia times 4/step^2. With `multipliers: refined` a number is limited to 1e2 ... 5e8 times that stiffness",
          kStiffness, kPositive},
         &s.penalty);
  v.leaf({"multipliers",
          "Iteration of the multipliers with `constraints: penalty`: `refined` closes the linearised constraints in every iteration; "
          "`plain` is that of the "
          "papers, multiplier plus penalty times violation, for comparison: its iterations and results depend on the penalty"},
         choice(s.multipliers, multiplier_words()));
  v.leaf({"baumgarte",
          "Stabilisation of `baumgarte`: [alpha, beta] in d2Phi/dt2 + 2 alpha dPhi/dt + beta^2 Phi = 0; `auto`: both 16 (g/L)^0.5, L the "
          "largest lever arm of the mechanism, at most 0.5 / step",
          kPerTime, kNonNegative},
         &s.baumgarte);
  v.group({"ali1", "Index-1 augmented Lagrangian, d2Phi/dt2 + 2 xi omega dPhi/dt + omega^2 Phi = 0 by iteration of the multipliers"},
          {true, {}, [&s](Visitor& w) { describe_ali1(w, s.ali1); }});
  v.leaf({"tolerance_position", "Newton tolerance of joint coordinates: rad, lengths relative to its largest lever arm", kJointCoordinate,
          kPositive},
         &s.tolerance_position);
  v.leaf({"tolerance_pressure", "Newton tolerance of pressures", kPressure, kPositive}, &s.tolerance_pressure);
  v.leaf({"tolerance_other", "Newton tolerance of all other states", kNumber, kPositive}, &s.tolerance_other);
  v.leaf({"reference_tolerance", "Relative tolerance of the variable-step integrators `cvode` and `ida`", kNumber, kPositive},
         &s.reference_tolerance);
  v.leaf({"max_iterations", "Maximum number of Newton iterations per step", kNumber, kPositive}, &s.max_iterations);
  v.leaf({"divisions", "Maximum number of halvings of a step that does not converge; 0: never", kNumber, kNonNegative}, &s.divisions);
  v.leaf({"accept_capped", "Real time: accept the step after the last iteration, and count it"}, &s.accept_capped);
  v.leaf({"allow_open_balance",
          "Accept runs with an energy or oil balance error above 20 % (otherwise: warning above 1 %, failure above 20 %)"},
         &s.allow_open_balance);
  v.leaf({"split_jumps", "Split a step at a signal jump inside it"}, &s.split_jumps);
}

void describe_record(Visitor& v, RecordDescription& r) {
  v.leaf({"every", "Number of steps between two records", kNumber, kPositive}, &r.every);
  v.leaf({"channels", "Channels to record, those on request included; empty: all others; a trailing `*` matches any ending"}, &r.channels);
  v.leaf({"files", "Result files written in addition to `summary.json`"}, Words{{"csv", "h5"}, {&r.csv, &r.hdf5}});
}

}  // namespace

void describe_elements(Visitor& v, CoordinateElements& elements, bool friction, bool is_angle) {
  if (friction)
    describe_friction(v, *elements.friction, is_angle ? kAboutAxis : kAlongLine, false);
  else
    describe_limits(v, *elements.limits, is_angle ? kAboutAxis : kAlongLine);
}

void describe_oil(Visitor& v, Description& d) {
  v.group({"fluid", "The oil"}, {true, {}, [&d](Visitor& w) { describe_fluid(w, d.fluid); }});
  v.section({"volumes", "Oil volumes, the nodes of the circuit"}, named_items(d.volumes, describe_volume), nullptr);
  v.section({"sources", "Pressure sources (also nodes) and flow sources"}, named_items(d.sources, describe_source), nullptr);
  v.section({"valves", "Orifices, valves and resistances between nodes"}, named_items(d.valves, describe_valve), nullptr);
  v.section({"pumps", "Pumps with their control and prime mover"}, named_items(d.pumps, describe_pump), nullptr);
  v.section({"accumulators", "Accumulators at nodes"}, named_items(d.accumulators, describe_accumulator), nullptr);
  v.section({"lines", "Lines with fluid inertia"}, named_items(d.lines, describe_line), nullptr);
  v.section({"cylinders", "Double-acting cylinders between two points"}, named_items(d.cylinders, describe_cylinder), nullptr);
  v.section({"motors", "Hydraulic motors and rotary actuators on joints"}, named_items(d.motors, describe_motor), nullptr);
  v.section({"quasistatic", "Actuators with independent metering on one pump, without pressure states"},
            named_items(d.quasistatic, describe_quasistatic), nullptr);
}

void describe_solver(Visitor& v, Description& d) {
  v.group({"solver", "Solution of the equations"}, {true, {}, [&d](Visitor& w) { describe_settings(w, d.solver); }});
  describe_coupling(v, d);
  v.group({"record", "Recorded results"}, {true, {}, [&d](Visitor& w) { describe_record(w, d.record); }});
}

const std::vector<const char*>& coordinate_words() {
  static const std::vector<const char*> words{"relative", "cartesian"};
  return words;
}
const std::vector<const char*>& constraint_words() {
  static const std::vector<const char*> words{"penalty", "double_step", "ali1", "baumgarte"};
  return words;
}
const std::vector<const char*>& integrator_words() {
  static const std::vector<const char*> words = [] {
    std::vector<const char*> list;
    list.reserve(kIntegrators.size());
    for (const Integrator& integrator : kIntegrators) list.push_back(integrator.word);
    return list;
  }();
  return words;
}
const std::vector<const char*>& oil_rule_words() {
  static const std::vector<const char*> words{"auto", "alpha", "trapezoidal"};
  return words;
}
const std::vector<const char*>& coupling_words() {
  static const std::vector<const char*> words{"monolithic", "cosimulation"};
  return words;
}
const std::vector<const char*>& multiplier_words() {
  static const std::vector<const char*> words{"refined", "plain"};
  return words;
}
const std::vector<const char*>& tangent_words() {
  static const std::vector<const char*> words{"exact", "forward_difference"};
  return words;
}
const std::vector<const char*>& compiled_words() {
  static const std::vector<const char*> words{"off", "on", "auto"};
  return words;
}
const std::vector<const char*>& friction_words() {
  static const std::vector<const char*> words{"none", "coulomb_viscous", "bengisu_akay", "brown_mcphee", "lugre", "modified_lugre",
                                              "dahl", "set_valued",      "maxwell_slip"};
  return words;
}

}  // namespace trunnion
