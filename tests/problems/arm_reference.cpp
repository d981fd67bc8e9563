// Arms on quasistatic hydraulics: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/arm_reference.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "problems/quasistatic_reference.h"
#include "problems/radau_iia.h"

namespace trunnion::problems {
namespace {

const double kPi = std::acos(-1.0);
constexpr double kMass = 2000, kInertia = 5000, kGravity = 9.8;       // M [kg], J [kg m2], g [m/s2]
constexpr double kCenter = 1.5, kMount = 0.6, kTip = 3;               // L_g, L_m, L_f [m]
constexpr double kBaseX = -1.2, kBaseY = -0.8;                        // r_b [m]
constexpr double kStiffness = 5e7, kDamping = 2.5e6;                  // K [N/m], B [N s/m]
constexpr double kAboutPivot = kInertia + kMass * kCenter * kCenter;  // [kg m2]

double between(double t, double from, double to, double value) { return t >= from && t < to ? value : 0; }
double none(double) { return 0; }

/// l and dl/dtheta.
struct Line {
  double length, slope;
  explicit Line(double theta) {
    const double a = theta - kPi / 4, c = std::cos(a), s = std::sin(a), x = -kMount * c - kBaseX, y = -kMount * s - kBaseY;
    length = std::hypot(x, y);
    slope = (x * kMount * s - y * kMount * c) / length;
  }
};

/// (79); `load`: moment of f_ey [N m].
double acceleration(double theta, const Line& line, double f, double load) {
  return (-kMass * kGravity * kCenter * std::cos(theta) + line.slope * f + load) / kAboutPivot;
}
double load_moment(double theta, double tip_force) { return kTip * std::cos(theta) * tip_force; }

/// Velocities and forces of all actuators on their load lines, with the commands at a time.
std::vector<QuasistaticState> solve(const ArmCase& c, double time, const std::vector<double>& beta, const std::vector<double>& fbar) {
  std::vector<ActuatorReference> actuators;
  for (const ArmInputs& arm : c.arms) {
    const double command = arm.command(time);
    actuators.push_back(paper_actuator(command, command > 0 ? c.regeneration : 0));
  }
  if (actuators.size() == 1) return {reference_lambda(actuators[0], paper_pump(c.bleed), beta[0], fbar[0])};
  return reference_lambda(actuators, paper_pump(c.bleed), beta, fbar);
}

enum { kAngle, kRate, kPiston, kWork, kLoadWork, kPerArm };

class Arms {
 public:
  explicit Arms(const ArmCase& c) : case_(c) {}
  /// The inputs between jumps are evaluated within these times.
  void use_between(double from, double to) { from_ = from, to_ = std::nextafter(to, from); }

  /// Openings at t, forces and piston rates at y.
  std::vector<QuasistaticState> actuators(double t, const Eigen::VectorXd& y) const {
    std::vector<double> beta, fbar;
    for (std::size_t j = 0; j < case_.arms.size(); ++j) {
      const double* arm = y.data() + kPerArm * j;
      const Line line(arm[kAngle]);
      beta.push_back(kDamping);
      fbar.push_back(kStiffness * (arm[kPiston] - line.length) - kDamping * line.slope * arm[kRate]);
    }
    return solve(case_, std::clamp(t, from_, to_), beta, fbar);
  }

  void rates(double t, const Eigen::VectorXd& y, Eigen::VectorXd& rate) const {
    const std::vector<QuasistaticState> states = actuators(t, y);
    const double at = std::clamp(t, from_, to_);
    for (std::size_t j = 0; j < case_.arms.size(); ++j) {
      const double* arm = y.data() + kPerArm * j;
      double* out = rate.data() + kPerArm * j;
      const Line line(arm[kAngle]);
      const double f = states[j].f, load = load_moment(arm[kAngle], case_.arms[j].tip_force(at));
      out[kAngle] = arm[kRate];
      out[kRate] = acceleration(arm[kAngle], line, f, load);
      out[kPiston] = states[j].v;
      out[kWork] = f * line.slope * arm[kRate];
      out[kLoadWork] = load * arm[kRate];
    }
  }

  ArmsSample sample(double t, const Eigen::VectorXd& y) const {
    const std::vector<QuasistaticState> states = actuators(t, y);
    ArmsSample all;
    all.t = t;
    all.pressure = states.front().P;
    for (std::size_t j = 0; j < states.size(); ++j) {
      const double* arm = y.data() + kPerArm * j;
      const QuasistaticState& s = states[j];
      const Line line(arm[kAngle]);
      all.arms.push_back({arm[kAngle], arm[kRate], line.length, line.slope * arm[kRate], arm[kPiston], s.v, s.f, s.P_h, s.P_r, s.Q_p, s.Q_a,
                          arm[kWork], arm[kLoadWork]});
    }
    return all;
  }

 private:
  const ArmCase& case_;
  double from_ = 0, to_ = 0;
};

OdeSystem system_of(const Arms& arms, int n, double tolerance) {
  OdeSystem ode;
  ode.rate = [&arms](double t, const Eigen::VectorXd& y, Eigen::VectorXd& rate) { arms.rates(t, y, rate); };
  ode.jacobian = [&arms, n](double t, const Eigen::VectorXd& y, Eigen::MatrixXd& jacobian) {
    Eigen::VectorXd moved = y, plus(n), minus(n);
    jacobian.setZero();
    for (int j = 0; j < n; ++j) {
      if (j % kPerArm >= kWork) continue;
      constexpr double kMove = 1e-8;  // [rad], [rad/s], [m]: 0.5 N of some 1e5 N
      moved[j] = y[j] + kMove;
      arms.rates(t, moved, plus);
      moved[j] = y[j] - kMove;
      arms.rates(t, moved, minus);
      moved[j] = y[j];
      jacobian.col(j) = (plus - minus) / (2 * kMove);
    }
  };
  ode.absolute_tolerance = Eigen::VectorXd::Constant(n, 1e-11 * tolerance);
  for (int j = 0; j < n; ++j)
    if (j % kPerArm >= kWork) ode.absolute_tolerance[j] = 1e-6 * tolerance;
  return ode;
}

}  // namespace

ArmCase holding_arm() {
  ArmCase c;
  c.example = "arm_quasistatic";
  c.bleed = 0.3;
  const auto force = [](double t) { return t < 6 ? 1e4 * std::sin(2 * kPi * t) : -69964 * (t - 6); };
  c.arms = {{-kPi / 6, [](double t) { return between(t, 3, 6, -0.5); }, force}};
  c.jumps = {3, 6};
  c.end = 8;
  return c;
}

ArmCase regenerating_arm(bool open) {
  ArmCase c;
  c.example = "arm_regeneration";
  if (!open) c.set = {"signals.regeneration=0"};
  c.bleed = 0.3;
  c.regeneration = open ? 0.5 : 0;
  c.arms = {{kPi / 6, [](double t) { return between(t, 0.5, 2, 0.5); }, none}};
  c.jumps = {0.5, 2};
  c.end = 3;
  return c;
}

ArmCase two_arms(bool both_driven) {
  ArmCase c;
  c.example = "two_arms_one_pump";
  if (!both_driven) c.set = {"signals.lever_2=0"};
  c.bleed = 0.2;
  const double second = both_driven ? 0.5 : 0;
  c.arms = {{-kPi / 6, [](double t) { return between(t, 0.5, 2.5, -0.6); }, none},
            {kPi / 9, [second](double t) { return between(t, 1, 2, second); }, none}};
  c.jumps = {0.5, 1, 2, 2.5};
  c.end = 3;
  return c;
}

std::vector<ArmsSample> arm_reference(const ArmCase& c, double end, double output_step, double tolerance) {
  const int n = kPerArm * static_cast<int>(c.arms.size());
  Eigen::VectorXd y = Eigen::VectorXd::Zero(n);
  for (std::size_t j = 0; j < c.arms.size(); ++j) {
    y[kPerArm * j + kAngle] = c.arms[j].start_angle;
    y[kPerArm * j + kPiston] = Line(c.arms[j].start_angle).length;
  }
  std::vector<ArmsSample> samples;
  Arms arms(c);
  double t = 0;
  std::vector<double> stops = c.jumps;
  stops.push_back(c.end);
  const double per_second = std::round(1 / output_step);
  for (const double stop : stops) {
    if (t >= end) break;
    const double last = std::min(stop, end);
    arms.use_between(t, stop);
    RadauIIA solver(system_of(arms, n, tolerance), t, y, 1e-4);
    if (samples.empty()) samples.push_back(arms.sample(0, y));
    for (double next; (next = static_cast<double>(samples.size()) / per_second) <= last + 1e-12;) {
      solver.advance_to(std::min(next, last));
      samples.push_back(arms.sample(next, solver.state()));
    }
    solver.advance_to(last);
    y = solver.state();
    t = last;
  }
  return samples;
}

std::vector<ArmsSample> arm_procedure(const ArmCase& c, double end, double h, ArmRule rule, bool late) {
  constexpr double kBeside = 1e-9;  // [s] from a jump
  const std::size_t n = c.arms.size();
  std::vector<double> theta(n), omega(n), p(n), l_last(n), beta(n, kDamping + h * kStiffness), fbar(n);
  for (std::size_t j = 0; j < n; ++j) {
    theta[j] = c.arms[j].start_angle;
    p[j] = l_last[j] = Line(theta[j]).length;
  }
  std::vector<ArmsSample> samples;
  for (int k = 0, steps = static_cast<int>(std::lround(end / h)); k <= steps; ++k) {
    const double t = k * h;
    for (std::size_t j = 0; j < n; ++j) {
      const double l = Line(theta[j]).length;
      fbar[j] = kStiffness * (p[j] - l) - kDamping * (l - l_last[j]) / h;
      l_last[j] = l;
    }
    const std::vector<QuasistaticState> states = solve(c, late ? t - kBeside : t + kBeside, beta, fbar);
    ArmsSample& all = samples.emplace_back();
    all.t = t;
    all.pressure = states.front().P;
    for (std::size_t j = 0; j < n; ++j) {
      const QuasistaticState& s = states[j];
      p[j] += h * s.v;
      all.arms.push_back(
          {theta[j], omega[j], l_last[j], Line(theta[j]).slope * omega[j], p[j], s.v, s.f, s.P_h, s.P_r, s.Q_p, s.Q_a, 0, 0});
      const auto a = [&](double after, double angle) {  // [s] after t
        const double at = std::clamp(t + after, t, std::nextafter(t + h, t));
        return acceleration(angle, Line(angle), s.f, load_moment(angle, c.arms[j].tip_force(at)));
      };
      if (rule == ArmRule::semi_implicit_euler) {
        omega[j] += h * a(0, theta[j]);
        theta[j] += h * omega[j];
      } else {
        const double w1 = omega[j], a1 = a(0, theta[j]), w2 = w1 + h / 2 * a1, a2 = a(h / 2, theta[j] + h / 2 * w1), w3 = w1 + h / 2 * a2,
                     a3 = a(h / 2, theta[j] + h / 2 * w2), w4 = w1 + h * a3, a4 = a(h, theta[j] + h * w3);
        theta[j] += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
        omega[j] += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      }
    }
  }
  return samples;
}

double arm_energy(const ArmSample& sample) {
  return kAboutPivot * sample.rate * sample.rate / 2 + kMass * kGravity * kCenter * std::sin(sample.angle);
}

}  // namespace trunnion::problems
