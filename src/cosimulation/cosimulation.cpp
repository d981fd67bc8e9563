// The co-simulation master.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/cosimulation.h"

#include <algorithm>
#include <cmath>

namespace trunnion {

namespace {

constexpr double kSame = 1e-9;   // relative to a step: closer times are equal
constexpr double kClose = 0.25;  // relative to a step: minimum spacing of polynomial points; closer ones amplify their differences
// step control: safety factor, limits of the step change
constexpr double kSafety = 0.9, kMostGrowth = 2, kMostDecrease = 0.3;

TimePolynomial constant(double begin, double value) {
  TimePolynomial course;
  course.begin = begin;
  course.c[0] = value;
  return course;
}

CouplingMemory layout_of(const CouplingPlan& plan) {
  using Kind = CouplingPlan::Port::Kind;
  const auto count = [&](Kind kind) {
    return static_cast<int>(
        std::count_if(plan.ports.begin(), plan.ports.end(), [&](const CouplingPlan::Port& port) { return port.kind == kind; }));
  };
  return {count(Kind::piston), exchanges_pressures(plan.settings), count(Kind::reading), count(Kind::load)};
}

}  // namespace

Cosimulation::Cosimulation(CouplingPlan plan, std::unique_ptr<MechanismSubsystem> mechanism,
                           std::vector<std::unique_ptr<HydraulicSubsystem>> hydraulics)
    : plan_(std::move(plan)),
      settings_(plan_.settings),
      layout_(layout_of(plan_)),
      mechanism_(std::move(mechanism)),
      hydraulics_(std::move(hydraulics)),
      moments_(settings_.scheme == CouplingScheme::sequential || settings_.scheme == CouplingScheme::parallel),
      models_(moments_ || settings_.prediction == CouplingPrediction::interface_model),
      workers_(settings_.threads),
      memory_(layout_.size()),
      next_(layout_.point_size()),
      last_(layout_.point_size()),
      motion_(2 * plan_.ports.size()),
      inputs_(2 * plan_.ports.size()),
      effort_(layout_.bonds()),
      outputs_(M::kMotion * plan_.ports.size()),
      force_(plan_.ports.size()),
      bonds_(layout_.bonds()),
      model_(layout_.ports),
      oil_(plan_.volumes, std::max(plan_.actuators, layout_.ports), 2 * plan_.mechanism_steps),
      reports_(hydraulics_.size() + 1),
      changes_(2 * plan_.ports.size() + static_cast<std::size_t>(layout_.bonds())),
      changes_before_(changes_.size()),
      left_(changes_.size()),
      outputs_of_pass_(next_.size()),
      outputs_before_(next_.size()) {
  for (Secant& secant : secants_) secant = {changes_, next_, changes_, {}, 0};
  int owned = 0;
  for (const auto& part : hydraulics_) owned += static_cast<int>(part->ports().size());
  if (owned != layout_.ports) throw Error("the hydraulic subsystems do not have the cylinders of the machine");
  if (models_ && hydraulics_.size() != 1) throw Error("an interface model needs one hydraulic subsystem with all cylinders");
}

// ---------------------------------------------------------------- states and points

void Cosimulation::restore(const StateVector& state) {
  for (auto& part : hydraulics_) part->restore(state);
  mechanism_->restore(state);
}

/// The mechanism comes last: in the parallel scheme the oil integrates friction for the interface model, but the mechanism's is final.
void Cosimulation::save(StateVector& state) const {
  for (const auto& part : hydraulics_) part->save(state);
  mechanism_->save(state);
}

void Cosimulation::read_motion() {
  mechanism_->get_outputs(outputs_.data());
  for (int i = 0; i < layout_.ports; ++i) std::copy_n(outputs_.data() + M::kMotion * i, M::kMotion, next_.data() + layout_.motion(i));
}

void Cosimulation::read_efforts() {
  for (const auto& part : hydraulics_) {
    part->get_outputs(outputs_.data());
    const double* value = outputs_.data();
    for (int i : part->ports())
      for (int k = 0; k < layout_.bonds_of(i); ++k) next_[layout_.effort(layout_.first_bond(i) + k)] = *value++;
  }
}

bool Cosimulation::read_interface() {
  return !models_ || mechanism_->interface_model(next_.data() + layout_.W(), next_.data() + layout_.b());
}

/// Outputs at a time that no step led to: efforts from the oil's states and the motion, then accelerations.
bool Cosimulation::first_point(double time, bool jump) {
  std::fill(next_.begin(), next_.end(), 0.0);
  next_[0] = time;
  read_motion();
  for (int i = 0; i < layout_.ports; ++i) {
    motion_[2 * i] = constant(time, next_[layout_.motion(i) + kLength]);
    motion_[2 * i + 1] = constant(time, next_[layout_.motion(i) + kRate]);
  }
  if (models_) hydraulics_.front()->set_interface_model(nullptr);
  publish_motion();
  for (auto& part : hydraulics_)
    if (jump && !part->restart()) return false;
  read_efforts();
  if (settings_.scheme == CouplingScheme::parallel) {
    linearise_oil(next_.data(), plan_.step);
  } else {
    for (int i = 0; i < layout_.bonds(); ++i) effort_[i] = constant(time, next_[layout_.effort(i)]);
    mechanism_->set_inputs(effort_.data());
  }
  if (jump && !mechanism_->restart()) return false;
  read_motion();
  if (!read_interface()) return false;
  std::copy(next_.begin(), next_.end(), memory_.begin() + layout_.point(0));
  memory_[M::points] = 1;
  for (int i = 0; i < layout_.bonds(); ++i) {
    BondSample& b = bonds_[i];
    b.effort = b.effort_used = force_of(i, next_[layout_.effort(i)]);
    b.rate = b.rate_used = next_[layout_.motion(layout_.port_of(i)) + kRate];
  }
  begin_monitors(layout_, memory_.data(), bonds_.data());
  return true;
}

/// Stores next_ as the newest point.
void Cosimulation::push_point() {
  const auto first = memory_.begin() + layout_.point(0), last = memory_.begin() + layout_.point(M::kPoints);
  std::copy_backward(first, last - layout_.point_size(), last);
  std::copy(next_.begin(), next_.end(), first);
  memory_[M::points] = std::min(memory_[M::points] + 1, static_cast<double>(M::kPoints));
}

/// The newest point, and older ones at sufficient spacing for a step h.
void Cosimulation::choose_points(double h) {
  used_order_ = -1;
  chosen_[0] = memory_.data() + layout_.point(0);
  chosen_count_ = 1;
  for (int i = 1; i < static_cast<int>(memory_[M::points]) && chosen_count_ < kMostPoints; ++i) {
    const double* point = memory_.data() + layout_.point(i);
    if (chosen_[chosen_count_ - 1][0] - point[0] >= kClose * h) chosen_[chosen_count_++] = point;
  }
}

// ---------------------------------------------------------------- communication steps

double Cosimulation::force_of(int bond, double effort) const {
  const CouplingPlan::Port& port = plan_.ports[layout_.port_of(bond)];
  if (layout_.efforts == 1 || is_load(bond)) return effort;
  return bond % 2 == 0 ? port.area_A * effort : -port.area_B * effort;
}

void Cosimulation::sample_bonds() {
  const double t = next_[0];
  const bool on_linear_oil = settings_.scheme == CouplingScheme::parallel;
  if (on_linear_oil) mechanism_->port_forces(force_.data());
  for (int i = 0; i < layout_.bonds(); ++i) {
    const int port = layout_.port_of(i);
    BondSample& b = bonds_[i];
    b.effort = force_of(i, next_[layout_.effort(i)]);
    b.effort_used = on_linear_oil ? force_[port] : force_of(i, effort_[i].value(t));
    b.rate = next_[layout_.motion(port) + kRate];
    b.length = next_[layout_.motion(port) + kLength];
    b.rate_used = models_ ? hydraulics_.front()->rate()[port] : motion_[2 * port + 1].value(t);
  }
}

/// Adds the step to the defects; the volume of all, sum of (A_A + A_B) |defect| [m3].
double Cosimulation::add_to_defects() {
  double volume = 0;
  for (const auto& part : hydraulics_) {
    const double* displacement = part->displacement();
    for (int i : part->ports()) {
      const double moved = next_[layout_.motion(i) + kLength] - memory_[layout_.point(0) + layout_.motion(i) + kLength];
      const CouplingPlan::Port& port = plan_.ports[i];
      if (port.has_pressures) memory_[layout_.defect() + i] += moved - *displacement;
      volume += (port.area_A + port.area_B) * std::abs(memory_[layout_.defect() + i]);
      ++displacement;
    }
  }
  return volume;
}

/// One communication step from the subsystems' present state, which equals `origin`.
StepOutcome Cosimulation::communicate(const StateVector& origin, double h) {
  time_ = origin.time;
  next_[0] = time_ + h;
  passes_ = 1;
  agreed_ = true;
  failed_ = -1;
  choose_points(h);
  const bool good = pass(origin, h);
  StepOutcome report = failed_ >= 0 ? reports_[failed_] : reports_.back();
  if (settings_.scheme == CouplingScheme::iterated_jacobi) report.iterations = passes_;
  if (!agreed_) report.status = good ? StepStatus::capped : StepStatus::stalled;
  if (!good) return report;
  for (std::size_t k = 0; k < hydraulics_.size(); ++k)
    if (reports_[k].resolved) {
      report.resolved = true;
      report.part_iterations += reports_[k].part_iterations;
    }
  if (!read_interface()) {
    report.status = StepStatus::singular;
    return report;
  }
  sample_bonds();
  add_to_monitors(layout_, memory_.data(), bonds_.data(), next_[0], h, settings_.residual_rule);
  report.oil_defect = add_to_defects();
  push_point();
  memory_[M::steps] += 1;
  memory_[M::passes] += passes_;
  return report;
}

StepOutcome Cosimulation::step(StateVector& state, double h) {
  std::copy_n(state.coupling(), memory_.size(), memory_.begin());
  restore(state);
  if (is_fresh(state.time)) {
    if (!first_point(state.time, false)) return {.status = StepStatus::singular};
  }
  memory_[layout_.point(0)] = state.time;
  if (settings_.control) return controlled(state, h);
  const StepOutcome report = communicate(state, h);
  if (!report.ok()) return report;
  save(state);
  std::copy(memory_.begin(), memory_.end(), state.coupling());
  state.time += h;
  return report;
}

bool Cosimulation::is_fresh(double time) const {
  return memory_[M::points] == 0 || std::abs(memory_[layout_.point(0)] - time) > kSame * plan_.step;
}

bool Cosimulation::restart(StateVector& state) {
  std::copy_n(state.coupling(), memory_.size(), memory_.begin());
  restore(state);
  if (!first_point(state.time, true)) return false;
  save(state);
  std::copy(memory_.begin(), memory_.end(), state.coupling());
  return true;
}

// ---------------------------------------------------------------- step control

/// Next step from the residual of the last one, of length h: |dE| / h scales with the order of the extrapolation plus one.
double Cosimulation::proposed_step(double h, double energy) const {
  const double allowed = settings_.control->tolerance * h * memory_[M::power_scale];
  const int order = models_ ? 1 : settings_.extrapolation;
  const double factor = energy > 0 && allowed > 0 ? kSafety * std::pow(allowed / energy, 1.0 / (order + 1)) : kMostGrowth;
  return std::clamp(h * std::clamp(factor, kMostDecrease, kMostGrowth), settings_.control->min_step, plan_.step);
}

/// Communication steps of the proposed length, ending at signal corners and at the end.
StepOutcome Cosimulation::controlled(StateVector& state, double h) {
  const double end = state.time + h, same = kSame * plan_.step;
  work_ = state;
  StepOutcome total;
  while (work_.time < end - same) {
    const auto corner =
        settings_.control->corners ? std::upper_bound(plan_.corners.begin(), plan_.corners.end(), work_.time + same) : plan_.corners.end();
    const bool at_corner = corner != plan_.corners.end() && *corner < end + same;
    const double target = at_corner && *corner < end - same ? *corner : end, left = target - work_.time;
    const double wanted = memory_[M::next_step] > 0 ? memory_[M::next_step] : settings_.control->min_step;
    const double parts = std::ceil(left / wanted * (1 - kSame)), step = left / std::max(parts, 1.0);
    const double energy = memory_[M::absolute_energy];
    const StepOutcome report = communicate(work_, step);
    total.status = report.ok() && total.status == StepStatus::capped ? total.status : report.status;
    total.add(report);
    total.worst = report.worst;
    total.longest_step = report.longest_step;
    total.oil_defect = report.oil_defect;
    if (!report.ok()) return total;
    work_.time = parts > 1 ? next_[0] : target;
    memory_[layout_.point(0)] = work_.time;
    memory_[M::next_step] = proposed_step(step, memory_[M::absolute_energy] - energy);
    if (parts <= 1 && at_corner) memory_[M::next_step] = settings_.control->min_step;
    save(work_);
    restore(work_);
  }
  std::copy(memory_.begin(), memory_.end(), work_.coupling());
  work_.time = state.time + h;
  state = work_;
  return total;
}

std::string Cosimulation::unknown_name(int unknown) const {
  if (!agreed_) return kCouplingVariable + plan_.ports[disagreeing_port_].name + "." + disagreeing_;
  const bool oil = failed_ >= 0 && failed_ < static_cast<int>(hydraulics_.size());
  const Subsystem& part = oil ? static_cast<const Subsystem&>(*hydraulics_[failed_]) : *mechanism_;
  const std::string name = part.unknown_name(unknown);
  if (!name.empty()) return name;
  return oil ? "the oil" : "the mechanism";
}

}  // namespace trunnion
