// Text in C of a recording.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/c_source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "recording/c_texts.h"
#include "recording/ways.h"

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

}  // namespace

std::string literal(Real x) {
  if (std::isnan(x)) return "NAN";
  if (std::isinf(x)) return x > 0 ? "INFINITY" : "(-INFINITY)";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  std::string s = text;
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return x < 0 ? "(" + s + ")" : s;
}

namespace {

class Writer {
 public:
  /// `others`: in a table.
  Writer(const Ways& ways, const Ways& others, const std::map<int, int>& places)
      : r_(ways.recording()), ways_(ways), others_(others), layout_(ways.layout()), shared_(places) {
    find_sizes();
  }

  CFunction function(const std::string& name) {
    lanes_ = layout_.lanes;
    const std::string number = lanes_ ? "lanes_number" : "double", pointer = ", const " + number + " *";
    line("static " + std::string(lanes_ ? "lanes_mask " : "int ") + name + "(" + number + " *x, " + number + " t, " + number + " h" +
         pointer + "s" + pointer + "e" + pointer + "u" + pointer + "k, " + number + " *r" + (lanes_ ? ", lanes_mask lanes)" : ")"));
    line("{");
    depth_ = 1;
    if (lanes_) line("lanes_mask without = lanes ^ lanes;");
    write_inputs();
    line("(void)x, (void)t, (void)h, (void)s, (void)e, (void)u, (void)k, (void)r;");
    if (lanes_) line("do {");  // left where no lanes are on the way
    write(0);
    if (lanes_) line("} while (0);");
    if (lanes_) line("return without;");
    depth_ = 0;
    line("}");
    lanes_ = false;
    CFunction function;
    function.text = std::exchange(text_, {});
    if (r_.is_parametric()) write_preparation(name);
    function.preparation = std::move(text_);
    function.prepared = static_cast<int>(shared_.size());
    function.ways = ways_.count();
    function.operations = ways_.operations();
    function.longest = ways_.longest();
    function.blocks = ways_.blocks();
    return function;
  }

 private:
  void write_preparation(const std::string& name) {
    line("static int prepare_" + name + "(const double *p, double *k)");
    line("{");
    depth_ = 1;
    preparing_ = true;
    write_inputs();
    for (const int k : r_.prepared())
      if (is_needed(k)) write_operation(k);
    for (const Guard& guard : r_.guards()) line("if (" + std::string(guard.side ? "!" : "") + this->name(guard.condition) + ") return 1;");
    line("(void)p, (void)k;");
    for (const auto& [node, place] : shared_) line("k[" + std::to_string(place) + "] = " + this->name(node) + ";");
    line("return 0;");
    preparing_ = false;
    depth_ = 0;
    line("}");
  }

  /// The preparation is that of the table, too.
  bool is_needed(int k) const { return ways_.needs(k) || (preparing_ && others_.needs(k)); }

  void find_sizes() {
    const std::vector<Block>& blocks = r_.blocks();
    size_.assign(blocks.size(), 0);
    for (std::size_t i = blocks.size(); i-- > 0;) {  // blocks come before those that follow them
      size_[i] = blocks[i].nodes.size() + 1;
      for (const int side : {0, 1})
        if (const int to = ways_.next(blocks[i], side); to >= 0) size_[i] += size_[static_cast<std::size_t>(to)];
    }
  }

  void line(const std::string& text) { text_ += std::string(2 * static_cast<std::size_t>(depth_), ' ') + text + "\n"; }

  std::string name(int node) const {
    const Operation& o = r_.operations()[static_cast<std::size_t>(node)];
    if (o.op == Op::constant) {
      const std::string number = literal(r_.constants()[static_cast<std::size_t>(o.of[0])]);
      return lanes_ ? "lanes_all(" + number + ")" : number;
    }
    if (preparing_ || !r_.is_prepared(node)) return "v" + std::to_string(node);
    const std::string place = element("k", shared_.at(node));
    if (!is_condition(o.op)) return place;
    return "(" + place + (lanes_ ? " != lanes_all(0.0))" : " != 0)");
  }

  void write_inputs() {
    for (std::size_t k = 0; k < r_.operations().size(); ++k) {
      const Operation& o = r_.operations()[k];
      if (o.op != Op::input) continue;
      const Input& input = r_.inputs()[static_cast<std::size_t>(o.of[0])];
      if (is_needed(static_cast<int>(k)) && r_.is_prepared(static_cast<int>(k)) == preparing_)
        line("const " + std::string(lanes_ ? "lanes_number" : "double") + " v" + std::to_string(k) + " = " +
             input_text(input, layout_, lanes_) + ";");
    }
  }

  std::string element(const char* array, std::ptrdiff_t place) const { return element_text(array, place, lanes_); }

  void write(int block_index) {
    for (;;) {
      const Block& block = r_.blocks()[static_cast<std::size_t>(block_index)];
      for (const int k : block.nodes)
        if (ways_.needs(k)) write_operation(k);
      if (block.ends || block.condition < 0) return write_end(block);
      // the smaller side inside, so that the depth is small; both return
      const auto size = [&](int side) {
        return ways_.next(block, side) < 0 ? 0 : size_[static_cast<std::size_t>(ways_.next(block, side))];
      };
      const int inside = size(0) <= size(1) ? 0 : 1;
      if (lanes_)
        write_side_of_lanes(block, inside);
      else
        write_side(block, inside);
      block_index = ways_.next(block, 1 - inside);
      if (block_index < 0) return line(lanes_ ? "without |= lanes;" : "return 1;");
    }
  }

  void write_side(const Block& block, int inside) {
    const std::string condition = (inside == 0 ? "!" : "") + name(block.condition);
    if (ways_.next(block, inside) < 0) return line("if (" + condition + ") return 1;");
    line("if (" + condition + ") {");
    ++depth_;
    write(ways_.next(block, inside));
    --depth_;
    line("}");
  }

  /// The lanes on this side follow it; then the others go on.
  void write_side_of_lanes(const Block& block, int inside) {
    const std::string condition = name(block.condition);
    const std::string here = " & " + std::string(inside == 0 ? "~" : "") + condition, others = (inside == 0 ? "" : "~") + condition;
    if (ways_.next(block, inside) < 0) {
      line("without |= lanes" + here + ";");
    } else {
      line("{");
      line("const lanes_mask here = lanes" + here + ";");
      line("if (lanes_bits(here)) {");
      line("lanes_mask lanes = here;");
      line("do {");
      ++depth_;
      write(ways_.next(block, inside));
      --depth_;
      line("} while (0);");
      line("}");
      line("}");
    }
    line("lanes &= " + others + ";");
    line("if (!lanes_bits(lanes)) break;");
  }

  void write_operation(int k) {
    const Operation& o = r_.operations()[static_cast<std::size_t>(k)];
    std::string text;
    for (const char c : text_of(o.op))
      if (c >= '0' && c <= '2' && text.ends_with('%'))
        text.replace(text.size() - 1, 1, name(o.of[static_cast<std::size_t>(c - '0')]));
      else
        text += c;
    const std::string type = is_condition(o.op) ? (lanes_ ? "lanes_mask" : "int") : lanes_ ? "lanes_number" : "double";
    line("const " + type + " v" + std::to_string(k) + " = " + text + ";");
  }

  std::string text_of(Op op) const {
    const std::string text = kText[static_cast<std::size_t>(op)];
    if (!lanes_) return text;
    if (op == Op::select) return "lanes_select(%0, %1, %2)";
    if (op == Op::inverse) return "~%0";
    return text.find('(') == std::string::npos ? text : "lanes_" + text;
  }

  void write_end(const Block& block) {
    if (!ways_.has_results(block)) {
      line(lanes_ ? "without |= lanes;" : block.ends ? "return 2;" : "return 1;");
      return;
    }
    for (std::size_t i = 0; i < ways_.result_count(block); ++i) {
      const auto number = static_cast<std::ptrdiff_t>(i);
      const std::string place =
          i < layout_.numbers ? element("x", number) : element("r", number - static_cast<std::ptrdiff_t>(layout_.numbers));
      if (ways_.unchanged(block, i)) continue;
      const std::string value = name(block.results[i]);
      line(place + " = " + (lanes_ ? "lanes_select(lanes, " + value + ", " + place + ")" : value) + ";");
    }
    if (!lanes_) line("return 0;");
  }

  const Recorder& r_;
  const Ways &ways_, &others_;
  const FunctionLayout& layout_;
  const std::map<int, int>& shared_;  // places in k of prepared operations
  bool preparing_ = false;
  bool lanes_ = false;  // in a function of lanes
  std::vector<std::size_t> size_;
  std::string text_;
  int depth_ = 0;
};

}  // namespace

const char* operation_text(Op op) { return kText[static_cast<std::size_t>(op)]; }

std::string element_text(const char* array, std::ptrdiff_t place, bool lanes) {
  const std::string number = std::to_string(place);
  return std::string(array) + (lanes ? "[LANES_AT(" + number + ")]" : "[" + number + "]");
}

std::string input_text(const Input& input, const FunctionLayout& layout, bool lanes) {
  const std::vector<Input>& list = layout.signals[input.at_end ? 1 : 0];
  switch (input.kind) {
    case InputKind::time:
      return "t";
    case InputKind::step:
      return "h";
    case InputKind::signal:
      return element_text(input.at_end ? "e" : "s", std::find(list.begin(), list.end(), input) - list.begin(), lanes);
    case InputKind::outside:
      return element_text("u", input.index, lanes);
    case InputKind::parameter:
      return element_text("p", input.index, lanes);
    default:
      return element_text("x", input.index, lanes);
  }
}

CFunction c_function(const Recorder& recording, const std::string& name, const FunctionLayout& layout) {
  const Ways ways = Ways::most_taken(recording, layout), others = layout.table ? ways.others() : Ways::none(recording, layout);
  std::map<int, int> places;
  ways.add_places(places);
  others.add_places(places);
  CFunction function = Writer(ways, others, places).function(name);
  if (others.count() > 0)
    function.table = {table_function(others, places, name), others.operations(), others.count(), others.longest(), others.blocks()};
  return function;
}

std::vector<Input> signal_inputs(const Recorder& recording, bool at_end) {
  std::vector<Input> list;
  for (const Input& input : recording.inputs())
    if (input.kind == InputKind::signal && input.at_end == at_end) list.push_back(input);
  return list;
}

}  // namespace recording
