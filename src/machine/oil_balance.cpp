// SPDX-License-Identifier: BSD-3-Clause
#include "machine/oil_balance.h"

#include <algorithm>
#include <cmath>

namespace trunnion {

OilBalance::OilBalance(const Hydraulics& h, const double* y, const double* s, const double* outflow)
    : h_(&h), y_(y, y + h.volumes.size()), s_(s, s + h.actuators.size()), outflow_(y_.size()), mean_(y_.size()), change_(y_.size()) {
  jump(outflow);
}

void OilBalance::step(const OilRule& rule, double h, const double* y, const double* s, const double* outflow) {
  content_changes(*h_, y_.data(), s_.data(), y, s, change_.data());  // volumes are the first of nodes and states
  const double carried = OilRule::carried(h, step_);
  step_ = h;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double begin = outflow_[i] + carried * (mean_[i] - outflow_[i]);
    const double now = outflow[h_->volumes[i].node], mean = rule.mean(outflow_[i], now, begin);
    const double left = h * (rule.share_end() * mean + rule.share_begin() * begin);
    residual_ += change_[i] + left;
    moved_ += std::abs(left);
    outflow_[i] = now;
    mean_[i] = mean;
  }
  worst_ = std::max(worst_, std::abs(residual_));
  std::copy_n(y, y_.size(), y_.begin());
  std::copy_n(s, s_.size(), s_.begin());
}

void OilBalance::jump(const double* outflow) {
  for (std::size_t i = 0; i < outflow_.size(); ++i) mean_[i] = outflow_[i] = outflow[h_->volumes[i].node];
}

}  // namespace trunnion
