// Linear model of a machine: names, reduction, kinks, and change of A along a moving reference.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/linear_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "base/diagnostic.h"
#include "hydraulics/quasistatic/command_error.h"
#include "linearise/counterpart.h"
#include "linearise/differential_form.h"
#include "linearise/reduction.h"
#include "linearise/sampled_blocks.h"
#include "linearise/variables.h"
#include "machine/observe.h"

namespace trunnion {

namespace {

constexpr double kNudge = 1e-9;             // of a quantity's size: perturbation to the other side of a kink
constexpr double kJump = 1e-3;              // of a slope: a larger change over a nudge is a kink
constexpr double kSame = 1e-9;              // relative: equal columns
constexpr double kTurn = 1e-3;              // [rad, m] how far a moving reference is followed to see whether A changes
constexpr std::size_t kMostMovers = 64;     // maximum number of states searched for what A depends on
constexpr double kSteady = 1e-7;            // of the largest entry of a row of A: smaller changes count as constant
constexpr double kNegligibleEntry = 1e-12;  // of the largest entry of rows of its kind: rounding
constexpr double kMoving = 1e-9;            // [rad/s, m/s]

/// Channel indices of the requested outputs.
std::vector<std::size_t> find_outputs(const std::vector<Channel>& channels, const std::vector<std::string>& wanted) {
  std::vector<std::size_t> found;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    names.push_back(channels[i].name);
    const std::string& name = channels[i].name;
    if (wanted.empty() && !name.ends_with(".violation") && !name.ends_with(".slip")) found.push_back(i);  // zero, with a kink there
  }
  std::vector<Diagnostic> wrong;
  for (const std::string& name : wanted) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) {
      found.push_back(static_cast<std::size_t>(at - names.begin()));
      continue;
    }
    const std::string near = nearest_name(name, names);
    wrong.push_back(
        {{}, "output " + name, "no channel has this name", "a channel of the model", near.empty() ? "" : "did you mean " + near + "?"});
  }
  if (!wrong.empty()) throw InputError(std::move(wrong));
  return found;
}

/// n, r, u, p, c and f of a linear model with the given first-order states.
LinearSizes sizes_of(const CompiledModel& model, std::size_t first_order) {
  LinearSizes sizes;
  sizes.n = model.layout.nv;
  sizes.r = static_cast<int>(model.hydraulics.volumes.size());
  for (const Spool& spool : model.hydraulics.spools) sizes.u += spool.follows() ? 0 : spool.states();
  for (const QuasistaticCircuit& q : model.hydraulics.quasistatic) sizes.p += q.metering.size();
  for (const ControlBlock& block : model.hydraulics.control) sizes.c += block.sampled() ? 0 : block.states();
  sizes.f = static_cast<int>(first_order) - sizes.r - sizes.u - sizes.p - sizes.c;
  return sizes;
}

// ---------------------------------------------------------------- exact, of minimum size

template <int D>
class Lineariser {
 public:
  Lineariser(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference, const std::vector<int>& independent)
      : model_(model), m_(std::get<Mechanism<D>>(model->mechanism)), reduction_(model) {
    reduction_.set_reference(reference, nullptr, independent);
  }

  LinearModel build(const LinearOptions& options) {
    const auto observer = make_observer(model_);
    const VariableNames names(*model_, observer->channels());
    LinearModel linear;
    linear.time = reduction_.reference().time;
    describe_states(names, linear);
    describe_inputs(linear);
    const std::vector<std::size_t> outputs = find_outputs(observer->channels(), options.outputs);
    observer->observe(reduction_.reference(), Side::right);
    std::vector<double> values(observer->channels().size());
    observer->values(values.data());
    for (std::size_t i : outputs)
      linear.outputs.push_back({observer->channels()[i].name, observer->channels()[i].unit, observer->channels()[i].meaning, values[i]});
    fill(outputs, linear);
    linear.drift.resize(reduction_.size());
    reduction_.drift(linear.drift.data());
    follow(linear);
    find_kinks(outputs, linear);
    return linear;
  }

 private:
  void describe_states(const VariableNames& names, LinearModel& linear) {
    linear.independent = reduction_.velocities();
    linear.velocity_dependent = reduction_.velocity_dependent();
    linear.first_order = reduction_.states();
    linear.states = names.states(reduction_.reference(), linear.independent, linear.velocity_dependent, linear.first_order);
    linear.partition = {coordinate_list(*model_, linear.independent), coordinate_list(*model_, linear.velocity_dependent),
                        coordinate_list(*model_, reduction_.dependent())};
    linear.sizes = sizes_of(*model_, linear.first_order.size());
    linear.sizes.m = static_cast<int>(reduction_.dependent().size());
    linear.sizes.l = static_cast<int>(linear.velocity_dependent.size());
  }

  void describe_inputs(LinearModel& linear) {
    linear.signals = reduction_.inputs();
    add_composite_inputs(*model_, linear.signals);
    linear.inputs = input_variables(*model_, reduction_.reference(), linear.signals, Side::right);
  }

  /// Column `column` of what sampled blocks read, after the change by its state or input.
  void read_sampled(Eigen::Index column, LinearModel& linear) {
    Scratch<Dual<1>, kMaxBlockInputs> u;
    for (SampledBlock& sampled : linear.sampled) {
      reduction_.read_control(model_->hydraulics.control[static_cast<std::size_t>(sampled.block)], u.data());
      for (Eigen::Index k = 0; k < sampled.reads.rows(); ++k) sampled.reads(k, column) = u[static_cast<int>(k)].d[0];
      if (sampled.samples.size() == 0) differentiate_sample(*model_, reduction_.reference().y(), u.data(), sampled);
    }
  }

  bool is_model_input(const LinearInput& input) const { return trunnion::is_model_input(*model_, input); }
  /// The change of a signal per change of an input.
  double slope(const LinearInput& of, const LinearInput& input) const {
    return slope_by_input(*model_, reduction_.reference(), of, input, Side::right);
  }

  /// Columns of A and C, B and D.
  class ColumnReader {
   public:
    ColumnReader(Lineariser& of, const std::vector<std::size_t>& outputs)
        : reduction_(of.reduction_),
          outputs_(outputs),
          observer_(make_change_observer(of.model_)),
          values_(observer_->channels().size()),
          change_(*of.model_) {}
    /// `at`: where outputs are observed.
    void read_state(int j, const StateVector& at, double* rates, double* outputs) {
      reduction_.state_change(j, true, change_);
      read(at, rates, outputs);
    }
    void read_input(int j, const StateVector& at, double* rates, double* outputs) {
      reduction_.input_change(j, true, change_);
      read(at, rates, outputs);
    }

   private:
    void read(const StateVector& at, double* rates, double* outputs) {
      reduction_.rates_of(change_, rates);
      const auto& c = change_.mechanism;
      observer_->observe(at, Side::right,
                         {c.theta.data(), c.v.data(), c.a.data(), change_.y.data(), change_.ydot.data(), change_.multipliers.data(),
                          change_.signal.data()});
      observer_->values(values_.data());
      for (std::size_t i = 0; i < outputs_.size(); ++i) outputs[i] = values_[outputs_[i]].d[0];
    }

    Reduction<D>& reduction_;
    const std::vector<std::size_t>& outputs_;
    std::unique_ptr<ChangeObserver> observer_;
    std::vector<Dual<1>> values_;
    typename Reduction<D>::Change change_;
  };

  /// A, B, C, D column by column; inputs that act through other signals by the chain rule.
  void fill(const std::vector<std::size_t>& outputs, LinearModel& linear) {
    const auto n = static_cast<Eigen::Index>(linear.states.size()), inputs = static_cast<Eigen::Index>(linear.inputs.size()),
               rows = static_cast<Eigen::Index>(outputs.size());
    linear.A.resize(n, n);
    linear.C.resize(rows, n);
    linear.B.setZero(n, inputs);
    linear.D.setZero(rows, inputs);
    linear.sampled = sampled_blocks(*model_, linear);
    ColumnReader column(*this, outputs);
    for (Eigen::Index j = 0; j < n; ++j) {
      column.read_state(static_cast<int>(j), reduction_.reference(), linear.A.col(j).data(), linear.C.col(j).data());
      read_sampled(j, linear);
    }
    const auto read_signals = static_cast<Eigen::Index>(reduction_.inputs().size());
    direct_B_.resize(n, read_signals);
    direct_D_.resize(rows, read_signals);
    for (Eigen::Index j = 0; j < read_signals; ++j) {
      column.read_input(static_cast<int>(j), reduction_.reference(), direct_B_.col(j).data(), direct_D_.col(j).data());
      read_sampled(n + j, linear);
    }
    for (SampledBlock& sampled : linear.sampled) {
      const Eigen::MatrixXd alone = sampled.reads.middleCols(n, read_signals);
      Eigen::MatrixXd by_inputs = Eigen::MatrixXd::Zero(alone.rows(), inputs);
      add_columns_of_inputs(*model_, reduction_.reference(), linear.signals, Side::right, alone, 1, by_inputs);
      sampled.reads.rightCols(inputs) = by_inputs;
    }
    add_columns_of_inputs(*model_, reduction_.reference(), linear.signals, Side::right, direct_B_, 1, linear.B);
    add_columns_of_inputs(*model_, reduction_.reference(), linear.signals, Side::right, direct_D_, 1, linear.D);
    for (Eigen::Index j = read_signals; j < inputs; ++j) {
      const std::string own = linear.inputs[static_cast<std::size_t>(j)].name + ".input";
      for (Eigen::Index i = 0; i < rows; ++i)
        if (linear.outputs[static_cast<std::size_t>(i)].name == own) linear.D(i, j) = 1;
    }
  }

  /// Whether A of a moving reference changes, tested a little later.
  void follow(LinearModel& linear) {
    const StateVector& at = reduction_.reference();
    double fastest = 0;
    for (int v = 0; v < m_.tree.nv; ++v) fastest = std::max(fastest, std::abs(at.v()[v]));
    if (fastest < kMoving) return;
    const double dt = kTurn / fastest;
    const Eigen::Index row = changed_row(linear, later(dt), later(0.1 * dt));
    if (row < 0) return;
    linear.changes = true;
    find_movers(dt, linear);
    linear.warnings.push_back(fmt::format(
        "the reference moves and the model changes with it ({}): its eigenvalues are frozen at t = {} s and do not determine stability",
        linear.depends_on.empty() ? fmt::format("first seen in the rate of {}", linear.states[static_cast<std::size_t>(row)].name)
                                  : fmt::format("A depends on {}", fmt::join(linear.depends_on, ", ")),
        linear.time));
  }

  /// The first row of A whose differences to `far`, a little later, and to `near`, ten times less later, are proportional; -1: none.
  /// Changes that are not proportional are rounding.
  Eigen::Index changed_row(const LinearModel& linear, const Eigen::MatrixXd& far, const Eigen::MatrixXd& near) const {
    const auto n = static_cast<Eigen::Index>(linear.independent.size());
    for (Eigen::Index i = 0; i < linear.A.rows(); ++i) {
      // rows of accelerations are compared together, since one of them may be rounding only
      const bool acceleration = i >= n && i < 2 * n;
      const double own = linear.A.row(i).cwiseAbs().maxCoeff(), kind = acceleration ? linear.A.middleRows(n, n).cwiseAbs().maxCoeff() : own;
      const double change = (far - linear.A).row(i).cwiseAbs().maxCoeff();
      if (change > std::max(kSteady * own, kNegligibleEntry * kind) && (near - linear.A).row(i).cwiseAbs().maxCoeff() <= 0.5 * change)
        return i;
    }
    return -1;
  }

  /// The states that move and change A, tested one at a time.
  void find_movers(double dt, LinearModel& linear) {
    if (linear.states.size() > kMostMovers) return;
    for (std::size_t j = 0; j < linear.states.size(); ++j) {
      const double rate = linear.drift[static_cast<Eigen::Index>(j)];
      if (rate != 0 && changed_row(linear, moved(linear, j, dt * rate), moved(linear, j, 0.1 * dt * rate)) >= 0)
        linear.depends_on.push_back(linear.states[j].name);
    }
  }

  /// A of the reference dt later, on the same partition.
  Eigen::MatrixXd later(double dt) {
    const StateVector& at = reduction_.reference();
    StateVector next = at;
    std::vector<double> theta(m_.tree.nv);
    for (int v = 0; v < m_.tree.nv; ++v) {
      theta[v] = dt * at.v()[v];
      next.v()[v] += dt * at.a()[v];
    }
    for (int i = 0; i < model_->layout.ny; ++i) next.y()[i] += dt * at.ydot()[i];
    return jacobian_at(theta, next);
  }

  /// A where one state differs from the reference.
  Eigen::MatrixXd moved(const LinearModel& linear, std::size_t j, double change) {
    StateVector next = reduction_.reference();
    std::vector<double> theta(m_.tree.nv, 0.0);
    const std::size_t n = linear.independent.size(), positions = 2 * n + linear.velocity_dependent.size();
    if (j < n)
      theta[linear.independent[j]] = change;
    else if (j < 2 * n)
      next.v()[linear.independent[j - n]] += change;
    else if (j < positions)
      theta[linear.velocity_dependent[j - 2 * n]] = change;
    else
      next.y()[linear.first_order[j - positions]] += change;
    return jacobian_at(theta, next);
  }

  /// A at the reference's position moved by `theta` and with the rest of `next`.
  Eigen::MatrixXd jacobian_at(const std::vector<double>& theta, StateVector& next) {
    std::vector<double> A;
    advance_configuration(m_.tree, reduction_.reference().q(), theta.data(), next.q());
    Reduction<D> other(model_);
    other.set_reference(next, &reduction_);
    other.jacobian(A);
    return Eigen::Map<const Eigen::MatrixXd>(A.data(), other.size(), other.size());
  }

  /// On which sides of a reference slopes are others than at it.
  struct Kink {
    bool above = false, below = false;
  };

  /// Slopes that differ on the two sides of the reference, and the columns on the other side. Invalidates the reduction.
  void find_kinks(const std::vector<std::size_t>& outputs, LinearModel& linear) {
    const StateVector& at = reduction_.reference();
    const MachineState<D>& work = reduction_.rates().work();
    std::vector<double> s = work.mechanism.s, s_dot = work.mechanism.s_dot, y(at.y(), at.y() + model_->layout.ny), here, lower[2], upper[2];
    // A slope that jumps does so at any distance; a smooth change is ten times smaller at a tenth of the distance. On which
    // sides the slopes are others than at the reference
    const auto nudge_of = [](double x, double size) { return kNudge * std::max(std::abs(x), size); };
    const auto kinked = [&](double& x, double size) {
      const double kept = x;
      reduction_.oil_slopes(s.data(), s_dot.data(), y.data(), here);
      double nudge = nudge_of(kept, size);
      bool possible = true;  // no valve opens that may not
      try {
        for (int k : {0, 1}) {
          x = kept - nudge;
          reduction_.oil_slopes(s.data(), s_dot.data(), y.data(), lower[k]);
          x = kept + nudge;
          reduction_.oil_slopes(s.data(), s_dot.data(), y.data(), upper[k]);
          nudge *= 10;
        }
      } catch (const CommandError&) { possible = false; }
      x = kept;
      Kink kink;
      for (std::size_t i = 0; possible && i < here.size(); ++i) {
        const double near = std::abs(upper[0][i] - lower[0][i]), far = std::abs(upper[1][i] - lower[1][i]);
        const double limit = kJump * std::max(std::abs(upper[0][i]), std::abs(lower[0][i]));
        if (!(near > limit) || !(near > 0.5 * far)) continue;
        kink.above = kink.above || std::abs(upper[0][i] - here[i]) > limit;
        kink.below = kink.below || std::abs(lower[0][i] - here[i]) > limit;
      }
      return kink;
    };
    const auto warn = [&](const std::string& name, double value, Kink kink) {
      if (!kink.above && !kink.below) return;
      const char* const holds = kink.above && kink.below ? "at this value alone, neither above nor below"
                                : kink.below             ? "at and above this value, not below"
                                                         : "at and below this value, not above";
      linear.warnings.push_back(fmt::format("{} = {:.6g} is on a kink: the model holds {}", name, value, holds));
    };
    const Hydraulics& netlist = model_->hydraulics;
    const auto warn_of = [&](int i, const std::string& of, const char* position, const char* rate) {
      warn(of + position, s[i], kinked(s[i], 1));
      warn(of + rate, s_dot[i], kinked(s_dot[i], 1e-3));
    };
    for (int i = 0; i < netlist.pistons; ++i)
      warn_of(i, netlist.actuators[i].name + ".", netlist.actuators[i].is_rotary ? "angle" : "length", "rate");
    for (const JointPort& port : model_->joint_ports)
      if (port.port >= netlist.pistons) warn_of(port.port, port.place.joint + ".", port.place.name.position, port.place.name.rate);
    for (const MarkerPort& port : model_->marker_ports) {
      const std::string axis{"xyz"[port.axis]};
      warn_of(port.port, model_->description.markers[port.marker].first + ".", ("position_" + axis).c_str(), ("velocity_" + axis).c_str());
    }
    ColumnReader column(*this, outputs);
    for (int i = 0; i < model_->layout.ny; ++i) {
      const double size = i < static_cast<int>(netlist.volumes.size()) ? 1e5 : is_spool(i) ? 1 : 1e-6;
      const Kink kink = kinked(y[i], size);
      warn(model_->state_names[i], y[i], kink);
      for (const bool above : {false, true}) {
        if (!(above ? kink.above : kink.below)) continue;
        StateVector other = at;
        for (const int k : moving_with(i)) other.y()[k] += (above ? 1 : -1) * nudge_of(other.y()[k], size);
        std::vector<double> moved(other.y(), other.y() + model_->layout.ny);
        reduction_.oil_slopes(s.data(), s_dot.data(), moved.data(), here);
        read_other_side(i, above, other, column, linear);
      }
    }
    add_other_sides_of_inputs(linear);
  }

  bool is_spool(int state) const {
    const std::vector<Spool>& spools = model_->hydraulics.spools;
    return std::any_of(spools.begin(), spools.end(), [&](const Spool& spool) { return spool.state == state; });
  }

  /// The state, or all spools that are the same signal.
  std::vector<int> moving_with(int state) const {
    const std::vector<Spool>& spools = model_->hydraulics.spools;
    const auto own = std::find_if(spools.begin(), spools.end(), [&](const Spool& spool) { return spool.state == state; });
    if (own == spools.end() || !own->is_signal()) return {state};
    std::vector<int> states;
    for (const Spool& spool : spools)
      if (spool.is_signal() && spool.signal == own->signal) states.push_back(spool.state);
    return states;
  }

  /// The column of a state of the oil on a kink, or of the input that it is, where the oil's slopes are those of the other side.
  void read_other_side(int state, bool above, const StateVector& at, ColumnReader& column, LinearModel& linear) {
    OtherSide other;
    other.above = above;
    other.rates.resize(linear.A.rows());
    other.outputs.resize(linear.C.rows());
    if (const auto found = std::find(linear.first_order.begin(), linear.first_order.end(), state); found != linear.first_order.end()) {
      other.column =
          static_cast<int>(linear.states.size() - linear.first_order.size() + static_cast<std::size_t>(found - linear.first_order.begin()));
      column.read_state(other.column, at, other.rates.data(), other.outputs.data());
    } else {
      const std::vector<Spool>& spools = model_->hydraulics.spools;
      const auto spool = std::find_if(spools.begin(), spools.end(), [&](const Spool& of) { return of.state == state; });
      if (spool == spools.end() || !spool->is_signal()) return;
      const auto input = std::find_if(linear.signals.begin(), linear.signals.end(), [&](const LinearInput& of) {
        return of.kind == LinearInput::Kind::value && of.signal == spool->signal;
      });
      if (input == linear.signals.end()) return;
      other.is_input = true;
      other.column = static_cast<int>(input - linear.signals.begin());
      for (const OtherSide& known : linear.other_sides)
        if (known.is_input && known.column == other.column && known.above == above) return;  // another spool of the signal
      column.read_input(other.column, at, other.rates.data(), other.outputs.data());
    }
    const bool input = other.is_input;
    if (other.rates.isApprox((input ? direct_B_ : linear.A).col(other.column), kSame) &&
        other.outputs.isApprox((input ? direct_D_ : linear.C).col(other.column), kSame))
      return;  // the kink has no effect here
    linear.other_sides.push_back(std::move(other));
  }

  /// Inputs of the model that act through signals on a kink: all of these move to one side, or to the other, with the input.
  void add_other_sides_of_inputs(LinearModel& linear) const {
    const std::vector<OtherSide> read = std::exchange(linear.other_sides, {});
    for (const OtherSide& of : read)
      if (!of.is_input || !is_model_input(linear.signals[static_cast<std::size_t>(of.column)])) linear.other_sides.push_back(of);
    for (int j = 0; j < static_cast<int>(linear.inputs.size()); ++j)
      for (const bool above : {false, true}) {
        OtherSide sum{true, j, above, linear.B.col(j), linear.D.col(j)};
        bool on_kink = false;
        for (const OtherSide& of : read) {
          if (!of.is_input || !is_model_input(linear.signals[static_cast<std::size_t>(j)])) continue;
          const double factor =
              of.column == j ? 1 : slope(linear.signals[static_cast<std::size_t>(of.column)], linear.signals[static_cast<std::size_t>(j)]);
          if (factor == 0 || of.above != (above == (factor > 0))) continue;
          sum.rates += factor * (of.rates - direct_B_.col(of.column));
          sum.outputs += factor * (of.outputs - direct_D_.col(of.column));
          on_kink = true;
        }
        if (on_kink) linear.other_sides.push_back(std::move(sum));
      }
  }

  std::shared_ptr<const CompiledModel> model_;
  const Mechanism<D>& m_;
  Reduction<D> reduction_;
  Eigen::MatrixXd direct_B_, direct_D_;  // of the signals that are read, each alone
};

// ---------------------------------------------------------------- counterpart: differences of the whole index-1 system

template <int D>
LinearModel counterpart(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference, double step) {
  CounterpartDifferences<D> differences(model, reference);
  const auto& m = std::get<Mechanism<D>>(model->mechanism);
  LinearModel linear;
  const auto observer = make_observer(model);
  linear.time = reference.time;
  std::vector<int> all(static_cast<std::size_t>(m.tree.nv));
  std::iota(all.begin(), all.end(), 0);
  linear.states = VariableNames(*model, observer->channels()).states(reference, all, {}, differences.states());
  linear.sizes = sizes_of(*model, differences.states().size());
  const auto n = static_cast<Eigen::Index>(linear.states.size());
  linear.A.resize(n, n);
  differences.jacobian(step, linear.A.data());
  linear.drift.resize(n);
  differences.drift(linear.drift.data());
  return linear;
}

template <int D>
Eigen::VectorXd difference(const CompiledModel& model, const LinearModel& linear, const StateVector& reference, const StateVector& state) {
  const auto& m = std::get<Mechanism<D>>(model.mechanism);
  std::vector<double> theta(m.tree.nv);
  configuration_difference(m.tree, reference.q(), state.q(), theta.data());
  Eigen::VectorXd x(static_cast<Eigen::Index>(linear.states.size()));
  Eigen::Index i = 0;
  for (int v : linear.independent) x[i++] = theta[v];
  for (int v : linear.independent) x[i++] = state.v()[v] - reference.v()[v];
  for (int v : linear.velocity_dependent) x[i++] = theta[v];
  for (int k : linear.first_order) x[i++] = state.y()[k] - reference.y()[k];
  return x;
}

}  // namespace

namespace {

[[noreturn]] void refuse_without_states(const CompiledModel& model) {
  throw InputError(
      {Diagnostic{span_of(model.description, ""), "", "the machine has no states to linearise: it has no degree of freedom and no volume",
                  "a degree of freedom or a volume", ""}});
}

}  // namespace

std::vector<int> velocities_of(const CompiledModel& model, const std::vector<std::string>& coordinates) {
  std::vector<int> velocities;
  std::vector<Diagnostic> wrong;
  for (const std::string& name : coordinates) {
    const auto at = std::find(model.coordinate_names.begin(), model.coordinate_names.end(), name);
    if (at != model.coordinate_names.end()) {
      velocities.push_back(static_cast<int>(at - model.coordinate_names.begin()));
      continue;
    }
    const std::string near = nearest_name(name, model.coordinate_names);
    wrong.push_back({{},
                     "coordinate " + name,
                     "no coordinate of the machine has this name",
                     fmt::format("one of {}", fmt::join(model.coordinate_names, ", ")),
                     near.empty() ? "" : "did you mean " + near + "?"});
  }
  if (!wrong.empty()) throw InputError(std::move(wrong));
  return velocities;
}

namespace {

LinearModel reduced(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference, const LinearOptions& options) {
  const std::vector<int> independent = velocities_of(*model, options.independent);
  return model->planar ? Lineariser<2>(model, reference, independent).build(options)
                       : Lineariser<3>(model, reference, independent).build(options);
}

}  // namespace

LinearModel linearise(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference, const LinearOptions& options) {
  if (const auto in_equations = differential_form(model); in_equations != model) {
    LinearModel linear = linearise(in_equations, in_form(*in_equations, *model, reference), options);
    for (const QuasistaticCircuit& q : model->hydraulics.quasistatic)
      if (q.discrete)
        linear.warnings.push_back(
            fmt::format("quasistatic.{}.form: discrete states cannot be linearised; the differential form is used, the same element "
                        "as differential equations",
                        q.name));
    return linear;
  }
  if (model->layout.nv == 0 && model->layout.ny == 0) refuse_without_states(*model);
  LinearModel linear;
  if (options.method == LinearMethod::counterpart)
    linear = model->planar ? counterpart<2>(model, reference, options.step) : counterpart<3>(model, reference, options.step);
  else
    linear = reduced(model, reference, options);
  if (linear.states.empty()) refuse_without_states(*model);
  return linear;
}

Eigen::VectorXd linear_state(const CompiledModel& model, const LinearModel& linear, const StateVector& reference,
                             const StateVector& state) {
  return model.planar ? difference<2>(model, linear, reference, state) : difference<3>(model, linear, reference, state);
}

Eigen::VectorXd linear_inputs(const CompiledModel& model, const LinearModel& linear, double time, Side side) {
  Eigen::VectorXd u(static_cast<Eigen::Index>(linear.signals.size()));
  for (std::size_t i = 0; i < linear.signals.size(); ++i)
    u[static_cast<Eigen::Index>(i)] =
        held_block(model, linear.signals[i]) != nullptr
            ? 0
            : input_value({model.signals, nullptr}, linear.signals[i], time, side) - linear.inputs[i].reference;
  return u;
}

}  // namespace trunnion
