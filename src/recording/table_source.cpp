// C text of ways as tables: their operations as numbers, and a function that follows them. A compiler reads a table in a time in
// proportion to its length, unlike straight-line code; a step by tables takes several times as long.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "recording/c_texts.h"
#include "recording/ways.h"

namespace recording {

namespace {

constexpr int kBranch = static_cast<int>(Op::constant), kEnd = static_cast<int>(Op::input);  // in the table

int operands_of(Op op) {
  const std::string text = operation_text(op);
  return static_cast<int>(std::count(text.begin(), text.end(), '%'));
}

class TableWriter {
 public:
  TableWriter(const Ways& ways, const std::map<int, int>& places)
      : ways_(ways), r_(ways.recording()), places_(places), slot_(r_.operations().size(), -1) {}

  std::string function(const std::string& name) {
    find_constants();
    find_blocks();
    std::string text = "static int " + name +
                       "_by_table(double *x, double t, double h, const double *s, const double *e, const double *u, const double *k, "
                       "double *r)\n{\n  static const double constants[] = {";
    text += constants_ + "0};\n  static const int table[] = {";
    write_table(text);
    const std::string first = std::to_string(constant_count_), slots = std::to_string(first_slot_ + ways_.longest() + 1);
    text += "0};\n  double v[" + slots + "];\n  const int *at = table;\n  int i, n = " + first + ";\n" +
            "  (void)x, (void)t, (void)h, (void)s, (void)e, (void)u, (void)k, (void)r;\n  for (i = 0; i < n; ++i) v[i] = constants[i];\n" +
            inputs_ + "  for (;;)\n    switch (*at++) {\n";
    for (const Op op : used_)
      text += "      case " + std::to_string(static_cast<int>(op)) + ":\n        " + operation(op) + "\n        break;\n";
    text += "      case " + std::to_string(kBranch) +
            ":\n        i = v[at[0]] != 0 ? at[2] : at[1];\n        if (i < 0) return 1;\n        at = table + i;\n        break;\n"
            "      default:\n        for (i = 0; i < at[0]; ++i) x[at[2 * i + 1]] = v[at[2 * i + 2]];\n        return 0;\n    }\n}\n";
    return text;
  }

 private:
  const Operation& operation_at(int node) const { return r_.operations()[static_cast<std::size_t>(node)]; }
  int& slot(int node) { return slot_[static_cast<std::size_t>(node)]; }

  /// Constants, inputs and prepared numbers have the first places in v.
  void find_constants() {
    for (std::size_t i = 0; i < r_.operations().size(); ++i) {
      const auto k = static_cast<int>(i);
      if (!ways_.needs(k) || operation_at(k).op != Op::constant) continue;
      slot(k) = constant_count_++;
      constants_ += literal(r_.constants()[static_cast<std::size_t>(operation_at(k).of[0])]) + ",";
      if (constant_count_ % 16 == 0) constants_ += "\n";
    }
    first_slot_ = constant_count_;
    const auto add = [&](int k, const std::string& text) {
      slot(k) = first_slot_++;
      inputs_ += "  v[n++] = " + text + ";\n";
    };
    for (std::size_t i = 0; i < r_.operations().size(); ++i) {
      const auto k = static_cast<int>(i);
      if (ways_.needs(k) && operation_at(k).op == Op::input && !r_.is_prepared(k))
        add(k, input_text(r_.inputs()[static_cast<std::size_t>(operation_at(k).of[0])], ways_.layout(), false));
    }
    for (const auto& [node, place] : places_) add(node, element_text("k", place, false));
  }

  /// Places of numbers and of blocks: numbers of a way follow each other.
  void find_blocks() {
    const std::vector<Block>& blocks = r_.blocks();
    std::vector<int> next_slot(blocks.size(), first_slot_);
    begin_.assign(blocks.size(), -1);
    int length = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {  // blocks come before those that follow them
      if (!ways_.has(i)) continue;
      begin_[i] = length;
      for (const int k : blocks[i].nodes) {
        if (!ways_.needs(k)) continue;
        slot(k) = next_slot[i]++;
        used_.insert(operation_at(k).op);
        length += 1 + operands_of(operation_at(k).op);
      }
      for (const int side : {0, 1})
        if (const int to = ways_.next(blocks[i], side); to >= 0) next_slot[static_cast<std::size_t>(to)] = next_slot[i];
      length += blocks[i].condition >= 0 ? 4 : 2 + 2 * static_cast<int>(changed(blocks[i]).size());
    }
  }

  /// The results of a way that are not what they were.
  std::vector<std::size_t> changed(const Block& block) const {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < ways_.result_count(block); ++i)
      if (!ways_.unchanged(block, i)) list.push_back(i);
    return list;
  }

  void write_table(std::string& text) {
    const auto add = [&](int number) { text += std::to_string(number) + ","; };
    for (std::size_t i = 0; i < r_.blocks().size(); ++i) {
      const Block& block = r_.blocks()[i];
      if (!ways_.has(i)) continue;
      text += "\n";
      for (const int k : block.nodes) {
        if (!ways_.needs(k)) continue;
        const Operation& o = operation_at(k);
        add(static_cast<int>(o.op));
        for (int n = 0; n < operands_of(o.op); ++n) add(slot(o.of[static_cast<std::size_t>(n)]));
      }
      text += "\n";
      if (block.condition >= 0) {
        add(kBranch);
        add(slot(block.condition));
        for (const int side : {0, 1}) add(ways_.next(block, side) < 0 ? -1 : begin_[static_cast<std::size_t>(ways_.next(block, side))]);
        continue;
      }
      const std::vector<std::size_t> results = changed(block);
      add(kEnd);
      add(static_cast<int>(results.size()));
      for (const std::size_t n : results) {
        add(static_cast<int>(n));
        add(slot(block.results[n]));
      }
    }
  }

  static std::string operation(Op op) {
    std::string text;
    for (const char c : std::string(operation_text(op)))
      if (c >= '0' && c <= '2' && text.ends_with('%'))
        text.replace(text.size() - 1, 1, std::string("v[at[") + c + "]]");
      else
        text += c;
    return "v[n++] = " + text + ";\n        at += " + std::to_string(operands_of(op)) + ";";
  }

  const Ways& ways_;
  const Recorder& r_;
  const std::map<int, int>& places_;
  std::vector<int> slot_, begin_;  // of operations in v; of blocks in the table
  std::set<Op> used_;
  int constant_count_ = 0, first_slot_ = 0;
  std::string constants_, inputs_;
};

}  // namespace

std::string table_function(const Ways& ways, const std::map<int, int>& places, const std::string& name) {
  return TableWriter(ways, places).function(name);
}

}  // namespace recording
