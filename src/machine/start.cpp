// The start of a run: start pressures and consistent accelerations.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/start.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/decompositions.h"
#include "hydraulics/quasistatic/command_error.h"
#include "machine/hydrostatic_groups.h"

namespace trunnion {

namespace {

constexpr double kUnit = 1e6;             // [Pa] pressure change used to measure its effect
constexpr double kNoEffect = 1e-9;        // of the acceleration of free coordinates: a pressure without effect
constexpr double kCancelled = 1e-12;      // of the sum of forces that cancel
constexpr double kZeroEigenvalue = 1e-8;  // eigenvalue of the scaled system of a combination without effect
constexpr double kLeastGuess = 1e5;       // [Pa]
constexpr double kSlight = 1e-8;          // of the pressures: a correction that leaves only rounding
constexpr int kRefinements = 5;

template <int D>
class Start {
 public:
  explicit Start(const CompiledModel& model)
      : model_(model), m_(std::get<Mechanism<D>>(model.mechanism)), work_(model), rates_(model), rest_(model.layout) {}

  void consistent(StateVector& state) {
    if (!solve(state) || turns_freely())
      throw SimulationError(state.time, "accelerations at the start", "the mass matrix is singular on the constraints",
                            "give every body that turns an inertia about that axis");
  }

  std::vector<double> states() {
    if (std::none_of(model_.y_start.begin(), model_.y_start.end(), [](double y) { return std::isnan(y); })) return model_.y_start;
    update_inputs(model_, {model_.signals, nullptr}, 0, Side::right, work_);
    const HydrostaticGroups oil(model_, work_.hydraulics, StatesAt::start);
    oil.check_rest(false);
    std::copy(model_.q_start.begin(), model_.q_start.end(), rest_.q());
    std::vector<double> y(model_.y_start.size());
    const std::vector<double> p = pressures(oil, true);
    oil.write(p.data(), y.data());
    oil.complete(y.data(), HydrostaticGroups::Undecided::refused);
    oil.check_pressures(y.data(), false);
    return y;
  }

  StateVector near_rest(double time) {
    update_inputs(model_, {model_.signals, nullptr}, time, Side::right, work_);
    const HydrostaticGroups oil(model_, work_.hydraulics, StatesAt::rest);
    std::copy(model_.q_start.begin(), model_.q_start.end(), rest_.q());
    rest_.time = time;
    const std::vector<double> p = pressures(oil, false);
    oil.write(p.data(), rest_.y());
    oil.complete(rest_.y(), HydrostaticGroups::Undecided::guessed);
    for (std::size_t i = 0; i < model_.hydraulics.volumes.size(); ++i)
      if (std::isnan(model_.y_start[i])) rest_.y()[i] = std::max(rest_.y()[i], kLeastGuess);
    return rest_;
  }

 private:
  /// Whether what a spherical joint carries lies on a line through it, where no constraints can hold it: rounding leaves pivots that are no
  /// inertia. Of 3 x 3 blocks B of the mass matrix: det B against its trace times the sum of its principal minors.
  bool turns_freely() {
    constexpr double kNone = 1e-14;
    if constexpr (D == 3) {
      if (m_.rows > 0 || !m_.tree.has_spherical_joints()) return false;
      std::vector<double> M(static_cast<std::size_t>(m_.tree.nv));
      inertias(M);
      for (const TreeNode<3>& node : m_.tree.nodes) {
        if (node.joint != NodeJoint::spherical) continue;
        const Inertia<3>& I = work_.mechanism.tree.nodes[m_.tree.dof_node[node.v]].I;
        const auto entry = [&](int i, int k) {
          return dot(work_.mechanism.tree.dofs[node.v + i].b, I * work_.mechanism.tree.dofs[node.v + k].b);
        };
        const double a = entry(0, 0), b = entry(1, 1), c = entry(2, 2), d = entry(0, 1), e = entry(0, 2), f = entry(1, 2);
        const double minors = a * b - d * d + a * c - e * e + b * c - f * f,
                     det = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
        if (!(det > kNone * (a + b + c) * minors)) return true;
      }
    }
    return false;
  }
  bool solve(StateVector& state) try { return rates_.solve(state, Side::right, work_); } catch (const CommandError& error) {
    throw error.at(state.time);
  }
  /// Consistent accelerations when the machine is released at pressures p [units].
  Eigen::Map<const Eigen::VectorXd> release(const HydrostaticGroups& oil, const Eigen::VectorXd& p) {
    const Eigen::VectorXd pressure = kUnit * p;
    oil.write(pressure.data(), rest_.y());
    consistent(rest_);
    return {rest_.a(), m_.tree.nv};
  }
  /// Generalised forces of a unit of pressure in every group, velocities x groups: also the rates of the groups' volumes, per unit, by
  /// the velocities.
  Eigen::MatrixXd unit_forces(const HydrostaticGroups& oil) const {
    return sum_of_pistons(oil, [](const Port<D>&, const LineDof<D>& dof, double area) { return area * dof.gradient; });
  }
  /// of(port, dof, area): per pressure, on the velocity of dof.
  template <class Of>
  Eigen::MatrixXd sum_of_pistons(const HydrostaticGroups& oil, Of&& of) const {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(m_.tree.nv, oil.unknowns());
    for (const HydrostaticGroups::Piston& piston : oil.pistons()) {
      const Range& path = m_.ports[piston.port].path;
      for (int k = path.begin; k < path.end; ++k)
        sum(m_.paths[k].dof, piston.group) += kUnit * of(m_.ports[piston.port], work_.mechanism.dofs[k], piston.area);
    }
    return sum;
  }

  /// Reactions of the unknown groups [Pa]; `decided`: throws InputError if some are undetermined, which otherwise keep their guess.
  std::vector<double> pressures(const HydrostaticGroups& oil, bool decided) {
    const int n = oil.unknowns();
    Eigen::VectorXd p = Eigen::VectorXd::Ones(n);
    if (n == 0) return {};
    const Eigen::Map<const Eigen::VectorXd> a = release(oil, p);
    const Eigen::MatrixXd forces = unit_forces(oil);
    Eigen::VectorXd V = forces.transpose() * a;  // second time derivative of every group's volume [m3/s2], per unit
    Eigen::MatrixXd accelerations(m_.tree.nv, n);
    for (int g = 0; g < n; ++g) rates_.respond(forces.col(g).data(), accelerations.col(g).data(), work_);
    Eigen::MatrixXd S = forces.transpose() * accelerations;  // change of V by pressures: symmetric, positive semidefinite
    S = (S + S.transpose().eval()) / 2;
    const Eigen::VectorXd scale = scales(oil, forces, S);
    const SymmetricEigen eigen = symmetric_eigen(scale.asDiagonal() * S * scale.asDiagonal());
    std::vector<std::vector<double>> open;
    for (int i = 0; i < n; ++i)
      if (eigen.values[i] < kZeroEigenvalue) {
        const Eigen::VectorXd combination = eigen.vectors.col(i);
        open.emplace_back(combination.begin(), combination.end());
      }
    if (decided) oil.report_open(open);
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kRefinements && V.norm() < before; ++i) {
      before = V.norm();
      Eigen::VectorXd z = eigen.vectors.transpose() * scale.cwiseProduct(V);
      for (int k = 0; k < n; ++k) z[k] = eigen.values[k] < kZeroEigenvalue ? 0 : z[k] / eigen.values[k];
      const Eigen::VectorXd change = scale.cwiseProduct(Eigen::VectorXd(eigen.vectors * z));
      p -= change;
      if (change.norm() < kSlight * p.norm()) break;
      V = forces.transpose() * release(oil, p);
    }
    const Eigen::VectorXd pressure = kUnit * p;
    return {pressure.begin(), pressure.end()};
  }

  /// 1/sqrt(S_gg); zero for a group without effect, measured against its effect on decoupled coordinates, and where its pistons cancel.
  Eigen::VectorXd scales(const HydrostaticGroups& oil, const Eigen::MatrixXd& forces, const Eigen::MatrixXd& S) {
    const int nv = m_.tree.nv;
    std::vector<double> M(static_cast<std::size_t>(nv), 0.0);
    inertias(M);
    const Eigen::MatrixXd magnitudes = sum_of_pistons(oil, [](const Port<D>& port, const LineDof<D>& dof, double area) {
      // of a line through its pivot, the gradient is rounding
      return std::abs(area) * (port.kind == PortKind::line ? dof.e.norm() : std::abs(dof.gradient));
    });
    Eigen::VectorXd scale = Eigen::VectorXd::Zero(forces.cols());
    for (int g = 0; g < forces.cols(); ++g) {
      double free = 0, rounding = 0;
      for (int k = 0; k < nv; ++k)
        if (M[k] > 0) {
          free += forces(k, g) * forces(k, g) / M[k];
          rounding += std::pow(kCancelled * magnitudes(k, g), 2) / M[k];
        }
      if (S(g, g) > std::max(kNoEffect * free, rounding)) scale[g] = 1 / std::sqrt(S(g, g));
    }
    return scale;
  }
  /// Diagonal of the mass matrix: every coordinate's axis with the inertia that it carries.
  void inertias(std::vector<double>& M) {
    const std::vector<double> still(M.size(), 0.0);
    std::vector<double> r(M.size());
    update_rates(m_, still.data(), still.data(), work_.mechanism);
    inverse_dynamics(m_, rest_.q(), still.data(), true, work_.mechanism, r.data());
    for (int k = 0; k < m_.tree.nv; ++k) M[k] = own_inertia(m_.tree, work_.mechanism.tree, k);
  }

  const CompiledModel& model_;
  const Mechanism<D>& m_;
  MachineState<D> work_;
  ConsistentRates<D> rates_;
  StateVector rest_;
};

}  // namespace

std::vector<double> start_states(const CompiledModel& model) {
  if (model.relative) return start_states(*model.relative);  // in any coordinates
  return model.planar ? Start<2>(model).states() : Start<3>(model).states();
}

namespace {

template <int D>
StateVector start_state_in(const CompiledModel& model) {
  StateVector state(model.layout);
  Start<D> start(model);
  const std::vector<double> y = model.relative ? start_states(*model.relative) : start.states();
  std::copy(model.q_start.begin(), model.q_start.end(), state.q());
  std::copy(model.v_start.begin(), model.v_start.end(), state.v());
  std::copy(y.begin(), y.end(), state.y());
  start.consistent(state);
  return state;
}

}  // namespace

StateVector start_near_rest(const CompiledModel& model, double time) {
  return model.planar ? Start<2>(model).near_rest(time) : Start<3>(model).near_rest(time);
}

StateVector start_state(const CompiledModel& model) { return model.planar ? start_state_in<2>(model) : start_state_in<3>(model); }

void make_consistent(const CompiledModel& model, StateVector& state) {
  state.forget_history();
  if (model.planar)
    Start<2>(model).consistent(state);
  else
    Start<3>(model).consistent(state);
}

}  // namespace trunnion
