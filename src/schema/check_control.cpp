// Checks part 6: control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "control/block.h"
#include "control/expression_law.h"
#include "schema/check.h"

namespace trunnion {

namespace {

constexpr int kMostDelayOrder = 6;

/// Findings of one block.
struct BlockCheck {
  const Description& d;
  Findings& out;
  const std::string path;
  const bool period;

  void report(const char* key, const std::string& found, const std::string& expected) const {
    add_finding(d, out, path + key, found, expected);
  }
  void count(const char* key, std::size_t found, std::size_t expected, const char* what) const {
    if (found != expected) report(key, "found " + std::to_string(found), std::to_string(expected) + " " + what);
  }
  void order(const char* key, std::size_t states) const {
    if (states > static_cast<std::size_t>(kMaxBlockStates))
      report(key, "found a system of order " + std::to_string(states), "an order of at most " + std::to_string(kMaxBlockStates));
  }
  void inputs(const char* key, const std::vector<std::string>& list) const {
    if (list.empty() || list.size() > static_cast<std::size_t>(kMaxBlockInputs))
      report(key, "found a list of " + std::to_string(list.size()), "1 to " + std::to_string(kMaxBlockInputs) + " inputs");
  }
  void limits(const char* key, const std::optional<double>& min, const std::optional<double>& max) const {
    if (min && max && !(*min < *max)) report(key, "found " + number_text(*max), "more than the minimum, " + number_text(*min));
  }

  void operator()(const GainBlock&) const {}
  void operator()(const SumBlock& b) const {
    inputs(".sum.inputs", b.inputs);
    if (!b.gains.empty()) count(".sum.gains", b.gains.size(), b.inputs.size(), "factors, one for each input");
  }
  void operator()(const ProductBlock& b) const { inputs(".product.inputs", b.inputs); }
  void operator()(const MinimumBlock& b) const { inputs(".minimum.inputs", b.inputs); }
  void operator()(const MaximumBlock& b) const { inputs(".maximum.inputs", b.inputs); }
  void operator()(const PidBlock& b) const { limits(".pid.max", b.min, b.max); }
  void operator()(const IntegratorBlock& b) const { limits(".integrator.max", b.min, b.max); }
  void operator()(const TransferFunctionBlock& b) const {
    const char* const key = ".transfer_function.denominator";
    if (b.denominator.empty() || b.denominator.front() == 0)
      report(key, b.denominator.empty() ? "found an empty list" : "the leading coefficient is 0", "a leading coefficient other than 0");
    else
      order(key, b.denominator.size() - 1);
    if (b.numerator.empty()) report(".transfer_function.numerator", "found an empty list", "one coefficient or more");
    if (b.numerator.size() > b.denominator.size())
      report(".transfer_function.numerator", "its degree exceeds that of the denominator", "a proper transfer function");
  }
  void operator()(const StateSpaceBlock& b) const {
    const std::size_t n = b.A.size();
    inputs(".state_space.inputs", b.inputs);
    order(".state_space.A", n);
    for (std::size_t i = 0; i < n; ++i) count((".state_space.A." + std::to_string(i)).c_str(), b.A[i].size(), n, "numbers: A is square");
    count(".state_space.B", b.B.size(), n, "rows, one for each state");
    for (std::size_t i = 0; i < b.B.size(); ++i)
      count((".state_space.B." + std::to_string(i)).c_str(), b.B[i].size(), b.inputs.size(), "numbers, one for each input");
    count(".state_space.C", b.C.size(), n, "numbers, one for each state");
    if (!b.D.empty()) count(".state_space.D", b.D.size(), b.inputs.size(), "numbers, one for each input");
    if (!b.start.empty()) count(".state_space.start", b.start.size(), n, "numbers, one for each state");
  }
  void operator()(const LowPassBlock&) const {}
  void operator()(const LeadLagBlock&) const {}
  void operator()(const NotchBlock&) const {}
  void operator()(const DerivativeBlock&) const {}
  void operator()(const DelayBlock& b) const {
    if (b.order > kMostDelayOrder) report(".delay.order", "found " + std::to_string(b.order), "an order from 1 to 6");
  }
  void operator()(const RateLimiterBlock&) const {}
  void operator()(const SaturationBlock& b) const { limits(".saturation.max", b.min, b.max); }
  void operator()(const DeadZoneBlock& b) const { limits(".dead_zone.max", b.min, b.max); }
  void operator()(const DeadBandCompensationBlock&) const {}
  void operator()(const TableBlock&) const {}
  void operator()(const ExpressionBlock& b) const { expression(".expression", b.expression); }
  void operator()(const RelayBlock& b) const {
    sampled("relay");
    if (!(b.off < b.on)) report(".relay.off", "found " + number_text(b.off), "less than `on`, " + number_text(b.on));
  }
  void operator()(const TimerBlock&) const { sampled("timer"); }
  void operator()(const CounterBlock&) const { sampled("counter"); }
  void operator()(const QuantiserBlock&) const { sampled("quantiser"); }
  void operator()(const NoiseBlock&) const { sampled("noise"); }
  void operator()(const SequenceBlock& b) const {
    sampled("sequence");
    if (b.steps.empty()) report(".sequence.steps", "found no step", "one step or more");
    for (std::size_t i = 0; i < b.steps.size(); ++i) {
      const std::string at = ".sequence.steps." + std::to_string(i);
      expression((at + ".until").c_str(), b.steps[i].until);
      for (const auto& [name, value] : b.steps[i].commands) expression((at + ".set." + name).c_str(), value.value);
    }
    few_names(
        "all conditions `until`", [&](const SequenceStep& step, const auto& add) { add(step.until); }, b);
    for (const std::string& command : commands_of(b))
      few_names(
          "all values of `" + command + "`",
          [&](const SequenceStep& step, const auto& add) {
            if (const SequenceValue* value = step.commands.find(command)) add(value->value);
          },
          b);
  }
  void expression(const char* key, const std::string& text) const try {
    if (const std::string problem = problem_of(parse_expression(text)); !problem.empty()) report(key, problem, "");
  } catch (const ExpressionError& error) { report(key, error.found, error.expected); }
  /// The names of several expressions are the inputs of one law, beside the time or the number of the step.
  template <class Visit>
  void few_names(const std::string& what, const Visit& visit, const SequenceBlock& b) const {
    std::set<std::string> names;
    for (const SequenceStep& step : b.steps)
      visit(step, [&](const std::string& text) {
        try {
          const std::vector<std::string> read = parse_expression(text).names;
          names.insert(read.begin(), read.end());
        } catch (const ExpressionError&) {  // reported by expression()
        }
      });
    if (names.size() >= static_cast<std::size_t>(kMaxBlockInputs))
      report(".sequence.steps", what + " read " + std::to_string(names.size()) + " quantities together",
             "at most " + std::to_string(kMaxBlockInputs - 1));
  }
  void sampled(const char* what) const {
    if (!period) report("", std::string("a ") + what + " changes only at samples", "`period`, such as 10 ms");
  }
};

}  // namespace

void check_control(const Description& d, Findings& out) {
  for (const auto& [name, block] : d.control) std::visit(BlockCheck{d, out, "control." + name, block.period.has_value()}, block.law);
  if (!d.control.empty() && d.solver.coupling == CouplingKind::cosimulation)
    add_finding(d, out, "solver.coupling", "the machine has control blocks, which are solved together with mechanism and hydraulics",
                "`monolithic`");
}

}  // namespace trunnion
