// The table, part 3: fluid, pumps, accumulators, lines.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/table_parts.h"

namespace trunnion {

namespace {

void describe_viscosity_point(Visitor& v, ViscosityPoint& p) {
  v.leaf({"temperature", "Temperature, other than the reference temperature", kTemperature, kRequired | kPositive}, &p.temperature);
  v.leaf({"viscosity", "Kinematic viscosity at that temperature", kKinematicViscosity, kRequired | kPositive}, &p.viscosity);
}

void describe_losses(Visitor& v, PumpDescription& p) {
  v.alternatives(
      {{"volumetric", "By efficiencies at one operating point, at full displacement", std::holds_alternative<PumpEfficiencies>(p.losses),
        [&p] { p.losses = PumpEfficiencies{}; },
        [&p](Visitor& w) {
          auto& e = std::get<PumpEfficiencies>(p.losses);
          w.leaf({"volumetric", "Volumetric efficiency: flow over displacement times speed", kNumber, kRequired | kPositive | kFraction},
                 &e.volumetric);
          w.leaf(
              {"mechanical", "Mechanical efficiency: displacement times pressure over torque", kNumber, kRequired | kPositive | kFraction},
              &e.mechanical);
          w.leaf({"at_speed", "Speed of the operating point", kAngularRate, kRequired | kPositive}, &e.at_speed);
          w.leaf({"at_pressure", "Pressure rise from S to P of the operating point", kPressure, kRequired | kPositive}, &e.at_pressure);
          w.leaf({"viscous_share",
                  "Fraction of the torque loss at that point that is proportional to speed; the rest is proportional to pressure", kNumber,
                  kFraction},
                 &e.viscous_share);
        }},
       {"leakage", "By coefficients", std::holds_alternative<PumpLosses>(p.losses), [&p] { p.losses = PumpLosses{}; },
        [&p](Visitor& w) {
          auto& l = std::get<PumpLosses>(p.losses);
          w.leaf({"leakage", "Laminar leakage from P to S", kLeakage, kRequired | kNonNegative}, &l.leakage);
          w.leaf({"viscous", "Viscous friction torque per speed", kAngularDamping, kNonNegative}, &l.viscous);
          w.leaf({"coulomb", "Friction torque divided by full displacement times pressure", kNumber, kNonNegative}, &l.coulomb);
        }}},
      true);
}

void describe_load_sensing(Visitor& v, LoadSensingDescription& l) {
  v.leaf({"LS", "Node of the load pressure", kNumber, kRequired, Names::node}, &l.LS);
  v.leaf({"margin", "Pressure of P above LS at zero displacement", kPressure, kRequired | kPositive}, &l.margin);
}

void describe_control(Visitor& v, PumpControlDescription& c) {
  v.leaf({"pressure", "Cut-off: absolute pressure of P at which the displacement is zero", kPressure, kPositive}, &c.pressure);
  v.group(
      {"load_sensing", "Keeps the pressure of P a margin above a load pressure"},
      {c.load_sensing.has_value(), [&c] { c.load_sensing.emplace(); }, [&c](Visitor& w) { describe_load_sensing(w, *c.load_sensing); }});
  v.leaf({"torque", "Maximum shaft torque, without losses", kTorque, kPositive}, &c.torque);
  v.leaf({"band", "Pressure change from zero to full displacement", kPressure, kPositive}, &c.band);
  v.leaf({"min_fraction", "Minimum displacement as a fraction of the full displacement", kNumber, kFraction, Names::nothing, "least"},
         &c.min_fraction);
  v.leaf({"time_constant", "Time constant of the displacement", kTime, kPositive}, &c.time_constant);
  v.leaf({"up_time", "Minimum time from zero to full displacement", kTime, kPositive}, &c.up_time);
  v.leaf({"down_time", "Minimum time from full to zero displacement", kTime, kPositive}, &c.down_time);
}

void describe_prime_mover(Visitor& v, PrimeMoverDescription& m) {
  v.leaf({"inertia", "Moment of inertia of the shaft, including the pump", kInertia, kRequired | kPositive}, &m.inertia);
  v.leaf({"torque", "Full torque", kTorque, kRequired | kPositive}, &m.torque);
  v.leaf({"droop", "Speed drop below the governor setting at full torque", kAngularRate, kRequired | kPositive}, &m.droop);
  v.leaf({"torque_limit", "Maximum torque over speed: points [speed, torque], linear between, constant outside; default: the full torque",
          kTorque, kNonNegative},
         OverSignal{&m.torque_limit, true});
}

void describe_gas(Visitor& v, GasDescription& g) {
  v.leaf({"volume", "Volume of the gas without oil", kVolume, kRequired | kPositive}, &g.volume);
  v.leaf({"precharge", "Absolute pressure of the gas without oil", kPressure, kRequired | kPositive}, &g.precharge);
  v.leaf({"exponent", "Polytropic exponent: 1 isothermal, 1.4 adiabatic", kNumber, kPositive}, &g.exponent);
}

void describe_spring(Visitor& v, SpringChargeDescription& s) {
  v.leaf({"volume", "Oil volume when full", kVolume, kRequired | kPositive}, &s.volume);
  v.leaf({"pressure_empty", "Absolute oil pressure when empty", kPressure, kRequired | kNonNegative}, &s.pressure_empty);
  v.leaf({"pressure_full", "Absolute oil pressure when full", kPressure, kRequired | kPositive}, &s.pressure_full);
}

}  // namespace

void describe_fluid(Visitor& v, FluidDescription& f) {
  v.leaf({"density", "Density", kDensity, kPositive}, &f.density);
  v.leaf({"bulk_modulus", "Bulk modulus of the liquid", kPressure, kPositive}, &f.bulk_modulus);
  v.leaf({"stiffening", "Increase of the bulk modulus per pressure", kNumber, kNonNegative}, &f.stiffening);
  v.leaf({"saturation_pressure", "Absolute pressure below which dissolved air is released", kPressure, kNonNegative},
         &f.saturation_pressure);
  v.leaf({"free_air", "Volume fraction of the released air at saturation pressure", kNumber, kFraction}, &f.free_air);
  v.leaf({"viscosity", "Kinematic viscosity", kKinematicViscosity, kPositive}, &f.viscosity);
  v.group({"second_viscosity", "Viscosity at another temperature; default: constant viscosity"},
          {f.second_viscosity.has_value(), [&f] { f.second_viscosity.emplace(); },
           [&f](Visitor& w) { describe_viscosity_point(w, *f.second_viscosity); }});
  v.leaf({"reference_temperature", "Temperature at which density, bulk modulus and viscosity are given", kTemperature, kPositive},
         &f.reference_temperature);
  v.leaf({"temperature", "Oil temperature; default: the reference temperature", kTemperature, kPositive}, &f.temperature);
  v.leaf({"thermal_expansion", "Volumetric thermal expansion coefficient", kPerTemperature, kNonNegative}, &f.thermal_expansion);
  v.leaf({"modulus_change", "Change of the bulk modulus per temperature", kPressurePerTemperature}, &f.modulus_change);
}

void describe_pump(Visitor& v, PumpDescription& p) {
  v.leaf({"S", "Node it draws from", kNumber, kRequired, Names::node}, &p.S);
  v.leaf({"P", "Node it feeds", kNumber, kRequired, Names::node}, &p.P);
  v.leaf({"displacement", "Full displacement", kDisplacement, kRequired | kPositive}, &p.displacement);
  v.alternatives({{"speed", "Driven at a speed", p.joint.empty(), [&p] { p.joint.clear(); },
                   [&p](Visitor& w) {
                     w.leaf({"speed", "Shaft speed, or the name of a signal; with a prime mover: the governor setting", kAngularRate,
                             kRequired, Names::command},
                            &p.speed);
                   }},
                  {"joint", "On the shaft of a joint", !p.joint.empty(), [] {},
                   [&p](Visitor& w) {
                     w.leaf({"joint", "Joint angle that drives it", kNumber, kRequired, Names::coordinate}, &p.joint);
                   }}},
                 true);
  v.leaf(
      {"fraction", "Displacement as a fraction of the full displacement, -1 to 1, or the name of a signal; with a control: its upper limit",
       kNumber, 0, Names::command},
      &p.fraction);
  v.leaf({"time_constant", "Time constant of the fraction; 0: no lag", kTime, kNonNegative}, &p.time_constant);
  v.group({"losses", "Leakage and friction; default: none"}, {true, {}, [&p](Visitor& w) { describe_losses(w, p); }});
  v.group({"control", "Pressure control of the displacement"},
          {p.control.has_value(), [&p] { p.control.emplace(); }, [&p](Visitor& w) { describe_control(w, *p.control); }});
  v.group({"prime_mover", "Engine or motor on the shaft"},
          {p.prime_mover.has_value(), [&p] { p.prime_mover.emplace(); }, [&p](Visitor& w) { describe_prime_mover(w, *p.prime_mover); }});
}

void describe_accumulator(Visitor& v, AccumulatorDescription& a) {
  v.leaf({"P", "Node it is connected to", kNumber, kRequired, Names::node}, &a.P);
  v.alternatives(
      {{"gas", "Gas-loaded", std::holds_alternative<GasDescription>(a.charge), [&a] { a.charge = GasDescription{}; },
        [&a](Visitor& w) {
          auto& gas = std::get<GasDescription>(a.charge);
          w.group({"gas", "Gas-loaded", kNumber, kRequired}, {true, {}, [&gas](Visitor& u) { describe_gas(u, gas); }});
        }},
       {"spring", "Spring-loaded", std::holds_alternative<SpringChargeDescription>(a.charge),
        [&a] { a.charge = SpringChargeDescription{}; },
        [&a](Visitor& w) {
          auto& spring = std::get<SpringChargeDescription>(a.charge);
          w.group({"spring", "Spring-loaded", kNumber, kRequired}, {true, {}, [&spring](Visitor& u) { describe_spring(u, spring); }});
        }}},
      true);
  v.group({"neck", "Throttle between node and accumulator", kNumber, kRequired},
          {true, {}, [&a](Visitor& w) { describe_size(w, a.neck); }});
}

void describe_line(Visitor& v, LineDescription& l) {
  v.leaf({"A", "Node at one end; flow from A to B is positive", kNumber, kRequired, Names::node}, &l.A);
  v.leaf({"B", "Node at the other end", kNumber, kRequired, Names::node}, &l.B);
  v.leaf({"length", "Length", kLength, kRequired | kPositive}, &l.length);
  v.leaf({"diameter", "Inner diameter", kLength, kRequired | kPositive}, &l.diameter);
  v.leaf({"segments", "Number of segments of equal length", kNumber, kPositive}, &l.segments);
  v.leaf({"bulk_modulus", "Bulk modulus of the wall", kPressure, kPositive | kInfinite}, &l.bulk_modulus);
  v.leaf({"start_flow", "Flow from A to B at the start", kFlow}, &l.start_flow);
}

}  // namespace trunnion
