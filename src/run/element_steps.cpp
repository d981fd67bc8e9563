// Checks of the step lengths against the stability limits of virtual elements.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/element_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "base/decompositions.h"
#include "cosimulation/extrapolation.h"
#include "cosimulation/port_dynamics.h"
#include "model/coupling_memory.h"
#include "schema/table.h"

namespace trunnion {

namespace {

struct Element {
  std::string path;
  VirtualElement element;
  int port = 0;
  bool discrete = false, is_rotary = false;
};

std::vector<Element> elements_of(const CompiledModel& model) {
  std::vector<Element> list;
  const Hydraulics& netlist = model.hydraulics;
  for (const QuasistaticCircuit& q : netlist.quasistatic)
    for (const QuasistaticPort& port : q.ports) {
      const Actuator& a = netlist.actuators[port.actuator];
      list.push_back(
          {fmt::format("quasistatic.{}.actuators.{}.element", q.name, a.name), port.element, port.actuator, q.discrete, a.is_rotary});
    }
  return list;
}

/// [1/kg] per element; empty at a singular configuration.
std::vector<double> inverse_masses(const CompiledModel& model, const StateVector& start, const std::vector<Element>& elements) {
  const std::size_t ports = static_cast<std::size_t>(model.hydraulics.pistons), n = elements.size();
  std::vector<double> W(ports * ports), b(ports);
  const bool known = std::visit(
      [&]<int D>(const Mechanism<D>& mechanism) {
        MechanismState<D> state(mechanism);
        return PortDynamics<D>(model).evaluate(start, nullptr, state, W.data(), b.data());
      },
      model.mechanism);
  if (!known) return {};
  const auto along = [&](std::size_t i, std::size_t j) { return W[static_cast<std::size_t>(elements[i].port) * ports + elements[j].port]; };
  std::vector<double> inverse(n);
  Eigen::MatrixXd S(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    inverse[i] = along(i, i);
    for (std::size_t j = 0; j < n; ++j) S(i, j) = along(i, j) * std::sqrt(elements[i].element.stiffness * elements[j].element.stiffness);
  }
  if (n > 1) {  // together: the fastest mode, attributed to the element with the largest share
    const SymmetricEigen modes = symmetric_eigen(S);
    Eigen::Index most = 0;
    modes.vectors.col(n - 1).cwiseAbs().maxCoeff(&most);
    inverse[most] = std::max(inverse[most], modes.values(n - 1) / elements[most].element.stiffness);
  }
  return inverse;
}

// ---------------------------------------------------------------- co-simulation

/// A step h from `begin` of a mass moved by a force per mass, as a fixed-step integrator computes it (co-simulation has no others).
void advance_mass(IntegratorKind integrator, const TimePolynomial& force, double begin, double h, double& s, double& w) {
  const double first = force.value(begin), middle = force.value(begin + h / 2), last = force.value(begin + h), w_old = w;
  switch (integrator) {
    case IntegratorKind::euler:
      w += h * first;
      s += h * w_old;
      break;
    case IntegratorKind::semi_implicit_euler:
      w += h * first;
      s += h * w;
      break;
    case IntegratorKind::rk4:  // exact for forces of order 2 (s) and 3 (w)
      w += h / 6 * (first + 4 * middle + last);
      s += h * w_old + h * h / 6 * (first + 2 * middle);
      break;
    default:  // implicit: as by the trapezoidal rule
      w += h / 2 * (first + last);
      s += h / 2 * (w_old + w);
  }
}

/// Error growth over a communication step of a mass on an element with a holding actuator, k = K / M, b = B / M, coupled by forces:
/// spectral radius of the map from the last points to the next. Times in communication steps, k and b accordingly: matrices of very
/// short steps would be badly scaled. The mass is integrated as by the mechanism's integrator: the trapezoidal rule weights a force
/// that is linear in time differently from the exact solution and has another limit. `discrete_step`: longest step of the oil with (72),
/// which is based on the lengths of its last two steps; 0: (70).
double coupling_growth(const Description& description, double k, double b, double discrete_step) {
  const CosimulationDescription& c = description.coupling;
  const int steps = mechanism_steps_of(description);
  const int oil_steps = discrete_step > 0 ? steps_within(1, discrete_step) : 1;
  const double h = 1.0 / oil_steps;
  constexpr int kPoints = kMostPoints, kLastLength = 3 * kPoints, kSize = kLastLength + 1;
  std::array<double, kPoints> times{}, new_times{};
  for (int i = 0; i < kPoints; ++i) {
    times[i] = -i;
    new_times[i] = 1 - i;
  }
  const int oil = c.extrapolation + 1, told = c.mechanism_extrapolation.value_or(c.extrapolation) + 1;
  const bool in_turn = c.scheme == CouplingScheme::gauss_seidel, oil_first = in_turn && c.order == CouplingOrder::hydraulics_first;
  Eigen::MatrixXd step = Eigen::MatrixXd::Zero(kSize, kSize);
  for (int unit = 0; unit < kSize; ++unit) {
    std::array<double, kSize> x{};
    x[unit] = 1;
    const double *s = x.data(), *w = s + kPoints, *F = w + kPoints;  // newest first, F per mass
    double s_new = 0, w_new = 0, F_new = 0, last_length = 0;
    // the force at the end of a step with these inputs
    const auto advance_oil = [&](const TimePolynomial& length, const TimePolynomial& rate) {
      last_length = length.value(1);
      const double before = oil_steps > 1 ? length.value(1 - h) : x[kLastLength];
      F_new = -k * last_length - b * (discrete_step > 0 ? (last_length - before) / h : rate.value(1));
    };
    const auto extrapolated = [&](const double* y, int points) { return lagrange(times.data(), y, points); };
    const auto interpolated = [&](double newest, const double* y, int points) {
      std::array<double, kPoints + 1> known{newest};
      std::copy_n(y, kPoints, known.begin() + 1);
      return lagrange(new_times.data(), known.data(), points);
    };
    const auto advance_mechanism = [&] {
      const TimePolynomial force = oil_first ? interpolated(F_new, F, told) : extrapolated(F, told);
      s_new = s[0];
      w_new = w[0];
      for (int i = 0; i < steps; ++i) advance_mass(description.solver.integrator, force, 1.0 * i / steps, 1.0 / steps, s_new, w_new);
    };
    if (!in_turn || oil_first) advance_oil(extrapolated(s, oil), extrapolated(w, oil));
    advance_mechanism();
    if (in_turn && !oil_first) advance_oil(interpolated(s_new, s, oil), interpolated(w_new, w, oil));
    step(kLastLength, unit) = last_length;
    const std::array<double, 3> newest{s_new, w_new, F_new};
    for (int q = 0; q < 3; ++q) {
      step(q * kPoints, unit) = newest[q];
      for (int i = 1; i < kPoints; ++i) step(q * kPoints + i, unit) = x[q * kPoints + i - 1];
    }
  }
  return spectral_radius(step);
}

/// Longest stable communication step up to H; infinity where H is stable or its limit is unknown. `discrete_step`: as above.
double coupling_limit(const Description& description, const VirtualElement& e, double inverse_mass, double H, double discrete_step) {
  const CosimulationDescription& c = description.coupling;
  constexpr double kAny = std::numeric_limits<double>::infinity(), kGrowthTolerance = 1e-6, kShortest = 1e-6;
  const bool polynomials = (c.scheme == CouplingScheme::jacobi || c.scheme == CouplingScheme::gauss_seidel) &&
                           c.prediction == CouplingPrediction::polynomial && !c.acceleration;
  const double k = e.stiffness * inverse_mass, b = e.damping * inverse_mass;
  const auto unstable = [&](double step) {
    return coupling_growth(description, k * step * step, b * step, discrete_step / step) > 1 + kGrowthTolerance;
  };
  if (!polynomials || !(k > 0) || !unstable(H)) return kAny;
  double low = kShortest * H, high = H;
  if (unstable(low)) return kAny;
  while (high > low * (1 + kGrowthTolerance)) {
    const double middle = std::sqrt(low * high);
    (unstable(middle) ? high : low) = middle;
  }
  return low;
}

// ---------------------------------------------------------------- messages

class Warnings {
 public:
  Warnings(const CompiledModel& model, const StateVector& start)
      : model_(model), elements_(elements_of(model)), inverse_(inverse_masses(model, start, elements_)) {}

  std::vector<std::string> take() {
    for (std::size_t i = 0; i < elements_.size(); ++i)
      if (model_.description.solver.coupling == CouplingKind::cosimulation)
        look_at_coupling(i);
      else
        look_at_step(i);
    return std::move(list_);
  }

 private:
  using Limit = std::function<double(const VirtualElement&)>;

  /// `what`: the step, `by`: its owner, `other`: an alternative without limit; `limit`: longest stable step of an element.
  void compare(const Element& e, double step, const char* what, const std::string& by, const std::string& other, const Limit& limit) {
    const double longest = limit(e.element);
    if (!(step > longest)) return;
    const auto with_damping = [&](double factor) { return limit({e.element.stiffness, factor * e.element.damping}); };
    const char* damping = with_damping(2) > longest ? "a larger damping, " : with_damping(0.5) > longest ? "a smaller damping, " : "";
    list_.push_back(fmt::format(
        "{}: the {} of {:g} s is longer than {:.3g} s, above which {} is unstable with its stiffness ({:g} {}) and damping ({:g} {}) and "
        "the inertia at its port at the start; try a {} below {:.3g} s, a smaller stiffness, {}or {}",
        e.path, what, step, longest, by, e.element.stiffness, e.is_rotary ? "N m/rad" : "N/m", e.element.damping,
        e.is_rotary ? "N m s/rad" : "N s/m", what, longest, damping, other));
  }

  void look_at_step(std::size_t i) {
    const Element& e = elements_[i];
    const SolverDescription& solver = model_.description.solver;
    const std::size_t before = list_.size();
    if (!inverse_.empty())
      compare(e, solver.step, "step",
              fmt::format("{}, form: {},", integrator_words()[std::size_t(solver.integrator)], e.discrete ? "discrete" : "differential"),
              "solver.integrator: trapezoidal",
              [&](const VirtualElement& element) { return element.longest_stable_step(solver.integrator, e.discrete, inverse_[i]); });
    if (list_.size() == before) look_at_discrete_step(e, solver.step, "step");
  }

  /// Of elements in a step that is stable.
  void look_at_discrete_step(const Element& e, double step, const char* what) {
    const double longest = e.element.relaxation_time();
    if (!e.discrete || !(step > longest)) return;
    list_.push_back(
        fmt::format("{}: the {} of {:g} s is longer than damping / stiffness = {:.3g} s, and form: discrete adds step times "
                    "stiffness to the damping: more than the damping itself; try a step below {:.3g} s, a larger damping, a "
                    "smaller stiffness, or form: differential",
                    e.path, what, step, longest, longest));
  }

  void look_at_coupling(std::size_t i) {
    const Element& e = elements_[i];
    const CosimulationDescription& c = model_.description.coupling;
    const double H = grid_step(model_.description);
    SubsystemDescription own;
    std::string path = "coupling.hydraulics";  // of the settings of its oil
    for (const HydraulicGroup& group : hydraulic_groups(model_))
      if (group.settings != nullptr &&
          std::find(group.circuits.begin(), group.circuits.end(), model_.hydraulics.actuators[e.port].circuit) != group.circuits.end()) {
        own = *group.settings;
        path = "coupling.subsystems." + group.name;
      }
    const auto key = [&](bool is_own, const char* name) { return (is_own ? path : std::string("coupling.hydraulics")) + name; };
    const double oil_step = own.step.value_or(c.hydraulic_step);
    const std::size_t before = list_.size();
    if (!inverse_.empty()) {
      const auto limit = [&](const VirtualElement& element, double longest) {
        return coupling_limit(model_.description, element, inverse_[i], H, e.discrete ? longest : 0);
      };
      // lengths that are constant over several steps of the oil have no difference quotient
      const bool coarser = e.discrete && c.extrapolation == 0 && oil_step < H && std::isinf(limit(e.element, H));
      compare(e, H, "communication step", fmt::format("coupling.scheme: {}", coupling_scheme_words()[std::size_t(c.scheme)]),
              coarser ? fmt::format("{}: {:g} s", key(own.step.has_value(), ".step"), H) : "solver.coupling: monolithic",
              [&](const VirtualElement& element) { return limit(element, oil_step); });
    }
    // the default integrator is one that is stable
    if (const std::optional<IntegratorKind> integrator = own.integrator ? own.integrator : c.integrator)
      compare(e, std::min(H, oil_step), "step of the oil", integrator_words()[std::size_t(*integrator)],
              key(own.integrator.has_value(), ".integrator") + ": trapezoidal",
              [&](const VirtualElement& element) { return element.longest_stable_step(*integrator, e.discrete, 0); });
    if (list_.size() == before) look_at_discrete_step(e, H / steps_within(H, oil_step), "step of the oil");
  }

  const CompiledModel& model_;
  std::vector<Element> elements_;
  std::vector<double> inverse_;
  std::vector<std::string> list_;
};

/// Rigid limits beyond which the machine starts, and which accelerate it: a strike without an approach, whose energy grows as 1/step^2.
template <int D>
void add_limit_warnings(const CompiledModel& model, const Mechanism<D>& m, const StateVector& start, std::vector<std::string>& warnings) {
  constexpr double kThrown = 0.1;  // of the limit's force: more does not rest
  std::optional<MechanismState<D>> state;
  for (const JointPort& at : model.joint_ports) {
    const EndDamper& law = model.hydraulics.actuators[at.port].cylinder.damper;
    if (!law.rigid) continue;
    if (!state) update_positions(m, start.q(), static_cast<const double*>(nullptr), state.emplace(m));
    const LimitsDescription& limits = *elements_of(model.description, at.place)->limits;
    const double s = state->s[at.port], below = limits.minimum ? *limits.minimum - s : 0, above = limits.maximum ? s - *limits.maximum : 0,
                 depth = std::max(below, above), w = 2 * EndDamper::kDampingRatio * law.stiffness / law.damping;
    double acceleration = 0;
    const Port<D>& port = m.ports[at.port];
    for (int k = port.path.begin; k < port.path.end; ++k) acceleration += state->dofs[k].gradient * start.a()[m.paths[k].dof];
    if (!(depth > 0 && std::abs(acceleration) > kThrown * w * w * depth)) continue;
    warnings.push_back(fmt::format(
        "{}.{}: the start is {:.3g} {} beyond a rigid limit, which throws it back the faster the shorter the step; try a start within the "
        "limits",
        at.place.of_loop ? "loops" : "joints", at.place.joint, depth, at.place.name.kind == JointPartKind::angle ? "rad" : "m"));
  }
}

/// Equations of a loop closure in space.
int equations_in_space(LoopKind kind) {
  switch (kind) {
    case LoopKind::revolute:
    case LoopKind::prismatic:
      return 5;
    case LoopKind::cylindrical:
    case LoopKind::universal:
      return 4;
    case LoopKind::planar:
    case LoopKind::spherical:
      return 3;
    case LoopKind::point_on_line:
      return 2;
    case LoopKind::distance:
      break;
  }
  return 1;
}

/// Friction that follows the load of a joint in a loop which, as it moves in a plane, fewer equations close: those left out would share the
/// forces across the plane.
template <int D>
void add_load_warnings(const CompiledModel& model, const Mechanism<D>& m, std::vector<std::string>& warnings) {
  for (const JointPort& at : model.joint_ports) {
    const CoordinateElements* elements = elements_of(model.description, at.place);
    if (D == 2 || elements == nullptr || !elements->friction || !elements->friction->nominal_load) continue;
    const Range& path = m.ports[static_cast<std::size_t>(at.port)].path;
    const auto holds = [&](const ConstraintGroup<D>& g) {
      return std::any_of(m.paths.begin() + g.path.begin, m.paths.begin() + g.path.end,
                         [&](const PathDof& dof) { return dof.dof == m.paths[static_cast<std::size_t>(path.begin)].dof; });
    };
    for (const ConstraintInfo& info : model.constraints) {
      const LoopDescription* loop = info.path.starts_with("loops.") ? model.description.loops.find(info.name) : nullptr;
      if (loop == nullptr || info.rows.size() >= equations_in_space(loop->kind)) continue;
      const bool within = at.place.of_loop ? at.place.joint == info.name
                                           : std::any_of(m.constraints.begin(), m.constraints.end(), [&](const ConstraintGroup<D>& g) {
                                               return info.rows.begin <= g.rows.begin && g.rows.begin < info.rows.end && holds(g);
                                             });
      if (!within) continue;
      warnings.push_back(fmt::format(
          "{}.{}.friction.nominal_load: forces across the plane of the loop {} can be shared among its joints in many ways, and so can the "
          "friction; here the tree's joints carry all of them, with `solver.coordinates: cartesian` the closing joint does its part; try a "
          "friction without `nominal_load`",
          at.place.of_loop ? "loops" : "joints", at.place.joint, info.path));
      break;
    }
  }
}

/// Motions that follow an input, whose largest rate makes corners within steps: treatments other than `penalty` do not pass the impulses on
/// there (of signals over time: run/motion_impulses.h).
template <int D>
void add_motion_warnings(const CompiledModel& model, const Mechanism<D>& m, std::vector<std::string>& warnings) {
  if (model.description.solver.constraints == ConstraintKind::penalty) return;
  const SignalSet& signals = model.signals;
  const auto follows_input = [&](SignalIndex signal) {
    for (int i = 0; i < signals.inputs(); ++i)
      if (signals.depends_on(signal, signals.first_input() + i)) return true;
    return false;
  };
  for (const PrescribedMotion& motion : m.motions)
    if (!motion.follows_block() && follows_input(motion.signal))
      warnings.push_back(
          fmt::format("motions.{}: its rate jumps where the input begins to move and stops, by an impulse that `solver.constraints: {}` "
                      "does not pass on "
                      "to what moves freely, at any step; try `solver.constraints: penalty`",
                      motion.name, constraint_words()[static_cast<std::size_t>(model.description.solver.constraints)]));
}

}  // namespace

[[gnu::cold]] std::vector<std::string> element_step_warnings(const CompiledModel& model, const StateVector& start) {
  std::vector<std::string> warnings;
  if (!model.hydraulics.quasistatic.empty()) warnings = Warnings(model, start).take();
  std::visit(
      [&](const auto& m) {
        add_limit_warnings(model, m, start, warnings);
        add_load_warnings(model, m, warnings);
        add_motion_warnings(model, m, warnings);
      },
      model.mechanism);
  return warnings;
}

}  // namespace trunnion
