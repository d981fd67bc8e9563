// The table, part 6: control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/table_parts.h"

namespace trunnion {

namespace {

void describe_input(Visitor& v, NumberOrSignal& input, const char* name = "input", const char* doc = "Its input",
                    unsigned flags = kRequired) {
  v.leaf({name, doc, kSignalValue, flags, Names::quantity}, &input);
}
void describe_inputs(Visitor& v, std::vector<std::string>& inputs) {
  v.leaf({"inputs", "Its inputs", kSignalValue, kRequired, Names::quantity}, &inputs);
}
void describe_limits(Visitor& v, std::optional<double>& min, std::optional<double>& max) {
  v.leaf({"min", "Minimum value; default: none", kSignalValue}, &min);
  v.leaf({"max", "Maximum value; default: none", kSignalValue}, &max);
}

void describe_hand_over(Visitor& v, NumberOrSignal& manual, NumberOrSignal& automatic) {
  describe_input(v, manual, "manual", "Value while it is not automatic, within the limits; default: always automatic", 0);
  describe_input(v, automatic, "automatic", "Condition under which it is automatic: above 0.5; it begins with the last value", 0);
}

// ---------------------------------------------------------------- without states

void describe_block(Visitor& v, GainBlock& b) {
  describe_input(v, b.input);
  v.leaf({"gain", "Factor", kSignalValue}, &b.gain);
  v.leaf({"offset", "Added value", kSignalValue}, &b.offset);
}
void describe_block(Visitor& v, SumBlock& b) {
  describe_inputs(v, b.inputs);
  v.leaf({"gains", "Factor of each input; default: 1", kSignalValue}, &b.gains);
  v.leaf({"offset", "Added value", kSignalValue}, &b.offset);
}
template <class OfInputs>
requires std::is_same_v<OfInputs, ProductBlock> || std::is_same_v<OfInputs, MinimumBlock> || std::is_same_v<OfInputs, MaximumBlock>
void describe_block(Visitor& v, OfInputs& b) { describe_inputs(v, b.inputs); }
void describe_block(Visitor& v, SaturationBlock& b) {
  describe_input(v, b.input);
  v.leaf({"min", "Minimum value", kSignalValue}, &b.min);
  v.leaf({"max", "Maximum value", kSignalValue}, &b.max);
}
void describe_block(Visitor& v, DeadZoneBlock& b) {
  describe_input(v, b.input);
  v.leaf({"min", "Lower end of the zone in which the value is 0", kSignalValue}, &b.min);
  v.leaf({"max", "Upper end of that zone", kSignalValue}, &b.max);
}
void describe_block(Visitor& v, DeadBandCompensationBlock& b) {
  describe_input(v, b.input);
  v.leaf({"positive", "Dead band of the valve on the positive side", kSignalValue, kRequired | kNonNegative}, &b.positive);
  v.leaf({"negative", "Dead band of the valve on the negative side, as a positive number", kSignalValue, kRequired | kNonNegative},
         &b.negative);
  v.leaf({"width", "Input on either side of 0 within which the compensation rises linearly", kSignalValue, kRequired | kPositive},
         &b.width);
}
void describe_block(Visitor& v, Table2dBlock& b) {
  v.leaf({"inputs", "Its two inputs x and y", kSignalValue, kRequired, Names::quantity}, &b.inputs);
  v.leaf({"x", "Values of x, increasing", kSignalValue, kRequired}, &b.x);
  v.leaf({"y", "Values of y, increasing", kSignalValue, kRequired}, &b.y);
  v.leaf({"values", "A row for each x, with a number for each y; bilinear between, constant outside", kSignalValue, kRequired}, &b.values);
}
void describe_block(Visitor& v, TableBlock& b) {
  describe_input(v, b.input);
  v.leaf({"points", "Points [input, value], linear between, constant outside", kSignalValue, kRequired}, OverSignal{&b.points});
}

// ---------------------------------------------------------------- with modes, or sampled

void describe_block(Visitor& v, RelayBlock& b) {
  describe_input(v, b.input);
  v.leaf({"on", "Input at and above which it is on", kSignalValue, kRequired}, &b.on);
  v.leaf({"off", "Input at and below which it is off", kSignalValue, kRequired}, &b.off);
  v.leaf({"value_on", "Value while it is on", kSignalValue}, &b.value_on);
  v.leaf({"value_off", "Value while it is off", kSignalValue}, &b.value_off);
}
void describe_block(Visitor& v, EdgeBlock& b) {
  describe_input(v, b.input, "input", "Condition: above 0.5");
  v.leaf({"direction", "Changes of the condition that count"}, choice(b.direction, {"rising", "falling", "both"}));
}
void describe_block(Visitor& v, TimerBlock& b) { describe_input(v, b.input, "input", "Condition: above 0.5"); }
void describe_block(Visitor& v, CounterBlock& b) {
  describe_input(v, b.input, "input", "Condition: above 0.5");
  describe_input(v, b.reset, "reset", "Condition under which the count is 0", 0);
}
void describe_block(Visitor& v, QuantiserBlock& b) {
  describe_input(v, b.input);
  v.leaf({"step", "Resolution", kSignalValue, kRequired | kPositive}, &b.step);
}
void describe_block(Visitor& v, NoiseBlock& b) {
  describe_input(v, b.input);
  v.leaf({"deviation", "Standard deviation", kSignalValue, kRequired | kNonNegative}, &b.deviation);
  v.leaf({"seed", "Number from which the noise follows", kNumber, kNonNegative}, &b.seed);
}
void describe_block(Visitor& v, SensorBlock& b) {
  describe_input(v, b.input, "input", "Measured quantity");
  v.leaf({"time_constant", "Lag of first order; default: none", kTime, kPositive}, &b.time_constant);
  v.leaf({"delay", "Delay by a Pade approximation of third order, beside that of its samples; default: none", kTime, kPositive}, &b.delay);
  v.leaf({"deviation", "Standard deviation of the noise", kSignalValue, kNonNegative}, &b.deviation);
  v.leaf({"noise_seed", "Number from which the noise follows", kNumber, kNonNegative}, &b.noise_seed);
  describe_limits(v, b.min, b.max);
  v.leaf({"resolution", "Whole steps of its value; default: any value", kSignalValue, kPositive}, &b.resolution);
}
void describe_step(Visitor& v, SequenceStep& s) {
  v.leaf(
      {"until", "The step ends where this expression holds; `elapsed` is the time in the step in s", kNumber, kRequired, Names::condition},
      &s.until);
  v.section({"set", "Commands during the step, by name: expressions; others keep those of the steps before"},
            named_items(s.commands,
                        [](Visitor& w, SequenceValue& value) {
                          w.leaf({"value", "The value, an expression", kNumber, kRequired, Names::expression}, &value.value);
                        }),
            "value");
}
void describe_block(Visitor& v, SequenceBlock& b) {
  v.list({"steps", "Steps in their order", kNumber, kRequired}, items(b.steps, describe_step));
  v.leaf({"repeat", "Begins again after the last step"}, &b.repeat);
}

void describe_block(Visitor& v, OperatorBlock& b) {
  v.leaf({"body", "The body that carries the point", kNumber, kRequired, Names::body}, &b.body);
  v.leaf({"at", "The point in the body's frame", kLength}, &b.at);
  v.leaf({"joints", "Joint coordinates that move the point, on the way from the ground to the body; others are measured", kNumber,
          kRequired, Names::coordinate},
         &b.joints);
  v.leaf({"path", "Points [x, y, z] in the ground frame, connected by straight lines", kLength, kRequired}, &b.path);
  v.leaf({"speed", "Speed along the path; 0 or less: the point waits", kSpeed, kRequired | kPositive, Names::quantity}, &b.speed);
  v.leaf({"max_rates", "Maximum rate of each joint coordinate, in the order of `joints`; one: for all", kJointRate, kRequired | kPositive},
         &b.max_rates);
  v.leaf(
      {"attitude",
       "Angle of the body at each point, or one for all: sum of the angles of joints with parallel axes, in the sense of the last one of "
       "`joints`; default: any",
       kAngle},
      &b.attitude);
  v.leaf({"repeat", "Returns to the first point after the last one, again and again"}, &b.repeat);
}

// ---------------------------------------------------------------- with states

void describe_block(Visitor& v, PidBlock& b) {
  describe_input(v, b.setpoint, "setpoint", "Set point");
  describe_input(v, b.measurement, "measurement", "Controlled quantity");
  describe_input(v, b.feedforward, "feedforward", "Added to the value before it is limited", 0);
  v.leaf({"gain", "Proportional gain: value per deviation", kSignalValue, kRequired}, &b.gain);
  v.leaf({"integral_time", "Integral time; default: no integral part", kTime, kPositive}, &b.integral_time);
  v.leaf({"derivative_time", "Derivative time; default: no derivative part", kTime, kPositive}, &b.derivative_time);
  v.leaf({"filter", "Derivative time over the time constant of the derivative's filter", kNumber, kPositive}, &b.filter);
  v.leaf({"setpoint_weight", "Weight of the set point in the proportional part", kNumber, kNonNegative}, &b.setpoint_weight);
  v.leaf({"derivative_weight", "Weight of the set point in the derivative part", kNumber, kNonNegative}, &b.derivative_weight);
  describe_limits(v, b.min, b.max);
  v.leaf({"anti_windup",
          "Integral part at a limit: it follows the limited value (`back_calculation`), or stops where it would drive the value beyond "
          "(`clamping`)"},
         choice(b.anti_windup, {"back_calculation", "clamping"}));
  v.leaf(
      {"tracking_time",
       "Time constant with which the integral part follows a limited or manual value, with `clamping` comes to rest at a limit; default: "
       "the geometric mean of integral and derivative time, or the integral time; with `clamping` 2 % of the integral time",
       kTime, kPositive},
      &b.tracking_time);
  v.leaf({"start", "Integral part at the start", kSignalValue}, &b.start);
  describe_hand_over(v, b.manual, b.automatic);
}
void describe_block(Visitor& v, IntegratorBlock& b) {
  describe_input(v, b.input);
  v.leaf({"gain", "Rate of the value per input, per second", kSignalValue}, &b.gain);
  v.leaf({"start", "Value at the start", kSignalValue}, &b.start);
  describe_limits(v, b.min, b.max);
  v.leaf({"tracking_time", "Time constant with which the integral returns to a limit that it has exceeded", kTime, kPositive},
         &b.tracking_time);
  describe_hand_over(v, b.manual, b.automatic);
}
void describe_block(Visitor& v, TransferFunctionBlock& b) {
  describe_input(v, b.input);
  v.leaf({"numerator", "Coefficients of the numerator in descending powers of s", kSignalValue, kRequired}, &b.numerator);
  v.leaf({"denominator", "Coefficients of the denominator in descending powers of s, at least as many", kSignalValue, kRequired},
         &b.denominator);
}
void describe_block(Visitor& v, StateSpaceBlock& b) {
  describe_inputs(v, b.inputs);
  v.alternatives(
      {{"A", "Matrices", b.file.empty(), [&b] { b.file.clear(); },
        [&b](Visitor& w) {
          w.leaf({"A", "Rows of A in x' = A x + B u", kSignalValue, kRequired}, &b.A);
          w.leaf({"B", "Rows of B, one column for each input", kSignalValue, kRequired}, &b.B);
          w.leaf({"C", "The row C in value = C x + D u", kSignalValue, kRequired}, &b.C);
          w.leaf({"D", "The row D, one entry for each input; default: 0", kSignalValue}, &b.D);
        }},
       {"file", "A linear model of `trunnion linearize`", !b.file.empty(), [&b] { b.A.clear(); },
        [&b](Visitor& w) {
          w.leaf({"file", "Its linear.json, relative to the model file; its inputs in their order are `inputs`", kNumber, kRequired},
                 &b.file);
          w.leaf({"output", "Name of the output that is the value; default: the only one"}, &b.output);
        }}},
      true);
  v.leaf({"start", "States at the start; default: 0", kSignalValue}, &b.start);
}
void describe_block(Visitor& v, LowPassBlock& b) {
  describe_input(v, b.input);
  v.alternatives({{"time_constant", "First order", b.time_constant.has_value(), [&b] { b.frequency.reset(); },
                   [&b](Visitor& w) {
                     w.leaf({"time_constant", "Time constant", kTime, kRequired | kPositive}, &b.time_constant);
                   }},
                  {"frequency", "Second order", b.frequency.has_value(), [&b] { b.time_constant.reset(); },
                   [&b](Visitor& w) {
                     w.leaf({"frequency", "Natural frequency", kFrequency, kRequired | kPositive}, &b.frequency);
                     w.leaf({"damping", "Damping ratio", kNumber, kPositive}, &b.damping);
                   }}},
                 true);
}
void describe_block(Visitor& v, LeadLagBlock& b) {
  describe_input(v, b.input);
  v.leaf({"gain", "Gain at frequency 0", kSignalValue}, &b.gain);
  v.leaf({"lead", "Time constant of the numerator", kTime, kRequired | kNonNegative}, &b.lead);
  v.leaf({"lag", "Time constant of the denominator", kTime, kRequired | kPositive}, &b.lag);
}
void describe_block(Visitor& v, NotchBlock& b) {
  describe_input(v, b.input);
  v.leaf({"frequency", "Frequency that it suppresses", kFrequency, kRequired | kPositive}, &b.frequency);
  v.leaf({"damping", "Damping ratio of the denominator: half the width relative to the frequency", kNumber, kPositive}, &b.damping);
  v.leaf({"depth", "Gain at the frequency", kNumber, kFraction}, &b.depth);
}
void describe_block(Visitor& v, DerivativeBlock& b) {
  describe_input(v, b.input);
  v.leaf({"time_constant", "Time constant of the filter", kTime, kRequired | kPositive}, &b.time_constant);
}
void describe_block(Visitor& v, DelayBlock& b) {
  describe_input(v, b.input);
  v.leaf({"time", "Delay", kTime, kRequired | kPositive}, &b.time);
  v.leaf({"order", "Order of the Pade approximation, 1 to 6", kNumber, kPositive}, &b.order);
}
void describe_block(Visitor& v, RateLimiterBlock& b) {
  describe_input(v, b.input);
  v.leaf({"rise", "Maximum rate, per second", kSignalValue, kRequired | kPositive}, &b.rise);
  v.leaf({"fall", "Maximum rate downwards, per second, as a positive number; default: the same", kSignalValue, kPositive}, &b.fall);
  v.leaf({"time_constant", "Time constant with which the value reaches its input", kTime, kPositive}, &b.time_constant);
}
void describe_block(Visitor& v, BacklashBlock& b) {
  describe_input(v, b.input);
  v.leaf(
      {"width", "Distance between the values of its input at which it follows upwards and downwards", kSignalValue, kRequired | kPositive},
      &b.width);
  v.leaf({"time_constant", "Time constant with which it follows", kTime, kPositive}, &b.time_constant);
}

/// Form `key: {...}` of a block of law L.
template <class L>
Alternative block_form(BlockDescription& block, const char* key, const char* doc) {
  return {key, doc, std::holds_alternative<L>(block.law), [&block] { block.law = L{}; },
          [&block, key, doc](Visitor& w) {
            auto& law = std::get<L>(block.law);
            w.group({key, doc, kNumber, kRequired}, {true, {}, [&law](Visitor& u) { describe_block(u, law); }});
          }};
}

}  // namespace

[[gnu::cold]] void describe_control_block(Visitor& v, BlockDescription& b) {
  v.alternatives(
      {block_form<GainBlock>(b, "gain", "Gain and offset"),
       block_form<SumBlock>(b, "sum", "Weighted sum"),
       block_form<ProductBlock>(b, "product", "Product"),
       block_form<MinimumBlock>(b, "minimum", "Least of its inputs"),
       block_form<MaximumBlock>(b, "maximum", "Greatest of its inputs"),
       block_form<PidBlock>(b, "pid", "Controller with proportional, integral and derivative part"),
       block_form<TransferFunctionBlock>(b, "transfer_function", "Rational function of s"),
       block_form<StateSpaceBlock>(b, "state_space", "Linear system with one output"),
       block_form<IntegratorBlock>(b, "integrator", "Time integral, limited"),
       block_form<LowPassBlock>(b, "low_pass", "Lag of first or second order"),
       block_form<LeadLagBlock>(b, "lead_lag", "gain (1 + s lead)/(1 + s lag)"),
       block_form<NotchBlock>(b, "notch", "Suppresses one frequency"),
       block_form<DerivativeBlock>(b, "derivative", "Filtered time derivative"),
       block_form<DelayBlock>(b, "delay", "Delay by a Pade approximation"),
       block_form<RateLimiterBlock>(b, "rate_limiter", "Follows its input with limited rate"),
       block_form<BacklashBlock>(b, "backlash", "Follows its input with play"),
       block_form<SaturationBlock>(b, "saturation", "Its input within limits"),
       block_form<DeadZoneBlock>(b, "dead_zone", "Distance of its input from a zone around 0"),
       block_form<DeadBandCompensationBlock>(b, "dead_band_compensation", "Adds the dead band of a valve to its command"),
       block_form<TableBlock>(b, "table", "Table over its input"),
       block_form<Table2dBlock>(b, "table_2d", "Table over two inputs"),
       {"expression", "Expression of quantities", std::holds_alternative<ExpressionBlock>(b.law), [&b] { b.law = ExpressionBlock{}; },
        [&b](Visitor& w) {
          w.leaf({"expression",
                  "Numbers, quantities, operators + - * / ^ < <= > >= and or, functions min max clamp abs sign sqrt exp sin cos "
                  "tanh atan2 not if asin acos tan hypot log, pi",
                  kNumber, kRequired, Names::expression},
                 &std::get<ExpressionBlock>(b.law).expression);
        }},
       block_form<RelayBlock>(b, "relay", "On and off at two levels of its input"),
       block_form<EdgeBlock>(b, "edge", "1 at a sample at which a condition has changed; sampled"),
       block_form<TimerBlock>(b, "timer", "Time for which a condition has held"),
       block_form<CounterBlock>(b, "counter", "Number of times that a condition has begun to hold"),
       block_form<QuantiserBlock>(b, "quantiser", "Its input in whole steps; sampled"),
       block_form<NoiseBlock>(b, "noise", "Its input with noise; sampled"),
       block_form<SensorBlock>(b, "sensor",
                               "Quantity as a controller sees it: lag, noise, range, resolution; with noise or resolution sampled"),
       block_form<SequenceBlock>(b, "sequence", "Steps with commands, each until a condition holds"),
       block_form<OperatorBlock>(b, "operator", "Follows a path of a point through inverse kinematics, with limited joint rates; sampled")},
      true);
  v.leaf({"period", "Sampled: the interval at which the block is evaluated; its value is constant between; default: continuous in time",
          kTime, kPositive},
         &b.period);
  v.leaf({"offset", "Time of the first sample", kTime, kNonNegative}, &b.offset);
  v.leaf({"latency", "Computing time: from a sample until its value takes effect, at most the period", kTime, kNonNegative}, &b.latency);
  v.leaf({"jitter", "Largest lateness of a sample: uniformly distributed, the same in every run", kTime, kNonNegative}, &b.jitter);
  v.leaf({"seed", "Number from which the jitter follows", kNumber, kNonNegative}, &b.seed);
}

}  // namespace trunnion
