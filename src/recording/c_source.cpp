// Text in C of a recording.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/c_source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace recording {

namespace {

/// Texts in the order of Op; %0, %1, %2: operands.
constexpr const char* kText[] = {"",
                                 "",
                                 "%0 + %1",
                                 "%0 - %1",
                                 "%0 * %1",
                                 "%0 / %1",
                                 "-%0",
                                 "fabs(%0)",
                                 "sqrt(%0)",
                                 "sin(%0)",
                                 "cos(%0)",
                                 "tan(%0)",
                                 "exp(%0)",
                                 "log(%0)",
                                 "log1p(%0)",
                                 "expm1(%0)",
                                 "tanh(%0)",
                                 "sinh(%0)",
                                 "cosh(%0)",
                                 "atan(%0)",
                                 "asin(%0)",
                                 "acos(%0)",
                                 "cbrt(%0)",
                                 "floor(%0)",
                                 "ceil(%0)",
                                 "round(%0)",
                                 "pow(%0, %1)",
                                 "atan2(%0, %1)",
                                 "hypot(%0, %1)",
                                 "fmod(%0, %1)",
                                 "copysign(%0, %1)",
                                 "%0 < %1",
                                 "%0 <= %1",
                                 "%0 == %1",
                                 "isfinite(%0)",
                                 "!%0",
                                 "%0 ? %1 : %2"};
static_assert(std::size(kText) == static_cast<std::size_t>(Op::select) + 1);

bool is_condition(Op op) { return op >= Op::less && op <= Op::inverse; }

std::string literal(Real x) {
  if (std::isnan(x)) return "NAN";
  if (std::isinf(x)) return x > 0 ? "INFINITY" : "(-INFINITY)";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  std::string s = text;
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return x < 0 ? "(" + s + ")" : s;
}

class Writer {
 public:
  Writer(const Recorder& recording, int converged, const std::array<std::vector<Input>, 2>& signals)
      : r_(recording), converged_(converged), signals_(signals), needed_(recording.operations().size()) {
    find_needed();
    find_sizes();
  }

  std::string function(const std::string& name) {
    line("static int " + name + "(double *x, double t, double h, const double *s, const double *e, const double *u)");
    line("{");
    depth_ = 1;
    write_inputs();
    write(0);
    depth_ = 0;
    line("}");
    return std::move(text_);
  }

  int operations() const {
    int count = 0;
    for (const Block& block : r_.blocks())
      for (const int k : block.nodes) count += needed_[static_cast<std::size_t>(k)] ? 1 : 0;
    return count;
  }

 private:
  bool has_results(const Block& block) const { return block.ends && block.status == converged_; }

  void find_needed() {
    for (const Block& block : r_.blocks()) {
      if (has_results(block))
        for (std::size_t i = 0; i < block.results.size(); ++i)
          if (!unchanged(block, i)) needed_[static_cast<std::size_t>(block.results[i])] = true;
      if (block.condition >= 0) needed_[static_cast<std::size_t>(block.condition)] = true;
    }
    for (std::size_t k = needed_.size(); k-- > 0;)  // operands come before
      if (const Operation& o = r_.operations()[k]; needed_[k] && o.op > Op::input)
        for (const int of : o.of)
          if (of >= 0) needed_[static_cast<std::size_t>(of)] = true;
  }

  /// Whether a result is the state's number at the start.
  bool unchanged(const Block& block, std::size_t i) const {
    const Operation& o = r_.operations()[static_cast<std::size_t>(block.results[i])];
    if (o.op != Op::input) return false;
    const Input& input = r_.inputs()[static_cast<std::size_t>(o.of[0])];
    return input.kind == InputKind::state && input.index == static_cast<int>(i);
  }

  void find_sizes() {
    const std::vector<Block>& blocks = r_.blocks();
    size_.assign(blocks.size(), 0);
    for (std::size_t i = blocks.size(); i-- > 0;) {  // blocks come before those that follow them
      size_[i] = blocks[i].nodes.size() + 1;
      for (const int next : blocks[i].next)
        if (next >= 0) size_[i] += size_[static_cast<std::size_t>(next)];
    }
  }

  void line(const std::string& text) { text_ += std::string(2 * static_cast<std::size_t>(depth_), ' ') + text + "\n"; }

  std::string name(int node) const {
    const Operation& o = r_.operations()[static_cast<std::size_t>(node)];
    if (o.op == Op::constant) return literal(r_.constants()[static_cast<std::size_t>(o.of[0])]);
    return "v" + std::to_string(node);
  }

  void write_inputs() {
    for (std::size_t k = 0; k < r_.operations().size(); ++k) {
      const Operation& o = r_.operations()[k];
      if (o.op != Op::input) continue;
      const Input& input = r_.inputs()[static_cast<std::size_t>(o.of[0])];
      if (needed_[k]) line("const double v" + std::to_string(k) + " = " + source(input) + ";");
    }
    line("(void)x, (void)t, (void)h, (void)s, (void)e, (void)u;");
  }

  std::string source(const Input& input) const {
    const auto element = [](const char* array, std::ptrdiff_t place) { return array + ("[" + std::to_string(place)) + "]"; };
    switch (input.kind) {
      case InputKind::time:
        return "t";
      case InputKind::step:
        return "h";
      case InputKind::signal:
        return element(input.at_end ? "e" : "s", place_of(input));
      case InputKind::outside:
        return element("u", input.index);
      default:
        return element("x", input.index);
    }
  }

  std::ptrdiff_t place_of(const Input& signal) const {
    const std::vector<Input>& list = signals_[signal.at_end ? 1 : 0];
    return std::find(list.begin(), list.end(), signal) - list.begin();
  }

  void write(int block_index) {
    for (;;) {
      const Block& block = r_.blocks()[static_cast<std::size_t>(block_index)];
      for (const int k : block.nodes)
        if (needed_[static_cast<std::size_t>(k)]) write_operation(k);
      if (block.ends || block.condition < 0) return write_end(block);
      // the smaller side inside, so that the depth is small; both return
      const auto size = [&](int side) { return block.next[side] < 0 ? 0 : size_[static_cast<std::size_t>(block.next[side])]; };
      const int inside = size(0) <= size(1) ? 0 : 1;
      const std::string condition = (inside == 0 ? "!" : "") + name(block.condition);
      if (block.next[inside] < 0) {
        line("if (" + condition + ") return 1;");
      } else {
        line("if (" + condition + ") {");
        ++depth_;
        write(block.next[inside]);
        --depth_;
        line("}");
      }
      block_index = block.next[1 - inside];
    }
  }

  void write_operation(int k) {
    const Operation& o = r_.operations()[static_cast<std::size_t>(k)];
    std::string text;
    for (const char* c = kText[static_cast<std::size_t>(o.op)]; *c != 0; ++c)
      if (*c == '%')
        text += name(o.of[static_cast<std::size_t>(*++c - '0')]);
      else
        text += *c;
    line((is_condition(o.op) ? "const int v" : "const double v") + std::to_string(k) + " = " + text + ";");
  }

  void write_end(const Block& block) {
    if (!has_results(block)) {
      line(block.ends ? "return 2;" : "return 1;");
      return;
    }
    for (std::size_t i = 0; i < block.results.size(); ++i)
      if (!unchanged(block, i)) line("x[" + std::to_string(i) + "] = " + name(block.results[i]) + ";");
    line("return 0;");
  }

  const Recorder& r_;
  int converged_;
  const std::array<std::vector<Input>, 2>& signals_;
  std::vector<bool> needed_;
  std::vector<std::size_t> size_;
  std::string text_;
  int depth_ = 0;
};

}  // namespace

std::string c_function(const Recorder& recording, const std::string& name, int converged,
                       const std::array<std::vector<Input>, 2>& signals) {
  return Writer(recording, converged, signals).function(name);
}

std::vector<Input> signal_inputs(const Recorder& recording, bool at_end) {
  std::vector<Input> list;
  for (const Input& input : recording.inputs())
    if (input.kind == InputKind::signal && input.at_end == at_end) list.push_back(input);
  return list;
}

int operation_count(const Recorder& recording) { return Writer(recording, 0, {}).operations(); }

}  // namespace recording
