// Derivative of a step: changes at its start, the discrete equations at its end.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/step_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/diagnostic.h"
#include "base/lu.h"
#include "base/runge_kutta.h"
#include "description/integrators.h"
#include "linearise/reduction.h"
#include "linearise/rotation_step.h"
#include "linearise/step_columns.h"
#include "linearise/variables.h"
#include "solve/explicit_step.h"

namespace trunnion {

namespace {

constexpr double kSameStep = 1e-9;                        // relative: a state that the same step gives again
constexpr double kRounded = 1e-14, kRoundedRate = 1e-12;  // relative to a position, to a velocity: rounding of the rule
constexpr double kSameMetric = 1e-3;                      // relative to the violation of the velocities: tolerance of its direction
constexpr double kIncrementRounding = 1e-13;  // [rad, of the extent] rounding of the step's increments, as far as the direction shows it
constexpr double kSlight = 1e-5;              // as in solve/penalty.cpp
constexpr double kNudge = 1e-4;               // relative size of central differences of the projection's metric

}  // namespace

namespace step_map {  // not unnamed: types of fields of TransitionMap::WorkIn

enum class StepKind { double_step, penalty, baumgarte, explicit_closed, explicit_stabilised };

}  // namespace step_map

using step_map::StepKind;

namespace {

[[noreturn]] void refuse(const char* what, const char* instead) {
  throw Error(fmt::format("{} has no derivative of its step: {}", what, instead));
}

/// Throws Error for steps without a derivative.
void require_step(const SolverDescription& solver) {
  if (solver.coupling != CouplingKind::monolithic) refuse("solver.coupling: a co-simulation", "use `monolithic`");
  if (!integrator_of(solver).has_fixed_step())
    refuse(fmt::format("solver.integrator: {}", integrator_of(solver).word).c_str(),
           "its steps are not of fixed length; use a fixed-step integrator");
}

/// Whether the equations of the steps are differentiated here; otherwise by linearise/step_columns.h.
bool by_equations(const CompiledModel& model) {
  const SolverDescription& solver = model.description.solver;
  if (!model.description.control.empty()) return false;
  if (solver.integrator == IntegratorKind::trapezoidal) return solver.constraints != ConstraintKind::baumgarte || model.layout.rows == 0;
  return !integrator_of(solver).is_implicit();
}

StepKind kind_of(const SolverDescription& solver) {
  const bool closed = solver.constraints == ConstraintKind::double_step;
  if (!integrator_of(solver).is_implicit()) return closed ? StepKind::explicit_closed : StepKind::explicit_stabilised;
  return closed ? StepKind::double_step : solver.constraints == ConstraintKind::baumgarte ? StepKind::baumgarte : StepKind::penalty;
}

/// The model, if its steps have a derivative.
const std::shared_ptr<const CompiledModel>& with_step_derivative(const std::shared_ptr<const CompiledModel>& model) {
  require_step(model->description.solver);
  if (!by_equations(*model) && step_columns_factory() == nullptr)
    refuse(
        "the core library: a machine with control blocks, an implicit integrator other than trapezoidal, or baumgarte with the trapezoidal "
        "rule",
        "the whole library has it");
  return model;
}

}  // namespace

namespace step_map {

/// n equations A x = b with several right sides, scaled in rows and columns.
class ScaledSystem {
 public:
  void resize(int n, int columns) {
    n_ = n;
    columns_ = columns;
    A_.resize(static_cast<std::size_t>(n) * n);
    b_.resize(static_cast<std::size_t>(n) * columns);
    x_.resize(n);
    row_.resize(n);
    column_.resize(n);
    pivot_.resize(n);
  }
  /// Entry i of column k of A, of right side k.
  double& A(int i, int k) { return A_[static_cast<std::size_t>(i) * n_ + k]; }
  double& b(int i, int k) { return b_[static_cast<std::size_t>(k) * n_ + i]; }
  const double* solution(int k) const { return b_.data() + static_cast<std::size_t>(k) * n_; }
  bool solve() {
    std::fill(row_.begin(), row_.end(), 1.0);
    std::fill(column_.begin(), column_.end(), 1.0);
    for (int pass = 0; pass < 3; ++pass) {
      for (int i = 0; i < n_; ++i) {
        double size = 0;
        for (int k = 0; k < n_; ++k) size = std::max(size, std::abs(A(i, k)) * column_[k]);
        if (size == 0 || !std::isfinite(size)) return false;
        row_[i] = 1 / size;
      }
      for (int k = 0; k < n_; ++k) {
        double size = 0;
        for (int i = 0; i < n_; ++i) size = std::max(size, std::abs(A(i, k)) * row_[i]);
        if (size == 0) return false;
        column_[k] = 1 / size;
      }
    }
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < n_; ++k) A(i, k) *= row_[i] * column_[k];
    if (!lu_factor(A_.data(), n_, pivot_.data())) return false;
    for (int c = 0; c < columns_; ++c) {
      double* x = b_.data() + static_cast<std::size_t>(c) * n_;
      for (int i = 0; i < n_; ++i) x[i] *= row_[i];
      lu_solve(A_.data(), n_, pivot_.data(), x);
      for (int k = 0; k < n_; ++k) x[k] *= column_[k];
    }
    return true;
  }

 private:
  int n_ = 0, columns_ = 0;
  std::vector<double> A_, b_, x_, row_, column_;
  std::vector<int> pivot_;
};

/// Derivatives of the oil's rows in a step. With f the factor of the rule, dN(0, 1) = -dN(1, 0) the change of a content:
///   R = f dN(0, 1) - offset - Q_1,   d(offset) = c dQ_0
class OilRows {
 public:
  explicit OilRows(const CompiledModel& model)
      : model_(model),
        netlist_(model.hydraulics),
        oil_(netlist_),
        y_(netlist_.ny),
        ydot_(netlist_.ny),
        none_(std::max<std::size_t>(netlist_.ny, netlist_.actuators.size())) {}

  void set(const OilRule& rule, double h, const StateVector& before, const double* s_0, const double* v_0, const StateVector& after,
           const double* s_1, const double* v_1) {
    factor_ = rule.factor(h);
    weight_ = rule.offset(1, 0);
    if (netlist_.volumes.empty()) return;
    const auto evaluate = [&](const StateVector& at, Side side, const double* s, const double* v, const StateVector& from,
                              const double* s_from) {
      std::copy_n(at.y(), netlist_.ny, y_.begin());
      std::copy_n(at.ydot(), netlist_.ny, ydot_.begin());
      update_inputs(netlist_, signals_at(model_, at), at.time, side, oil_);
      const RateRelation relation{h, factor_, from.y(), none_.data(), s_from};
      evaluate_hydraulics(netlist_, s, v, y_.data(), ydot_.data(), relation, oil_);
    };
    evaluate(after, Side::left, s_1, v_1, before, s_0);
    T_1_ = oil_.T;
    s_1_ = oil_.R_s;
    e_1_ = oil_.by_fraction;
    evaluate(before, Side::right, s_0, v_0, after, s_1);
    T_reversed_ = oil_.T;
    s_0_ = oil_.R_s;
    e_0_ = oil_.by_fraction;
    evaluate_slopes(netlist_, s_0, none_.data(), before.y(), nullptr, oil_);
    T_0_ = oil_.T;
    s_still_ = oil_.R_s;
  }

  /// Row of state i for changes at the end of the step.
  double end(int i, const double* y, const double* ydot, const double* s, const double* inflow) const {
    if (i >= volumes()) return factor_ * y[i] - ydot[i];
    return product(i, T_1_, y) + product_of_ports(i, s_1_, s) + product_of_fractions(i, e_1_, y) - inflow[i];
  }
  /// The same of changes at its start.
  double begin(int i, const double* y, const double* ydot, const double* s, const double* inflow) const {
    if (i >= volumes()) return -factor_ * y[i] - weight_ * ydot[i];
    return (1 + weight_) * (product(i, T_0_, y) + product_of_ports(i, s_still_, s)) - product(i, T_reversed_, y) -
           product_of_ports(i, s_0_, s) - product_of_fractions(i, e_0_, y) - weight_ * inflow[i];
  }

 private:
  int volumes() const { return static_cast<int>(netlist_.volumes.size()); }
  double product(int i, const std::vector<double>& T, const double* y) const {
    const PressureNode& node = netlist_.nodes[i];
    const Circuit& c = netlist_.circuits[node.circuit];
    const double* row = T.data() + c.block + static_cast<std::ptrdiff_t>(node.local) * c.size;
    double sum = 0;
    for (int k = 0; k < c.size; ++k) sum += row[k] * y[netlist_.unknown_state[c.offset + k]];
    return sum;
  }
  double product_of_ports(int i, const std::vector<double>& R_s, const double* s) const {
    const PressureNode& node = netlist_.nodes[i];
    double sum = 0;
    for (int k : netlist_.circuits[node.circuit].actuators) sum += R_s[oil_.column[k] + node.local] * s[k];
    return sum;
  }

  double product_of_fractions(int i, const std::vector<FractionSlopes>& slopes, const double* y) const {
    double sum = 0;
    for (int k : netlist_.circuits[netlist_.nodes[i].circuit].actuators)
      if (const Actuator& a = netlist_.actuators[k]; a.spool >= 0) sum += slopes[k].of(i, a) * y[netlist_.spools[a.spool].state];
    return sum;
  }

  const CompiledModel& model_;
  const Hydraulics& netlist_;
  HydraulicState oil_;
  double factor_ = 0, weight_ = 0;
  std::vector<double> y_, ydot_, none_;
  std::vector<double> T_1_, s_1_, T_reversed_, s_0_, T_0_, s_still_;
  std::vector<FractionSlopes> e_1_, e_0_;
};

}  // namespace step_map

using step_map::OilRows;
using step_map::ScaledSystem;

struct TransitionMap::Work {
  virtual ~Work() = default;
  virtual void evaluate(const MinimalState& coordinates, const StateVector& before, const StateVector& after, double h,
                        const StepOutcome& report, Eigen::MatrixXd& F, Eigen::MatrixXd& G) = 0;
  virtual const std::vector<LinearInput>& inputs() const = 0;
};

template <int D>
struct TransitionMap::WorkIn final : TransitionMap::Work {
  using Change = typename Reduction<D>::Change;
  /// Changes at the start of the step by one state or input.
  struct Column {
    explicit Column(const CompiledModel& model)
        : theta(model.layout.nv),
          v(model.layout.nv),
          a(model.layout.nv),
          y(model.layout.ny),
          ydot(model.layout.ny),
          s(model.hydraulics.actuators.size()),
          inflow(model.hydraulics.nodes.size()),
          slope{std::vector<double>(model.layout.nv), std::vector<double>(model.layout.nv), std::vector<double>(model.layout.ny)},
          sum(slope) {}
    std::vector<double> theta, v, a, y, ydot, s, inflow;
    /// Of an explicit step: change of a rate of (theta, v, y) as it forms them, and of their weighted sum.
    struct Slope {
      std::vector<double> theta, v, y;
    } slope, sum;
  };

  explicit WorkIn(const std::shared_ptr<const CompiledModel>& model)
      : model_(*model),
        m_(std::get<Mechanism<D>>(model->mechanism)),
        netlist_(model->hydraulics),
        kind_(kind_of(model->description.solver)),
        start_(model),
        end_(model),
        loops_(m_),
        place_(m_),
        oil_rows_(*model),
        turn_(m_.tree),
        turned_(m_.tree),
        change_(*model),
        end_change_(*model),
        projected_(*model),
        metric_oil_(netlist_),
        metric_variation_(m_),
        theta_(model->layout.nv),
        increment_(model->layout.nv),
        dr_(model->layout.nv),
        x_(model->layout.nv),
        chart_(model->layout.nv),
        motion_state_(model->layout),
        partition_(model->layout.rows),
        step_partition_(model->layout.rows) {
    if (kind_ == StepKind::penalty)
      for (auto* reduction : {&motion_, &metric_}) reduction->emplace(model, ConstraintTreatment::stabilised, Stabilisation{});
    else if (kind_ == StepKind::baumgarte || kind_ == StepKind::explicit_stabilised)
      motion_.emplace(model, ConstraintTreatment::stabilised, stabilisation_of(*model));
    if (kind_ == StepKind::explicit_closed || kind_ == StepKind::explicit_stabilised) {
      explicit_.emplace(model);
      stages_.assign(model->description.solver.integrator == IntegratorKind::rk4 ? 4 : 1, StateVector(model->layout));
    }
  }

  const std::vector<LinearInput>& inputs() const override { return start_.inputs(); }

  void evaluate(const MinimalState& coordinates, const StateVector& before, const StateVector& after, double h, const StepOutcome& report,
                Eigen::MatrixXd& F, Eigen::MatrixXd& G) override {
    before_ = &before;
    after_ = &after;
    h_ = h;
    coordinates.write_partition(partition_.data());
    independent_ = &coordinates.independent();
    velocity_dependent_ = &coordinates.velocity_dependent();
    states_ = &coordinates.first_order();
    differentiate_start();
    find_step_partition();
    configuration_difference(m_.tree, before.q(), after.q(), theta_.data());
    F.resize(size(), size());
    G.resize(size(), static_cast<Eigen::Index>(inputs().size()));
    F_ = &F;
    G_ = &G;
    switch (kind_) {
      case StepKind::double_step:
        double_step(report.oil_rule);
        break;
      case StepKind::penalty:
      case StepKind::baumgarte:
        all_coordinates(report.oil_rule);
        break;
      default:
        explicit_step();
    }
  }

 private:
  int size() const { return static_cast<int>(2 * independent_->size() + velocity_dependent_->size() + states_->size()); }
  int columns() const { return size() + static_cast<int>(inputs().size()); }
  /// The input that column j stands for, -1: a state.
  int input_of(int j) const { return j < size() ? -1 : j - size(); }
  double& result(int i, int j) { return j < size() ? (*F_)(i, j) : (*G_)(i, j - size()); }

  [[noreturn]] void refuse_step(const char* what) const {
    throw Error(
        fmt::format("step to t = {} s: {}; its derivative is that of one step of the model's solver, from a state on its "
                    "coordinates; chain the derivatives of the parts of a subdivided step",
                    after_->time, what));
  }

  // ---------------------------------------------------------------- start

  /// Changes at the start by every state and input.
  void differentiate_start() {
    start_.set_reference(*before_, partition_.data(), Side::right);
    while (static_cast<int>(columns_.size()) < columns()) columns_.emplace_back(model_);
    for (int j = 0; j < columns(); ++j) {
      if (input_of(j) < 0)
        start_.state_change(j, false, change_);
      else
        start_.input_change(input_of(j), false, change_);
      Column& c = columns_[j];
      std::copy(change_.mechanism.theta.begin(), change_.mechanism.theta.end(), c.theta.begin());
      std::copy(change_.mechanism.v.begin(), change_.mechanism.v.end(), c.v.begin());
      std::copy(change_.mechanism.a.begin(), change_.mechanism.a.end(), c.a.begin());
      c.y = change_.y;
      c.ydot = change_.ydot;
      c.s = start_.port_change();
      c.inflow = start_.inflow_change();
    }
  }

  /// loops_ on the partition of the step, as the steppers find it.
  void find_step_partition() {
    if (!loops_.load_partition(before_->partition())) {
      update_positions(m_, before_->q(), static_cast<const double*>(nullptr), place_);
      if (!loops_.select_partition(place_))
        throw SimulationError(before_->time, "the derivative of a step", "the loops are in a singular configuration (dead point)",
                              "use another position");
    }
    loops_.write(step_partition_.data());
  }

  /// dc = T^-1 (dx1 - exp(theta) dx0) into increment_; dx1 null: zero.
  const std::vector<double>& increment_change(const double* x_1, const double* x_0) {
    turn_.increment_change(x_1, x_0, increment_.data());
    return increment_;
  }

  /// Rounding of the increment of a position over the step, [rad, m].
  double rounding_of(int v) const {
    const TreeNode<D>& n = m_.tree.nodes[m_.tree.dof_node[v]];
    return kRounded * (m_.unit(v) + (n.joint == NodeJoint::spherical ? 1 : std::abs(before_->q()[n.q])));
  }
  /// theta = h/2 (v0 + v1), within `tolerance` [rad, of the extent] beyond rounding.
  void require_rule(const std::vector<int>& coordinates, double tolerance) {
    for (int v : coordinates) {
      const double mean = h_ / 2 * (before_->v()[v] + after_->v()[v]);
      if (!(std::abs(theta_[v] - mean) <= rounding_of(v) + kRoundedRate * std::abs(mean) + tolerance * m_.unit(v)))
        refuse_step("its positions are not those of the rule");
    }
  }

  void set_oil_rows(const OilRule& rule, const StateVector& after, Reduction<D>& end) {
    const MechanismState<D>&from = start_.rates().work().mechanism, &to = end.rates().work().mechanism;
    oil_rows_.set(rule, h_, *before_, from.s.data(), from.s_dot.data(), after, to.s.data(), to.s_dot.data());
  }

  // ---------------------------------------------------------------- trapezoidal rule, double-step

  void double_step(const OilRule& rule) {
    require_rule(loops_.independent(), 0);
    require_rule(loops_.velocity_dependent(), model_.description.solver.tolerance_position);
    turn_.set(theta_.data());
    end_.set_reference(*after_, partition_.data(), Side::left);
    set_oil_rows(rule, *after_, end_);
    const int n = size();
    system_.resize(n, columns());
    // sign -1 for the right side
    const auto add_end = [&](auto&& entry) {
      const double* x_1 = change_.mechanism.theta.data();
      const std::vector<double>& c = increment_change(x_1, nullptr);
      int i = 0;
      for (int v : loops_.independent()) entry(i++) += c[v] - h_ / 2 * change_.mechanism.v[v];
      for (int v : loops_.independent()) entry(i++) += change_.mechanism.v[v] - h_ / 2 * change_.mechanism.a[v];
      for (int v : loops_.velocity_dependent()) entry(i++) += c[v] - h_ / 2 * change_.mechanism.v[v];
      for (int k : *states_)
        entry(i++) += oil_rows_.end(k, change_.y.data(), change_.ydot.data(), end_.port_change().data(), end_.inflow_change().data());
    };
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < n; ++i) system_.A(i, k) = 0;
      end_.state_change(k, false, change_);
      add_end([&](int i) -> double& { return system_.A(i, k); });
    }
    for (int j = 0; j < columns(); ++j) {
      for (int i = 0; i < n; ++i) system_.b(i, j) = 0;
      if (input_of(j) >= 0) {
        end_.input_change(input_of(j), false, change_);
        add_end([&](int i) -> double& { return system_.b(i, j); });
      }
      const Column& from = columns_[j];
      const std::vector<double>& c = increment_change(nullptr, from.theta.data());
      int i = 0;
      for (int v : loops_.independent()) system_.b(i++, j) += c[v] - h_ / 2 * from.v[v];
      for (int v : loops_.independent()) system_.b(i++, j) += -from.v[v] - h_ / 2 * from.a[v];
      for (int v : loops_.velocity_dependent()) system_.b(i++, j) += c[v] - h_ / 2 * from.v[v];
      for (int k : *states_) system_.b(i++, j) += oil_rows_.begin(k, from.y.data(), from.ydot.data(), from.s.data(), from.inflow.data());
      for (i = 0; i < n; ++i) system_.b(i, j) = -system_.b(i, j);
    }
    solve_system();
    for (int j = 0; j < columns(); ++j)
      for (int i = 0; i < n; ++i) result(i, j) = system_.solution(j)[i];
  }

  [[noreturn]] void solve_failed() const {
    throw SimulationError(after_->time, "the derivative of a step", "the discrete equations are singular", "a shorter step");
  }
  void solve_system() {
    if (!system_.solve()) solve_failed();
  }

  // ---------------------------------------------------------------- trapezoidal rule on all coordinates

  /// motion_state_: the end of the step as Newton's method leaves it, v and a of all coordinates by the rule.
  void set_motion_state() {
    motion_state_ = *after_;
    for (int v = 0; v < m_.tree.nv; ++v) {
      motion_state_.v()[v] = 2 / h_ * theta_[v] - before_->v()[v];
      motion_state_.a()[v] = 4 / (h_ * h_) * theta_[v] - 4 / h_ * before_->v()[v] - before_->a()[v];
    }
  }

  /// change_: v' and a' of all coordinates by the rule for dx1 of all (null: zero) and a column at the start (null: zero).
  void set_rule_change(const double* x_1, const Column* from) {
    const std::vector<double>& c = increment_change(x_1, from == nullptr ? nullptr : from->theta.data());
    for (int v = 0; v < m_.tree.nv; ++v) {
      change_.mechanism.theta[v] = x_1 == nullptr ? 0 : x_1[v];
      change_.mechanism.v[v] = 2 / h_ * c[v] - (from == nullptr ? 0 : from->v[v]);
      change_.mechanism.a[v] = 4 / (h_ * h_) * c[v] - (from == nullptr ? 0 : 4 / h_ * from->v[v] + from->a[v]);
    }
  }

  void all_coordinates(const OilRule& rule) {
    turn_.set(theta_.data());
    set_motion_state();
    if (kind_ == StepKind::baumgarte || m_.rows == 0) {
      every_.resize(static_cast<std::size_t>(m_.tree.nv));
      std::iota(every_.begin(), every_.end(), 0);
      require_rule(every_, 0);
    }
    motion_->set_motion(motion_state_, step_partition_.data(), Side::left);
    set_oil_rows(rule, motion_state_, *motion_);
    ClosedLoops<D>& loops = motion_->rates().loops();
    const int nv = m_.tree.nv, n = nv + static_cast<int>(states_->size());
    system_.resize(n, columns());
    const auto rows = [&](auto&& entry) {  // of change_, after motion_change()
      int i = 0;
      loops.project(motion_->residual_change().data(), dr_.data());
      for (; i < static_cast<int>(loops.independent().size()); ++i) entry(i) = dr_[i];
      for (int row = 0; row < m_.rows; ++row) {
        if (step_partition_[row] == 0) continue;
        if (kind_ == StepKind::baumgarte) {
          const auto [rate, position] = motion_->rates().stabilisation(row);
          entry(i++) =
              motion_->acceleration_row_change(row) + rate * motion_->rate_row_change(row) + position * motion_->position_row_change(row);
        } else {
          entry(i++) = m_.holonomic[row] != 0 ? motion_->position_row_change(row) : motion_->rate_row_change(row);
        }
      }
      for (int k : *states_)
        entry(i++) =
            oil_rows_.end(k, change_.y.data(), change_.ydot.data(), motion_->port_change().data(), motion_->inflow_change().data());
    };
    for (int k = 0; k < n; ++k) {
      std::fill(change_.y.begin(), change_.y.end(), 0.0);
      std::fill(x_.begin(), x_.end(), 0.0);
      if (k < nv)
        x_[k] = 1;
      else
        change_.y[(*states_)[k - nv]] = 1;
      set_rule_change(x_.data(), nullptr);
      motion_->motion_change(-1, change_);
      rows([&](int i) -> double& { return system_.A(i, k); });
    }
    for (int j = 0; j < columns(); ++j) {
      const Column& from = columns_[j];
      std::fill(change_.y.begin(), change_.y.end(), 0.0);
      set_rule_change(nullptr, &from);
      motion_->motion_change(input_of(j), change_);
      rows([&](int i) -> double& { return system_.b(i, j); });
      int i = nv;
      for (int k : *states_) system_.b(i++, j) += oil_rows_.begin(k, from.y.data(), from.ydot.data(), from.s.data(), from.inflow.data());
      for (i = 0; i < n; ++i) system_.b(i, j) = -system_.b(i, j);
    }
    solve_system();
    if (kind_ == StepKind::penalty && m_.rows > 0) prepare_projection(rule);
    for (int j = 0; j < columns(); ++j) {
      const double* x = system_.solution(j);
      const Column& from = columns_[j];
      std::fill(change_.y.begin(), change_.y.end(), 0.0);
      for (std::size_t k = 0; k < states_->size(); ++k) change_.y[(*states_)[k]] = x[nv + static_cast<int>(k)];
      set_rule_change(x, &from);
      if (kind_ == StepKind::penalty && m_.rows > 0) project_change(input_of(j), from);
      int i = 0;
      for (int v : *independent_) result(i++, j) = x[v];
      for (int v : *independent_) result(i++, j) = change_.mechanism.v[v];
      for (int v : *velocity_dependent_) result(i++, j) = x[v];
      for (int k : *states_) result(i++, j) = change_.y[k];
    }
  }

  // ---------------------------------------------------------------- projection of the velocities

  /// metric_, metric_oil_, metric_variation_, turned_: the metrics of the projection where the mechanism is at `motion`, the increment of
  /// the step theta, and the step began with the states y_begin and offsets of their rates.
  void set_metric(const StateVector& motion, const double* theta, const double* y_begin, const double* offset) {
    turned_.set(theta);
    metric_->set_motion(motion, step_partition_.data(), Side::left);
    MachineState<D>& work = metric_->rates().work();
    update_inputs(netlist_, signals_at(model_, motion), motion.time, Side::left, metric_oil_);
    metric_y_.assign(motion.y(), motion.y() + netlist_.ny);
    metric_ydot_.assign(motion.ydot(), motion.ydot() + netlist_.ny);
    const RateRelation relation{h_, factor_, y_begin, offset, start_.rates().work().mechanism.s.data()};
    evaluate_hydraulics(netlist_, work.mechanism.s.data(), work.mechanism.s_dot.data(), metric_y_.data(), metric_ydot_.data(), relation,
                        metric_oil_);
    int circuit = 0;
    if (whole_tangent_ && !condense(netlist_, metric_oil_, &circuit)) solve_failed();
    if (!whole_tangent_) std::fill(work.multipliers.begin(), work.multipliers.end(), 0.0);
    sum_forces(m_, work.force.data(), whole_tangent_ ? metric_->reference().multipliers() : work.multipliers.data(), work.mechanism,
               metric_variation_);
  }

  /// dr_ = W x, or with whole_tangent_ T x.
  void multiply_metric(const double* x) {
    MachineState<D>& work = metric_->rates().work();
    turned_.tangent(x, end_change_.mechanism.theta.data());
    for (int v = 0; v < m_.tree.nv; ++v) {
      end_change_.mechanism.v[v] = 2 / h_ * x[v];
      end_change_.mechanism.a[v] = 4 / (h_ * h_) * x[v];
    }
    differentiate_places(m_, end_change_.mechanism.theta.data(), work.mechanism, metric_variation_);
    differentiate_velocities(m_, end_change_.mechanism.v.data(), work.mechanism, metric_variation_);
    differentiate_accelerations(m_, end_change_.mechanism.a.data(), work.mechanism, metric_variation_);
    if (!whole_tangent_) std::fill(work.multipliers.begin(), work.multipliers.end(), 0.0);
    differentiate_residual(m_, end_change_.mechanism.theta.data(), end_change_.mechanism.v.data(), work.force.data(),
                           whole_tangent_ ? metric_->reference().multipliers() : work.multipliers.data(), work.mechanism, metric_variation_,
                           dr_.data());
    const HydraulicState& oil = metric_oil_;
    const std::vector<double>&ds = metric_variation_.s, &dsdot = metric_variation_.s_dot;
    force_.resize(ds.size());
    for (std::size_t i = 0; i < ds.size(); ++i) force_[i] = oil.force_s[i] * ds[i] + oil.force_v[i] * dsdot[i];
    if (whole_tangent_)
      for (const Circuit& c : netlist_.circuits)
        for (int i : c.actuators)
          for (int j : c.actuators)
            for (int k = 0; k < c.size; ++k)
              force_[i] -= oil.F_y[oil.column[i] + k] * (oil.R_s[oil.column[j] + k] * ds[j] + oil.R_v[oil.column[j] + k] * dsdot[j]);
    metric_->subtract_port_forces(force_.data(), dr_.data());
  }

  /// The largest velocity by which the projection of the step differs from that in the metric set, given its reduced matrix.
  double departure_from_metric() {
    ClosedLoops<D>& loops = motion_->rates().loops();
    const int n = static_cast<int>(loops.independent().size());
    reduced_.resize(static_cast<std::size_t>(n) * n);
    reduced_pivot_.resize(n);
    reduced_x_.resize(m_.tree.nv);
    for (int k = 0; k < n; ++k) {
      std::fill(reduced_x_.begin(), reduced_x_.end(), 0.0);
      std::fill(x_.begin(), x_.end(), 0.0);
      reduced_x_[k] = 1;
      loops.add_rates(reduced_x_.data(), x_.data());
      multiply_metric(x_.data());
      loops.project(dr_.data(), reduced_x_.data());
      for (int i = 0; i < n; ++i) reduced_[static_cast<std::size_t>(i) * n + k] = reduced_x_[i];
    }
    if (!lu_factor(reduced_.data(), n, reduced_pivot_.data())) solve_failed();
    multiply_metric(violation_.data());
    loops.project(dr_.data(), reduced_x_.data());
    lu_solve(reduced_.data(), n, reduced_pivot_.data(), reduced_x_.data());
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(reduced_x_[i]) / m_.unit(loops.independent()[i]));
    return largest;
  }

  /// Finds in which metric the step projected its velocities: W, or for slight violations the whole tangent.
  void prepare_projection(const OilRule& rule) {
    const int nv = m_.tree.nv;
    factor_ = rule.factor(h_);
    weight_ = rule.offset(1, 0);
    violation_.resize(nv);
    double size = 0, fastest = 0;
    for (int v = 0; v < nv; ++v) {
      violation_[v] = motion_state_.v()[v] - after_->v()[v];
      size = std::max(size, std::abs(violation_[v]) / m_.unit(v));
      fastest = std::max(fastest, (std::abs(after_->v()[v]) + h_ * std::abs(after_->a()[v])) / m_.unit(v));
    }
    offset_.assign(static_cast<std::size_t>(netlist_.ny), 0.0);
    const auto memory = oil_memory(netlist_, before_->oil_memory());
    const double carried = *memory.step > 0 ? OilRule::carried(h_, *memory.step) : 0;
    for (int i = static_cast<int>(netlist_.volumes.size()); i < netlist_.ny; ++i)
      offset_[i] = rule.offset(before_->ydot()[i], carried * memory.lag[i]);
    end_.set_reference(*after_, step_partition_.data(), Side::left);
    double departure[2];
    for (const bool whole : {false, true}) {
      whole_tangent_ = whole;
      set_metric(motion_state_, theta_.data(), before_->y(), offset_.data());
      departure[whole ? 1 : 0] = departure_from_metric();
    }
    const double rounding = kIncrementRounding * (1 + fastest * h_) / h_;
    const bool both = std::max(departure[0], departure[1]) < kSameMetric * size + rounding;
    const bool possible = m_.velocity_rows == 0 && model_.description.solver.tangent == TangentKind::exact;
    whole_tangent_ = possible && (both ? size <= kSlight * fastest : departure[1] < departure[0]);
    if (!(departure[whole_tangent_ ? 1 : 0] < kSameMetric * size + rounding)) refuse_step("its velocities were not projected by the rule");
    set_metric(motion_state_, theta_.data(), before_->y(), offset_.data());
    departure_from_metric();
    // W (v - v1) = J^T mu
    multiply_metric(violation_.data());
    mu_.resize(m_.rows);
    motion_->rates().loops().set_multipliers(dr_.data(), mu_.data());
    for (double& x : mu_) x = -x;
  }

  /// change_: v' from Newton's method to v1'. In the central difference of J^T mu - W (v - v1) a signal acts through the states alone: what
  /// it adds directly is the violation times the change of a geometric stiffness.
  void project_change(int input, const Column& from) {
    ClosedLoops<D>& loops = motion_->rates().loops();
    const int nv = m_.tree.nv, n = static_cast<int>(loops.independent().size());
    // sizes of the nudge
    double largest = 0;
    for (int v = 0; v < nv; ++v)
      largest = std::max({largest, std::abs(change_.mechanism.theta[v]) / m_.unit(v), std::abs(change_.mechanism.v[v]) / m_.unit(v)});
    for (int i = 0; i < netlist_.ny; ++i) largest = std::max(largest, std::abs(change_.y[i]) / std::max(std::abs(after_->y()[i]), 1e-6));
    const double nudge = largest > 0 ? kNudge / largest : 0;
    x_.assign(increment_.begin(), increment_.end());  // of set_rule_change()
    bend_.assign(static_cast<std::size_t>(nv), 0.0);
    if (nudge > 0 && largest_violation() > 0)
      for (const double side : {1.0, -1.0}) {
        const double e = side * nudge;
        nudged_ = motion_state_;
        nudged_theta_.resize(nv);
        for (int v = 0; v < nv; ++v) nudged_theta_[v] = e * change_.mechanism.theta[v];
        advance_configuration(m_.tree, static_cast<const double*>(motion_state_.q()), static_cast<const double*>(nudged_theta_.data()),
                              nudged_.q());
        for (int v = 0; v < nv; ++v) {
          nudged_.v()[v] += e * change_.mechanism.v[v];
          nudged_.a()[v] += e * change_.mechanism.a[v];
          nudged_theta_[v] = theta_[v] + e * x_[v];
        }
        nudged_y_.resize(netlist_.ny);
        nudged_offset_.resize(netlist_.ny);
        for (int i = 0; i < netlist_.ny; ++i) {
          nudged_.y()[i] += e * change_.y[i];
          nudged_y_[i] = before_->y()[i] + e * from.y[i];
          nudged_offset_[i] = offset_[i] + e * weight_ * from.ydot[i];
        }
        set_metric(nudged_, nudged_theta_.data(), nudged_y_.data(), nudged_offset_.data());
        multiply_metric(violation_.data());
        for (int v = 0; v < nv; ++v) dr_[v] = -dr_[v];
        add_constraint_forces(m_, static_cast<const double*>(mu_.data()), metric_->rates().work().mechanism, dr_.data());
        for (int v = 0; v < nv; ++v) bend_[v] += dr_[v] / (2 * e);
      }
    set_metric(motion_state_, theta_.data(), before_->y(), offset_.data());
    // v1' at w' = 0
    Change& end = projected_;
    end.mechanism.theta = change_.mechanism.theta;
    std::fill(end.mechanism.v.begin(), end.mechanism.v.end(), 0.0);
    end.y = change_.y;
    end_.rates_change(input, end);
    for (int v = 0; v < nv; ++v) x_[v] = change_.mechanism.v[v] - end.mechanism.v[v];
    multiply_metric(x_.data());
    for (int v = 0; v < nv; ++v) dr_[v] -= bend_[v];
    loops.project(dr_.data(), reduced_x_.data());
    lu_solve(reduced_.data(), n, reduced_pivot_.data(), reduced_x_.data());
    change_.mechanism.v = end.mechanism.v;
    loops.add_rates(reduced_x_.data(), change_.mechanism.v.data());
  }

  double largest_violation() const { return largest_of(violation_); }

  // ---------------------------------------------------------------- explicit rules

  bool is_closed() const { return kind_ == StepKind::explicit_closed; }
  /// Where the derivatives of the rates in a stage are taken.
  Reduction<D>& stage() { return is_closed() ? end_ : *motion_; }

  /// The stage at `at`.
  void set_stage(const StateVector& at) {
    stage().set_reference(at, step_partition_.data(), Side::left);
    configuration_difference(m_.tree, before_->q(), at.q(), theta_.data());
    turn_.set(theta_.data());
    if (!is_closed() || !turn_.has_spherical_joints()) return;
    // change of the increments of free positions by those of the tangent space
    const std::vector<int>& free = end_.rates().loops().admissible();
    const std::size_t n = free.size();
    chart_matrix_.resize(n * n);
    chart_pivot_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      std::fill(chart_.begin(), chart_.end(), 0.0);
      std::fill(x_.begin(), x_.end(), 0.0);
      chart_[k] = 1;
      end_.rates().loops().add_increment(chart_.data(), x_.data());
      const std::vector<double>& c = increment_change(x_.data(), nullptr);
      for (std::size_t i = 0; i < n; ++i) chart_matrix_[i * n + k] = c[free[i]];
    }
    if (!lu_factor(chart_matrix_.data(), static_cast<int>(n), chart_pivot_.data())) solve_failed();
  }

  /// change_: positions and velocities of the stage for changes `along` times `slope` since the start; dtheta of the step in x_.
  void place_change(const Column& from, int input, double along, const typename Column::Slope& slope) {
    const int nv = m_.tree.nv;
    for (int v = 0; v < nv; ++v) {
      x_[v] = along * slope.theta[v];
      change_.mechanism.v[v] = from.v[v] + along * slope.v[v];
    }
    std::vector<double>& moved = change_.mechanism.theta;
    if (!is_closed()) {
      turn_.end_change(x_.data(), from.theta.data(), moved.data());
      return;
    }
    const std::vector<int>& free = end_.rates().loops().admissible();
    std::fill(moved.begin(), moved.end(), 0.0);
    if (input >= 0) end_.add_input_positions(input, moved.data());
    const std::vector<double>& c = increment_change(moved.data(), from.theta.data());
    for (std::size_t k = 0; k < free.size(); ++k) chart_[k] = x_[free[k]] - c[free[k]];
    if (turn_.has_spherical_joints()) lu_solve(chart_matrix_.data(), static_cast<int>(free.size()), chart_pivot_.data(), chart_.data());
    end_.rates().loops().add_increment(chart_.data(), moved.data());
    increment_change(moved.data(), from.theta.data());
    std::copy(increment_.begin(), increment_.end(), x_.begin());
  }

  void set_state_change(const Column& from, double along, const std::vector<double>& slope) {
    for (int i = 0; i < netlist_.ny; ++i) change_.y[i] = from.y[i] + along * slope[i];
  }

  /// Reads the column of F or G from positions and velocities in change_ and y of the first-order states.
  void write_column(int j, const std::vector<double>& y) {
    int i = 0;
    for (int v : *independent_) result(i++, j) = change_.mechanism.theta[v];
    for (int v : *independent_) result(i++, j) = change_.mechanism.v[v];
    for (int v : *velocity_dependent_) result(i++, j) = change_.mechanism.theta[v];
    for (int k : *states_) result(i++, j) = y[k];
  }

  void explicit_step() {
    const IntegratorKind integrator = model_.description.solver.integrator;
    explicit_->record_stages(&stages_);
    motion_state_ = *before_;
    const StepOutcome report = explicit_->step(motion_state_, h_);
    if (!report.ok()) refuse_step("the step cannot be repeated");
    const auto same = [&](const double* x, const double* y, int n) {
      for (int i = 0; i < n; ++i)
        if (!(std::abs(x[i] - y[i]) <= kSameStep * (1 + std::abs(y[i])))) refuse_step("it is not that of the rule");
    };
    same(motion_state_.q(), after_->q(), model_.layout.nq);
    same(motion_state_.v(), after_->v(), model_.layout.nv);
    same(motion_state_.y(), after_->y(), model_.layout.ny);
    for (Column& c : columns_) {
      c.slope.theta = c.v;
      c.slope.v = c.a;
      c.slope.y = c.ydot;
    }
    if (integrator == IntegratorKind::semi_implicit_euler) {
      semi_implicit_euler();
      return;
    }
    if (is_closed()) require_first_stage(integrator == IntegratorKind::rk4 ? h_ / 2 : h_);
    if (integrator == IntegratorKind::rk4) runge_kutta();
    set_stage(*after_);
    for (int j = 0; j < columns(); ++j) {
      const Column& c = columns_[j];
      place_change(c, input_of(j), h_, c.slope);
      set_state_change(c, h_, c.slope.y);
      y_ = change_.y;
      if (is_closed()) end_.rates_change(input_of(j), change_);
      write_column(j, y_);
    }
  }

  /// The partition of the step is that of its start.
  void require_first_stage(double h) {
    configuration_difference(m_.tree, before_->q(), stages_.front().q(), theta_.data());
    for (int v : loops_.independent())
      if (!(std::abs(theta_[v] - h * before_->v()[v]) <= kSameStep * (m_.unit(v) + std::abs(theta_[v]))))
        refuse_step("it changed its independent coordinates");
  }

  /// slope of every column: the weighted sum of those of the stages.
  void runge_kutta() {
    const auto add_to = [](double weight, const std::vector<double>& x, std::vector<double>& sum) {
      for (std::size_t i = 0; i < x.size(); ++i) sum[i] += weight * x[i];
    };
    for (Column& c : columns_)
      for (auto* x : {&c.sum.theta, &c.sum.v, &c.sum.y}) std::fill(x->begin(), x->end(), 0.0);
    const auto add = [&](double weight) {
      for (Column& c : columns_) {
        add_to(weight, c.slope.theta, c.sum.theta);
        add_to(weight, c.slope.v, c.sum.v);
        add_to(weight, c.slope.y, c.sum.y);
      }
    };
    std::size_t i = 0;
    classical_runge_kutta(add, [&](double time) {
      set_stage(stages_[i++]);
      for (int j = 0; j < columns(); ++j) {
        Column& c = columns_[j];
        place_change(c, input_of(j), time * h_, c.slope);
        set_state_change(c, time * h_, c.slope.y);
        stage().rates_change(input_of(j), change_);
        turn_.rate_change(stage().reference().v(), x_.data(), change_.mechanism.v.data(), c.slope.theta.data());
        c.slope.v = change_.mechanism.a;
        c.slope.y = change_.ydot;
      }
      return true;
    });
    for (Column& c : columns_) std::swap(c.slope, c.sum);
  }

  /// theta = h v_1, y_1 = y_0 + h ydot(theta, v_1, y_0); p of quasistatic circuits by implicit Euler at the end.
  void semi_implicit_euler() {
    if (is_closed()) {
      configuration_difference(m_.tree, before_->q(), after_->q(), theta_.data());
      for (int v : loops_.independent())
        if (!(std::abs(theta_[v] - h_ * after_->v()[v]) <= kSameStep * (m_.unit(v) + std::abs(theta_[v]))))
          refuse_step("it changed its independent coordinates");
    }
    for (Column& c : columns_)
      for (int v = 0; v < m_.tree.nv; ++v) c.slope.theta[v] = c.v[v] + h_ * c.a[v];
    StateVector& between = motion_state_;
    between = *after_;
    std::copy_n(before_->y(), netlist_.ny, between.y());
    set_stage(between);
    for (int j = 0; j < columns(); ++j) {
      Column& c = columns_[j];
      place_change(c, input_of(j), h_, c.slope);
      change_.y = c.y;
      stage().rates_change(input_of(j), change_);
      for (int i = 0; i < netlist_.ny; ++i) c.sum.y[i] = c.y[i] + h_ * change_.ydot[i];
      write_column(j, c.sum.y);
    }
    if (!netlist_.quasistatic.empty()) implicit_pistons();
  }

  /// (1 - h dp_dot/dp) p' = p_0' + h p_dot' by all others.
  void implicit_pistons() {
    pistons_.clear();
    for (const QuasistaticCircuit& q : netlist_.quasistatic)
      for (const QuasistaticPort& port : q.ports) pistons_.push_back(port.state);
    const int n = static_cast<int>(pistons_.size());
    set_stage(*after_);
    system_.resize(n, columns());
    for (int k = 0; k < n; ++k) {
      for (auto* x : {&change_.mechanism.theta, &change_.mechanism.v, &change_.y}) std::fill(x->begin(), x->end(), 0.0);
      change_.y[pistons_[k]] = 1;
      stage().rates_change(-1, change_);
      for (int i = 0; i < n; ++i) system_.A(i, k) = (i == k ? 1 : 0) - h_ * change_.ydot[pistons_[i]];
    }
    for (int j = 0; j < columns(); ++j) {
      Column& c = columns_[j];
      place_change(c, input_of(j), h_, c.slope);
      change_.y = c.sum.y;
      for (int i : pistons_) change_.y[i] = 0;
      stage().rates_change(input_of(j), change_);
      for (int i = 0; i < n; ++i) system_.b(i, j) = c.y[pistons_[i]] + h_ * change_.ydot[pistons_[i]];
    }
    solve_system();
    const int first = size() - static_cast<int>(states_->size());
    for (int j = 0; j < columns(); ++j)
      for (int i = 0; i < n; ++i) {
        const auto at = std::find(states_->begin(), states_->end(), pistons_[i]) - states_->begin();
        result(first + static_cast<int>(at), j) = system_.solution(j)[i];
      }
  }

  const CompiledModel& model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  const StepKind kind_;
  Reduction<D> start_, end_;
  std::optional<Reduction<D>> motion_;
  std::optional<ExplicitStep<D>> explicit_;
  ClosedLoops<D> loops_;
  MechanismState<D> place_;
  OilRows oil_rows_;
  RotationStep<D> turn_, turned_;  // at the end of the step or a stage; where the metric is evaluated
  ScaledSystem system_;
  Change change_, end_change_, projected_;
  // of the projection
  std::optional<Reduction<D>> metric_;
  HydraulicState metric_oil_;
  DirectionalDerivative<D> metric_variation_;
  bool whole_tangent_ = false;
  double factor_ = 0, weight_ = 0;  // of the oil's rule: of N, of Q_0
  std::vector<double> violation_, mu_, offset_, metric_y_, metric_ydot_, force_, reduced_, reduced_x_, bend_, nudged_theta_, nudged_y_,
      nudged_offset_;
  std::vector<int> reduced_pivot_;
  StateVector nudged_;
  // of explicit steps
  std::vector<double> chart_matrix_, y_;
  std::vector<int> chart_pivot_, pistons_, every_;
  std::vector<Column> columns_;
  std::vector<double> theta_, increment_, dr_, x_, chart_;
  StateVector motion_state_;
  std::vector<double> partition_, step_partition_;
  std::vector<StateVector> stages_;
  // of the evaluation in progress
  const StateVector *before_ = nullptr, *after_ = nullptr;
  double h_ = 0;
  const std::vector<int>*independent_ = nullptr, *velocity_dependent_ = nullptr, *states_ = nullptr;
  Eigen::MatrixXd *F_ = nullptr, *G_ = nullptr;
};

/// By numbers with derivatives; inputs are those of the model.
struct TransitionMap::WorkByColumns final : TransitionMap::Work {
  explicit WorkByColumns(const CompiledModel& model) : columns_(step_columns_factory()(model, {})) {
    for (int i = 0; i < model.signals.inputs(); ++i) inputs_.push_back({LinearInput::Kind::value, model.signals.first_input() + i});
  }
  void evaluate(const MinimalState& coordinates, const StateVector& before, const StateVector& after, double h, const StepOutcome&,
                Eigen::MatrixXd& F, Eigen::MatrixXd& G) override {
    columns_->by_states({coordinates, before, after, h}, F);
    columns_->by_inputs({coordinates, before, after, h}, G);
  }
  const std::vector<LinearInput>& inputs() const override { return inputs_; }

 private:
  std::unique_ptr<StepColumns> columns_;
  std::vector<LinearInput> inputs_;
};

TransitionMap::TransitionMap(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference)
    : model_(with_step_derivative(model)), coordinates_(model, reference) {
  by_equations_ = by_equations(*model);
  if (!by_equations_)
    work_ = std::make_unique<WorkByColumns>(*model);
  else if (model->planar)
    work_ = std::make_unique<WorkIn<2>>(model);
  else
    work_ = std::make_unique<WorkIn<3>>(model);
  signals_ = work_->inputs();
  if (by_equations_) add_composite_inputs(*model, signals_);
  inputs_ = input_variables(*model, reference, signals_, Side::right);
}

TransitionMap::~TransitionMap() = default;

void TransitionMap::evaluate(const StateVector& before, const StateVector& after, double h, const StepOutcome& report) {
  if (!(before.layout() == model_->layout) || !(after.layout() == model_->layout)) throw Error("the state belongs to another model");
  if (!(h > 0) || !(std::abs(after.time - before.time - h) <= 1e-9 * h + 1e-12 * std::abs(after.time)))
    throw Error(fmt::format("a step of {} s does not lead from t = {} s to {} s", h, before.time, after.time));
  if (report.status != StepStatus::converged)
    throw Error(fmt::format("the step to t = {} s did not converge: it has no derivative", after.time));
  if (report.parts > 1 || report.resolved || report.oil_rule.implicit_euler)
    throw Error(
        fmt::format("the step to t = {} s was subdivided (pressures jumped, or Newton's method did not converge at once): "
                    "chain the derivatives of its parts",
                    after.time));
  if (report.switched)
    throw Error(
        fmt::format("the step to t = {} s begins or ends where the mode of a control block changes, at a time that follows from the state: "
                    "it has no derivative at a fixed length; derivatives of a run (sensitivities, gradients) include that of the time",
                    after.time));
  work_->evaluate(coordinates_, before, after, h, report, F_, by_equations_ ? alone_ : G_);
  if (by_equations_) {  // signals depend on inputs at the start and at the end of the step
    G_.setZero(alone_.rows(), static_cast<Eigen::Index>(signals_.size()));
    add_columns_of_inputs(*model_, before, signals_, Side::right, alone_, 0.5, G_);
    add_columns_of_inputs(*model_, after, signals_, Side::left, alone_, 0.5, G_);
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    inputs_[i].reference = input_value(signals_at(*model_, before), signals_[i], before.time, Side::right);
}

}  // namespace trunnion
