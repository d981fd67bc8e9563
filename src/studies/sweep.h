// A sweep: many runs of a model with other values, on several threads, with a journal from which it can go on after it was ended at any
// instant. A run's results depend on its values alone: not on threads, order, other runs, or interruptions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "external/mpi.h"
#include "studies/sweep_files.h"
#include "studies/sweep_plan.h"

namespace trunnion {

struct SweepHooks {
  /// Called by one thread at a time with the number of finished runs, some of an earlier command, and of all. May be empty.
  std::function<void(std::size_t done, std::size_t earlier, std::size_t all)> progress;
  const std::atomic<int>* stop = nullptr;  // ends the sweep where it becomes nonzero
};

/// How a call of sweep_to_folder ended.
struct SweepOutcome {
  std::size_t runs = 0, done = 0, earlier = 0;  // earlier: by previous commands
  std::size_t completed = 0;                    // runs of that status
  int lost = 0;                                 // ranks of a job
  bool there = false;                           // the folder already held the finished sweep, which is unchanged
  std::string text;                             // for a terminal; empty: interrupted
  std::string missing;                          // why pictures are missing; empty: they are not
};

/// Performs a sweep, or what an earlier command has left of it, and writes its files into `folder`: sweep.h5, sweep.csv, sweep.json, a
/// picture per key figure. Runs that fail have a status and are results. `overwrite`: another sweep in the folder, or the same if it is
/// finished, is replaced; if it is not finished it goes on, to the same bytes. `ranks`: this is rank 0 of several (null: alone). Throws
/// InputError, also where the folder holds another sweep and not `overwrite`; FileError.
SweepOutcome sweep_to_folder(const SweepRequest& request, const std::string& folder, int threads, bool overwrite,
                             const SweepHooks& hooks = {}, Ranks* ranks = nullptr);

/// In the other ranks of a job: performs runs for rank 0, into a journal of its own. Throws Error if rank 0 does not answer; InputError if
/// the sweep is another one than that of rank 0.
void sweep_for_rank_0(const SweepRequest& request, const std::string& folder, int threads, const SweepHooks& hooks, Ranks& ranks);

}  // namespace trunnion
