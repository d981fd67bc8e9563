// Signals: functions of time with known jumps. Commands of valves, source pressures, loads, prescribed motions.
// At a jump a signal has a left and a right limit; the step that ends there sees the left one, the step that starts there
// the right one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "description/description.h"
#include "signals/input_course.h"
#include "signals/time_polynomial.h"

namespace trunnion {

/// Which limit is meant at a jump.
enum class Side { left, right };

/// Index of a signal in its set.
using SignalIndex = int;

/// All signals of a model and its inputs, evaluated by index.
class SignalSet {
 public:
  using Points = std::vector<std::array<double, 2>>;
  /// Points [t, value] of inputs with a given course, by name.
  using Courses = std::map<std::string, Points>;

  SignalSet() = default;
  /// Compiles signals in the order of `list`, then inputs in their order; names of sums and products must exist and be free of cycles.
  explicit SignalSet(const NamedList<SignalDescription>& list, const NamedList<InputDescription>& inputs = {}, const Courses& courses = {});

  /// Adds a constant, for plain numbers given instead of a signal.
  SignalIndex add_constant(double value);
  /// Adds a signal of a co-simulation's subsystem: `feed` as it is at the time of evaluation, written by its owner while the set is in
  /// use.
  SignalIndex add_feed(const TimePolynomial* feed);
  /// Adds the value of a control block, which is no function of time: its users take it from the state.
  SignalIndex add_block(const std::string& name);
  /// Index of a named signal, input or block, or -1.
  SignalIndex find(const std::string& name) const;
  const std::vector<std::string>& names() const { return names_; }
  int size() const { return static_cast<int>(nodes_.size()); }

  /// Number of the model's inputs; the first is the signal first_input(), the others follow.
  int inputs() const { return inputs_; }
  SignalIndex first_input() const { return first_input_; }
  /// Default of an input, its limits, and its largest rate [1/s] (infinite: unlimited). A course given in the description (`--input`)
  /// takes precedence over what a state says.
  const InputRange& input(int number) const { return limits_[number]; }

  /// Value at time t [s], with the inputs' courses in a StateVector (null: all inputs at their defaults); no allocation.
  SignalValue evaluate(SignalIndex signal, double t, Side side, const double* inputs) const;
  /// Whether the signal is `part` or computed from it.
  bool depends_on(SignalIndex signal, SignalIndex part) const;
  /// Derivative of a signal's value with respect to an input's value, at constant rates of the input.
  double slope(SignalIndex signal, int input, double t, Side side, const double* inputs) const;
  /// Whether it is constant; an input is not.
  bool constant(SignalIndex signal) const { return nodes_[signal].kind == Kind::constant; }
  /// Times where the signal jumps, ascending.
  const std::vector<double>& jumps(SignalIndex signal) const { return nodes_[signal].jumps; }
  /// Times where its value or slope jumps, ascending: steps, points of linear tables, ends of smooth tables, starts of sines.
  /// `knots`: also the inner points of smooth tables.
  std::vector<double> corners(SignalIndex signal, bool knots = false) const;

 private:
  enum class Kind : unsigned char { constant, steps, linear, smooth, sine, sum, product, input, feed };
  struct Node {
    Kind kind = Kind::constant;
    std::array<double, 5> p{};        // constant: value; sine: amplitude, frequency, phase, offset, start; steps: before
    std::vector<double> t, y, slope;  // points; slopes of the smooth table
    std::vector<SignalIndex> of;
    int input = -1;                        // number of the model's input
    const TimePolynomial* feed = nullptr;  // written by a co-simulation
    std::vector<double> jumps;
  };
  static void set_points(Node& node, const std::vector<std::array<double, 2>>& points, Kind kind);
  Node compile(const SignalDescription& description);
  Node compile(const InputDescription& description, int number, const Points& course);
  SignalValue at_table(const Node& node, double t, Side side) const;

  std::vector<Node> nodes_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, SignalIndex> numbers_;  // of those with a name
  std::vector<InputRange> limits_;
  int inputs_ = 0;
  SignalIndex first_input_ = 0;
};

/// The signals of a model at the inputs of one run.
class Signals {
 public:
  /// `inputs`: courses of a StateVector (null: defaults); both must outlive the view.
  Signals(const SignalSet& set, const double* inputs) : set_(set), inputs_(inputs) {}
  SignalValue evaluate(SignalIndex signal, double t, Side side) const { return set_.evaluate(signal, t, side, inputs_); }
  double value(SignalIndex signal, double t, Side side) const { return evaluate(signal, t, side).value; }

 private:
  const SignalSet& set_;
  const double* inputs_;
};

}  // namespace trunnion
