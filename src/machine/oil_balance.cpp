// Oil balance of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/oil_balance.h"

#include <algorithm>
#include <cmath>

namespace trunnion {

OilBalance::OilBalance(const Hydraulics& netlist, const double* y, const double* s, const double* outflow)
    : netlist_(&netlist),
      y_(y, y + netlist.ny),
      s_(s, s + netlist.actuators.size()),
      outflow_(netlist.volumes.size()),
      mean_(outflow_.size()),
      before_(outflow_.size()),
      rule_errors_(outflow_.size()),
      change_(outflow_.size()),
      strain_(netlist.nodes.size()) {
  jump(y, outflow);
}

void OilBalance::step(const OilRule& rule, double h, const double* y, const double* s, const double* outflow, bool in_parts) {
  content_changes(*netlist_, y_.data(), s_.data(), y, s, change_.data(), strain_.data());  // volumes are the first of nodes and states
  const double carried = OilRule::carried(h, step_);
  step_ = h;
  double rule_error = 0;
  for (std::size_t i = 0; i < outflow_.size(); ++i) {
    const double begin = outflow_[i] + carried * (mean_[i] - outflow_[i]);
    const double now = outflow[netlist_->volumes[i].node], mean = rule.mean(outflow_[i], now, begin);
    const double left = h * (rule.share_end() * mean + rule.share_begin() * begin);
    residual_ += change_[i] + left;
    moved_ += std::abs(left);
    const double by_ends = h / 2 * (outflow_[i] + now) + parabola_correction(since_before_, h, before_[i], outflow_[i], now);
    rule_errors_[i] += change_[i] + (in_parts ? left : by_ends);
    rule_error += std::abs(rule_errors_[i]);
    before_[i] = outflow_[i];
    outflow_[i] = now;
    mean_[i] = mean;
  }
  since_before_ = in_parts ? 0 : h;
  worst_ = std::max(worst_, std::abs(residual_));
  worst_rule_error_ = std::max(worst_rule_error_, rule_error);
  std::copy_n(y, y_.size(), y_.begin());
  std::copy_n(s, s_.size(), s_.begin());
}

void OilBalance::communication_step(double defect, const double* y, const double* s, const double* outflow) {
  content_changes(*netlist_, y_.data(), s_.data(), y, s, change_.data(), strain_.data());
  for (double change : change_) moved_ += std::abs(change);
  residual_ = defect;
  worst_ = std::max(worst_, std::abs(residual_));
  std::copy_n(s, s_.size(), s_.begin());
  jump(y, outflow);
}

void OilBalance::jump(const double* y, const double* outflow) {
  std::copy_n(y, y_.size(), y_.begin());
  since_before_ = 0;
  for (std::size_t i = 0; i < outflow_.size(); ++i) {
    const double now = outflow[netlist_->volumes[i].node];
    mean_[i] += now - outflow_[i];
    outflow_[i] = now;
  }
}

}  // namespace trunnion
