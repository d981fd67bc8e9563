// The oil's rows of a differentiated step.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/step_oil_rows.h"

#include <algorithm>

#include "machine/evaluate.h"

namespace trunnion {

OilRows::OilRows(const CompiledModel& model)
    : model_(model),
      netlist_(model.hydraulics),
      oil_(netlist_),
      y_(netlist_.ny),
      ydot_(netlist_.ny),
      none_(std::max<std::size_t>(netlist_.ny, netlist_.actuators.size())) {}

void OilRows::set(const OilRule& rule, double h, const StateVector& before, const double* s_0, const double* v_0, const StateVector& after,
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

double OilRows::end(int i, const double* y, const double* ydot, const double* s, const double* inflow) const {
  if (i >= volumes()) return factor_ * y[i] - ydot[i];
  return product(i, T_1_, y) + product_of_ports(i, s_1_, s) + product_of_fractions(i, e_1_, y) - inflow[i];
}

double OilRows::begin(int i, const double* y, const double* ydot, const double* s, const double* inflow) const {
  if (i >= volumes()) return -factor_ * y[i] - weight_ * ydot[i];
  return (1 + weight_) * (product(i, T_0_, y) + product_of_ports(i, s_still_, s)) - product(i, T_reversed_, y) -
         product_of_ports(i, s_0_, s) - product_of_fractions(i, e_0_, y) - weight_ * inflow[i];
}

double OilRows::product(int i, const std::vector<double>& T, const double* y) const {
  const PressureNode& node = netlist_.nodes[i];
  const Circuit& c = netlist_.circuits[node.circuit];
  const double* row = T.data() + c.block + static_cast<std::ptrdiff_t>(node.local) * c.size;
  double sum = 0;
  for (int k = 0; k < c.size; ++k) sum += row[k] * y[netlist_.unknown_state[c.offset + k]];
  return sum;
}

double OilRows::product_of_ports(int i, const std::vector<double>& R_s, const double* s) const {
  const PressureNode& node = netlist_.nodes[i];
  double sum = 0;
  for (int k : netlist_.circuits[node.circuit].actuators) sum += R_s[oil_.column[k] + node.local] * s[k];
  return sum;
}

double OilRows::product_of_fractions(int i, const std::vector<FractionSlopes>& slopes, const double* y) const {
  double sum = 0;
  for (int k : netlist_.circuits[netlist_.nodes[i].circuit].actuators)
    if (const Actuator& a = netlist_.actuators[k]; a.spool >= 0) sum += slopes[k].of(i, a) * y[netlist_.spools[a.spool].state];
  return sum;
}

}  // namespace trunnion
