// Ranks of a job as threads of this process: messages in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "external/mpi.h"

namespace trunnion::test {

/// The messages of a job that are not received yet.
class Mailboxes {
 public:
  explicit Mailboxes(int ranks) : boxes_(static_cast<std::size_t>(ranks)) {}
  int size() const { return static_cast<int>(boxes_.size()); }
  void put(int to, Ranks::Received message) {
    const std::lock_guard lock(access_);
    boxes_[static_cast<std::size_t>(to)].push_back(std::move(message));
  }
  std::optional<Ranks::Received> take(int rank) {
    const std::lock_guard lock(access_);
    std::deque<Ranks::Received>& box = boxes_[static_cast<std::size_t>(rank)];
    if (box.empty()) return std::nullopt;
    Ranks::Received first = std::move(box.front());
    box.pop_front();
    return first;
  }

 private:
  std::mutex access_;
  std::vector<std::deque<Ranks::Received>> boxes_;
};

/// Ranks that all live are waited for long enough on any machine.
inline constexpr RankLimits kPatient{std::chrono::minutes(5), std::chrono::minutes(5), std::chrono::minutes(5)};
/// One that does not live is not waited for.
inline constexpr RankLimits kImpatient{std::chrono::milliseconds(20), std::chrono::milliseconds(20), std::chrono::milliseconds(20)};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Mailboxes& boxes, int rank, const RankLimits& limits = kPatient) : Ranks(limits), boxes_(boxes), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return boxes_.size(); }
  void send(int to, const Message& message) override { boxes_.put(to, {rank_, message}); }
  std::optional<Received> receive() override { return boxes_.take(rank_); }
  void finish() override { finished = true; }

  std::atomic<bool> finished = false;

 private:
  Mailboxes& boxes_;
  int rank_;
};

}  // namespace trunnion::test
