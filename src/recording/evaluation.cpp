// A recording evaluated with plain numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/evaluation.h"

#include <cmath>

namespace recording {

namespace {

Real value_of(Op op, Real a, Real b, Real c) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return -a;
    case Op::absolute:
      return std::fabs(a);
    case Op::square_root:
      return std::sqrt(a);
    case Op::sine:
      return std::sin(a);
    case Op::cosine:
      return std::cos(a);
    case Op::tangent:
      return std::tan(a);
    case Op::exponential:
      return std::exp(a);
    case Op::logarithm:
      return std::log(a);
    case Op::logarithm_1p:
      return std::log1p(a);
    case Op::exponential_m1:
      return std::expm1(a);
    case Op::hyperbolic_tangent:
      return std::tanh(a);
    case Op::hyperbolic_sine:
      return std::sinh(a);
    case Op::hyperbolic_cosine:
      return std::cosh(a);
    case Op::arc_tangent:
      return std::atan(a);
    case Op::arc_sine:
      return std::asin(a);
    case Op::arc_cosine:
      return std::acos(a);
    case Op::cube_root:
      return std::cbrt(a);
    case Op::floor:
      return std::floor(a);
    case Op::ceiling:
      return std::ceil(a);
    case Op::round:
      return std::round(a);
    case Op::power:
      return std::pow(a, b);
    case Op::arc_tangent_2:
      return std::atan2(a, b);
    case Op::hypotenuse:
      return std::hypot(a, b);
    case Op::remainder:
      return std::fmod(a, b);
    case Op::copy_sign:
      return std::copysign(a, b);
    case Op::less:
      return a < b ? 1 : 0;
    case Op::less_equal:
      return a <= b ? 1 : 0;
    case Op::equal:
      return a == b ? 1 : 0;
    case Op::finite:
      return std::isfinite(a) ? 1 : 0;
    case Op::inverse:
      return a != 0 ? 0 : 1;
    case Op::select:
      return a != 0 ? b : c;
    case Op::constant:
    case Op::input:
      break;
  }
  return a;
}

}  // namespace

Evaluation::Evaluation(const Recorder& recording, std::vector<Real> parameters)
    : recording_(recording), parameters_(std::move(parameters)) {}

void Evaluation::evaluate(int node) {
  const Operation& o = recording_.operations()[static_cast<std::size_t>(node)];
  const auto operand = [&](std::size_t i) { return o.of[i] < 0 ? 0 : value_[static_cast<std::size_t>(o.of[i])]; };
  value_[static_cast<std::size_t>(node)] = value_of(o.op, operand(0), operand(1), operand(2));
}

/// What was recorded since the last evaluation: its constants, inputs and preparation.
void Evaluation::grow() {
  const std::vector<Operation>& operations = recording_.operations();
  const std::size_t known = value_.size();
  value_.resize(operations.size());
  for (std::size_t k = known; k < operations.size(); ++k) {
    const auto number = static_cast<std::size_t>(operations[k].of[0]);
    if (operations[k].op == Op::constant) value_[k] = recording_.constants()[number];
    if (operations[k].op != Op::input) continue;
    const Input& input = recording_.inputs()[number];
    if (input.kind == InputKind::parameter)
      value_[k] = parameters_[static_cast<std::size_t>(input.index)];
    else
      inputs_.emplace_back(static_cast<int>(k), static_cast<int>(number));
  }
  for (const std::vector<int>& prepared = recording_.prepared(); prepared_ < prepared.size(); ++prepared_) evaluate(prepared[prepared_]);
}

int Evaluation::evaluate() {
  way_.clear();
  close_.clear();
  for (int at = 0;;) {
    const Block& block = recording_.blocks()[static_cast<std::size_t>(at)];
    way_.push_back(at);
    for (const int node : block.nodes) evaluate(node);
    if (block.condition < 0) return block.ends ? at : -1;
    const std::size_t side = value_[static_cast<std::size_t>(block.condition)] != 0 ? 1 : 0;
    const Operation& condition = recording_.operations()[static_cast<std::size_t>(block.condition)];
    if (block.next[1 - side] < 0 && condition.op >= Op::less && condition.op <= Op::equal &&
        Recorder::are_close(value_[static_cast<std::size_t>(condition.of[0])], value_[static_cast<std::size_t>(condition.of[1])]))
      close_.push_back({at, side == 0});
    at = block.next[side];
    if (at < 0) return -1;
  }
}

}  // namespace recording
