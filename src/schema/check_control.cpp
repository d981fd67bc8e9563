// Checks part 6: control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
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
  void operator()(const PidBlock& b) const {
    limits(".pid.max", b.min, b.max);
    hand_over(".pid", b);
    if (!b.integral_time && hands_over(b))
      report(".pid.manual", "the controller has no integral part, which makes the hand-over continuous", "`integral_time` as well");
    if (!b.integral_time && b.start != 0) report(".pid.start", "the controller has no integral part", "`integral_time` as well");
    if (!b.integral_time && b.tracking_time) report(".pid.tracking_time", "the controller has no integral part", "`integral_time` as well");
    if (!b.integral_time && b.anti_windup != AntiWindup::back_calculation)
      report(".pid.anti_windup", "the controller has no integral part", "`integral_time` as well");
    if (b.integral_time && b.anti_windup == AntiWindup::clamping && !b.min && !b.max)
      report(".pid.anti_windup", "the controller has no limits", "`min` or `max` as well");
  }
  void operator()(const IntegratorBlock& b) const {
    limits(".integrator.max", b.min, b.max);
    hand_over(".integrator", b);
  }
  template <class Block>
  void hand_over(const std::string& form, const Block& b) const {
    const NumberOrSignal none = std::string();
    if ((b.manual != none) == (b.automatic != none)) return;
    const bool manual = b.manual != none;
    report((form + (manual ? ".manual" : ".automatic")).c_str(), std::string("without `") + (manual ? "automatic" : "manual") + "`",
           "both `manual`, a value, and `automatic`, a condition");
  }
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
    if (!b.file.empty())
      return report(".state_space.file", "was not read: only model files name other files", "the matrices `A`, `B`, `C`, `D`");
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
  void operator()(const BacklashBlock&) const {}
  void operator()(const SaturationBlock& b) const { limits(".saturation.max", b.min, b.max); }
  void operator()(const DeadZoneBlock& b) const { limits(".dead_zone.max", b.min, b.max); }
  void operator()(const DeadBandCompensationBlock&) const {}
  void operator()(const TableBlock&) const {}
  void operator()(const Table2dBlock& b) const {
    count(".table_2d.inputs", b.inputs.size(), 2, "inputs, x and y");
    grid(".table_2d.x", b.x);
    grid(".table_2d.y", b.y);
    count(".table_2d.values", b.values.size(), b.x.size(), "rows, one for each x");
    for (std::size_t i = 0; i < b.values.size(); ++i)
      count((".table_2d.values." + std::to_string(i)).c_str(), b.values[i].size(), b.y.size(), "numbers, one for each y");
  }
  void grid(const char* key, const std::vector<double>& values) const {
    if (values.size() < 2) report(key, "found " + std::to_string(values.size()), "two numbers or more");
    for (std::size_t i = 1; i < values.size(); ++i)
      if (!(values[i - 1] < values[i]))
        report(key, number_text(values[i]) + " follows " + number_text(values[i - 1]), "increasing numbers");
  }
  void operator()(const ExpressionBlock& b) const { expression(".expression", b.expression); }
  void operator()(const RelayBlock& b) const {
    if (!(b.off < b.on)) report(".relay.off", "found " + number_text(b.off), "less than `on`, " + number_text(b.on));
  }
  void operator()(const EdgeBlock&) const { sampled("an edge"); }
  void operator()(const TimerBlock&) const {}
  void operator()(const CounterBlock&) const {}
  void operator()(const QuantiserBlock&) const { sampled("a quantiser"); }
  void operator()(const NoiseBlock&) const { sampled("a noise"); }
  void operator()(const SensorBlock& b) const {
    limits(".sensor.max", b.min, b.max);
    if (b.deviation > 0) sampled("the noise of a sensor");
    if (b.resolution) sampled("the whole steps of a sensor");
  }
  void operator()(const SequenceBlock& b) const {
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
  void operator()(const OperatorBlock& b) const {
    sampled("an operator");
    way(b);
    const std::size_t n = b.joints.size();
    if (b.max_rates.size() != 1) count(".operator.max_rates", b.max_rates.size(), n, "rates, one for each joint, or one for all");
    if (b.attitude.size() > 1) count(".operator.attitude", b.attitude.size(), b.path.size(), "angles, one for each point, or one for all");
    if (b.path.empty()) report(".operator.path", "found no point", "one point or more");
    for (std::size_t i = 0; i < b.path.size(); ++i) {
      const std::string at = ".operator.path." + std::to_string(i);
      count(at.c_str(), b.path[i].size(), 3, "numbers, [x, y, z]");
      const bool first = i == 0 && b.repeat, next = i > 0;
      if ((next && b.path[i] == b.path[i - 1]) || (first && b.path[i] == b.path.back()))
        report(at.c_str(), next ? "the point is the one before" : "the point is the last one, too, from which the path returns to it", "");
    }
  }
  /// Joints of an operator on the way from the ground to the body.
  void way(const OperatorBlock& b) const {
    const std::vector<std::string> joints = joints_to_ground(d, b.body);
    if (b.joints.size() < 2 || b.joints.size() > static_cast<std::size_t>(kMaxOperatorJoints))
      report(".operator.joints", "found a list of " + std::to_string(b.joints.size()),
             "2 to " + std::to_string(kMaxOperatorJoints) + " joints");
    bool turns = false;
    std::vector<CoordinatePlace> places;
    for (std::size_t i = 0; i < b.joints.size(); ++i) {
      const auto place = place_of_coordinate(d, b.joints[i]);
      if (!place || place->of_loop) continue;  // an unknown name, reported with all others
      const std::string at = ".operator.joints." + std::to_string(i);
      if (std::find(places.begin(), places.end(), *place) != places.end())
        report(at.c_str(), "`" + b.joints[i] + "` is in the list already", "another joint");
      else if (std::find(joints.begin(), joints.end(), place->joint) == joints.end())
        report(at.c_str(), "`" + b.joints[i] + "` does not move `" + b.body + "`",
               "a joint on the way from the ground to `" + b.body + "`");
      places.push_back(*place);
      turns = turns || place->name.kind == JointPartKind::angle;
    }
    if (!b.attitude.empty() && !turns) report(".operator.attitude", "no joint of the operator turns the body", "an angle in `joints`");
    for (const std::string& name : joints) {
      const std::vector<JointPartName>& parts = joint_parts(d.joints.find(name)->kind);
      if (std::any_of(parts.begin(), parts.end(), [](const JointPartName& part) { return part.kind == JointPartKind::spherical; }))
        report(".operator.body", "the joint `" + name + "` on the way from the ground rotates about three axes",
               "a body moved by angles and displacements alone");
    }
    if (operator_coordinates(d, b).size() >= static_cast<std::size_t>(kMaxBlockInputs))
      report(".operator.body", "more than " + std::to_string(kMaxBlockInputs - 1) + " coordinates move the body", "fewer");
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
    if (period) return;
    const std::string text(what);
    report("", text + (text.find(" steps ") != std::string::npos ? " change" : " changes") + " only at samples", "`period`, such as 10 ms");
  }
};

/// Times of its samples.
void check_samples(const BlockCheck& check, const BlockDescription& block) {
  if (!block.period) {
    if (block.offset > 0) check.report(".offset", "the block is not sampled", "`period` as well");
    if (block.latency > 0) check.report(".latency", "the block is not sampled", "`period` as well");
    if (block.jitter > 0) check.report(".jitter", "the block is not sampled", "`period` as well");
    return;
  }
  const std::string period = number_text(*block.period) + " s";
  if (!(block.jitter < *block.period))
    check.report(".jitter", "found " + number_text(block.jitter) + " s", "less than the period, " + period);
  else if (!(block.latency + block.jitter <= *block.period))
    check.report(
        ".latency",
        "found " + number_text(block.latency) + " s" + (block.jitter > 0 ? " beside a jitter of " + number_text(block.jitter) + " s" : ""),
        "at most the period, " + period + ", less the jitter");
}

}  // namespace

void check_control(const Description& d, Findings& out) {
  for (const auto& [name, block] : d.control) {
    const BlockCheck check{d, out, "control." + name, block.period.has_value()};
    std::visit(check, block.law);
    check_samples(check, block);
  }
}

}  // namespace trunnion
