// Ways through a recording that code has.
// SPDX-License-Identifier: BSD-3-Clause
#include "recording/ways.h"

#include <algorithm>

namespace recording {

Ways::Ways(const Recorder& recording, const FunctionLayout& layout)
    : r_(&recording), layout_(layout), taken_(recording.blocks().size()), needed_(recording.operations().size()) {}

Ways Ways::most_taken(const Recorder& recording, const FunctionLayout& layout) {
  Ways ways(recording, layout);
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < recording.blocks().size(); ++i)
    if (recording.blocks()[i].ends) ends.push_back(i);
  ways.add(ends, layout.most_operations, layout.most_unvisited);
  ways.find_needed();
  return ways;
}

Ways Ways::others() const {
  Ways ways(*r_, layout_);
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (has_results(r_->blocks()[i]) && !taken_[i]) ends.push_back(i);
  constexpr std::size_t kMost = 20'000'000, kMostUnvisited = 200'000;  // operations
  ways.add(ends, kMost, kMostUnvisited);
  ways.find_needed();
  return ways;
}

void Ways::add(const std::vector<std::size_t>& ends, std::size_t most_operations, std::size_t most_unvisited) {
  const std::vector<Block>& blocks = r_->blocks();
  std::vector<std::size_t> before(blocks.size(), 0), order = ends;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (const int next : blocks[i].next)
      if (next >= 0) before[static_cast<std::size_t>(next)] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return blocks[a].visits > blocks[b].visits; });
  std::size_t sum = 0, unvisited = 0;
  for (const std::size_t end : order) {
    std::size_t more = 0, more_unvisited = 0;
    for (std::size_t i = end; !taken_[i]; i = before[i]) {
      more += blocks[i].nodes.size();
      if (blocks[i].visits == 0) more_unvisited += blocks[i].nodes.size();
      if (i == 0) break;
    }
    const bool fits = sum + more <= most_operations && unvisited + more_unvisited <= most_unvisited;
    if (!fits && end != order.front()) continue;
    sum += more;
    unvisited += more_unvisited;
    for (std::size_t i = end; !taken_[i]; i = before[i]) taken_[i] = true;
  }
}

void Ways::find_needed() {
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    const Block& block = r_->blocks()[k];
    if (!taken_[k]) continue;
    if (has_results(block))
      for (std::size_t i = 0; i < result_count(block); ++i)
        if (!unchanged(block, i)) needed_[static_cast<std::size_t>(block.results[i])] = true;
    if (block.condition >= 0) needed_[static_cast<std::size_t>(block.condition)] = true;
  }
  for (const Guard& guard : r_->guards()) needed_[static_cast<std::size_t>(guard.condition)] = true;
  for (std::size_t k = needed_.size(); k-- > 0;)  // operands come before
    if (const Operation& o = r_->operations()[k]; needed_[k] && o.op > Op::input)
      for (const int of : o.of)
        if (of >= 0) needed_[static_cast<std::size_t>(of)] = true;
}

std::size_t Ways::result_count(const Block& block) const {
  return layout_.others ? block.results.size() : std::min(block.results.size(), layout_.numbers);
}

bool Ways::unchanged(const Block& block, std::size_t result) const {
  const Operation& o = r_->operations()[static_cast<std::size_t>(block.results[result])];
  if (o.op != Op::input) return false;
  const Input& input = r_->inputs()[static_cast<std::size_t>(o.of[0])];
  return input.kind == InputKind::state && input.index == static_cast<int>(result);
}

int Ways::count() const {
  int count = 0;
  for (std::size_t i = 0; i < taken_.size(); ++i) count += taken_[i] && has_results(r_->blocks()[i]) ? 1 : 0;
  return count;
}

int Ways::operations() const {
  int count = 0;
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (taken_[i])
      for (const int k : r_->blocks()[i].nodes) count += needs(k) ? 1 : 0;
  return count;
}

int Ways::longest() const {
  std::vector<int> until(taken_.size(), 0);  // the end of a block
  int longest = 0;
  for (std::size_t i = 0; i < taken_.size(); ++i) {  // blocks come before those that follow them
    const Block& block = r_->blocks()[i];
    if (!taken_[i]) continue;
    for (const int k : block.nodes) until[i] += needs(k) ? 1 : 0;
    longest = std::max(longest, until[i]);
    for (const int side : {0, 1})
      if (const int to = next(block, side); to >= 0) until[static_cast<std::size_t>(to)] = until[i];
  }
  return longest;
}

void Ways::add_places(std::map<int, int>& places) const {
  const auto share = [&](int k) {
    if (k >= 0 && r_->is_prepared(k)) places.try_emplace(k, static_cast<int>(places.size()));
  };
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    const Block& block = r_->blocks()[i];
    if (!taken_[i]) continue;
    for (const int k : block.nodes)
      if (const Operation& o = r_->operations()[static_cast<std::size_t>(k)]; needs(k))
        for (const int of : o.of) share(of);
    share(block.condition);
    if (has_results(block))
      for (std::size_t n = 0; n < result_count(block); ++n) share(block.results[n]);
  }
}

}  // namespace recording
