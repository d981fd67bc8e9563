// Who performs the runs of a sweep: the threads of this process, and under `mpirun` also those of other ranks.
//   rank 0 -> others   announcement: the key of the sweep, or nothing: there is no work
//   others -> rank 0   numbers of runs that they finished; with kLeaves at its end: their journal is on the disk, and they leave
//   rank 0 -> others   the answer to each of these messages: runs to perform; none: nothing is left, so leave
// A rank that is lost takes no finished run with it: these are in its journal; what it had not finished is repeated by rank 0 when nothing
// else is left.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "external/mpi.h"

namespace trunnion {

struct CrewJob {
  std::vector<std::size_t> runs;                       // to perform, in this order
  std::size_t all = 0;                                 // numbers of runs are below
  int threads = 1;                                     // of this process
  std::function<bool(std::size_t run)> perform;        // for several threads; false: stopped. The run is in the journal when it returns
  std::function<void(std::size_t finished)> progress;  // number of finished ones of `runs`, by one thread at a time; may be empty
  std::function<void()> settle;                        // before this rank leaves: until all journals of it are on the disk; may be empty
  const std::atomic<int>* stop = nullptr;              // ends the work where it becomes nonzero
};

/// Performs all runs. Throws what `perform` throws, after all threads have ended; after an exception no further run begins.
void perform_alone(const CrewJob& job);

/// The same in rank 0, with the others, until all of them have left or are lost. Returns the number of lost ones.
int perform_with_ranks(const CrewJob& job, Ranks& ranks);
/// In rank 0 instead: there is nothing to do. Returns when all others have left or are lost.
void dismiss(Ranks& ranks);

/// In another rank: performs what rank 0 assigns, until nothing is left. `job.runs` is not used. Throws Error if rank 0 does not answer.
void perform_for_rank_0(const CrewJob& job, Ranks& ranks);
/// The same without any run.
void leave(Ranks& ranks);

/// Before: rank 0 announces the sweep's key; the others wait for it. Nothing: there is no work, or `stop` became nonzero. Throws Error if
/// rank 0 announces nothing.
void announce(Ranks& ranks, std::uint64_t key);
std::optional<std::uint64_t> await_announcement(Ranks& ranks, const std::atomic<int>* stop);

}  // namespace trunnion
