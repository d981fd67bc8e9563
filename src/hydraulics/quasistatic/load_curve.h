// All states allowed by the load, the outlet and the regeneration valve of an actuator, as a curve along which the force F of the inlet
// chamber increases. It is independent of the pump: only the inlet valve connects the curve to its pressure P, which also increases along
// it.
//   w   = v0 + gamma (F - F_out)                               load: gamma = 1/beta, v0 = -gbar/beta; or w given: gamma = 0, v0 = w
//   y   = w - v_a = h_out sqrt(F_out), 0 <= F_out <= FM_out    outlet: valve; relief valve at FM_out; suction for y < 0          (93b)
//   v_a = h_a sqrt(max(F_out - k F, 0))                        regeneration valve, k = A_out / A_in                              (93f)
//   x   = w - k v_a                                            flow into the inlet chamber, divided by its area                  (93a)
//   x   = h_in sqrt(A P - F), so A P = F + (x / h_in)^2        inlet valve, while metering
// x increases with F because all elements are monotone and the piston conserves power, for any sign of A_in - A_out, and for h_out = 0.
// Pieces, each with a parameter t that increases along the curve and makes everything explicit (r^2 = F_out):
//   back           t = F            w = v0 + gamma F <= 0, F_out = 0
//   closed         t = F            v_a = 0,       gamma r^2 + h_out r = v0 + gamma F
//   open           t = r            v_a > 0,       gamma / (k h_a^2) v_a^2 + v_a = c(r),   k F = r^2 - (v_a / h_a)^2
//   open_relief    t = -v_a / h_a   F_out = FM_out,   k F = FM_out - t^2
//   closed_relief  t = F            F_out = FM_out,   v_a = 0
// with c(r) = v0 - h_out r + gamma (1/k - 1) r^2, which is positive where the regeneration valve is open. All ends of pieces are roots
// of quadratic equations, except two on open pieces: where F reaches the relief force of the inlet, and where x changes sign (k > 1 only).
// Source of the equations: Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), sections 5 and 6; the
// curve replaces its (94), (95), (103), (104).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "hydraulics/quasistatic/metering_actuator.h"

namespace trunnion {

/// A state on the curve with its derivatives along it (_t) and in v0 at fixed t (_v).
struct CurvePoint {
  double F = 0, F_out = 0;       // [N]
  double w = 0, x = 0, v_a = 0;  // [m/s]
  double F_t = 0, w_t = 0, x_t = 0;
  double F_v = 0, w_v = 0, x_v = 0;
};

/// An actuator at a pressure of the pump.
struct StrokeState {
  enum class Inlet : unsigned char { holding, sucking, metering, relieving };  // no flow; F = 0; valve; F = FM
  enum class Outlet : unsigned char { sucking, metering, relieving };          // y < 0; valve; F_out = FM_out
  Inlet inlet = Inlet::holding;
  Outlet outlet = Outlet::metering;
  double F = 0, F_out = 0;       // [N]
  double w = 0, x = 0, v_a = 0;  // [m/s]
  double q = 0;                  // [m3/s] from the pump; in suction: <= A x, relieving: >= A x, otherwise A x
  double w_P = 0, q_P = 0;       // derivatives in P at fixed load, one-sided at kinks
  double w_v = 0, q_v = 0;       // derivatives in v0 at fixed P
  int piece = -1;                // its position on the curve, as a guess for the next one; -1: none
  double P = 0, t = 0, t_P = 0;
};

class LoadCurve {
 public:
  static constexpr int kMostPieces = 10;

  /// The curve of a stroke under a load. No allocation.
  void build(const Stroke& stroke, double v0, double gamma);
  const Stroke& stroke() const { return stroke_; }

  /// The actuator's state at pressure P [Pa] >= 0 of the pump; q increases with P. A nearby state of this curve makes it faster.
  StrokeState at(double P, const StrokeState& near = {}) const;
  /// Pressures [Pa] > 0, ascending, between which q is a smooth function of P; at most kMostPieces + 1.
  int breakpoints() const { return breakpoint_count_; }
  double breakpoint(int i) const { return breakpoint_[i]; }

 private:
  enum class Kind : unsigned char { back, closed, open, open_relief, closed_relief };
  struct Piece {
    Kind kind;
    double t0, t1;    // parameter at both ends
    double F0, F1;    // [N]
    double x0, x1;    // [m/s]
    double AP0, AP1;  // [N] in metering
  };

  CurvePoint point(Kind kind, double t) const;
  void add(Kind kind, double t0, double t1);
  void append(Kind kind, double t0, double t1, double F0, double x0, const CurvePoint& end);
  double parameter_at(Kind kind, double t0, double t1, double F0, double F1, double F) const;
  void find_hold();
  void find_breakpoints();
  StrokeState state(const Piece& piece, const CurvePoint& p) const;
  StrokeState at_fixed_force(const Piece& piece, const CurvePoint& p) const;
  StrokeState hold(double AP) const;
  StrokeState meter(double P, const StrokeState& near) const;

  Stroke stroke_;
  double v0_ = 0, gamma_ = 0;
  double k_ = 1, r_max_ = 0;  // [-]; root of FM_out
  double c_rr_ = 0, m_ = 0;   // gamma (1/k - 1); gamma / (k h_a^2)
  std::array<Piece, kMostPieces> piece_;
  int count_ = 0;                            // pieces
  int first_ = 0;                            // first piece with x > 0
  int hold_ = 0;                             // piece of the states with x = 0
  double hold_t_ = 0;                        // its parameter there, unless F is free
  double hold_lower_ = 0, hold_upper_ = -1;  // [N] F of the states with x = 0; empty if lower > upper
  std::array<double, kMostPieces + 1> breakpoint_;
  int breakpoint_count_ = 0;
};

}  // namespace trunnion
