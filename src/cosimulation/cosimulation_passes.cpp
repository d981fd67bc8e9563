// Passes of the subsystems through a communication step, in the order of each coupling scheme, and the iteration of its outputs.
// Source: Degroote, Bathe, Vierendeels 2009 (interface quasi-Newton with inverse Jacobian by least squares).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cosimulation/cosimulation.h"

namespace trunnion {

namespace {

constexpr double kImplied = 1e-6;    // relative: remainder of a linearly dependent difference
constexpr double kPerSecond = 1;     // [1/s] times a length: rate scale
constexpr double kAtmosphere = 1e5;  // [Pa] pressure scale
constexpr double kLoad = 1;          // [N] scale of driven loads without pistons

/// Force, linear in time over h from `begin`, with impulse I0 and moment of impulse I1.
TimePolynomial force_of_moments(double begin, double h, double I0, double I1) {
  TimePolynomial course;
  course.begin = begin;
  course.c[1] = 12 / (h * h * h) * (I1 - h / 2 * I0);
  course.c[0] = I0 / h - h / 2 * course.c[1];
  return course;
}

}  // namespace

/// Advances subsystems [first, end) in the order of reports_: the hydraulic ones, then the mechanism.
bool Cosimulation::run(std::size_t first, std::size_t end, double h) {
  auto task = [&](int i) {
    const std::size_t k = first + static_cast<std::size_t>(i);
    reports_[k] = k < hydraulics_.size() ? hydraulics_[k]->do_step(h) : mechanism_->do_step(h);
  };
  workers_.run(static_cast<int>(end - first), task);
  for (std::size_t k = first; k < end; ++k)
    if (!reports_[k].ok()) {
      failed_ = static_cast<int>(k);
      return false;
    }
  return true;
}
bool Cosimulation::run_hydraulics(double h) { return run(0, hydraulics_.size(), h); }
bool Cosimulation::run_mechanism(double h) { return run(hydraulics_.size(), hydraulics_.size() + 1, h); }
bool Cosimulation::run_all(double h) { return run(0, hydraulics_.size() + 1, h); }

bool Cosimulation::jacobi(double h) {
  if (models_)
    set_interface_model(h);
  else
    set_motion_inputs(false);
  set_effort_inputs(false);
  if (!run_all(h)) return false;
  read_efforts();
  read_motion();
  return true;
}

bool Cosimulation::gauss_seidel(double h) {
  if (settings_.order == CouplingOrder::mechanism_first) {
    set_effort_inputs(false);
    if (!run_mechanism(h)) return false;
    read_motion();
    set_motion_inputs(true);
    if (!run_hydraulics(h)) return false;
    read_efforts();
    return true;
  }
  if (models_)
    set_interface_model(h);
  else
    set_motion_inputs(false);
  if (!run_hydraulics(h)) return false;
  read_efforts();
  set_effort_inputs(true);
  if (!run_mechanism(h)) return false;
  read_motion();
  return true;
}

/// Scales of the outputs of each kind.
Cosimulation::OutputScales Cosimulation::output_scales() const {
  double length = 0, rate = 0, force = 0;
  for (int i = 0; i < layout_.ports; ++i) {
    length = std::max(length, std::abs(next_[layout_.motion(i) + kLength]));
    rate = std::max(rate, std::abs(next_[layout_.motion(i) + kRate]));
    force = std::max(force, kAtmosphere * plan_.ports[i].area_A);
  }
  double effort = layout_.efforts == 2 ? kAtmosphere : force, load = std::max(force, kLoad);
  for (int i = 0; i < layout_.bonds(); ++i) {
    double& scale = is_load(i) ? load : effort;
    scale = std::max(scale, std::abs(next_[layout_.effort(i)]));
  }
  return {length, std::max(rate, kPerSecond * length), effort, load};
}

/// Largest scaled change of an output since the previous pass.
double Cosimulation::change_of_outputs() {
  const auto [length, rate, effort, load] = output_scales();
  double largest = 0;
  const auto compare = [&](int place, double scale, int port, const char* what) {
    const double change = std::abs(next_[place] - last_[place]) / scale;
    if (change <= largest && largest > 0) return;
    largest = change;
    disagreeing_port_ = port;
    disagreeing_ = what;
  };
  for (int i = 0; i < layout_.ports; ++i) {
    compare(layout_.motion(i) + kLength, length, i, "length");
    compare(layout_.motion(i) + kRate, rate, i, "rate");
  }
  for (int i = 0; i < layout_.bonds(); ++i)
    compare(layout_.effort(i), is_load(i) ? load : effort, layout_.port_of(i), layout_.efforts == 1 || is_load(i) ? "force" : "pressure");
  return largest;
}

/// Inputs of the next pass: the fixed point if all passes so far were linear.
void Cosimulation::accelerate() {
  const auto [length, rate, effort, load] = output_scales();
  const std::size_t size = changes_.size();
  std::size_t k = 0;
  std::swap(changes_, changes_before_);
  const auto compare = [&](int place, double scale) { changes_[k++] = (next_[place] - last_[place]) / scale; };
  for (int i = 0; i < layout_.ports; ++i) {
    compare(layout_.motion(i) + kLength, length);
    compare(layout_.motion(i) + kRate, rate);
  }
  for (int i = 0; i < layout_.bonds(); ++i) compare(layout_.effort(i), is_load(i) ? load : effort);
  std::swap(outputs_of_pass_, outputs_before_);
  outputs_of_pass_ = next_;
  if (passes_ == 2) return;  // differences need two passes
  Secant& newest = secants_[static_cast<std::size_t>(passes_ - 3) % kSecants];
  for (std::size_t i = 0; i < size; ++i) newest.changes[i] = changes_[i] - changes_before_[i];
  for (std::size_t i = 0; i < next_.size(); ++i) newest.outputs[i] = outputs_of_pass_[i] - outputs_before_[i];
  // least squares by orthogonalisation, newest difference first; linearly dependent ones are dropped
  const auto dot = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), double(0));
  };
  std::copy(changes_.begin(), changes_.end(), left_.begin());
  const int known = std::min(passes_ - 2, kSecants);
  int used = 0;
  for (; used < known; ++used) {
    Secant& secant = secants_[static_cast<std::size_t>(passes_ - 3 - used) % kSecants];
    secant.direction = secant.changes;
    for (int j = 0; j < used; ++j) {
      const Secant& other = secants_[static_cast<std::size_t>(passes_ - 3 - j) % kSecants];
      secant.along[j] = dot(other.direction, secant.direction);
      for (std::size_t i = 0; i < size; ++i) secant.direction[i] -= secant.along[j] * other.direction[i];
    }
    const double norm = std::sqrt(dot(secant.direction, secant.direction));
    if (!(norm > kImplied * std::sqrt(dot(secant.changes, secant.changes)))) break;
    for (double& value : secant.direction) value /= norm;
    secant.along[used] = norm;
    secant.share = dot(secant.direction, left_);
    for (std::size_t i = 0; i < size; ++i) left_[i] -= secant.share * secant.direction[i];
  }
  for (int j = used - 1; j >= 0; --j) {
    Secant& secant = secants_[static_cast<std::size_t>(passes_ - 3 - j) % kSecants];
    for (int i = j + 1; i < used; ++i) {
      const Secant& older = secants_[static_cast<std::size_t>(passes_ - 3 - i) % kSecants];
      secant.share -= older.along[j] * older.share;
    }
    secant.share /= secant.along[j];
    for (std::size_t i = 1; i < next_.size(); ++i) next_[i] -= secant.share * secant.outputs[i];
  }
}

bool Cosimulation::iterated_jacobi(const StateVector& origin, double h) {
  if (!jacobi(h)) return false;
  for (passes_ = 2; passes_ <= settings_.max_iterations; ++passes_) {
    std::copy(next_.begin(), next_.end(), last_.begin());
    restore(origin);
    set_motion_inputs(true);
    set_effort_inputs(true);
    if (!run_all(h)) return false;
    read_efforts();
    read_motion();
    if (change_of_outputs() <= settings_.tolerance) return true;
    if (passes_ < settings_.max_iterations) accelerate();  // keep the most recent ones
  }
  passes_ = settings_.max_iterations;
  agreed_ = false;
  return plan_.accept_capped;
}

bool Cosimulation::sequential(double h) {
  set_interface_model(h);
  if (!run_hydraulics(h)) return false;
  read_efforts();
  const HydraulicSubsystem& oil = *hydraulics_.front();
  for (int i = 0; i < layout_.bonds(); ++i) {
    const int port = layout_.port_of(i);
    effort_[i] = force_of_moments(time_, h, oil.impulse()[port], oil.impulse_moment()[port]);
  }
  mechanism_->set_inputs(effort_.data());
  if (!run_mechanism(h)) return false;
  read_motion();
  return true;
}

bool Cosimulation::parallel(double h) {
  linearise_oil(chosen_[0], h);
  set_interface_model(h);
  if (!run_all(h)) return false;
  read_efforts();
  read_motion();
  return true;
}

bool Cosimulation::pass(const StateVector& origin, double h) {
  switch (settings_.scheme) {
    case CouplingScheme::jacobi:
      return jacobi(h);
    case CouplingScheme::gauss_seidel:
      return gauss_seidel(h);
    case CouplingScheme::iterated_jacobi:
      return iterated_jacobi(origin, h);
    case CouplingScheme::sequential:
      return sequential(h);
    case CouplingScheme::parallel:
      return parallel(h);
  }
  return false;
}

}  // namespace trunnion
