// Static equilibrium: Newton's method downhill in the null space of the constraints.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/equilibrium.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/decompositions.h"
#include "machine/equilibrium_loads.h"
#include "machine/friction_load.h"
#include "machine/start.h"
#include "model/cartesian.h"

namespace trunnion {

namespace rest {

namespace {

constexpr double kNoInertia = 1e-12;  // of a coordinate's inertia: added, so that directions without inertia have a stiffness
constexpr double kBalanced = 1e-9;    // of the loads: residual that counts as balanced
constexpr double kNeutral = 1e-10;    // of the largest stiffness: counts as zero
constexpr double kSettled = 1e-9;     // of the pressures: equal to those used for the balance
constexpr double kKick = 1e-2;        // [rad, m] perturbation away from a saddle
constexpr int kIterations = 500, kPressureSteps = 30, kKicks = 3;

const JointInfo& joint_of(const CompiledModel& model, int velocity) {
  return *std::find_if(model.joints.begin(), model.joints.end(),
                       [&](const JointInfo& j) { return velocity >= j.v && velocity < j.v + j.nv; });
}

template <int D>
class StaticEquilibriumSolver : private StaticLoads<D> {
 public:
  StaticEquilibriumSolver(const CompiledModel& model, double time) : StaticLoads<D>(model, time), time_(time) {}

  Equilibrium solve() {
    oil_.check_rest(true);
    place(q_);
    loads(Vector::Zero(np_));
    set_scales();
    if (!close(q_)) report_open_loops();
    place(q_);
    choose_locked();
    balance_pressures();
    find_rest();
    place(q_);
    check_stroke("the equilibrium lies at");
    return result();
  }

 private:
  using Base = StaticLoads<D>;
  using Base::close, Base::choose_locked, Base::columns, Base::decided_, Base::entries, Base::inertia, Base::jacobian, Base::load_,
      Base::loads, Base::locked_, Base::m_, Base::mech, Base::model_, Base::moved, Base::moving_, Base::netlist_, Base::np_, Base::nv_,
      Base::oil_, Base::place, Base::position_rows, Base::pressure_loads, Base::q_, Base::scaled_load_, Base::set_scales, Base::size_of,
      Base::stiffness, Base::still_, Base::unit_, Base::w_, Base::work_, Base::y_;

  // ---------------------------------------------------------------- equilibrium at given pressures

  /// The moving coordinates at a configuration: forces apart from the constraints' reactions.
  struct ReducedForces {
    Matrix Z;      // directions of motion
    Vector force;  // r of the moving coordinates, without reactions
    Vector multipliers, pressures;
  };
  ReducedForces reduced_forces(const std::vector<double>& q, const Vector& given) {
    place(q);
    const Vector r = entries(loads(given, &q));
    const Matrix C = position_rows();
    ReducedForces s;
    s.Z = range_null_space(C).null;
    s.force = s.Z * (s.Z.transpose() * r);
    const Vector mu = smallest(C.transpose(), -r);
    s.multipliers = mu.head(m_.rows);
    s.pressures = given - locked_ * mu.tail(locked_.cols());
    return s;
  }

  struct StiffnessModes {
    Vector kappa;    // ascending
    Matrix V;        // directions, moving coordinates
    double neutral;  // stiffness that counts as zero
  };
  /// At the configuration evaluated last.
  StiffnessModes stiffness_modes(const ReducedForces& s, const std::vector<double>& q) {
    loads(s.pressures, &q);
    const Matrix full = stiffness(s.multipliers);
    Matrix K(moving_.size(), moving_.size());
    for (std::size_t i = 0; i < moving_.size(); ++i)
      for (std::size_t j = 0; j < moving_.size(); ++j)
        K(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = full(moving_[i], moving_[j]);
    const Matrix reduced = s.Z.transpose() * K * s.Z;
    if (reduced.rows() == 0) return {Vector(0), s.Z, 0};
    const SymmetricEigen eigen = symmetric_eigen((reduced + reduced.transpose()) / 2);
    return {eigen.values, s.Z * eigen.vectors, kNeutral * K.cwiseAbs().maxCoeff()};
  }

  /// Newton's step, downhill whatever the sign of the stiffness; limited in soft directions by the force along them.
  Vector downhill(const ReducedForces& s, const StiffnessModes& k) const {
    Vector x = Vector::Zero(s.force.size());
    for (Eigen::Index i = 0; i < k.kappa.size(); ++i) {
      const double g = k.V.col(i).dot(s.force), kappa = std::abs(k.kappa[i]);
      if (kappa <= k.neutral && std::abs(g) <= kBalanced * scaled_load_) continue;  // neutral, and unloaded
      x -= k.V.col(i) * (g / std::max(kappa, s.force.norm() * size_of(k.V.col(i)) / kLargestStep));
    }
    const double size = size_of(x);
    return size > kLargestStep ? Vector(x * (kLargestStep / size)) : x;
  }

  /// Shortens a step until the forces' work along it is positive and they do not exceed their start value in reverse; leaves q there.
  bool step_down(const Vector& given, const ReducedForces& s, Vector x) {
    const double slope = s.force.dot(x);
    const bool near = largest(s.force) < 1e-7 * scaled_load_;  // differences of slopes are rounding there
    for (int halvings = 0; halvings < 50; ++halvings, x /= 2) {
      std::vector<double> end = moved(q_, x);
      if (!close(end)) continue;
      if (near) {
        q_ = end;
        return true;
      }
      const double slope_end = reduced_forces(end, given).force.dot(x);
      if (!(slope_end < -0.9 * slope)) continue;
      std::vector<double> middle = moved(q_, x / 2);
      if (!close(middle) || !(slope + 4 * reduced_forces(middle, given).force.dot(x) + slope_end < 0)) continue;
      q_ = end;
      return true;
    }
    return false;
  }

  /// Moves q to equilibrium under given pressures; returns those with the trapped oil's.
  Vector settle(const Vector& given) {
    double before = std::numeric_limits<double>::infinity();
    int kicks = 0;
    bool has_moved = false;
    for (int i = 0; i < kIterations; ++i, ++iterations_) {
      const ReducedForces s = reduced_forces(q_, given);
      if (s.Z.cols() == 0) return s.pressures;
      const StiffnessModes k = stiffness_modes(s, q_);
      const double force = largest(s.force);
      const bool balanced = force <= kBalanced * scaled_load_, unstable = k.kappa[0] < -k.neutral;
      if (balanced && unstable) {
        if (!has_moved || kicks == kKicks) return s.pressures;
        ++kicks;  // a saddle: leave it along the steepest descent
        Vector x = k.V.col(0);
        Eigen::Index at = 0;
        x.cwiseAbs().maxCoeff(&at);
        x *= (x[at] < 0 ? -kKick : kKick) / size_of(x);
        std::vector<double> off = moved(q_, x);
        if (!close(off)) return s.pressures;
        q_ = off;
        before = std::numeric_limits<double>::infinity();
        continue;
      }
      if (balanced && force > before / 2) return s.pressures;  // only rounding is left
      before = force;
      const Vector x = downhill(s, k);
      if (balanced && size_of(x) < kSameStep) return s.pressures;
      if (!step_down(given, s, x)) report_no_rest(s, i + 1);
      place(q_);
      check_stroke("the search for equilibrium passes through");
      has_moved = has_moved || size_of(x) > 1e-6;
    }
    report_no_rest(reduced_forces(q_, given), kIterations);
  }

  // ---------------------------------------------------------------- pressures determined by locked coordinates

  struct Balance {
    Vector multipliers, pressures;  // of the best balance at this configuration
    Vector residual;                // remaining, all coordinates
  };
  Balance best_balance() {
    place(q_);
    const Vector r = loads(Vector::Zero(np_));
    const Matrix A = hstack(jacobian().transpose(), -pressure_loads());
    const Vector x = smallest(A, -r);
    Balance b{x.head(m_.rows), x.tail(np_), {}};
    place(q_);
    b.residual = loads(b.pressures) + jacobian().transpose() * b.multipliers;
    return b;
  }
  void balance_pressures() { p_ = best_balance().pressures; }

  /// Newton's step of the whole system for the pressures.
  Vector pressure_step(const Vector& p) {
    const ReducedForces s = reduced_forces(q_, p);
    const Vector r = loads(p);
    const Vector lambda = smallest(jacobian().transpose(), -r);
    const Matrix K = columns(stiffness(lambda)), rows = position_rows(), J = jacobian(), A = pressure_loads();
    const double size = std::max(1e-300, K.size() > 0 ? K.cwiseAbs().maxCoeff() : 1);
    Matrix T = Matrix::Zero(nv_ + rows.rows(), K.cols() + m_.rows + np_);
    T.topRows(nv_) << K / size, J.transpose(), -A;
    T.bottomLeftCorner(rows.rows(), K.cols()) = rows;
    Vector right = Vector::Zero(T.rows());
    right.head(nv_) = -(r + J.transpose() * lambda);
    return smallest(T, right, 1e-13).tail(np_);
  }

  [[gnu::cold]] void find_rest() {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0;; ++i) {
      p_ = settle(decided_ * (decided_.transpose() * p_));
      const Balance b = best_balance();
      const double left = largest(b.residual);
      const bool settled = decided_.cols() == 0 || largest(Vector(b.pressures - p_)) <= kSettled * std::max(1.0, largest(b.pressures));
      if (left <= kBalanced * scaled_load_ && settled) {
        balance_ = b;
        p_ = b.pressures;
        return;
      }
      const Vector step = pressure_step(p_);
      const bool stuck = left > 0.5 * best && left > kBalanced * scaled_load_ && i > 3;
      best = std::min(best, left);
      if (decided_.cols() == 0 || stuck || i == kPressureSteps || !step.allFinite()) report_unbalanced(b);
      p_ += step;
    }
  }

  // ---------------------------------------------------------------- result

  /// At the current configuration.
  void check_stroke(const char* what) {
    for (int i = 0; i < netlist_.pistons; ++i) {
      const Cylinder& c = netlist_.actuators[i].cylinder;
      const double A = c.chamber_A(mech().s[i]), B = c.chamber_B(mech().s[i]);
      if (c.holds(mech().s[i])) continue;
      const bool rotary = netlist_.actuators[i].is_rotary;
      throw SimulationError(
          time_, netlist_.actuators[i].name + (rotary ? ".angle" : ".length"),
          fmt::format("{0} {1} of {2:.6g} {3}, {4:.6g} {3} beyond the end of chamber {5}: the piston would leave its cylinder", what,
                      rotary ? "an angle" : "a length", mech().s[i], rotary ? "rad" : "m", -std::min(A, B), A > 0 ? "B" : "A"),
          "pressures that balance the loads within the stroke, an end damper (end_damper), or mark a pressure of the "
          "cylinder `equilibrium`, which keeps its length");
    }
  }

  Equilibrium result() {
    Equilibrium e;
    e.state = StateVector(model_.layout);
    e.state.time = time_;
    place(q_);
    loads(p_);
    const Vector pressure = kUnit * unit_.cwiseProduct(p_);
    oil_.write(pressure.data(), y_.data());
    oil_.complete(y_.data(), HydrostaticGroups::Undecided::refused);
    oil_.check_pressures(y_.data(), true);
    for (std::size_t i = 0; i < netlist_.quasistatic.size(); ++i)
      set_discrete_states(model_.hydraulics.quasistatic[i], work_.hydraulics.quasistatic[i], mech().s.data(), y_.data());
    std::copy(q_.begin(), q_.end(), e.state.q());
    std::copy(y_.begin(), y_.end(), e.state.y());
    std::copy(balance_.multipliers.begin(), balance_.multipliers.end(), e.state.multipliers());
    e.movement.resize(static_cast<std::size_t>(nv_));
    configuration_difference(m_.tree, model_.q_start.data(), q_.data(), e.movement.data());
    for (const TreeNode<D>& node : m_.tree.nodes)  // rotations count by their angle
      if (node.dofs == 1 && nv_ > 0 && &node != m_.tree.nodes.data()) e.movement[node.v] = q_[node.q] - model_.q_start[node.q];
    e.iterations = iterations_;
    e.load = load_;
    for (int k = 0; k < nv_; ++k)
      if (const double left = std::abs(balance_.residual[k] * w_[k]); e.residual_at < 0 || left > e.residual) {
        e.residual = left;
        e.residual_at = k;
      }
    for (double value : mech().Phi) e.violation = std::max(e.violation, std::abs(value));
    set_stability(e);
    return e;
  }

  void set_stability(Equilibrium& e) {
    Matrix K = stiffness(balance_.multipliers);
    const Matrix Z = range_null_space(jacobian()).null;
    const RowMajor inertias = inertia();
    // trapped oil: dp = -dV / C
    std::vector<double> ydot(y_.size());
    evaluate_rates(netlist_, mech().s.data(), still_.data(), y_.data(), ydot.data(), work_.hydraulics);
    const std::vector<double> C = oil_.closed_capacity(work_.hydraulics.capacity);
    const Matrix A = pressure_loads(oil_.closed_pistons(), static_cast<int>(C.size()));
    for (std::size_t g = 0; g < C.size(); ++g) {
      const Vector a = A.col(static_cast<Eigen::Index>(g));
      K += a * a.transpose() / C[g];
    }
    if (Z.cols() == 0) return;
    const Vector scale = w_.cwiseInverse();
    const Matrix M = scale.asDiagonal() * inertias * scale.asDiagonal();
    const Matrix Kz = Z.transpose() * K * Z, Mz = Z.transpose() * M * Z + kNoInertia * Matrix::Identity(Z.cols(), Z.cols());
    const SymmetricEigen eigen = symmetric_eigen((Kz + Kz.transpose()) / 2, (Mz + Mz.transpose()) / 2);
    for (Eigen::Index i = 0; i < eigen.values.size(); ++i) {
      const Vector x = Z * eigen.vectors.col(i);
      const double value = eigen.values[i], none = kNeutral * K.cwiseAbs().maxCoeff() * x.squaredNorm();
      e.modes.push_back({std::abs(value) <= none ? 0 : value, leading(x)});
    }
    const double softest = e.modes.front().stiffness;
    const bool neutral = std::any_of(e.modes.begin(), e.modes.end(), [](const RestMode& mode) { return mode.stiffness == 0; });
    e.stability = softest < 0 ? Stability::unstable : neutral ? Stability::neutral : Stability::stable;
  }
  /// Coordinates with at least a third of the maximum share.
  std::vector<int> leading(const Vector& x) const {
    std::vector<int> list(static_cast<std::size_t>(nv_));
    std::iota(list.begin(), list.end(), 0);
    std::stable_sort(list.begin(), list.end(), [&](int i, int j) { return std::abs(x[i]) > std::abs(x[j]); });
    list.erase(std::find_if(list.begin(), list.end(), [&](int i) { return std::abs(x[i]) < std::abs(x[list.front()]) / 3; }), list.end());
    return list;
  }

  // ---------------------------------------------------------------- error messages

  [[noreturn]] void report_open_loops() {
    std::vector<Diagnostic> findings;
    for (const ConstraintInfo& info : model_.constraints) {
      double worst = 0;
      for (int i = info.rows.begin; i < info.rows.end; ++i) worst = std::max(worst, std::abs(mech().Phi[i]));
      if (worst > kLargestViolation)
        findings.push_back({span_of(model_.description, info.path), info.path,
                            fmt::format("cannot be kept at t = {:g} s: {:.6g} m (or 1) remain", time_, worst),
                            "a configuration within reach of the locked coordinates", "release a locked coordinate, or use another time"});
    }
    throw InputError(std::move(findings));
  }

  [[noreturn]] void report_no_rest(const ReducedForces& s, int iterations) {
    Eigen::Index at = 0;
    Vector load(s.force.size());
    for (std::size_t i = 0; i < moving_.size(); ++i)
      load[static_cast<Eigen::Index>(i)] = s.force[static_cast<Eigen::Index>(i)] * w_[moving_[i]];
    load.cwiseAbs().maxCoeff(&at);
    const int velocity = moving_[static_cast<std::size_t>(at)];
    throw SimulationError(time_, coordinate_name(model_, velocity),
                          fmt::format("no equilibrium was found in {} steps: it is unbalanced by {:.6g} N or N m", iterations, -load[at]),
                          fmt::format("lock the coordinate (--set joints.{}.hold=true), mark a pressure of its cylinder `equilibrium`, add "
                                      "springs or end dampers that stop it, or start nearer to equilibrium",
                                      joint_of(model_, velocity).name) +
                              remark_on_blocks());
  }

  /// Missing loads at locked coordinates.
  [[noreturn]] void report_unbalanced(const Balance& b) {
    place(q_);
    const Matrix reach = range_null_space(hstack(jacobian().transpose(), -pressure_loads()).transpose()).range;
    std::vector<int> locked;
    for (int i = 0; i < nv_; ++i)
      if (model_.start[i].locked) locked.push_back(i);
    Matrix E(nv_, locked.size());
    for (std::size_t i = 0; i < locked.size(); ++i)
      E.col(static_cast<Eigen::Index>(i)) = Vector::Unit(nv_, locked[i]) - reach * reach.row(locked[i]).transpose();
    const Vector missing = smallest(E, b.residual);
    std::vector<Diagnostic> findings;
    for (std::size_t i = 0; i < locked.size(); ++i) {
      const double load = missing[static_cast<Eigen::Index>(i)];
      if (std::abs(load) <= kBalanced * scaled_load_ || std::abs(load) < 1e-3 * largest(missing)) continue;
      const std::string path = "joints." + joint_of(model_, locked[i]).name + ".hold";
      findings.push_back({span_of(model_.description, path), path,
                          fmt::format("the coordinate {} is locked in a position that is unbalanced by {:.6g} N or N m",
                                      coordinate_name(model_, locked[i]), load * w_[locked[i]]),
                          "a locked position in which pressures, springs and loads balance", release(locked[i])});
    }
    if (findings.empty()) {
      Eigen::Index at = 0;
      b.residual.cwiseAbs().maxCoeff(&at);
      throw SimulationError(time_, coordinate_name(model_, static_cast<int>(at)),
                            fmt::format("no pressures were found that balance it: unbalanced by {:.6g} N or N m", b.residual[at] * w_[at]),
                            "start nearer to equilibrium, or release locked coordinates" + remark_on_blocks());
    }
    throw InputError(std::move(findings));
  }
  std::string remark_on_blocks() const {
    return netlist_.control.empty() ? "" : "; control blocks are held at their starting values (`trunnion steady` solves for them)";
  }
  /// What could be released: the coordinate, or a given pressure of a cylinder that moves it.
  std::string release(int velocity) const {
    std::string text = fmt::format("release it (--set joints.{}.hold=false)", joint_of(model_, velocity).name), remark = remark_on_blocks();
    for (int i = 0; i < netlist_.pistons; ++i) {
      const Range& path = m_.ports[i].path;
      if (std::none_of(m_.paths.begin() + path.begin, m_.paths.begin() + path.end, [&](const PathDof& k) { return k.dof == velocity; }))
        continue;
      for (int node : {netlist_.actuators[i].A, netlist_.actuators[i].B})
        if (netlist_.nodes[node].state >= 0 && !oil_.marked(node))
          return text + fmt::format(", or a pressure that moves it (--set volumes.{}.pressure=equilibrium)", netlist_.nodes[node].name) +
                 remark;
    }
    return text + remark;
  }

  const double time_;
  Vector p_;  // unknown pressures [units]
  Balance balance_;
  int iterations_ = 0;
};

/// Initial velocities of prescribed motions: minimum norm, weighted by inertia.
template <int D>
void set_velocities(const CompiledModel& model, StateVector& state) {
  const auto& m = std::get<Mechanism<D>>(model.mechanism);
  MachineState<D> work(model);
  update_inputs(model, signals_at(model, state), state.time, Side::right, work);
  update_positions<D, double>(m, state.q(), nullptr, work.mechanism);
  constraint_rates(m, state.v(), work.mechanism);
  const Vector Phi_t = Eigen::Map<const Vector>(work.mechanism.Phi_dot.data(), m.rows);
  if (largest(Phi_t) == 0) return;
  std::vector<double> r(static_cast<std::size_t>(m.tree.nv));
  update_rates(m, state.v(), state.a(), work.mechanism);
  inverse_dynamics(m, state.q(), state.v(), true, work.mechanism, r.data());
  RowMajor M = RowMajor::Zero(m.tree.nv, m.tree.nv);
  DenseEntries entries{M.data(), m.tree.nv};
  mass_matrix(m.tree, work.mechanism.tree, entries);
  const Vector scale = M.diagonal().cwiseMax(kLeastInertia * std::max(M.diagonal().maxCoeff(), 1e-12)).cwiseSqrt().cwiseInverse();
  Matrix J = Matrix::Zero(m.rows, m.tree.nv);
  for (const ConstraintGroup<D>& g : m.constraints)
    for (int row = 0; row < g.rows.size(); ++row)
      for (int k = 0; k < g.path.size(); ++k)
        J(g.rows.begin + row, m.paths[g.path.begin + k].dof) += work.mechanism.jacobian[g.jacobian + row * g.path.size() + k];
  const Vector v = scale.cwiseProduct(smallest(J * scale.asDiagonal(), -Phi_t));
  std::copy(v.begin(), v.end(), state.v());
}

}  // namespace

}  // namespace rest

[[gnu::cold]] Equilibrium solve_equilibrium(const CompiledModel& model, double time) {
  if (model.relative) return solve_equilibrium(*model.relative, time);
  Equilibrium found =
      model.planar ? rest::StaticEquilibriumSolver<2>(model, time).solve() : rest::StaticEquilibriumSolver<3>(model, time).solve();
  if (FrictionLoads loads(model); loads.any()) loads.renew(found.state, Side::right);
  return found;
}

StateVector equilibrium_state(const CompiledModel& model) {
  if (model.relative) {
    const StateVector rest = equilibrium_state(*model.relative);
    StateVector state(model.layout);
    state.time = rest.time;
    set_cartesian(model, rest.q(), rest.v(), state.q(), state.v());
    std::copy_n(rest.y(), model.layout.ny, state.y());
    make_consistent(model, state);
    return state;
  }
  StateVector state = solve_equilibrium(model).state;
  if (model.planar)
    rest::set_velocities<2>(model, state);
  else
    rest::set_velocities<3>(model, state);
  make_consistent(model, state);
  return state;
}

std::string coordinate_name(const CompiledModel& model, int velocity) {
  const JointInfo& joint = rest::joint_of(model, velocity);
  for (const JointPart& part : joint.parts)
    if (part.v == velocity && part.joint != NodeJoint::spherical) return joint.name + "." + part.position;
  return model.velocity_names[static_cast<std::size_t>(velocity)];
}

}  // namespace trunnion
