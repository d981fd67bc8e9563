// Who performs the runs of a sweep: the threads of this process, and under `mpirun` also those of other ranks, which ask rank 0 for runs and report
// what they finished. A rank that is lost takes no finished run with it: these are in its journal; what it had not finished is repeated by
// rank 0 when nothing else is left.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "external/mpi.h"

namespace trunnion {

struct CrewJob {
  std::vector<std::size_t> runs;                       // to perform, in this order
  std::size_t all = 0;                                 // numbers of runs are below
  int threads = 1;                                     // of this process
  std::function<bool(std::size_t run)> perform;        // for several threads; false: stopped. The run is in the journal when it returns
  std::function<void(std::size_t finished)> progress;  // number of finished ones of `runs`, by one thread at a time; may be empty
  const std::atomic<int>* stop = nullptr;              // ends the work where it becomes nonzero
};

/// Performs all runs. Throws what `perform` throws, after all threads have ended.
void perform_alone(const CrewJob& job);

/// The same in rank 0, with the others. Returns the number of ranks that were lost; a job with lost ranks must not call Ranks::finish().
int perform_with_ranks(const CrewJob& job, const Ranks& ranks);

/// In another rank: performs what rank 0 assigns, until nothing is left. `job.runs` is not used.
void perform_for_rank_0(const CrewJob& job, const Ranks& ranks);

/// Before: rank 0 says whether there is work; the others wait for it.
void announce(const Ranks& ranks, bool work);
bool await_announcement(const Ranks& ranks);

}  // namespace trunnion
