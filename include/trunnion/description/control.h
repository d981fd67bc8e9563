// Control blocks of a description: each computes one value from quantities of the machine, signals and other blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "trunnion/description/values.h"

namespace trunnion {

/// Sum of its inputs times their gains.
struct SumBlock {
  std::vector<std::string> inputs{};
  std::vector<double> gains{};  ///< one for each input; empty: 1
  double offset = 0;            ///< [unit of the value]
};
/// Its input times a gain.
struct GainBlock {
  NumberOrSignal input = std::string();
  double gain = 1;
  double offset = 0;  ///< [unit of the value]
};
/// Product of its inputs.
struct ProductBlock {
  std::vector<std::string> inputs{};
};
/// Least of its inputs.
struct MinimumBlock {
  std::vector<std::string> inputs{};
};
/// Greatest of its inputs.
struct MaximumBlock {
  std::vector<std::string> inputs{};
};

/// Controller with proportional, integral and derivative part:
///   v = gain (setpoint_weight r - y) + I + D + feedforward, limited to [min, max]
///   I' = gain/integral_time (r - y) + (limited v - v)/tracking_time                             back-calculation
///   I' = gain/integral_time (r - y), upwards at most (max - v)/tracking_time or 0, downwards (min - v)/tracking_time or 0    clamping
///   D = gain derivative_time s/(1 + s derivative_time/filter) (derivative_weight r - y)
/// Source: K. J. Astrom, T. Hagglund, Advanced PID Control, ISA 2006, sections 3.4 to 3.5.
enum class AntiWindup { back_calculation, clamping };
struct PidBlock {
  NumberOrSignal setpoint = std::string();     ///< r
  NumberOrSignal measurement = std::string();  ///< y
  NumberOrSignal feedforward = 0.0;            ///< added to the value before it is limited
  double gain = 1;
  std::optional<double> integral_time{};    ///< [s] unset: no integral part
  std::optional<double> derivative_time{};  ///< [s] unset: no derivative part
  double filter = 10;                       ///< [-] derivative_time over the time constant of its filter
  double setpoint_weight = 1;               ///< [-] of the proportional part
  double derivative_weight = 0;             ///< [-] of the derivative part
  std::optional<double> min{}, max{};       ///< limits of the value
  AntiWindup anti_windup = AntiWindup::back_calculation;
  std::optional<double> tracking_time{};     ///< [s] unset: (integral_time derivative_time)^0.5, or the integral time; clamping: 2 % of it
  double start = 0;                          ///< integral part at the start
  NumberOrSignal manual = std::string();     ///< value while it is not automatic, within limits; empty: always automatic
  NumberOrSignal automatic = std::string();  ///< condition: automatic above 0.5, from the value at that time on
};

/// A rational function of s; coefficients in descending powers.
struct TransferFunctionBlock {
  NumberOrSignal input = std::string();
  std::vector<double> numerator{};
  std::vector<double> denominator{};
};
/// x' = A x + B u, value = C x + D u.
struct StateSpaceBlock {
  std::vector<std::string> inputs{};
  std::vector<std::vector<double>> A{}, B{};  ///< rows
  std::vector<double> C{}, D{};               ///< one row; D empty: 0
  std::vector<double> start{};                ///< states at the start; empty: 0
  /// A linear.json beside the model file from which A, B, C and D are read, and their output there; empty then, and in a model built in code.
  std::string file{}, output{};
};
/// Time integral of its input times a gain, within limits.
struct IntegratorBlock {
  NumberOrSignal input = std::string();
  double gain = 1;                        ///< [1/s]
  double start = 0;                       ///< value at the start
  std::optional<double> min{}, max{};     ///< limits of the value
  double tracking_time = 0.01;            ///< [s] within which it leaves a limit's far side
  NumberOrSignal manual = std::string();  ///< as of a controller
  NumberOrSignal automatic = std::string();
};
/// First-order lag with a time constant, or second-order lag with a natural frequency.
struct LowPassBlock {
  NumberOrSignal input = std::string();
  std::optional<double> time_constant{};  ///< [s]
  std::optional<double> frequency{};      ///< [Hz] natural
  double damping = 0.7071067811865476;    ///< [-] ratio, with a frequency
};
/// gain (1 + s lead)/(1 + s lag).
struct LeadLagBlock {
  NumberOrSignal input = std::string();
  double gain = 1;
  double lead = 0;  ///< [s]
  double lag = 0;   ///< [s]
};
/// (s^2 + 2 depth damping w s + w^2)/(s^2 + 2 damping w s + w^2).
struct NotchBlock {
  NumberOrSignal input = std::string();
  double frequency = 0;  ///< [Hz]
  double damping = 0.5;  ///< [-] ratio: half the relative width
  double depth = 0;      ///< [-] gain at the frequency
};
/// s/(1 + s time_constant).
struct DerivativeBlock {
  NumberOrSignal input = std::string();
  double time_constant = 0;  ///< [s] of the filter
};
/// Delay by a Pade approximation.
struct DelayBlock {
  NumberOrSignal input = std::string();
  double time = 0;  ///< [s]
  int order = 3;    ///< of the approximation, 1 to 6
};
/// Follows its input with limited rate.
struct RateLimiterBlock {
  NumberOrSignal input = std::string();
  double rise = 0;               ///< [1/s] largest rate
  std::optional<double> fall{};  ///< [1/s] largest negative rate as a positive number; unset: the same
  double time_constant = 1e-3;   ///< [s] with which it reaches its input
};

/// Follows its input with play: hysteresis of a linkage or a gear.
struct BacklashBlock {
  NumberOrSignal input = std::string();
  double width = 0;             ///< distance between the two values of its input at which it follows, upwards and downwards
  double time_constant = 1e-3;  ///< [s] with which it follows
};
/// Its input within limits.
struct SaturationBlock {
  NumberOrSignal input = std::string();
  double min = -1, max = 1;
};
/// 0 between min and max; beyond them the distance to them.
struct DeadZoneBlock {
  NumberOrSignal input = std::string();
  double min = 0, max = 0;
};
/// Adds the dead band of a valve to its command: positive above, negative below 0, linear within +-width.
struct DeadBandCompensationBlock {
  NumberOrSignal input = std::string();
  double positive = 0, negative = 0;  ///< widths of the dead band on either side, both positive
  double width = 0;                   ///< of the input, on either side of 0
};
/// Table over its input: linear between points, constant outside.
struct TableBlock {
  NumberOrSignal input = std::string();
  std::vector<std::array<double, 2>> points{};
};
/// Table over two inputs: bilinear on a grid, constant outside.
struct Table2dBlock {
  std::vector<std::string> inputs{};          ///< x and y
  std::vector<double> x{}, y{};               ///< the grid, increasing
  std::vector<std::vector<double>> values{};  ///< a row for each x, with a number for each y
};

/// An expression of numbers, names of quantities, operators and functions: docs/elements/control.md.
struct ExpressionBlock {
  std::string expression{};
};

/// On where its input is at `on` or above, off at `off` or below; sampled.
struct RelayBlock {
  NumberOrSignal input = std::string();
  double on = 0, off = 0;  ///< levels of the input, off below on
  double value_on = 1, value_off = 0;
};
/// Time for which its input has been above 0.5; sampled.
struct TimerBlock {
  NumberOrSignal input = std::string();
};
enum class EdgeDirection { rising, falling, both };
/// 1 at a sample at which its input has crossed 0.5 since the last one, otherwise 0; sampled.
struct EdgeBlock {
  NumberOrSignal input = std::string();
  EdgeDirection direction = EdgeDirection::rising;
};
/// Number of times that its input has risen above 0.5; 0 while `reset` is above 0.5; sampled.
struct CounterBlock {
  NumberOrSignal input = std::string();
  NumberOrSignal reset = 0.0;
};
/// Its input in whole steps; sampled.
struct QuantiserBlock {
  NumberOrSignal input = std::string();
  double step = 0;
};
/// Its input with normally distributed noise; sampled.
struct NoiseBlock {
  NumberOrSignal input = std::string();
  double deviation = 0;  ///< standard deviation
  int seed = 1;
};
/// What a controller sees of a quantity: lag, noise, range and resolution, one after the other; with noise or a resolution it is sampled.
struct SensorBlock {
  NumberOrSignal input = std::string();
  std::optional<double> time_constant{};  ///< [s] lag of first order; unset: none
  std::optional<double> delay{};          ///< [s] by a Pade approximation of third order, beside that of its samples; unset: none
  double deviation = 0;                   ///< standard deviation of the noise
  int noise_seed = 1;                     ///< from which the noise follows
  std::optional<double> min{}, max{};     ///< range
  std::optional<double> resolution{};     ///< value in whole steps of it
};
/// Value of a command during a step of a sequence.
struct SequenceValue {
  std::string value{};  ///< expression
};
/// A step of a sequence.
struct SequenceStep {
  std::string until{};                  ///< expression: the step ends where it holds; `elapsed` is the time in the step [s]
  NamedList<SequenceValue> commands{};  ///< values during the step; others keep those of the steps before
};
/// Steps in their order; sampled. Its value is the number of the step from 1, and 0 after the last one; the commands are the signals
/// NAME.COMMAND (`cycle.boom`).
struct SequenceBlock {
  std::vector<SequenceStep> steps{};
  bool repeat = false;  ///< begins again after the last step
};
/// Follows a path of a point of a body: set points of joint coordinates by inverse kinematics, with limited rates; sampled. Its value is
/// the length of path covered; the set points and their rates are the signals NAME.JOINT and NAME.JOINT.rate (`digger.boom`).
struct OperatorBlock {
  std::string body{};
  Vec3d at{};                               ///< [m] the point, body frame
  std::vector<std::string> joints{};        ///< coordinates that move it, on the way from the ground to the body
  std::vector<std::vector<double>> path{};  ///< [m] points of a polyline, ground frame
  NumberOrSignal speed = std::string();     ///< [m/s] along the path
  std::vector<double> max_rates{};          ///< [rad/s, m/s] of the joints, or one for all
  std::vector<double> attitude{};           ///< [rad] of the body at each point, or one for all; empty: any
  bool repeat = false;                      ///< returns to the first point after the last one
};

/// What a block does.
using BlockLawDescription =
    std::variant<GainBlock, SumBlock, ProductBlock, MinimumBlock, MaximumBlock, PidBlock, TransferFunctionBlock, StateSpaceBlock,
                 IntegratorBlock, LowPassBlock, LeadLagBlock, NotchBlock, DerivativeBlock, DelayBlock, RateLimiterBlock, SaturationBlock,
                 DeadZoneBlock, DeadBandCompensationBlock, TableBlock, Table2dBlock, ExpressionBlock, RelayBlock, EdgeBlock, TimerBlock,
                 CounterBlock, QuantiserBlock, NoiseBlock, SensorBlock, SequenceBlock, OperatorBlock, BacklashBlock>;

/// A control block. Inputs are numbers or names: of signals, inputs, other blocks, and quantities of the machine such as `v1.pressure`,
/// `lift.length`, `lift.rate`, `boom.angle`. Its name stands for a signal.
struct BlockDescription {
  BlockLawDescription law{};
  std::optional<double> period{};  ///< [s] sampled: evaluated at these intervals, constant between; unset: continuous in time
  double offset = 0;               ///< [s] first sample
  double latency = 0;              ///< [s] from a sample until its value takes effect: computing time
  double jitter = 0;               ///< [s] largest lateness of a sample, uniformly distributed
  int seed = 1;                    ///< from which the jitter follows, with the number of the sample
};

}  // namespace trunnion
