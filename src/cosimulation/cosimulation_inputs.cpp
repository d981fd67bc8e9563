// Inputs of the subsystems over a communication step: polynomials through the last communication points, the interface model, linearised
// oil.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "cosimulation/cosimulation.h"

namespace trunnion {

/// Nodes of the interpolation polynomials of an order: the end point, where known, and selected earlier points. All quantities
/// share the Lagrange polynomials.
void Cosimulation::use_points(int order, bool reached, bool with_rate) {
  if (order == used_order_ && reached == used_reached_ && !with_rate) return;  // the same as for the last quantities
  used_order_ = order;
  used_reached_ = reached;
  std::array<double, kMostPoints> time{}, unit{};
  node_count_ = 0;
  if (reached) node_[node_count_++] = next_.data();
  for (int i = 0; i < chosen_count_ && node_count_ < order + 1; ++i) node_[node_count_++] = chosen_[i];
  for (int i = 0; i < node_count_; ++i) time[i] = node_[i][0];
  for (int i = 0; i < node_count_; ++i) {
    unit[i] = 1;
    share_[i] = lagrange(time.data(), unit.data(), node_count_);
    if (with_rate) share_with_rate_[i] = hermite(time.data(), unit.data(), node_count_, 0);
    unit[i] = 0;
  }
  if (with_rate) share_with_rate_[node_count_] = hermite(time.data(), unit.data(), node_count_, 1);
}

TimePolynomial Cosimulation::polynomial(int place) const {
  TimePolynomial course;
  course.begin = node_[0][0];
  for (int i = 0; i < node_count_; ++i)
    for (int k = 0; k < node_count_; ++k) course.c[k] += share_[i].c[k] * node_[i][place];
  return course;
}

TimePolynomial Cosimulation::polynomial(int place, int place_of_rate) const {
  TimePolynomial course;
  course.begin = node_[0][0];
  for (int i = 0; i <= node_count_; ++i) {
    const double x = i < node_count_ ? node_[i][place] : node_[0][place_of_rate];
    for (int k = 0; k <= node_count_; ++k) course.c[k] += share_with_rate_[i].c[k] * x;
  }
  return course;
}

/// Extrapolates from the last points, or interpolates with the end point.
void Cosimulation::set_motion_inputs(bool reached) {
  use_points(settings_.extrapolation, reached, settings_.acceleration);
  for (int i = 0; i < layout_.ports; ++i) {
    const int place = layout_.motion(i);
    TimePolynomial &s = motion_[2 * i], &w = motion_[2 * i + 1];
    if (settings_.acceleration) {
      w = polynomial(place + kRate, place + kAcceleration);
      s = integral(node_[0][place + kLength], w);
    } else {
      w = polynomial(place + kRate);
      s = polynomial(place + kLength);
    }
  }
  publish_motion();
}

void Cosimulation::publish_motion() {
  for (auto& part : hydraulics_) {
    TimePolynomial* input = inputs_.data();
    for (int i : part->ports()) input = std::copy_n(motion_.begin() + 2 * i, 2, input);
    part->set_inputs(inputs_.data());
  }
}

void Cosimulation::set_effort_inputs(bool reached) {
  use_points(settings_.mechanism_extrapolation.value_or(settings_.extrapolation), reached, false);
  for (int i = 0; i < layout_.bonds(); ++i) effort_[i] = polynomial(layout_.effort(i));
  mechanism_->set_inputs(effort_.data());
}

/// Interface model for the next step h: W and b constant, or linear in time with correction of the volume defect.
void Cosimulation::set_interface_model(double h) {
  const double *now = chosen_[0], *before = chosen_count_ > 1 && moments_ ? chosen_[1] : nullptr;
  const int n = layout_.ports;
  const auto take = [&](int place, int size, std::vector<double>& value, std::vector<double>& rate) {
    for (int i = 0; i < size; ++i) {
      value[i] = now[place + i];
      rate[i] = before != nullptr ? (now[place + i] - before[place + i]) / (now[0] - before[0]) : 0;
    }
  };
  model_.begin = time_;
  take(layout_.W(), n * n, model_.W, model_.W_rate);
  take(layout_.b(), n, model_.b, model_.b_rate);
  const double over = std::max(h, plan_.step);  // a shortened step corrects only part of it
  for (int i = 0; i < n; ++i) {
    model_.s[i] = now[layout_.motion(i) + kLength];
    model_.w[i] = now[layout_.motion(i) + kRate];
    model_.rate_offset[i] = moments_ ? memory_[layout_.defect() + i] / over : 0;
  }
  hydraulics_.front()->set_interface_model(&model_);
}

void Cosimulation::linearise_oil(const double* point, double h) {
  oil_.begin = point[0];
  oil_.step = h;
  for (int i = 0; i < layout_.ports; ++i) {
    oil_.s[i] = point[layout_.motion(i) + kLength];
    oil_.w[i] = point[layout_.motion(i) + kRate];
  }
  hydraulics_.front()->linearise(h, oil_);
  mechanism_->set_linear_oil(&oil_);
}

}  // namespace trunnion
