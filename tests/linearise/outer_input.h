// Inputs of a machine from outside, in the place of its signals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <memory>
#include <variant>

#include "model/model.h"

namespace trunnion::test {

/// The machine with signal `signal` replaced by an outer input everywhere.
inline std::shared_ptr<const CompiledModel> with_outer_input(const CompiledModel& base, SignalIndex signal, const TimePolynomial* course) {
  auto model = std::make_shared<CompiledModel>(base);
  const SignalIndex outer = model->signals.add_feed(course);
  const auto replace = [&](SignalIndex& index) {
    if (index == signal) index = outer;
  };
  Hydraulics& netlist = model->hydraulics;
  netlist.signals = model->signals.size();
  netlist.used_signals.push_back(outer);
  for (PressureNode& node : netlist.nodes) replace(node.source);
  for (FlowSource& source : netlist.flow_sources) replace(source.flow);
  for (Spool& spool : netlist.spools) replace(spool.signal);
  for (QuasistaticCircuit& q : netlist.quasistatic) replace(q.flow);
  std::visit(
      [&](auto& m) {
        for (auto& soil : m.soils) replace(soil.signal);
        for (auto& load : m.body_loads) replace(load.signal);
        for (auto& load : m.joint_loads) replace(load.signal);
        for (auto& motion : m.motions) replace(motion.signal);
      },
      model->mechanism);
  return model;
}

/// The quintic with the given value, rate and acceleration at 0 and h.
inline TimePolynomial quintic(double begin, double h, const SignalValue& a, const SignalValue& b) {
  TimePolynomial p;
  p.begin = begin;
  const double d = b.value - a.value - h * a.rate - h * h / 2 * a.acceleration, e = h * (b.rate - a.rate - h * a.acceleration),
               f = h * h * (b.acceleration - a.acceleration);
  p.c = {a.value,
         a.rate,
         a.acceleration / 2,
         (10 * d - 4 * e + f / 2) / std::pow(h, 3),
         (-15 * d + 7 * e - f) / std::pow(h, 4),
         (6 * d - 3 * e + f / 2) / std::pow(h, 5)};
  return p;
}

}  // namespace trunnion::test
