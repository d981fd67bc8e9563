// Key figures of a run: `p_max=max(lift_A.pressure - lift_B.pressure)`, numbers from functions of channels, computed while the run goes on.
//   key figure   name=expression of numbers and functions
//   functions    max min mean rms range initial final integral of a course over time, at(course, time), the time a number [s]
//   course       expression of channels and numbers
//   expressions  as in base/expression.h, without comparisons; abs(), sqrt()
// Functions use all states that the run passes: ends of steps, states inside subdivided steps, and both sides of a jump. With t_0 ... t_n
// their times
//   integral = sum (t_k+1 - t_k) (x_k + x_k+1)/2,   mean = integral/(t_n - t_0),   rms = sqrt(integral of x^2/(t_n - t_0))
//   range    = max - min
//   at       = linear between two states; at a jump the value before it
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace trunnion {

/// Key figures as text, compiled.
class KpiSet {
 public:
  /// Of `name=expression` each; `duration` [s]: of the runs, to which times are limited. Throws InputError with every finding.
  KpiSet(const std::vector<std::string>& definitions, double duration);

  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& expressions() const { return expressions_; }
  /// Channels in use, each once; KpiValues::add takes their values in this order.
  const std::vector<std::string>& channels() const { return channels_; }

 private:
  friend class KpiTranslator;
  friend class KpiValues;

  enum class Function { max, min, mean, rms, range, initial, final, integral, at };
  enum class Operation { number, channel, figure, add, subtract, multiply, divide, power, negate, abs, sqrt };
  /// One step of an expression in postfix form.
  struct Term {
    Operation operation;
    double number = 0;
    std::size_t index = 0;  // of a channel, or of a figure
  };
  using Terms = std::vector<Term>;
  /// A function of a course.
  struct Figure {
    Function function;
    Terms course;
    double time = 0;  // [s] of `at`
  };
  /// `read(term)`: values of channels and figures; `stack` is large enough for the deepest expression.
  template <class Read>
  static double value_of(const Terms& expression, double* stack, const Read& read);

  std::vector<std::string> names_, expressions_, channels_;
  std::vector<Figure> figures_;
  std::vector<Terms> results_;  // of figures, per name
  std::size_t deepest_ = 1;
};

/// Key figures of one run, state by state.
class KpiValues {
 public:
  explicit KpiValues(const KpiSet& set);

  /// The next state, at `time` [s] not before the last one. No allocation.
  void add(double time, const double* channels);
  /// One number per name, of the states so far; NaN without any.
  std::vector<double> results();

 private:
  struct Accumulator {
    double last = 0, first = 0, max = 0, min = 0, integral = 0, squares = 0, there = 0;
    bool passed = false;  // the time of `at`
  };
  void add(const KpiSet::Figure& figure, Accumulator& course, double time, double value) const;
  double result(const KpiSet::Figure& figure, const Accumulator& course) const;

  const KpiSet& set_;
  std::vector<Accumulator> accumulators_;  // per figure
  std::vector<double> stack_;
  double begin_ = 0, time_ = 0;  // [s]
  bool any_ = false;
};

}  // namespace trunnion
