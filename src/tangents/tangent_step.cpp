// Steps of the machine with numbers that have derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#include "tangents/tangent_step.h"

#include "base/diagnostic.h"
#include "linearise/minimal_state.h"
#include "model/model.h"
#include "run/make_stepper.h"
#include "signals/input_course.h"
#include "tangents/variables.h"

namespace tangents {

struct TangentStep::Machine {
  explicit Machine(const trunnion::Description& description)
      : model(trunnion::compile(description)),
        stepper(trunnion::make_stepper(model)),
        state(model->layout),
        reference(state),
        after(state) {}

  std::shared_ptr<const trunnion::CompiledModel> model;
  std::unique_ptr<trunnion::Stepper> stepper;
  trunnion::StateVector state, reference, after;
  std::unique_ptr<trunnion::MinimalState> coordinates;
};

namespace {

void set(trunnion::StateVector& state, const StateNumbers& numbers) {
  state.values().assign(numbers.values.begin(), numbers.values.end());
  state.time = numbers.time;
}

/// Increments of all positions from one configuration to another.
std::vector<Number> difference(const trunnion::CompiledModel& model, const Number* from, const Number* to) {
  std::vector<Number> theta(static_cast<std::size_t>(model.layout.nv));
  std::visit([&](const auto& mechanism) { trunnion::configuration_difference(mechanism.tree, from, to, theta.data()); }, model.mechanism);
  return theta;
}

/// The state with its positions increased.
void advance(const trunnion::CompiledModel& model, const std::vector<Number>& theta, trunnion::StateVector& state) {
  std::vector<Number> q(static_cast<std::size_t>(model.layout.nq));
  std::visit(
      [&](const auto& mechanism) {
        trunnion::advance_configuration(mechanism.tree, static_cast<const Number*>(state.q()), theta.data(), q.data());
      },
      model.mechanism);
  std::copy(q.begin(), q.end(), state.q());
}

/// What the oil's memory has of the state at the start of a step (port positions, inflows), with the derivatives of that state. Its lags
/// are held.
void follow_oil_memory(const trunnion::CompiledModel& model, trunnion::StateVector& state) {
  const auto memory = trunnion::oil_memory(model.hydraulics, state.oil_memory());
  if (*memory.step == 0) return;
  std::vector<Number> numbers(static_cast<std::size_t>(model.layout.oil_memory));
  const auto fresh = trunnion::oil_memory(model.hydraulics, numbers.data());
  std::visit(
      [&](const auto& mechanism) {
        trunnion::MechanismState mech(mechanism);
        trunnion::update_positions(mechanism, static_cast<const Number*>(state.q()), static_cast<const Number*>(nullptr), mech);
        trunnion::update_rates(mechanism, static_cast<const Number*>(state.v()), static_cast<const Number*>(state.a()), mech);
        trunnion::renew_oil_memory(model.hydraulics, mech.s.data(), mech.s_dot.data(), state.y(), state.ydot(), fresh);
      },
      model.mechanism);
  const auto take = [](Number* to, const Number* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (from[i].varies()) to[i] = Number(to[i].value(), from[i].partials());
  };
  take(memory.inflow, fresh.inflow, model.hydraulics.volumes.size());
  take(memory.s, fresh.s, model.hydraulics.actuators.size());
}

/// Throws trunnion::Error unless two states are the same but for tolerances and rounding.
void require_same(const trunnion::CompiledModel& model, const trunnion::StateVector& found, const trunnion::StateVector& given) {
  constexpr Real kSame = 1e-6;  // of a number of the state, at least of a radian, a metre, or those per second; of a pascal
  const auto compare = [](const Number* a, const Number* b, int count) {
    for (int i = 0; i < count; ++i)
      if (!(std::abs(a[i].value() - b[i].value()) <= kSame * (1 + std::abs(b[i].value()))))
        throw trunnion::Error(
            "it is not a step of the model's solver from the state before; chain the derivatives of the parts of a subdivided step");
  };
  compare(found.q(), given.q(), model.layout.nq);
  compare(found.v(), given.v(), model.layout.nv);
  compare(found.y(), given.y(), model.hydraulics.control.empty() ? model.layout.ny : 0);
}

}  // namespace

TangentStep::TangentStep(const std::string& compact, const std::vector<std::string>& parameters)
    : machine_(std::make_unique<Machine>(with_variables(compact, parameters))), parameters_(parameters.size()) {}
TangentStep::~TangentStep() = default;

/// vary(state, x) sets variables of the state before the step and of its minimal vector, which are its plain numbers.
template <class Vary>
std::vector<std::vector<Real>> TangentStep::follow(const StepNumbers& step, std::size_t variables, Vary&& vary) {
  Machine& m = *machine_;
  trunnion::StateVector reference = m.reference;
  set(reference, step.reference);
  if (m.coordinates == nullptr || !(reference == m.reference)) {
    m.reference = reference;
    m.coordinates = std::make_unique<trunnion::MinimalState>(m.model, m.reference);
  }
  set(m.state, step.before);
  std::vector<Number> x(static_cast<std::size_t>(m.coordinates->size()));
  m.coordinates->read(m.state, x);
  for (Number& value : x) value = value.value();
  vary(m.state, x);
  m.coordinates->set(x, m.state);
  // what the state has beside its minimal vector is held: its numbers, of which those that follow from it have derivatives
  const auto inputs = static_cast<std::size_t>(m.state.inputs() - m.state.values().data());
  for (std::size_t i = 0; i < step.before.values.size(); ++i) {
    if (i >= inputs && i < inputs + static_cast<std::size_t>(m.model->layout.inputs)) continue;
    Number& number = m.state.values()[i];
    number = number.varies() ? Number(step.before.values[i], number.partials()) : Number(step.before.values[i]);
  }
  follow_oil_memory(*m.model, m.state);
  if (const trunnion::StepOutcome report = m.stepper->step(m.state, step.h); !report.ok())
    throw trunnion::Error("the step did not converge with its derivatives");
  set(m.after, step.after);
  require_same(*m.model, m.state, m.after);
  const std::vector<Number> theta = difference(*m.model, m.after.q(), m.state.q());
  std::vector<Number> changes;
  const std::vector<int>& independent = m.coordinates->independent();
  for (const int v : independent) changes.push_back(theta[static_cast<std::size_t>(v)]);
  for (const int v : independent) changes.push_back(m.state.v()[v]);
  for (const int v : m.coordinates->velocity_dependent()) changes.push_back(theta[static_cast<std::size_t>(v)]);
  for (const int i : m.coordinates->first_order()) changes.push_back(m.state.y()[i]);
  std::vector<std::vector<Real>> result(variables);
  for (std::size_t i = 0; i < variables; ++i)
    for (const Number& change : changes) result[i].push_back(change.partial(static_cast<int>(i)));
  return result;
}

std::vector<std::vector<Real>> TangentStep::by_parameters(const StepNumbers& step) {
  return follow(step, parameters_, [](trunnion::StateVector&, std::vector<Number>&) {});
}

std::vector<std::vector<Real>> TangentStep::columns(const StepNumbers& step, Kind kind, int first, int count) {
  Machine& m = *machine_;
  const auto variable = [&](const Number& x, int k) { return Number::variable(x.value(), k - first); };
  return follow(step, static_cast<std::size_t>(count), [&](trunnion::StateVector& state, std::vector<Number>& x) {
    if (kind == Kind::input) {
      using trunnion::InputCourse;
      for (int k = first; k < first + count; ++k) {
        Number* const numbers = state.inputs() + static_cast<std::ptrdiff_t>(k) * InputCourse::kSize;
        InputCourse input = InputCourse::of(numbers);
        const trunnion::InputRange& limits = m.model->signals.input(k);
        if (input.set == 0) input = {InputCourse::kSet, state.time, limits.initial, 0, 0};
        input.value = variable(input.value, k);  // where a slope ends within the step or before, its end moves with the course
        input.target = variable(input.slope > 0 ? std::min(input.target, limits.max) : std::max(input.target, limits.min), k);
        input.write(numbers);
      }
      return;
    }
    const std::vector<int>&independent = m.coordinates->independent(), &velocity_dependent = m.coordinates->velocity_dependent();
    const int n = static_cast<int>(independent.size()), l = static_cast<int>(velocity_dependent.size());
    std::vector<Number> theta(static_cast<std::size_t>(m.model->layout.nv)), moved(x.size());
    for (int k = first; k < first + count; ++k) {
      if (k < n)
        theta[static_cast<std::size_t>(independent[static_cast<std::size_t>(k)])] = variable(0, k);
      else if (k >= 2 * n && k < 2 * n + l)
        theta[static_cast<std::size_t>(velocity_dependent[static_cast<std::size_t>(k - 2 * n)])] = variable(0, k);
      else
        x[static_cast<std::size_t>(k)] = variable(x[static_cast<std::size_t>(k)], k);
    }
    trunnion::StateVector there = state;
    advance(*m.model, theta, there);
    m.coordinates->read(there, moved);
    for (int k = 0; k < 2 * n + l; ++k)
      if (k < n || k >= 2 * n) x[static_cast<std::size_t>(k)] = moved[static_cast<std::size_t>(k)];
  });
}

}  // namespace tangents
