// The ranks of a job of Open MPI, whose library is opened at run time, under `mpirun` only; no header of it is needed to compile.
// Its functions and objects are declared here as in the binary interface of Open MPI 4 and 5 (libmpi.so.40).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace trunnion {

/// Whether this process is one of several that `mpirun` of Open MPI has started. Throws Error under the launcher of another MPI.
bool is_rank_of_many();

/// This process in the job. One object per process, for one thread at a time.
class Ranks {
 public:
  /// Throws Error if the library cannot be loaded or used.
  Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  using Message = std::vector<std::uint64_t>;
  struct Received {
    int from = 0;
    Message message;
  };
  /// Sends to a rank; returns when the message may be changed.
  void send(int to, const Message& message) const;
  /// The next message of any rank; nothing: there is none yet.
  std::optional<Received> receive() const;
  /// Leaves the job; all ranks must do so.
  void finish() const;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace trunnion
