// Signals: evaluation, derivatives, jumps and corners.
// SPDX-License-Identifier: BSD-3-Clause
#include "signals/signal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <span>

#include "signals/rate_limit.h"

namespace trunnion {

namespace {

/// Slopes of the monotone cubic through the points (F. N. Fritsch, R. E. Carlson, SIAM J. Numer. Anal. 17, 1980, with the
/// harmonic mean of Fritsch and Butland): it never overshoots the data; end slopes are zero.
std::vector<double> monotone_slopes(const std::vector<double>& t, const std::vector<double>& y) {
  const std::size_t n = t.size();
  std::vector<double> slope(n, 0.0), chord(n > 1 ? n - 1 : 0);
  for (std::size_t i = 0; i + 1 < n; ++i) chord[i] = (y[i + 1] - y[i]) / (t[i + 1] - t[i]);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (chord[i - 1] * chord[i] <= 0) continue;
    const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
    slope[i] = 3 * (h0 + h1) / ((2 * h1 + h0) / chord[i - 1] + (h1 + 2 * h0) / chord[i]);
  }
  return slope;
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 does not deduce it

/// Names of the signals of a sum or product; empty for others.
std::span<const std::string> operands(const SignalDescription& description) {
  if (const auto* sum = std::get_if<SumSignal>(&description)) return sum->of;
  if (const auto* product = std::get_if<ProductSignal>(&description)) return product->of;
  return {};
}

}  // namespace

SignalSet::SignalSet(const NamedList<SignalDescription>& list, const NamedList<InputDescription>& inputs, const Courses& courses)
    : inputs_(static_cast<int>(inputs.size())), first_input_(static_cast<SignalIndex>(list.size())) {
  for (const auto& item : list) names_.push_back(item.first);
  for (const auto& item : inputs) names_.push_back(item.first);
  for (std::size_t i = 0; i < names_.size(); ++i) numbers_.emplace(names_[i], static_cast<SignalIndex>(i));
  nodes_.resize(list.size() + inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto course = courses.find(inputs[i].first);
    nodes_[list.size() + i] = compile(inputs[i].second, static_cast<int>(i), course == courses.end() ? Points{} : course->second);
  }
  // sums and products after their operands
  std::vector<std::size_t> missing(list.size(), 0), ready;  // operands that are not compiled yet
  std::vector<std::vector<std::size_t>> users(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const std::string& name : operands(list[i].second)) {
      const SignalIndex operand = find(name);
      if (operand >= first_input_) continue;
      ++missing[i];
      if (operand >= 0) users[operand].push_back(i);
    }
    if (missing[i] == 0) ready.push_back(i);
  }
  std::size_t compiled = 0;
  for (; !ready.empty(); ++compiled) {
    const std::size_t i = ready.back();
    ready.pop_back();
    nodes_[i] = compile(list[i].second);
    for (const std::size_t user : users[i])
      if (--missing[user] == 0) ready.push_back(user);
  }
  if (compiled == list.size()) return;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (missing[i] > 0) throw Error("signal '" + list[i].first + "' refers to an unknown signal or to itself");
}

void SignalSet::set_points(Node& node, const std::vector<std::array<double, 2>>& points, Kind kind) {
  node.kind = kind;
  for (const auto& point : points) {
    if (!node.t.empty() && point[0] == node.t.back() && point[1] != node.y.back()) node.jumps.push_back(point[0]);
    node.t.push_back(point[0]);
    node.y.push_back(point[1]);
  }
  if (kind == Kind::smooth) node.slope = monotone_slopes(node.t, node.y);
}

SignalSet::Node SignalSet::compile(const SignalDescription& description) {
  Node node;
  const auto points = [&](const std::vector<std::array<double, 2>>& list, Kind kind) { set_points(node, list, kind); };
  const auto combine = [&](const std::vector<std::string>& of, Kind kind) {
    node.kind = kind;
    std::set<double> jumps;
    for (const std::string& name : of) {
      node.of.push_back(find(name));
      jumps.insert(nodes_[node.of.back()].jumps.begin(), nodes_[node.of.back()].jumps.end());
    }
    node.jumps.assign(jumps.begin(), jumps.end());
  };
  std::visit(Overloaded{
                 [&](const ConstantSignal& s) { node.p[0] = s.value; },
                 [&](const StepsSignal& s) {
                   points(s.steps, Kind::steps);
                   node.p[0] = s.before;
                   node.jumps = node.t;
                 },
                 [&](const RampsSignal& s) { points(s.points, Kind::linear); },
                 [&](const TableSignal& s) { points(s.points, s.smooth ? Kind::smooth : Kind::linear); },
                 [&](const SineSignal& s) {
                   node.kind = Kind::sine;
                   node.p = {s.amplitude, s.frequency, s.phase, s.offset, s.start};
                 },
                 [&](const CsvSignal& s) {
                   auto scaled = s.points;
                   for (auto& point : scaled) point[1] *= s.scale;
                   points(scaled, s.smooth ? Kind::smooth : Kind::linear);
                 },
                 [&](const SumSignal& s) { combine(s.of, Kind::sum); },
                 [&](const ProductSignal& s) { combine(s.of, Kind::product); },
             },
             description);
  return node;
}

SignalIndex SignalSet::add_constant(double value) {
  Node node;
  node.p[0] = value;
  nodes_.push_back(std::move(node));
  names_.emplace_back();
  return size() - 1;
}

SignalIndex SignalSet::add_block(const std::string& name) {
  const SignalIndex index = add_constant(std::numeric_limits<double>::quiet_NaN());
  names_.back() = name;
  numbers_.emplace(name, index);
  return index;
}

/// An input; with a given course a table within its limits.
SignalSet::Node SignalSet::compile(const InputDescription& description, int number, const Points& course) {
  Node node;
  node.kind = Kind::input;
  node.input = number;
  InputRange& limits = limits_.emplace_back();
  limits.initial = description.initial;
  if (description.min) limits.min = *description.min;
  if (description.max) limits.max = *description.max;
  if (description.rate_limit) limits.rate = *description.rate_limit;
  if (!course.empty()) set_points(node, description.rate_limit ? rate_limited(course, limits.rate) : course, Kind::linear);
  return node;
}

SignalIndex SignalSet::add_feed(const TimePolynomial* feed) {
  Node node;
  node.kind = Kind::feed;
  node.feed = feed;
  nodes_.push_back(std::move(node));
  names_.emplace_back();
  return size() - 1;
}

std::vector<double> SignalSet::corners(SignalIndex signal, bool knots) const {
  const Node& node = nodes_[signal];
  std::set<double> times(node.jumps.begin(), node.jumps.end());
  if (node.kind == Kind::linear) times.insert(node.t.begin(), node.t.end());
  if (node.kind == Kind::smooth) times.insert({node.t.front(), node.t.back()});
  if (node.kind == Kind::smooth && knots) times.insert(node.t.begin(), node.t.end());
  if (node.kind == Kind::sine) times.insert(node.p[4]);
  for (SignalIndex part : node.of) {
    const std::vector<double> corners_of_part = corners(part, knots);
    times.insert(corners_of_part.begin(), corners_of_part.end());
  }
  return {times.begin(), times.end()};
}

SignalIndex SignalSet::find(const std::string& name) const {
  const auto it = numbers_.find(name);
  return it == numbers_.end() ? -1 : it->second;
}

SignalValue SignalSet::at_table(const Node& node, double t, Side side) const {
  // first point after t (right limit) or at t (left limit)
  const auto after =
      side == Side::right ? std::upper_bound(node.t.begin(), node.t.end(), t) : std::lower_bound(node.t.begin(), node.t.end(), t);
  const auto i = static_cast<std::size_t>(after - node.t.begin());
  if (node.kind == Kind::steps) return {i == 0 ? node.p[0] : node.y[i - 1], 0, 0};
  if (i == 0) return {node.y.front(), 0, 0};
  if (i == node.t.size()) return {node.y.back(), 0, 0};
  const double h = node.t[i] - node.t[i - 1], dy = node.y[i] - node.y[i - 1], x = (t - node.t[i - 1]) / h;
  if (node.kind == Kind::linear) return {node.y[i - 1] + dy * x, dy / h, 0};
  // cubic Hermite on [0, 1] with end slopes m0, m1
  const double m0 = node.slope[i - 1] * h, m1 = node.slope[i] * h, c = 3 * dy - 2 * m0 - m1, d = m0 + m1 - 2 * dy;
  return {node.y[i - 1] + x * (m0 + x * (c + x * d)), (m0 + x * (2 * c + 3 * d * x)) / h, (2 * c + 6 * d * x) / (h * h)};
}

SignalValue SignalSet::evaluate(SignalIndex signal, double t, Side side, const double* inputs) const {
  const Node& node = nodes_[signal];
#ifdef TRUNNION_RECORDING
  if (!t.plain() && recording::signals_are_inputs() && node.kind != Kind::constant) {
    recording::expect_end_of_step(t.value(), side == Side::left);
    const SignalValue now = evaluate(signal, t.value(), side, inputs);
    const auto input = [&](int derivative, double x) { return recording::signal_input(signal, side == Side::left, derivative, x); };
    return {input(0, now.value), input(1, now.rate), input(2, now.acceleration)};
  }
  if (!t.plain() && node.kind == Kind::input) return {recording::outside_input(node.input, limits_[node.input].initial), 0, 0};
#endif
  switch (node.kind) {
    case Kind::constant:
      return {node.p[0], 0, 0};
    case Kind::input: {
      const InputRange& limits = limits_[node.input];
      return inputs == nullptr ? SignalValue{limits.initial, 0, 0}
                               : InputCourse::of(inputs + node.input * InputCourse::kSize).at(t, limits);
    }
    case Kind::feed:
      return node.feed->at(t);
    case Kind::steps:
    case Kind::linear:
    case Kind::smooth:
      return at_table(node, t, side);
    case Kind::sine: {
      const double w = 2 * std::numbers::pi * node.p[1], time = t - node.p[4];
      if (side == Side::left ? time <= 0 : time < 0) return {node.p[3] + node.p[0] * std::sin(node.p[2]), 0, 0};
      const double s = std::sin(w * time + node.p[2]), c = std::cos(w * time + node.p[2]);
      return {node.p[3] + node.p[0] * s, node.p[0] * w * c, -node.p[0] * w * w * s};
    }
    case Kind::sum: {
      SignalValue total;
      for (SignalIndex k : node.of) {
        const SignalValue term = evaluate(k, t, side, inputs);
        total = {total.value + term.value, total.rate + term.rate, total.acceleration + term.acceleration};
      }
      return total;
    }
    case Kind::product: {
      SignalValue total{1, 0, 0};
      for (SignalIndex k : node.of) {
        const SignalValue f = evaluate(k, t, side, inputs);
        total = {total.value * f.value, total.rate * f.value + total.value * f.rate,
                 total.acceleration * f.value + 2 * total.rate * f.rate + total.value * f.acceleration};
      }
      return total;
    }
  }
  return {};
}

bool SignalSet::depends_on(SignalIndex signal, SignalIndex part) const {
  if (signal == part) return true;
  const std::vector<SignalIndex>& of = nodes_[signal].of;
  return std::any_of(of.begin(), of.end(), [&](SignalIndex k) { return depends_on(k, part); });
}

double SignalSet::slope(SignalIndex signal, int input, double t, Side side, const double* inputs) const {
  const Node& node = nodes_[signal];
  double total = 0;
  if (node.kind == Kind::input) return node.input == input ? 1 : 0;
  if (node.kind == Kind::sum)
    for (SignalIndex k : node.of) total += slope(k, input, t, side, inputs);
  if (node.kind == Kind::product)
    for (std::size_t i = 0; i < node.of.size(); ++i) {
      double term = slope(node.of[i], input, t, side, inputs);
      for (std::size_t j = 0; j < node.of.size(); ++j)
        if (j != i) term *= evaluate(node.of[j], t, side, inputs).value;
      total += term;
    }
  return total;
}

}  // namespace trunnion
