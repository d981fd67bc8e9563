// Signals: functions of time with known jumps. Commands of valves, source pressures, loads, prescribed motions.
// At a jump a signal has a left and a right limit; the step that ends there sees the left one, the step that starts there
// the right one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "description/description.h"
#include "signals/time_polynomial.h"

namespace trunnion {

/// Which limit is meant at a jump.
enum class Side { left, right };

/// Index of a signal in its set.
using SignalIndex = int;

/// All signals of a model, evaluated by index.
class SignalSet {
 public:
  SignalSet() = default;
  /// Compiles signals in the order of `list`; names of sums and products must exist and be free of cycles.
  explicit SignalSet(const NamedList<SignalDescription>& list);

  /// Adds a constant, for plain numbers given instead of a signal.
  SignalIndex add_constant(double value);
  /// Adds an external input: `course` as it is at the time of evaluation, written by its owner while the set is in use.
  SignalIndex add_input(const TimePolynomial* course);
  /// Index of a named signal, or -1.
  SignalIndex find(const std::string& name) const;
  const std::vector<std::string>& names() const { return names_; }
  int size() const { return static_cast<int>(nodes_.size()); }

  /// Value at time t [s]; no allocation.
  double value(SignalIndex signal, double t, Side side) const { return evaluate(signal, t, side).value; }
  SignalValue evaluate(SignalIndex signal, double t, Side side) const;
  /// Whether it is constant; an input is not.
  bool constant(SignalIndex signal) const { return nodes_[signal].kind == Kind::constant; }
  /// Times where the signal jumps, ascending.
  const std::vector<double>& jumps(SignalIndex signal) const { return nodes_[signal].jumps; }
  /// Times where its value or slope jumps, ascending: steps, points of linear tables, ends of smooth tables, starts of sines.
  std::vector<double> corners(SignalIndex signal) const;

 private:
  enum class Kind : unsigned char { constant, steps, linear, smooth, sine, sum, product, input };
  struct Node {
    Kind kind = Kind::constant;
    std::array<double, 5> p{};        // constant: value; sine: amplitude, frequency, phase, offset, start; steps: before
    std::vector<double> t, y, slope;  // points; slopes of the smooth table
    std::vector<SignalIndex> of;
    const TimePolynomial* course = nullptr;  // input
    std::vector<double> jumps;
  };
  Node compile(const SignalDescription& description);
  SignalValue at_table(const Node& node, double t, Side side) const;

  std::vector<Node> nodes_;
  std::vector<std::string> names_;
};

}  // namespace trunnion
