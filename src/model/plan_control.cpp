// Control blocks of a description: laws and inputs.
// SPDX-License-Identifier: BSD-3-Clause
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/diagnostic.h"
#include "control/discrete_laws.h"
#include "control/expression_law.h"
#include "control/laws.h"
#include "model/control_plan.h"

namespace trunnion {

namespace {

using Row = std::vector<double>;

using Law = std::shared_ptr<const BlockLaw>;

/// Steady states per unit of each input; 0 where there are none, of integrators.
void set_steady(LinearLaw& law) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> A(law.A.data(), law.order, law.order), B(law.B.data(), law.order, law.count);
  law.steady.assign(law.B.size(), 0.0);
  const Eigen::FullPivLU<Matrix> lu(A);
  if (law.order > 0 && lu.isInvertible()) Eigen::Map<Matrix>(law.steady.data(), law.order, law.count) = -lu.solve(Matrix(B));
}

/// Controllable canonical form in time units of the geometric mean of the poles, s = w p.
LinearLaw realise(Row numerator, Row denominator) {
  const std::size_t n = denominator.size() - 1;
  const bool passes = numerator.size() == denominator.size();
  numerator.insert(numerator.begin(), denominator.size() - numerator.size(), 0.0);
  const double mean = n == 0 ? 1 : std::pow(std::abs(denominator[n] / denominator[0]), 1.0 / static_cast<double>(n));
  const double w = mean > 0 ? mean : 1;
  for (std::size_t i = 0; i <= n; ++i) {
    const double unit = std::pow(w, static_cast<double>(n - i));
    numerator[i] *= unit;
    denominator[i] *= unit;
  }
  const double leading = denominator[0];
  for (Row* row : {&numerator, &denominator})
    for (double& c : *row) c /= leading;
  LinearLaw law;
  law.order = static_cast<int>(n);
  law.A.assign(n * n, 0.0);
  law.B.assign(n, 0.0);
  law.C.assign(n, 0.0);
  law.D = {numerator[0]};
  law.passes = passes;
  for (std::size_t i = 0; i + 1 < n; ++i) law.A[i * n + i + 1] = w;
  for (std::size_t j = 0; j < n; ++j) {
    law.A[(n - 1) * n + j] = -w * denominator[n - j];
    law.C[j] = numerator[n - j] - numerator[0] * denominator[n - j];
  }
  if (n > 0) law.B[n - 1] = w;
  set_steady(law);
  return law;
}

double circular(double frequency) { return 2 * std::numbers::pi * frequency; }
Limits limits_of(const std::optional<double>& min, const std::optional<double>& max) {
  Limits limits;
  limits.min = min.value_or(limits.min);
  limits.max = max.value_or(limits.max);
  return limits;
}

Law plan(const GainBlock& b) { return block_law(SumLaw{{b.gain}, b.offset}); }
Law plan(const SumBlock& b) { return block_law(SumLaw{b.gains.empty() ? Row(b.inputs.size(), 1.0) : b.gains, b.offset}); }
Law plan(const ProductBlock& b) { return block_law(ProductLaw{static_cast<int>(b.inputs.size())}); }
Law plan(const MinimumBlock& b) { return block_law(ExtremeLaw{static_cast<int>(b.inputs.size()), false}); }
Law plan(const MaximumBlock& b) { return block_law(ExtremeLaw{static_cast<int>(b.inputs.size()), true}); }

/// `period` [s] of its samples; 0: continuous.
Law plan(const PidBlock& b, double period) {
  PidLaw law;
  law.gain = b.gain;
  law.setpoint_weight = b.setpoint_weight;
  law.derivative_weight = b.derivative_weight;
  law.begin = b.start;
  law.limits = limits_of(b.min, b.max);
  law.integrates = b.integral_time.has_value();
  law.differentiates = b.derivative_time.has_value();
  if (b.integral_time) law.integral = b.gain / *b.integral_time;
  if (b.derivative_time) {
    law.filter = *b.derivative_time / b.filter;
    law.derivative = b.gain * b.filter;
  }
  law.clamps = b.anti_windup == AntiWindup::clamping;
  law.hands_over = hands_over(b);
  constexpr double kAtLimit = 0.02;  // of the integral time, within which it comes to rest at a limit
  const double integral_time = b.integral_time.value_or(1);
  law.tracking = b.tracking_time.value_or(law.clamps                             ? kAtLimit * integral_time
                                          : b.integral_time && b.derivative_time ? std::sqrt(integral_time * *b.derivative_time)
                                                                                 : integral_time);
  if (law.clamps) law.tracking = std::max(law.tracking, period);  // not less than a sample moves it
  return block_law(law);
}
Law plan(const IntegratorBlock& b) {
  return block_law(IntegratorLaw{b.gain, b.start, limits_of(b.min, b.max), b.tracking_time, hands_over(b)});
}
Law plan(const TransferFunctionBlock& b) { return block_law(realise(b.numerator, b.denominator)); }
Law plan(const StateSpaceBlock& b) {
  LinearLaw law;
  law.order = static_cast<int>(b.A.size());
  law.count = static_cast<int>(b.inputs.size());
  for (const Row& row : b.A) law.A.insert(law.A.end(), row.begin(), row.end());
  for (const Row& row : b.B) law.B.insert(law.B.end(), row.begin(), row.end());
  law.C = b.C;
  law.D = b.D.empty() ? Row(b.inputs.size(), 0.0) : b.D;
  law.passes = !b.D.empty();
  law.x_start = b.start.empty() ? Row(b.A.size(), 0.0) : b.start;
  return block_law(law);
}
Law plan(const LowPassBlock& b) {
  if (b.time_constant) return block_law(realise({1}, {*b.time_constant, 1}));
  const double w = circular(b.frequency.value_or(1));
  return block_law(realise({w * w}, {1, 2 * b.damping * w, w * w}));
}
Law plan(const LeadLagBlock& b) { return block_law(realise({b.gain * b.lead, b.gain}, {b.lag, 1})); }
Law plan(const NotchBlock& b) {
  const double w = circular(b.frequency);
  return block_law(realise({1, 2 * b.depth * b.damping * w, w * w}, {1, 2 * b.damping * w, w * w}));
}
Law plan(const DerivativeBlock& b) { return block_law(realise({1, 0}, {b.time_constant, 1})); }
/// exp(-s T) = N(-s T)/N(s T), N(x) = sum of (2n - k)! n!/((2n)! k! (n - k)!) x^k.
Law plan(const DelayBlock& b) {
  const int n = b.order;
  Row numerator, denominator;
  double c = 1;
  for (int k = 0; k <= n; ++k) {
    const double term = c * std::pow(b.time, k);
    numerator.insert(numerator.begin(), k % 2 == 0 ? term : -term);
    denominator.insert(denominator.begin(), term);
    c *= static_cast<double>(n - k) / ((2.0 * n - k) * (k + 1));
  }
  return block_law(realise(numerator, denominator));
}
Law plan(const RateLimiterBlock& b) { return block_law(RateLimiterLaw{b.rise, b.fall.value_or(b.rise), b.time_constant}); }
Law plan(const BacklashBlock& b) { return block_law(BacklashLaw{b.width / 2, b.time_constant}); }
/// Its input within limits, of which one may be missing.
Law range_of(const Limits& limits) {
  const bool below = std::isfinite(limits.min), above = std::isfinite(limits.max);
  std::vector<std::array<double, 2>> points;
  if (below) points.push_back({limits.min, limits.min});
  if (above) points.push_back({limits.max, limits.max});
  return block_law(PiecewiseLinearLaw{points, below ? 0.0 : 1.0, above ? 0.0 : 1.0});
}
Law plan(const SaturationBlock& b) { return block_law(PiecewiseLinearLaw{{{b.min, b.min}, {b.max, b.max}}, 0, 0}); }
Law plan(const DeadZoneBlock& b) { return block_law(PiecewiseLinearLaw{{{b.min, 0}, {b.max, 0}}, 1, 1}); }
Law plan(const DeadBandCompensationBlock& b) {
  return block_law(PiecewiseLinearLaw{{{-b.width, -b.width - b.negative}, {0, 0}, {b.width, b.width + b.positive}}, 1, 1});
}
Law plan(const RelayBlock& b, double period) { return block_law(RelayLaw{b.on, b.off, b.value_on, b.value_off, period > 0}); }
Law plan(const EdgeBlock& b) { return block_law(EdgeLaw{b.direction != EdgeDirection::falling, b.direction != EdgeDirection::rising}); }
Law plan(const TimerBlock&, double period) { return block_law(TimerLaw{period > 0}); }
Law plan(const CounterBlock&, double period) { return block_law(CounterLaw{period > 0}); }
Law plan(const QuantiserBlock& b) { return block_law(QuantiserLaw{b.step}); }
Law plan(const NoiseBlock& b) { return block_law(NoiseLaw{b.deviation, static_cast<std::uint64_t>(b.seed)}); }
Law plan(const SensorBlock&) { return nullptr; }    // several: plan_control()
Law plan(const SequenceBlock&) { return nullptr; }  // several: plan_control()
Law plan(const OperatorBlock&) { return nullptr; }  // plan_operator()
Law plan(const ExpressionBlock& b) { return block_law(expression_law(parse_expression(b.expression))); }
Law plan(const TableBlock& b) { return block_law(PiecewiseLinearLaw{b.points, 0, 0}); }
Law plan(const Table2dBlock& b) { return block_law(BilinearLaw{b.x, b.y, b.values}); }

/// Expressions with common inputs.
class CommonInputs {
 public:
  std::vector<NumberOrSignal> names;
  /// `last`: a name whose input follows the common ones when all are known; empty: none.
  void add(const std::string& text, const std::string& last = "") {
    for (const std::string& name : parse_expression(text).names)
      if (name != last && std::find(names.begin(), names.end(), NumberOrSignal(name)) == names.end()) names.emplace_back(name);
  }
  ExpressionLaw law(const std::string& text, const std::string& last = "") const {
    const Expression expression = parse_expression(text);
    ExpressionLaw law = expression_law(expression);
    law.count = static_cast<int>(names.size()) + (last.empty() ? 0 : 1);
    for (ExpressionTerm& term : law.terms)
      if (term.kind == ExpressionTerm::Kind::name)  // `last` is not there
        term.index =
            static_cast<std::size_t>(std::find(names.begin(), names.end(), NumberOrSignal(expression.names[term.index])) - names.begin());
    return law;
  }
};

void plan_sequence(const std::string& name, const SequenceBlock& b, double period, std::vector<BlockPlan>& plans) {
  CommonInputs conditions;
  for (const SequenceStep& step : b.steps) conditions.add(step.until, kElapsed);
  SequenceLaw law;
  law.names = static_cast<int>(conditions.names.size());
  law.repeat = b.repeat;
  law.sampled = period > 0;
  for (const SequenceStep& step : b.steps) law.until.push_back(conditions.law(step.until, kElapsed));
  plans.push_back({name, block_law(law), conditions.names});
  for (const std::string& command : commands_of(b)) {
    std::vector<std::string> texts;  // of the steps, then after them
    std::string text = "0";
    for (const SequenceStep& step : b.steps) {
      if (const SequenceValue* value = step.commands.find(command)) text = value->value;
      texts.push_back(text);
    }
    texts.push_back(text);
    CommonInputs common;
    for (const std::string& t : texts) common.add(t);
    SelectLaw select;
    select.names = static_cast<int>(common.names.size());
    for (const std::string& t : texts) select.values.push_back(common.law(t));
    std::vector<NumberOrSignal> inputs{name};
    inputs.insert(inputs.end(), common.names.begin(), common.names.end());
    plans.push_back({name + "." + command, block_law(select), inputs});
  }
}

void set_samples(const BlockDescription& block, BlockPlan& plan) {
  plan.period = block.period.value_or(0);
  plan.offset = block.offset;
  plan.jitter = block.jitter;
  plan.seed = static_cast<std::uint64_t>(block.seed);
}

/// Laws of other blocks, one after the other; the last one has the sensor's name.
void plan_sensor(const std::string& name, const BlockDescription& block, const SensorBlock& b, std::vector<BlockPlan>& plans) {
  NumberOrSignal input = b.input;
  const auto add = [&](const char* part, const Law& law, bool sampled) {
    plans.push_back({name + part, law, {input}});
    if (sampled) set_samples(block, plans.back());
    input = plans.back().name;
  };
  if (b.time_constant) add(".lag", plan(LowPassBlock{.input = input, .time_constant = b.time_constant}), false);
  if (b.delay) add(".delay", plan(DelayBlock{.input = input, .time = *b.delay}), false);
  if (b.deviation > 0) add(".noise", plan(NoiseBlock{input, b.deviation, b.noise_seed}), true);
  if (b.min || b.max) add(".range", range_of(limits_of(b.min, b.max)), false);
  add("", b.resolution ? plan(QuantiserBlock{input, *b.resolution}) : plan(GainBlock{input, 1, 0}), true);
}

/// Signals of an operator beside its value: states, given with its samples.
void plan_set_points(const std::string& name, const OperatorBlock& b, std::vector<BlockPlan>& plans) {
  const int n = static_cast<int>(b.joints.size());
  for (int k = 0; k < 2 * n; ++k) {
    plans.push_back({name + "." + b.joints[static_cast<std::size_t>(k % n)] + (k < n ? "" : ".rate"), plan(GainBlock{name, 1, 0}), {name}});
    plans.back().state = k;
  }
}

}  // namespace

std::shared_ptr<const BlockLaw> plan_block(const BlockDescription& block) {
  const double period = block.period.value_or(0);
  return std::visit(
      [&](const auto& law) -> Law {
        if constexpr (requires { plan(law, period); }) return plan(law, period);
        if constexpr (requires { plan(law); }) return plan(law);
        return nullptr;
      },
      block.law);
}

std::vector<BlockPlan> plan_control(const Description& d) {
  std::vector<BlockPlan> plans;
  for (const auto& [name, block] : d.control) {
    const std::size_t first = plans.size();
    if (const auto* by = std::get_if<OperatorBlock>(&block.law)) {
      plans.push_back(plan_operator(d, name, *by));
      plan_set_points(name, *by, plans);
      for (std::size_t i = first; i < plans.size(); ++i) {
        set_samples(block, plans[i]);
        plans[i].latency = block.latency;
      }
      continue;
    }
    if (const auto* sequence = std::get_if<SequenceBlock>(&block.law))
      plan_sequence(name, *sequence, block.period.value_or(0), plans);
    else if (const auto* sensor = std::get_if<SensorBlock>(&block.law))
      plan_sensor(name, block, *sensor, plans);
    else
      plans.push_back({name, plan_block(block), block_inputs(block)});
    BlockPlan& own = std::holds_alternative<SequenceBlock>(block.law) ? plans[first] : plans.back();
    set_samples(block, own);
    own.latency = block.latency;
  }
  for (const auto& [name, block] : blocks_of_signals(d)) plans.push_back({name, plan_block(block), block_inputs(block)});
  return plans;
}

}  // namespace trunnion
