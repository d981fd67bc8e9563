// Static equilibrium: Newton's method downhill in the null space of the constraints.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/equilibrium.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/decompositions.h"
#include "machine/hydrostatic_groups.h"
#include "machine/start.h"
#include "model/cartesian.h"

namespace trunnion {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kUnit = 1e6;                // [Pa] pressures are in MPa
constexpr double kRedundantRow = 1e-9;       // of a normalised row: remainder of a redundant one
constexpr double kLeastInertia = 1e-9;       // of the largest: scale of coordinates without inertia
constexpr double kNoInertia = 1e-12;         // of a coordinate's inertia: added, so that directions without inertia have a stiffness
constexpr double kBalanced = 1e-9;           // of the loads: residual that counts as balanced
constexpr double kNeutral = 1e-10;           // of the largest stiffness: counts as zero
constexpr double kLargestViolation = 1e-11;  // [m, -] constraints after a step
constexpr double kSameStep = 1e-12;          // [rad, m] a step without effect
constexpr double kLargestStep = 0.5;         // [rad, m]
constexpr double kSettled = 1e-9;            // of the pressures: equal to those used for the balance
constexpr double kKick = 1e-2;               // [rad, m] perturbation away from a saddle
constexpr int kIterations = 500, kClosures = 30, kPressureSteps = 30, kKicks = 3;

/// Orthonormal bases of the row space of a matrix and of its orthogonal complement.
struct RangeNullSpace {
  Matrix range, null;
};
RangeNullSpace range_null_space(Matrix rows) {
  const Eigen::Index n = rows.cols();
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    if (const double norm = rows.row(i).norm(); norm > 0) rows.row(i) /= norm;
  if (rows.rows() == 0 || n == 0) return {Matrix(n, 0), Matrix::Identity(n, n)};
  const ColumnSpace space = column_space(rows.transpose(), kRedundantRow);
  const Eigen::Index rank = rows.isZero(0) ? 0 : space.rank;
  return {space.Q.leftCols(rank), space.Q.rightCols(n - rank)};
}

/// Minimum-norm least-squares solution.
Vector smallest(const Matrix& A, const Vector& b, double threshold = kRedundantRow) {
  if (A.rows() == 0 || A.cols() == 0 || A.isZero(0)) return Vector::Zero(A.cols());
  return smallest_solution(A, b, threshold);
}

double largest(const Vector& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0; }

Matrix hstack(const Matrix& A, const Matrix& B) {
  Matrix both(A.rows(), A.cols() + B.cols());
  both << A, B;
  return both;
}
Matrix vstack(const Matrix& A, const Matrix& B) {
  Matrix both(A.rows() + B.rows(), A.cols());
  both << A, B;
  return both;
}

const JointInfo& joint_of(const CompiledModel& model, int velocity) {
  return *std::find_if(model.joints.begin(), model.joints.end(),
                       [&](const JointInfo& j) { return velocity >= j.v && velocity < j.v + j.nv; });
}

/// All vectors per velocity are scaled by the square root of the coordinate's inertia at the start, w: x = theta w for increments, f / w
/// for loads; norms are then independent of the coordinates' units.
template <int D>
class StaticEquilibriumSolver {
 public:
  StaticEquilibriumSolver(const CompiledModel& model, double time)
      : model_(model),
        m_(std::get<Mechanism<D>>(model.mechanism)),
        netlist_(with_equations(model.hydraulics)),
        work_(inputs(model, time)),
        oil_(model, work_.hydraulics, StatesAt::rest),
        time_(time),
        nv_(m_.tree.nv),
        np_(oil_.unknowns()),
        q_(model.q_start),
        y_(static_cast<std::size_t>(model.layout.ny)),
        still_(static_cast<std::size_t>(std::max(nv_, static_cast<int>(netlist_.actuators.size()))), 0.0),
        r_(static_cast<std::size_t>(nv_)),
        w_(Vector::Ones(nv_)),
        unit_(Vector::Ones(np_)),
        decided_(np_, 0),
        locked_(np_, 0) {
    for (int i = 0; i < nv_; ++i)
      if (!model.start[i].locked) moving_.push_back(i);
  }

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
  // ---------------------------------------------------------------- evaluation

  static MachineState<D> inputs(const CompiledModel& model, double time) {
    MachineState<D> state(model);
    update_inputs(model, {model.signals, nullptr}, time, Side::right, state);
    return state;
  }
  MechanismState<D>& mech() { return work_.mechanism; }
  /// Elements of quasistatic circuits as differential equations: their discrete states belong to a step.
  static Hydraulics with_equations(Hydraulics hydraulics) {
    for (QuasistaticCircuit& q : hydraulics.quasistatic) q.discrete = false;
    return hydraulics;
  }
  void place(const std::vector<double>& q) { update_positions<D, double>(m_, q.data(), nullptr, mech()); }

  /// Loads -Q/w at the current configuration, without constraints, under pressures p; records their magnitude.
  Vector loads(const Vector& p, const std::vector<double>* q = nullptr) {
    const double* at = (q != nullptr ? *q : q_).data();
    update_rates<D, double>(m_, still_.data(), still_.data(), mech());
    inverse_dynamics<D, double>(m_, at, still_.data(), true, mech(), r_.data());
    Vector size(nv_);
    for (int k = 0; k < nv_; ++k) {
      const Motion<D>& b = mech().tree.dofs[k].b;
      const auto moved_mass = (mech().tree.nodes[m_.tree.dof_node[k]].I * b).linear;  // sum of m dr/dq
      size[k] = moved_mass.norm() * m_.tree.gravity.norm() + std::abs(r_[k] + moved_mass.dot(m_.tree.gravity));
    }
    const Vector pressure = kUnit * unit_.cwiseProduct(p);
    oil_.write(pressure.data(), y_.data());
    evaluate_forces(netlist_, mech().s.data(), still_.data(), y_.data(), work_.hydraulics);
    for (std::size_t i = 0; i < netlist_.actuators.size(); ++i) {
      const PortForces<>& port = work_.hydraulics.ports[i];
      work_.force[i] = port.force + port.friction;
      const Range& path = m_.ports[i].path;
      const Actuator& a = netlist_.actuators[i];
      if (a.A < 0) continue;
      const double parts =
          std::abs(work_.hydraulics.pressure[a.A]) * a.cylinder.area_A + std::abs(work_.hydraulics.pressure[a.B]) * a.cylinder.area_B;
      for (int k = path.begin; k < path.end; ++k) size[m_.paths[k].dof] += parts * std::abs(mech().dofs[k].gradient);
    }
    add_port_forces(m_, work_.force.data(), mech(), r_.data());
    load_ = std::max(load_, largest(size));
    scaled_load_ = std::max(scaled_load_, largest(size.cwiseQuotient(w_)));
    return Eigen::Map<const Vector>(r_.data(), nv_).cwiseQuotient(w_);
  }

  /// Phi_q, columns per scaled increment.
  Matrix jacobian() {
    Matrix J = Matrix::Zero(m_.rows, nv_);
    for (const ConstraintGroup<D>& g : m_.constraints)
      for (int row = 0; row < g.rows.size(); ++row)
        for (int k = 0; k < g.path.size(); ++k) {
          const int dof = m_.paths[g.path.begin + k].dof;
          J(g.rows.begin + row, dof) += mech().jacobian[g.jacobian + row * g.path.size() + k] / w_[dof];
        }
    return J;
  }

  /// Loads of unit pressures per group, d(sum F s_k)/dp, from a list of pistons.
  Matrix pressure_loads(const std::vector<HydrostaticGroups::Piston>& pistons, int groups) {
    Matrix A = Matrix::Zero(nv_, groups);
    for (const HydrostaticGroups::Piston& piston : pistons) {
      const Range& path = m_.ports[piston.port].path;
      for (int k = path.begin; k < path.end; ++k)
        A(m_.paths[k].dof, piston.group) += piston.area * mech().dofs[k].gradient / w_[m_.paths[k].dof];
    }
    return A;
  }
  Matrix pressure_loads() { return kUnit * pressure_loads(oil_.pistons(), np_) * unit_.asDiagonal(); }

  /// Displaced volumes of the unknown groups, in the units of pressure_loads.
  Vector volumes() {
    Vector V = Vector::Zero(np_);
    for (const HydrostaticGroups::Piston& piston : oil_.pistons()) V[piston.group] += kUnit * piston.area * mech().s[piston.port];
    return V.cwiseProduct(unit_);
  }

  /// After loads(): K, rows and columns scaled.
  Matrix stiffness(const Vector& multipliers) {
    RowMajor T = RowMajor::Zero(nv_, nv_);
    DenseEntries entries{T.data(), nv_};
    const IncrementFactors rest;
    inverse_dynamics_tangent(m_, rest, mech(), entries);
    for (std::size_t i = 0; i < netlist_.actuators.size(); ++i)
      add_port_force_tangent(m_, m_.ports[i], mech().ports[i], mech().dofs.data() + m_.ports[i].path.begin, work_.force[i],
                             work_.hydraulics.force_s[i], 0, rest, mech().tree, entries);
    add_constraint_curvature(m_, multipliers.data(), mech(), entries);
    const Vector scale = w_.cwiseInverse();
    return scale.asDiagonal() * T * scale.asDiagonal();
  }

  Matrix columns(const Matrix& A) const {
    Matrix part(A.rows(), moving_.size());
    for (std::size_t i = 0; i < moving_.size(); ++i) part.col(static_cast<Eigen::Index>(i)) = A.col(moving_[i]);
    return part;
  }
  Vector entries(const Vector& x) const {
    Vector part(moving_.size());
    for (std::size_t i = 0; i < moving_.size(); ++i) part[static_cast<Eigen::Index>(i)] = x[moving_[i]];
    return part;
  }
  /// q (+) x / w for increments x of the moving coordinates.
  std::vector<double> moved(const std::vector<double>& q, const Vector& x) const {
    std::vector<double> theta(static_cast<std::size_t>(nv_), 0.0), next(q.size());
    for (std::size_t i = 0; i < moving_.size(); ++i) theta[moving_[i]] = x[static_cast<Eigen::Index>(i)] / w_[moving_[i]];
    advance_configuration<D, double>(m_.tree, q.data(), theta.data(), next.data());
    return next;
  }
  double size_of(const Vector& x) const {
    double size = 0;
    for (std::size_t i = 0; i < moving_.size(); ++i) size = std::max(size, std::abs(x[static_cast<Eigen::Index>(i)]) / w_[moving_[i]]);
    return size;
  }

  void set_scales() {
    RowMajor M = inertia();
    const double most = nv_ > 0 ? std::max(M.diagonal().maxCoeff(), 1e-12) : 1;
    for (int i = 0; i < nv_; ++i) w_[i] = std::sqrt(std::max(M(i, i), kLeastInertia * most));
    scaled_load_ = 0;
    loads(Vector::Zero(np_));
    const Matrix A = pressure_loads();
    for (int g = 0; g < np_; ++g)
      if (const double norm = A.col(g).norm(); norm > 0) unit_[g] = 1 / norm;
    volumes_start_ = volumes();
  }
  /// After loads().
  RowMajor inertia() {
    RowMajor M = RowMajor::Zero(nv_, nv_);
    DenseEntries entries{M.data(), nv_};
    mass_matrix(m_.tree, mech().tree, entries);
    return M;
  }

  // ---------------------------------------------------------------- constraints on positions

  /// Phi_q and the locked volumes' gradients, moving columns.
  Matrix position_rows() { return columns(vstack(jacobian(), locked_.transpose() * pressure_loads().transpose())); }
  Vector position_errors() {
    Vector c(m_.rows + locked_.cols());
    c << Eigen::Map<const Vector>(mech().Phi.data(), m_.rows), locked_.transpose() * (volumes() - volumes_start_);
    return c;
  }

  /// Projects q onto the constraints by minimum-norm steps.
  bool close(std::vector<double>& q) {
    for (int i = 0; i < kClosures; ++i) {
      place(q);
      const Vector c = position_errors();
      if (!c.allFinite()) return false;
      const Vector x = smallest(position_rows(), -c);
      const double size = size_of(x);
      if (!(size < 2 * kLargestStep)) return false;
      if (size > 0) q = moved(q, x);
      if (size < 1e-13 || (i > 3 && size < kSameStep)) break;
    }
    place(q);
    return largest(position_errors()) < kLargestViolation;
  }

  /// Combinations of unknown pressures that no locked coordinate determines: their oil is trapped. Reports those that equilibrium never
  /// determines.
  void choose_locked() {
    const Matrix Z = range_null_space(jacobian()).null, B = Z.transpose() * pressure_loads();
    const RangeNullSpace determined = np_ > 0 ? column_range_null_space(B) : RangeNullSpace{Matrix(0, 0), Matrix(0, 0)};
    std::vector<std::vector<double>> open;
    for (Eigen::Index i = 0; i < determined.null.cols(); ++i) {
      const Vector combination = determined.null.col(i);
      open.emplace_back(combination.begin(), combination.end());
    }
    oil_.report_open(open);
    Matrix locked(nv_ - static_cast<Eigen::Index>(moving_.size()), nv_);
    locked.setZero();
    for (int i = 0, row = 0; i < nv_; ++i)
      if (model_.start[i].locked) locked(row++, i) = 1;
    const Matrix Y = hold_directions(locked * Z);
    const RangeNullSpace decided = np_ > 0 ? column_range_null_space(Y.transpose() * B) : RangeNullSpace{Matrix(0, 0), Matrix(0, 0)};
    decided_ = decided.range;
    locked_ = decided.null;
  }
  /// Row space without scaling up small rows: a locked coordinate that the loops also fix has a row of rounding.
  static Matrix hold_directions(const Matrix& rows) {
    if (rows.rows() == 0 || rows.cols() == 0) return Matrix(rows.cols(), 0);
    const RightSingular svd = right_singular(rows);
    return svd.V.leftCols((svd.values.array() > kRedundantRow).count());
  }
  /// Combinations of columns with and without effect. Columns have a norm of at most 1.
  static RangeNullSpace column_range_null_space(const Matrix& B) {
    const Eigen::Index n = B.cols();
    if (B.rows() == 0) return {Matrix(n, 0), Matrix::Identity(n, n)};
    const RightSingular svd = right_singular(B);
    const Eigen::Index rank = (svd.values.array() > kRedundantRow).count();
    return {svd.V.leftCols(rank), svd.V.rightCols(n - rank)};
  }

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

  void find_rest() {
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
                                      joint_of(model_, velocity).name));
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
                            "start nearer to equilibrium, or release locked coordinates");
    }
    throw InputError(std::move(findings));
  }
  /// What could be released: the coordinate, or a given pressure of a cylinder that moves it.
  std::string release(int velocity) const {
    std::string text = fmt::format("release it (--set joints.{}.hold=false)", joint_of(model_, velocity).name);
    for (int i = 0; i < netlist_.pistons; ++i) {
      const Range& path = m_.ports[i].path;
      if (std::none_of(m_.paths.begin() + path.begin, m_.paths.begin() + path.end, [&](const PathDof& k) { return k.dof == velocity; }))
        continue;
      for (int node : {netlist_.actuators[i].A, netlist_.actuators[i].B})
        if (netlist_.nodes[node].state >= 0 && !oil_.marked(node))
          return text + fmt::format(", or a pressure that moves it (--set volumes.{}.pressure=equilibrium)", netlist_.nodes[node].name);
    }
    return text;
  }

  const CompiledModel& model_;
  const Mechanism<D>& m_;
  const Hydraulics netlist_;
  MachineState<D> work_;
  const HydrostaticGroups oil_;
  const double time_;
  const int nv_, np_;
  std::vector<int> moving_;  // velocities that are not locked
  std::vector<double> q_, y_;
  std::vector<double> still_, r_;
  Vector w_;     // per velocity: scale
  Vector unit_;  // per unknown pressure: its unit [MPa], so that its loads have norm 1 at the start
  Vector volumes_start_;
  Matrix decided_, locked_;  // combinations of unknown pressures: determined by locked coordinates, reactions of trapped oil
  Vector p_;                 // unknown pressures [units]
  Balance balance_;
  double load_ = 0, scaled_load_ = 0;  // maximum during the search
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

Equilibrium solve_equilibrium(const CompiledModel& model, double time) {
  if (model.relative) return solve_equilibrium(*model.relative, time);
  return model.planar ? StaticEquilibriumSolver<2>(model, time).solve() : StaticEquilibriumSolver<3>(model, time).solve();
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
    set_velocities<2>(model, state);
  else
    set_velocities<3>(model, state);
  make_consistent(model, state);
  return state;
}

std::string coordinate_name(const CompiledModel& model, int velocity) {
  const JointInfo& joint = joint_of(model, velocity);
  for (const JointPart& part : joint.parts)
    if (part.v == velocity && part.joint != NodeJoint::spherical) return joint.name + "." + part.position;
  return model.velocity_names[static_cast<std::size_t>(velocity)];
}

}  // namespace trunnion
