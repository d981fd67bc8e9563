// Recording of an evaluation.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorder.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "recording/inputs.h"

namespace recording {

namespace {

thread_local Recorder* in_use = nullptr;
thread_local bool signals_as_inputs = true;
thread_local Real begin_of_step = 0, end_of_step = 0;  // [s]
constexpr Real kClose = 1e-5;                          // relative: rounding errors of both numbers, with digits that their computation lost

}  // namespace

bool Condition::branch() const { return Recorder::active().branch(*this, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))); }
Condition Condition::inverted() const { return Recorder::active().inverse(*this); }
Number Number::record(Op op, Real value, const Number& a, const Number& b) { return Recorder::active().operation(op, value, a, b); }
Condition Number::record_condition(Op op, bool value, const Number& a, const Number& b) {
  return Recorder::active().condition(op, value, a, b);
}
Number Number::choose(const Condition& condition, const Number& a, const Number& b) { return Recorder::active().choose(condition, a, b); }
/// At once, as it can be an index, which on ways that no run took is any number.
Real Number::leave() const { throw std::runtime_error("a number that depends on the inputs was used as a plain one"); }

bool signals_are_inputs() { return signals_as_inputs; }
void set_signals_are_inputs(bool inputs, Real begin, Real end) {
  signals_as_inputs = inputs;
  begin_of_step = begin;
  end_of_step = end;
}
void expect_end_of_step(Real time, bool at_end) {
  constexpr Real kNear = 1e-6;  // of the step's length
  if (std::abs(time - (at_end ? end_of_step : begin_of_step)) > kNear * (end_of_step - begin_of_step))
    Recorder::active().fail("its integrator reads signals within the step; use trapezoidal, bdf2, generalized_alpha or hht");
}
Number outside_input(int number, const Number& now) { return Recorder::active().input({InputKind::outside, number}, now.value()); }
Number signal_input(int signal, bool at_end, int derivative, const Number& now) {
  return Recorder::active().input({InputKind::signal, signal, at_end, derivative}, now.value());
}

Recorder& Recorder::active() {
  if (in_use == nullptr) throw std::logic_error("a recorded number was used outside of a recording");
  return *in_use;
}

Recorder::Recorder() : blocks_(1) {}
Recorder::~Recorder() {
  if (in_use == this) in_use = nullptr;
}

std::size_t Recorder::Hash::operator()(const Operation& o) const {
  std::uint64_t h = static_cast<std::uint64_t>(o.op);
  for (const int k : o.of) h = (h ^ static_cast<std::uint32_t>(k)) * 0x9E3779B97F4A7C15u + (h >> 29);
  return h ^ (h >> 32);
}

void Recorder::begin_preparation() {
  in_use = this;
  path_ = kPreparation;
  turns_.clear();
  failure_.clear();
  decided_.clear();
}

void Recorder::end_preparation() {
  in_use = nullptr;
  if (!failure_.empty()) throw std::runtime_error(failure_);
}

void Recorder::begin(std::vector<Turn> turns) {
  in_use = this;
  turns_ = std::move(turns);
  way_.clear();
  close_.clear();
  path_ = ++last_path_;
  failure_.clear();
  known_.clear();
  decided_.clear();
  for (const Guard& guard : guards_) decided_.emplace(guard.condition, guard.side);
  enter(0);
}

void Recorder::enter(int block) {
  block_ = block;
  way_.push_back(block);
  if (turns_.empty()) ++blocks_[static_cast<std::size_t>(block)].visits;
  for (const int k : blocks_[static_cast<std::size_t>(block)].nodes) known_.emplace(operations_[static_cast<std::size_t>(k)], k);
}

void Recorder::abandon() { in_use = nullptr; }

void Recorder::fail(const char* what) {
  if (failure_.empty()) failure_ = what;
}

int Recorder::constant(Real value) {
  const auto [at, is_new] = constant_nodes_.try_emplace(std::bit_cast<std::uint64_t>(value), static_cast<int>(operations_.size()));
  if (is_new) {
    operations_.push_back({Op::constant, {static_cast<int>(constants_.size()), -1, -1}});
    constants_.push_back(value);
  }
  return at->second;
}

int Recorder::node(const Number& x) {
  if (x.plain()) return constant(x.value());
  if (!is_known(x.path())) fail("a number of an earlier evaluation was used: it is no input");
  return x.node();
}

bool Recorder::is(int node, Real value) const {
  const Operation& o = operations_[static_cast<std::size_t>(node)];
  return o.op == Op::constant && constants_[static_cast<std::size_t>(o.of[0])] == value;
}

bool Recorder::needs_parameters_alone(const Operation& operation) const {
  if (path_ == kPreparation) return true;
  bool parameters = false;
  for (const int k : operation.of) {
    if (k < 0 || operations_[static_cast<std::size_t>(k)].op == Op::constant) continue;
    if (!is_prepared(k)) return false;
    parameters = true;
  }
  return parameters;
}

void Recorder::set_prepared(int node) {
  prepared_flags_.resize(operations_.size());
  prepared_flags_[static_cast<std::size_t>(node)] = true;
}

int Recorder::record(const Operation& operation) {
  if (needs_parameters_alone(operation)) {
    const auto [at, is_new] = known_prepared_.try_emplace(operation, static_cast<int>(operations_.size()));
    if (!is_new) return at->second;
    if (prepared_.size() > kMostOperations) throw std::runtime_error("its preparation has too many operations");
    operations_.push_back(operation);
    prepared_.push_back(at->second);
    set_prepared(at->second);
    return at->second;
  }
  const auto [at, is_new] = known_.try_emplace(operation, static_cast<int>(operations_.size()));
  if (!is_new) return at->second;
  Block& block = blocks_[static_cast<std::size_t>(block_)];
  if (block.ends || block.condition >= 0)
    fail("an evaluation went another way than one with equal decisions: something that is no input changed");
  if (known_.size() > kMostOperations) throw std::runtime_error("its evaluation has too many operations");
  operations_.push_back(operation);
  block.nodes.push_back(at->second);
  return at->second;
}

Number Recorder::input(const Input& input, Real value) {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i] == input) return {value, input_nodes_[i], path_of(input_nodes_[i])};
  inputs_.push_back(input);
  input_nodes_.push_back(static_cast<int>(operations_.size()));
  operations_.push_back({Op::input, {static_cast<int>(inputs_.size()) - 1, -1, -1}});
  if (input.kind == InputKind::parameter) set_prepared(input_nodes_.back());
  return {value, input_nodes_.back(), path_of(input_nodes_.back())};
}

Number Recorder::operation(Op op, Real value, const Number& x, const Number& y) {
  const bool two = op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide || op == Op::power ||
                   op == Op::arc_tangent_2 || op == Op::hypotenuse || op == Op::remainder || op == Op::copy_sign;
  int a = node(x), b = two ? node(y) : -1;
  const auto same = [&](int k) { return Number(value, k, path_of(k)); };
  switch (op) {
    case Op::add:
      if (is(a, 0)) return same(b);
      if (is(b, 0)) return same(a);
      break;
    case Op::subtract:
      if (is(b, 0)) return same(a);
      if (a == b) return Number(0);
      if (is(a, 0)) {
        op = Op::negate;
        a = b;
        b = -1;
      }
      break;
    case Op::multiply:
      if (is(a, 0) || is(b, 0)) return Number(0);
      if (is(a, 1)) return same(b);
      if (is(b, 1)) return same(a);
      if (is(a, -1) || is(b, -1)) {
        a = is(a, -1) ? b : a;
        b = -1;
        op = Op::negate;
      }
      break;
    case Op::divide:
      if (is(a, 0)) return Number(0);
      if (is(b, 1)) return same(a);
      break;
    default:
      break;
  }
  if (op == Op::negate && operations_[static_cast<std::size_t>(a)].op == Op::negate)
    return same(operations_[static_cast<std::size_t>(a)].of[0]);
  if ((op == Op::add || op == Op::multiply) && a > b) std::swap(a, b);
  return same(record({op, {a, b, -1}}));
}

bool Recorder::are_close(Real a, Real b) { return std::abs(a - b) <= kClose * std::max(std::abs(a), std::abs(b)); }

Condition Recorder::condition(Op op, bool value, const Number& x, const Number& y) {
  const int a = node(x), b = op == Op::finite ? -1 : node(y);
  const bool close = op != Op::finite && are_close(x.value(), y.value());
  const int k = record({op, {a, b, -1}});
  return {value, k, path_of(k), close};
}

Condition Recorder::inverse(const Condition& condition) {
  if (!is_known(condition.path())) fail("a condition of an earlier evaluation was used: it is no input");
  const Operation& o = operations_[static_cast<std::size_t>(condition.node())];
  const int k = o.op == Op::inverse ? o.of[0] : record({Op::inverse, {condition.node(), -1, -1}});
  return {!condition.value(), k, path_of(k), condition.close()};
}

Number Recorder::choose(const Condition& condition, const Number& x, const Number& y) {
  if (!is_known(condition.path())) fail("a condition of an earlier evaluation was used: it is no input");
  int c = condition.node(), a = node(x), b = node(y);
  if (operations_[static_cast<std::size_t>(c)].op == Op::inverse) {
    c = operations_[static_cast<std::size_t>(c)].of[0];
    std::swap(a, b);
  }
  const Number& chosen = condition.value() ? x : y;
  if (a == b) return chosen;
  if (const auto known = decided_.find(c); known != decided_.end()) {
    const bool inverse = operations_[static_cast<std::size_t>(condition.node())].op == Op::inverse;
    return known->second != inverse ? x : y;
  }
  const int k = record({Op::select, {c, a, b}});
  return {chosen.value(), k, path_of(k)};
}

bool Recorder::branch(const Condition& condition, std::uintptr_t place) {
  if (!is_known(condition.path())) fail("a condition of an earlier evaluation was used: it is no input");
  int c = condition.node();
  bool value = condition.value();
  const bool inverse = operations_[static_cast<std::size_t>(c)].op == Op::inverse;
  if (inverse) {
    c = operations_[static_cast<std::size_t>(c)].of[0];
    value = !value;
  }
  for (const Turn& turn : turns_)
    if (turn.block == block_) value = turn.side;
  const auto [known, is_new] = decided_.try_emplace(c, value);
  if (!is_new) return known->second != inverse;
  if (path_ == kPreparation) {
    add_guard({c, value});
    return value != inverse;
  }
  Block& block = blocks_[static_cast<std::size_t>(block_)];
  if (block.ends || (block.condition >= 0 && block.condition != c)) {
    fail("an evaluation went another way than one with equal decisions: something that is no input changed");
    return condition.value();
  }
  block.condition = c;
  block.place = place;
  if (condition.close()) close_.push_back({block_, !value});
  int next = block.next[value ? 1 : 0];
  if (next < 0) {
    next = static_cast<int>(blocks_.size());
    block.next[value ? 1 : 0] = next;
    blocks_.emplace_back();
  }
  enter(next);
  return value != inverse;
}

void Recorder::add_guard(const Guard& guard) {
  for (const Guard& known : guards_)
    if (known.condition == guard.condition) {
      if (known.side != guard.side)
        fail("these values of parameters turn a decision that was made before the first step; record values nearer to those of the model");
      return;
    }
  guards_.push_back(guard);
}

std::vector<Recorder::Turn> Recorder::open_turns() const {
  std::unordered_map<std::uintptr_t, int> sides;  // taken at a place: 1, 2 or both
  for (const Block& block : blocks_)
    if (block.condition >= 0) sides[block.place] |= (block.next[0] >= 0 ? 1 : 0) | (block.next[1] >= 0 ? 2 : 0);
  std::vector<Turn> turns;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (block.condition < 0 || sides[block.place] != 3) continue;
    for (const bool side : {false, true})
      if (block.next[side ? 1 : 0] < 0) turns.push_back({static_cast<int>(i), side});
  }
  std::stable_sort(turns.begin(), turns.end(), [&](const Turn& a, const Turn& b) {
    return blocks_[static_cast<std::size_t>(a.block)].visits > blocks_[static_cast<std::size_t>(b.block)].visits;
  });
  return turns;
}

void Recorder::end(int status, const std::vector<Number>& results) {
  std::vector<int> nodes;
  nodes.reserve(results.size());
  for (const Number& x : results) nodes.push_back(node(x));
  Block& block = blocks_[static_cast<std::size_t>(block_)];
  if (block.condition >= 0 || (block.ends && (block.status != status || block.results != nodes)))
    fail("an evaluation ended differently from one with equal decisions: something that is no input changed");
  in_use = nullptr;
  if (!failure_.empty()) throw std::runtime_error(failure_);
  if (!block.ends) ++ways_;
  block.ends = true;
  block.status = status;
  block.results = std::move(nodes);
}

}  // namespace recording
