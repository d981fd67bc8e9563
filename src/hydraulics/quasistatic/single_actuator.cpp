// Closed-form map of a single actuator.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/single_actuator.h"

namespace trunnion {

namespace {

/// Limits for w to 0 from above, (65).
double inlet_force_at_rest(const Stroke& s, const PumpSupply& supply) {
  return s.h_in > 0 ? min(s.F_in_max, s.area_in * supply.idle_pressure()) : 0;
}
double outlet_force_at_rest(const Stroke& s) { return s.h_out > 0 ? 0 : s.F_out_max; }

/// (61b), (62c); w > 0.
Interval inlet_force(const Stroke& s, const PumpSupply& supply, double w) {
  if (s.h_in == 0) return Interval(0);
  const double A = s.area_in, at_relief = A * supply.relief, left = supply.flow / A - w;
  Interval force = at_relief;  // on the piston at the pump's pressure
  if (supply.bleed > 0)
    force = min(at_relief, A * A * A / (supply.bleed * supply.bleed) * signed_square(left));
  else if (left <= 0)
    force = {-kInfinity, left == 0 ? at_relief : -kInfinity};
  const double loss = w / s.h_in * (w / s.h_in);
  return {project(0, s.F_in_max, force.lower - loss), project(0, s.F_in_max, force.upper - loss)};
}

/// (61c), (62b); w > 0.
double outlet_force(const Stroke& s, double w) { return s.h_out > 0 ? min(w / s.h_out * (w / s.h_out), s.F_out_max) : s.F_out_max; }

/// A velocity and its piece of the map.
struct Candidate {
  double w;
  MeteringSegment segment;  // of an extension
};
Candidate least(const Candidate& a, const Candidate& b) { return b.w < a.w ? b : a; }
Candidate greatest(const Candidate& a, const Candidate& b) { return b.w > a.w ? b : a; }

/// The same piece of a retraction.
MeteringSegment mirrored(MeteringSegment segment) {
  constexpr auto shift = static_cast<unsigned char>(MeteringSegment::m0a) - static_cast<unsigned char>(MeteringSegment::p0a);
  return static_cast<MeteringSegment>(static_cast<unsigned char>(segment) + shift);
}

/// (74g), (74h): w > 0 with beta w + gbar = F_in - F_out, for gbar below the force at rest.
LoadPoint move(const Stroke& s, const PumpSupply& supply, double beta, double gbar) {
  using enum MeteringSegment;
  const double A = s.area_in, at_relief = A * supply.relief, FM = s.F_in_max, FM_out = s.F_out_max;
  const double in = s.h_in * s.h_in, out = s.h_out * s.h_out, both = series_square(s.h_in, s.h_out);
  const double bleed = supply.bleed * supply.bleed / (A * A * A), w_Q = supply.flow / A;
  const Candidate relieved = greatest({phi_a(beta, gbar - FM, out), p0a}, {(FM - FM_out - gbar) / beta, p0b});
  const Candidate pumped = greatest({phi_b(beta, gbar, both, bleed, w_Q), p1a}, {phi_b(beta, gbar + FM_out, in, bleed, w_Q), p1b});
  const Candidate limited = greatest({phi_a(beta, gbar - at_relief, both), p2a}, {phi_a(beta, gbar - at_relief + FM_out, in), p2b});
  const Candidate sucking = greatest({phi_a(beta, gbar, out), p3}, {(-FM_out - gbar) / beta, rM});
  const auto [w, segment] = greatest(least(relieved, least(limited, pumped)), sucking);

  // beta + opposing slopes: outlet valve, inlet valve, bleed valve
  double slope = beta;
  if (w > 0 && (segment == p0a || segment == p1a || segment == p2a || segment == p3)) slope += 2 * w / out;
  if (w > 0 && (segment == p1a || segment == p1b || segment == p2a || segment == p2b)) slope += 2 * w / in;
  if (segment == p1a || segment == p1b) slope += bleed > 0 ? 2 * abs(w_Q - w) / bleed : kInfinity;
  return {s.sign * w, 0, -1 / slope, s.sign > 0 ? segment : mirrored(segment)};
}

}  // namespace

ChamberForces chamber_forces(const MeteringConstants& actuator, const RegularisedOpenings& u, const PumpSupply& supply, double v) {
  const Stroke out = actuator.extension(u), back = actuator.retraction(u);
  if (v > 0) return {inlet_force(out, supply, v), outlet_force(out, v)};
  if (v < 0) return {outlet_force(back, -v), inlet_force(back, supply, -v)};
  return {gsgn(outlet_force_at_rest(back), 0, inlet_force_at_rest(out, supply)),
          gsgn(inlet_force_at_rest(back, supply), 0, outlet_force_at_rest(out))};
}

LoadPoint point_on_load_line(const MeteringConstants& actuator, const RegularisedOpenings& u, const PumpSupply& supply, double beta,
                             double fbar) {
  const Stroke out = actuator.extension(u), back = actuator.retraction(u);
  const double lower = inlet_force_at_rest(out, supply) - outlet_force_at_rest(out);    // Gamma_+(0)
  const double upper = outlet_force_at_rest(back) - inlet_force_at_rest(back, supply);  // Gamma_-(0)
  LoadPoint point;
  if (fbar < lower || (fbar == lower && lower == upper))
    point = move(out, supply, beta, fbar);
  else if (fbar > upper)
    point = move(back, supply, beta, -fbar);
  point.f = beta * point.v + fbar;
  return point;
}

}  // namespace trunnion
