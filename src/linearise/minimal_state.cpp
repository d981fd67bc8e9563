// State of a machine from and to its minimal vector.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/minimal_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/diagnostic.h"
#include "linearise/reduction.h"
#include "linearise/variables.h"

namespace trunnion {

namespace {

constexpr double kLeap = 0.1;       // [rad, of the extent] over which dependent positions are followed at once
constexpr int kMostLeaps = 1000;    // beyond, they become longer
constexpr double kShortest = 1e-3;  // of a leap: shorter ones are not tried
constexpr const char* kWhat = "the minimal state";

}  // namespace

struct MinimalState::Work {
  explicit Work(const StateLayout& layout)
      : reference(layout), next(layout), theta(layout.nv), from(layout.nv), kept(layout.nv), partition(layout.rows) {}
  virtual ~Work() = default;
  /// At the reference. False at a singular configuration.
  virtual bool select() = 0;
  virtual bool take_partition(const double* partition) = 0;
  /// Phi at the reference.
  virtual const std::vector<double>& violations() = 0;
  virtual const std::vector<int>& independent() const = 0;
  virtual const std::vector<int>& velocity_dependent() const = 0;
  virtual const std::vector<int>& dependent() const = 0;
  virtual void write_partition(double* out) const = 0;
  virtual void read(const StateVector& state, double* x) = 0;
  virtual void set(const double* x, StateVector& state) = 0;

  StateVector reference, next;
  std::vector<int> first_order;
  std::vector<double> theta, from, kept;  // increments from the reference: on the way, at its start, after the last leap
  std::vector<double> partition;
};

template <int D>
struct MinimalState::WorkIn final : MinimalState::Work {
  explicit WorkIn(const std::shared_ptr<const CompiledModel>& model)
      : Work(model->layout), m(std::get<Mechanism<D>>(model->mechanism)), rates(model, ConstraintTreatment::closed) {
    first_order = first_order_states(model->hydraulics);
  }

  const std::vector<int>& independent() const override { return rates.loops().independent(); }
  const std::vector<int>& velocity_dependent() const override { return rates.loops().velocity_dependent(); }
  const std::vector<int>& dependent() const override { return rates.loops().dependent(); }
  void write_partition(double* out) const override { rates.loops().write(out); }

  void place_at_reference() {
    update_inputs(rates.model(), signals_at(rates.model(), reference), reference.time, Side::right, rates.work());
    update_followed_motions(m, reference.y(), reference.ydot(), rates.work().mechanism);
    update_positions(m, reference.q(), static_cast<const double*>(nullptr), rates.work().mechanism);
  }
  bool select() override {
    place_at_reference();
    return rates.loops().select_partition(rates.work().mechanism);
  }
  bool take_partition(const double* given) override {
    place_at_reference();
    return rates.loops().load_partition(given) && rates.loops().factor_at(rates.work().mechanism);
  }
  const std::vector<double>& violations() override {
    place_at_reference();
    return rates.work().mechanism.Phi;
  }

  const TreeNode<D>& node_of(int v) const { return m.tree.nodes[m.tree.dof_node[v]]; }

  /// The position of velocity v, where the mechanism is `moved` from the reference.
  double position(const StateVector& state, const std::vector<double>& moved, int v) const {
    const TreeNode<D>& n = node_of(v);
    return n.joint == NodeJoint::spherical ? moved[v] : state.q()[n.q];
  }

  void read(const StateVector& state, double* x) override {
    configuration_difference(m.tree, reference.q(), state.q(), theta.data());
    for (int v : independent()) *x++ = position(state, theta, v);
    for (int v : independent()) *x++ = state.v()[v];
    for (int v : velocity_dependent()) *x++ = position(state, theta, v);
    for (int i : first_order) *x++ = state.y()[i];
  }

  [[noreturn]] void fail(const StepOutcome& report) const {
    const char* cause = report.status == StepStatus::end_of_stroke    ? "a piston would be outside its cylinder"
                        : report.status == StepStatus::wheel_singular ? "a wheel would lie flat on its plane"
                        : report.status == StepStatus::singular       ? "the mass matrix is singular on the constraints"
                        : report.status == StepStatus::open_loop
                            ? "the loops do not close at these independent coordinates"
                            : "a singular configuration (dead point) of the loops lies there or between";
    const char* remedy = report.status == StepStatus::singular_configuration ? "select other independent coordinates, or another position"
                         : report.status == StepStatus::singular             ? "give every moving body mass and inertia"
                                                                             : "use another position";
    throw SimulationError(next.time, report.worst >= 0 ? name_of_unknown(rates.model(), report.worst) : kWhat, cause, remedy);
  }

  /// Closes the loops at theta, the dependent part a first guess. False: see the report.
  bool close(StepOutcome& report) {
    const LoopStatus status =
        rates.loops().close(reference.q(), theta.data(), next.q(), true, rates.work().mechanism, &report.position_iterations);
    if (status == LoopStatus::closed) return true;
    rates.keeper().fail(status, report);
    return false;
  }

  /// Moves theta from the present position to `from` + the movement in `kept` of the admissible coordinates.
  void follow(StepOutcome& report) {
    const std::vector<int>& admissible = rates.loops().admissible();
    if (!close(report)) fail(report);
    double farthest = 0;
    for (int v : admissible) farthest = std::max(farthest, std::abs(kept[v]) / m.unit(v));
    const double leap = m.rows == 0 ? 1 : 1 / std::clamp(std::ceil(farthest / kLeap), 1.0, static_cast<double>(kMostLeaps));
    std::copy(theta.begin(), theta.end(), from.begin());
    write_partition(partition.data());
    for (double way = 0, length = leap; way < 1;) {
      const double target = way + length > 1 - kShortest * leap ? 1 : way + length;
      std::copy(theta.begin(), theta.end(), last_.begin());
      for (int v : admissible) theta[v] = from[v] + target * kept[v];
      report.status = StepStatus::converged;
      bool there = close(report);
      if (there && rates.loops().determinant_changed_sign(partition.data())) {
        rates.keeper().fail(StepStatus::singular_configuration, report);
        there = false;
      }
      if (there) {
        way = target;
        length = std::min(2 * length, leap);
        continue;
      }
      std::copy(last_.begin(), last_.end(), theta.begin());
      length /= 2;
      if (length < kShortest * leap) fail(report);
    }
  }

  void set(const double* x, StateVector& state) override {
    next = state;
    StepOutcome report;
    update_inputs(rates.model(), signals_at(rates.model(), next), next.time, Side::right, rates.work());
    configuration_difference(m.tree, reference.q(), next.q(), theta.data());
    const double* velocities = x + independent().size();
    const double* ad = velocities + independent().size();
    const double* y = ad + velocity_dependent().size();
    std::fill(kept.begin(), kept.end(), 0.0);
    const auto movement = [&](const std::vector<int>& list, const double* to) {
      for (int v : list) kept[v] = *to++ - position(next, theta, v);
    };
    movement(independent(), x);
    movement(velocity_dependent(), ad);
    for (int i : first_order) next.y()[i] = *y++;
    update_followed_motions(m, next.y(), next.ydot(), rates.work().mechanism);
    follow(report);
    for (int v : independent()) next.v()[v] = *velocities++;
    if (!rates.place(reference.q(), theta.data(), Side::right, next, report)) fail(report);
    // the coordinates as given, to the last bit
    const auto take = [&](const std::vector<int>& list, const double* value) {
      for (int v : list) {
        const TreeNode<D>& n = node_of(v);
        if (n.joint != NodeJoint::spherical) next.q()[n.q] = *value;
        ++value;
      }
    };
    take(independent(), x);
    take(velocity_dependent(), ad);
    // rates of increments of spherical joints start here
    update_positions(m, next.q(), static_cast<const double*>(nullptr), rates.work().mechanism);
    if (!rates.loops().factor_at(rates.work().mechanism)) {
      rates.keeper().fail(StepStatus::singular_configuration, report);
      fail(report);
    }
    constraint_rates(m, next.v(), rates.work().mechanism);
    if (!rates.accelerate(next, report)) fail(report);
    next.forget_history();
    if (std::any_of(next.partition(), next.partition() + m.rows, [](double entry) { return entry != 0; }))
      write_partition(next.partition());
    state = next;
  }

  const Mechanism<D>& m;
  MachineRates<D> rates;
  std::vector<double> last_ = std::vector<double>(theta.size());
};

[[gnu::cold]] std::unique_ptr<MinimalState::Work> MinimalState::make_work(const std::shared_ptr<const CompiledModel>& model) {
  if (model->planar) return std::make_unique<WorkIn<2>>(model);
  return std::make_unique<WorkIn<3>>(model);
}

namespace {

[[noreturn]] void fail_at_dead_point(double time) {
  throw SimulationError(time, kWhat, "the reference is a singular configuration (dead point) of the loops", "use another position");
}

}  // namespace

MinimalState::MinimalState(std::shared_ptr<const CompiledModel> model, const StateVector& reference)
    : work_(make_work(model)), model_(std::move(model)) {
  select(reference);
}

MinimalState::MinimalState(std::shared_ptr<const CompiledModel> model, const StateVector& reference, const MinimalState& like)
    : work_(make_work(model)), model_(std::move(model)) {
  work_->reference = like.reference();
  std::vector<double> partition(static_cast<std::size_t>(model_->layout.rows));
  like.write_partition(partition.data());
  if (work_->take_partition(partition.data()))
    name_states();
  else
    select(reference);
}

MinimalState::~MinimalState() = default;

void MinimalState::select(const StateVector& reference) {
  if (!(reference.layout() == model_->layout)) throw Error("the state belongs to another model");
  work_->reference = reference;
  if (!work_->select()) fail_at_dead_point(reference.time);
  name_states();
}

[[gnu::cold]] void MinimalState::name_states() {
  const auto observer = make_observer(model_);
  variables_ = VariableNames(*model_, observer->channels())
                   .states(work_->reference, work_->independent(), work_->velocity_dependent(), work_->first_order);
  partition_ = {coordinate_list(*model_, work_->independent()), coordinate_list(*model_, work_->velocity_dependent()),
                coordinate_list(*model_, work_->dependent())};
}

const std::vector<int>& MinimalState::independent() const { return work_->independent(); }
const std::vector<int>& MinimalState::velocity_dependent() const { return work_->velocity_dependent(); }
const std::vector<int>& MinimalState::first_order() const { return work_->first_order; }
const StateVector& MinimalState::reference() const { return work_->reference; }
void MinimalState::write_partition(double* partition) const { work_->write_partition(partition); }

void MinimalState::read(const StateVector& state, std::span<double> x) const {
  if (!(state.layout() == model_->layout)) throw Error("the state belongs to another model");
  if (x.size() != variables_.size()) throw Error(fmt::format("the minimal vector has {} entries, {} given", variables_.size(), x.size()));
  work_->read(state, x.data());
}

void MinimalState::set(std::span<const double> x, StateVector& state) {
  if (!(state.layout() == model_->layout)) throw Error("the state belongs to another model");
  if (x.size() != variables_.size()) throw Error(fmt::format("the minimal vector has {} entries, {} given", variables_.size(), x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) throw Error(fmt::format("the minimal vector's {} is not finite", variables_[i].name));
  const Hydraulics& netlist = model_->hydraulics;
  const std::size_t first = x.size() - work_->first_order.size();
  for (std::size_t i = first; i < x.size(); ++i)
    if (work_->first_order[i - first] < static_cast<int>(netlist.volumes.size()) && !(x[i] > 0 && x[i] < 1e12))
      throw Error(
          fmt::format("the minimal vector's {} is {:g} Pa: pressures are absolute, above 0 and below 1e12 Pa", variables_[i].name, x[i]));
  work_->set(x.data(), state);
}

[[gnu::cold]] void close_loops(const std::shared_ptr<const CompiledModel>& model, const std::shared_ptr<const CompiledModel>& before,
                               const MinimalState* like, StateVector& state) {
  constexpr double kTolerance = 1e-10;  // [rad, m], of small machines lengths in their extent
  if (model->layout.rows == 0) return;
  const double tolerance = kTolerance * std::min(1.0, std::visit([](const auto& m) { return m.extent; }, model->mechanism));
  const auto work = MinimalState::make_work(model), other = MinimalState::make_work(before);
  work->reference = other->reference = state;
  const std::vector<double>&now = work->violations(), &then = other->violations();
  bool open = false, changed = false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    open = open || std::abs(now[i]) > tolerance;
    changed = changed || std::abs(now[i] - then[i]) > tolerance;
  }
  if (!open || !changed) return;
  std::vector<double> partition(static_cast<std::size_t>(model->layout.rows));
  if (like != nullptr) like->write_partition(partition.data());
  if ((like == nullptr || !work->take_partition(partition.data())) && !work->select()) fail_at_dead_point(state.time);
  std::vector<double> x(2 * work->independent().size() + work->velocity_dependent().size() + work->first_order.size());
  work->read(state, x.data());
  work->set(x.data(), state);
}

}  // namespace trunnion
