// Piecewise explicit curve of an actuator's states under a load.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/load_curve.h"

#include "hydraulics/quasistatic/bracketed_root.h"

namespace trunnion {

namespace {

constexpr double kPressureRounding = 4 * std::numeric_limits<double>::epsilon();

TR_INLINE double square(double x) { return x * x; }

/// A parameter between t0 and t1 for a quantity that is roughly quadratic in it.
double between(double t0, double t1, double share) {
  const double t = sqrt(t0 * t0 + (t1 * t1 - t0 * t0) * project(0, 1, share));
  return t1 > 0 ? t : -t;
}

}  // namespace

CurvePoint LoadCurve::point(Kind kind, double t) const {
  const Stroke& s = stroke_;
  CurvePoint p;
  switch (kind) {
    case Kind::back:
    case Kind::closed_relief:
      p.F_out = kind == Kind::back ? 0 : s.F_out_max;
      p.F = t;
      p.F_t = 1;
      p.w = p.x = v0_ + gamma_ * (t - p.F_out);
      p.w_t = p.x_t = gamma_;
      p.w_v = p.x_v = 1;
      break;
    case Kind::closed: {
      const double c = max(0, v0_ + gamma_ * t), root = sqrt(s.h_out * s.h_out + 4 * gamma_ * c), sum = s.h_out + root;
      const double r = sum > 0 ? 2 * c / sum : 0, slope = root > 0 ? s.h_out / root : 0;
      p.F = t;
      p.F_t = 1;
      p.F_out = r * r;
      p.w = p.x = s.h_out * r;
      p.w_t = p.x_t = gamma_ * slope;
      p.w_v = p.x_v = slope;
      break;
    }
    case Kind::open: {
      const double c = max(0, v0_ - s.h_out * t + c_rr_ * t * t), root = sqrt(1 + 4 * m_ * c);
      p.v_a = 2 * c / (1 + root);
      const double v_t = (2 * c_rr_ * t - s.h_out) / root, v_v = 1 / root, z = p.v_a / s.h_a;
      p.F_out = t * t;
      p.F = (t - z) * (t + z) / k_;
      p.F_t = 2 * (t - z * v_t / s.h_a) / k_;
      p.F_v = -2 * z * v_v / (s.h_a * k_);
      p.w = s.h_out * t + p.v_a;
      p.w_t = s.h_out + v_t;
      p.w_v = v_v;
      p.x = p.w - k_ * p.v_a;
      p.x_t = p.w_t - k_ * v_t;
      p.x_v = v_v - k_ * v_v;
      break;
    }
    case Kind::open_relief:
      p.v_a = -s.h_a * t;
      p.F_out = s.F_out_max;
      p.F = (s.F_out_max - t * t) / k_;
      p.F_t = -2 * t / k_;
      p.w = v0_ + gamma_ * (p.F - s.F_out_max);
      p.w_t = gamma_ * p.F_t;
      p.x = p.w - k_ * p.v_a;
      p.x_t = p.w_t + k_ * s.h_a;
      p.w_v = p.x_v = 1;
      break;
  }
  return p;
}

/// The parameter where the force of the inlet is F, between F0 and F1 at the ends of the piece.
double LoadCurve::parameter_at(Kind kind, double t0, double t1, double F0, double F1, double F) const {
  if (kind == Kind::open_relief) return -sqrt(max(0, stroke_.F_out_max - k_ * F));
  if (kind != Kind::open) return F;
  const auto excess = [&](double t, double& slope) {
    const CurvePoint p = point(kind, t);
    slope = p.F_t;
    return p.F - F;
  };
  return bracketed_root(t0, t1, between(t0, t1, (F - F0) / (F1 - F0)), kPressureRounding * stroke_.F_in_max, excess);
}

/// Adds the piece from t0 to t1, as far as F is below the relief force of the inlet.
void LoadCurve::add(Kind kind, double t0, double t1) {
  const double FM = stroke_.F_in_max, F0 = count_ > 0 ? piece_[count_ - 1].F1 : 0;
  const bool by_force = kind != Kind::open && kind != Kind::open_relief;  // t = F
  if (by_force) {
    t0 = max(t0, F0);
    t1 = min(t1, FM);
  }
  if (!(t0 < t1) || F0 >= FM) return;
  // w has the sign of its piece despite rounding; x as well, unless the regeneration valve is open
  double x0 = count_ > 0 ? piece_[count_ - 1].x1 : point(kind, t0).x;
  if (count_ == 0 && by_force && kind != Kind::back) x0 = max(0, x0);
  CurvePoint end = point(kind, t1);
  if (kind == Kind::back && t1 < FM) end.x = 0;
  if (!by_force && end.F >= FM) {
    t1 = parameter_at(kind, t0, t1, F0, end.F, FM);
    end = point(kind, t1);
    end.F = FM;
  }
  if (!by_force && x0 < 0 && end.x > 0) {  // in two, where x changes sign
    const auto x = [&](double t, double& slope) {
      const CurvePoint p = point(kind, t);
      slope = p.x_t;
      return p.x;
    };
    const double t = bracketed_root(t0, t1, t0 + (t1 - t0) * x0 / (x0 - end.x), 0, x);
    CurvePoint middle = point(kind, t);
    middle.x = 0;
    append(kind, t0, t, F0, x0, middle);
    append(kind, t, t1, middle.F, 0, end);
  } else {
    append(kind, t0, t1, F0, x0, end);
  }
}

void LoadCurve::append(Kind kind, double t0, double t1, double F0, double x0, const CurvePoint& end) {
  const auto metering_force = [this](double F, double x) { return x > 0 ? F + square(x / stroke_.h_in) : F; };
  const double F1 = max(F0, end.F), x1 = max(x0, end.x);
  const double AP0 = count_ > 0 ? piece_[count_ - 1].AP1 : metering_force(F0, x0);
  piece_[count_++] = {kind, t0, t1, F0, F1, x0, x1, AP0, metering_force(F1, x1)};
}

void LoadCurve::build(const Stroke& stroke, double v0, double gamma) {
  stroke_ = stroke;
  v0_ = v0;
  gamma_ = gamma;
  count_ = 0;
  const double h = stroke.h_out, FM_out = stroke.F_out_max;
  const bool regenerates = stroke.h_a > 0;
  r_max_ = sqrt(FM_out);
  k_ = stroke.area_out / stroke.area_in;
  c_rr_ = gamma * (1 / k_ - 1);
  m_ = regenerates ? gamma / (k_ * stroke.h_a * stroke.h_a) : 0;

  // F of r while the regeneration valve is closed; with given w, r is constant and F increases without limit
  const auto closed_force = [&](double r) { return gamma > 0 ? r * r + (h * r - v0) / gamma : kInfinity; };
  double F = 0;  // end of the curve so far
  if (v0 < 0) {
    F = gamma > 0 ? -v0 / gamma : kInfinity;
    add(Kind::back, 0, F);
  }
  const double r_start = v0 > 0 ? positive_root(gamma, h + stroke.h_a, v0) : 0;  // of F_out where F = 0
  bool open = regenerates && v0 > 0;
  double z = r_max_;  // v_a / h_a where the relief valve of the outlet opens
  if (r_start < r_max_) {
    if (regenerates) {
      // c(r) = 0: the regeneration valve closes at r1, opens again at r2
      const double discriminant = h * h - 4 * c_rr_ * v0, root = sqrt(max(0, discriminant));
      const double r1 = v0 > 0 && discriminant >= 0 ? 2 * v0 / (h + root) : open ? kInfinity : 0;
      const double r2 = c_rr_ > 0 && discriminant >= 0 ? (h + root) / (2 * c_rr_) : kInfinity;
      if (open) {
        add(Kind::open, r_start, min(r1, r_max_));
        F = r1 * r1 / k_;
      }
      if (r1 < r_max_) {
        open = r2 < r_max_;
        add(Kind::closed, F, open ? r2 * r2 / k_ : closed_force(r_max_));
        if (open) add(Kind::open, r2, r_max_);
      }
      if (open) z = point(Kind::open, r_max_).v_a / stroke.h_a;
    } else {
      add(Kind::closed, F, closed_force(r_max_));
    }
    F = closed_force(r_max_);
  }
  if (open) {
    add(Kind::open_relief, -z, 0);
    F = FM_out / k_;
  }
  add(Kind::closed_relief, F, kInfinity);
  find_hold();
  find_breakpoints();
}

/// Where x = 0: the check valve at the pump separates the inlet from it. Load and outlet determine F there; a piece without slope leaves
/// it undetermined (outlet closed and not relieving).
void LoadCurve::find_hold() {
  first_ = 0;
  hold_lower_ = 0;
  hold_upper_ = -1;
  if (piece_[0].x0 > 0) return;
  int i = 0;
  while (i < count_ && piece_[i].x1 < 0) ++i;
  if (i == count_) {  // driven in reverse against the relief valve of the inlet
    hold_ = i - 1;
    hold_t_ = piece_[hold_].t1;
    hold_lower_ = hold_upper_ = stroke_.F_in_max;
  } else {
    hold_ = i;
    const bool at_end = piece_[i].x0 < 0;
    hold_t_ = at_end ? piece_[i].t1 : piece_[i].t0;
    hold_lower_ = hold_upper_ = at_end ? piece_[i].F1 : piece_[i].F0;
    for (i += at_end; i < count_ && piece_[i].x1 <= 0; ++i) {
      hold_ = i;
      hold_upper_ = piece_[i].F1;
    }
  }
  first_ = i;
}

void LoadCurve::find_breakpoints() {
  breakpoint_count_ = 0;
  if (stroke_.h_in <= 0) return;
  const auto note = [this](double AP) {
    if (AP > 0) breakpoint_[breakpoint_count_++] = AP / stroke_.area_in;
  };
  note(hold_lower_ <= hold_upper_ ? hold_upper_ : piece_[0].AP0);
  for (int i = first_; i < count_; ++i) note(piece_[i].AP1);
}

StrokeState LoadCurve::state(const Piece& piece, const CurvePoint& p) const {
  StrokeState s;
  using enum StrokeState::Outlet;
  s.outlet = piece.kind == Kind::back ? sucking : piece.kind == Kind::closed || piece.kind == Kind::open ? metering : relieving;
  s.F = p.F;
  s.F_out = p.F_out;
  s.w = p.w;
  s.x = p.x;
  s.v_a = p.v_a;
  s.w_v = p.w_v;
  return s;
}

/// The state where F does not change with the load, 0 or FM.
StrokeState LoadCurve::at_fixed_force(const Piece& piece, const CurvePoint& p) const {
  StrokeState s = state(piece, p);
  if (p.F_t > 0) s.w_v -= p.w_t * p.F_v / p.F_t;
  return s;
}

StrokeState LoadCurve::hold(double AP) const {
  const Piece& piece = piece_[hold_];
  // the lowest pressure that the check valve at the pump allows, unless the load determines it
  const double F = project(hold_lower_, hold_upper_, stroke_.h_in > 0 ? AP : 0);
  const bool free = hold_lower_ < hold_upper_;
  const double t = free ? parameter_at(piece.kind, piece.t0, piece.t1, piece.F0, piece.F1, F) : hold_t_;
  const CurvePoint p = point(piece.kind, t);
  const bool driven_back = piece.x1 < 0;
  StrokeState s = F <= 0 || F >= stroke_.F_in_max ? at_fixed_force(piece, p)  // its check or relief valve opens next, or is open
                                                  : state(piece, p);
  s.F = F;
  if (driven_back) {
    s.inlet = StrokeState::Inlet::relieving;
    return s;
  }
  s.x = 0;
  s.w = k_ * s.v_a;
  if (F > 0 && F < stroke_.F_in_max && p.x_t > 0) s.w_v = p.w_v - p.w_t * p.x_v / p.x_t;
  return s;
}

StrokeState LoadCurve::meter(double P, const StrokeState& near) const {
  const double AP = stroke_.area_in * P;
  int i = first_;
  while (i + 1 < count_ && AP > piece_[i].AP1) ++i;
  const Piece& piece = piece_[i];
  const double h_in = stroke_.h_in;
  double t;
  if (piece.kind == Kind::closed || piece.kind == Kind::closed_relief) {
    // F = A P - (w / h_in)^2 in the equation of the piece; (73e), (73f), (122i), (122j)
    double w;
    if (piece.kind == Kind::closed)
      w = stroke_.h_out * positive_root(gamma_ * (1 + square(stroke_.h_out / h_in)), stroke_.h_out, v0_ + gamma_ * AP);
    else
      w = positive_root(gamma_ / (h_in * h_in), 1, v0_ + gamma_ * (AP - stroke_.F_out_max));
    t = project(piece.t0, piece.t1, AP - square(w / h_in));
  } else {
    const auto excess = [&](double at, double& slope) {
      const CurvePoint p = point(piece.kind, at);
      const double drop = p.x / (h_in * h_in);
      slope = p.F_t + 2 * drop * p.x_t;
      return p.F + drop * p.x - AP;
    };
    const double start = near.piece == i ? project(piece.t0, piece.t1, near.t + near.t_P * (P - near.P))
                                         : between(piece.t0, piece.t1, (AP - piece.AP0) / (piece.AP1 - piece.AP0));
    t = bracketed_root(piece.t0, piece.t1, start, kPressureRounding * AP, excess);
  }
  const CurvePoint p = point(piece.kind, t);
  StrokeState s = state(piece, p);
  s.inlet = StrokeState::Inlet::metering;
  s.q = stroke_.area_in * p.x;
  // (F_t + 2 x x_t / h_in^2) dt = A dP - (F_v + 2 x x_v / h_in^2) dv0
  const double drop = 2 * p.x / (h_in * h_in), slope = p.F_t + drop * p.x_t;
  const double t_P = slope > 0 ? stroke_.area_in / slope : 0, t_v = slope > 0 ? -(p.F_v + drop * p.x_v) / slope : 0;
  s.piece = i;
  s.P = P;
  s.t = t;
  s.t_P = t_P;
  s.w_P = p.w_t * t_P;
  s.w_v = p.w_v + p.w_t * t_v;
  s.q_P = stroke_.area_in * p.x_t * t_P;
  s.q_v = stroke_.area_in * (p.x_v + p.x_t * t_v);
  return s;
}

StrokeState LoadCurve::at(double P, const StrokeState& near) const {
  const double A = stroke_.area_in, AP = A * P, h_in = stroke_.h_in;
  if (hold_lower_ <= hold_upper_ && (h_in <= 0 || AP <= hold_upper_)) return hold(AP);
  const bool sucks = hold_lower_ > hold_upper_ && (h_in <= 0 || AP <= piece_[0].AP0);
  if (!sucks && first_ < count_ && AP < piece_[count_ - 1].AP1) return meter(P, near);
  // the inlet valve carries its flow, the check or relief valve of the chamber the rest
  const Piece& piece = sucks ? piece_[0] : piece_[count_ - 1];
  StrokeState s = at_fixed_force(piece, point(piece.kind, sucks ? piece.t0 : piece.t1));
  s.inlet = sucks ? StrokeState::Inlet::sucking : StrokeState::Inlet::relieving;
  s.F = sucks ? 0 : stroke_.F_in_max;
  if (h_in > 0) {
    const double root = sqrt(AP - s.F);
    s.q = A * h_in * root;
    s.q_P = A * h_in * A / (2 * root);
  }
  return s;
}

}  // namespace trunnion
