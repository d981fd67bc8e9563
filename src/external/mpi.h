// The ranks of a job of Open MPI, whose library is opened at run time, under `mpirun` only; no header of it is needed to compile.
// Its functions and objects are declared here as in the binary interface of Open MPI 4 and 5 (libmpi.so.40).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace trunnion {

/// Whether this process is one of several that `mpirun` of Open MPI has started. Throws Error under the launcher of another MPI.
bool is_rank_of_many();

/// How long processes of a job wait for each other, without time in which they were suspended.
struct RankLimits {
  std::chrono::milliseconds start{3'600'000};  // for rank 0 to begin: it may read large journals first
  std::chrono::milliseconds answer{60'000};    // for an answer of rank 0
  std::chrono::milliseconds request{10'000};   // for the last messages of other ranks, beside a multiple of the time between their messages
};

/// This process in a job of several, and messages between them. For one thread at a time.
class Ranks {
 public:
  explicit Ranks(const RankLimits& limits = {}) : limits_(limits) {}
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  const RankLimits& limits() const { return limits_; }

  using Message = std::vector<std::uint64_t>;
  struct Received {
    int from = 0;
    Message message;
  };
  /// Sends to a rank; returns when the message may be changed. Throws Error.
  virtual void send(int to, const Message& message) = 0;
  /// The next message of any rank; nothing: there is none yet. Throws Error.
  virtual std::optional<Received> receive() = 0;
  /// Leaves the job, whether others have left it, are lost, or go on.
  virtual void finish() = 0;

 private:
  RankLimits limits_;
};

/// Under Open MPI. One object per process.
class MpiRanks final : public Ranks {
 public:
  /// Throws Error if the library cannot be loaded or used.
  MpiRanks();

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(int to, const Message& message) override;
  std::optional<Received> receive() override;
  void finish() override;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace trunnion
