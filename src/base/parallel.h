// Independent jobs on several threads. Jobs write to disjoint memory, so results do not depend on the number of threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace trunnion {

/// Calls job(0) ... job(n - 1), each once, on up to `threads` threads, fewer where the system has no more; returns when all are done. The exception of the job with the lowest
/// number is rethrown here after all started jobs have ended; after an exception no further job starts.
template <class Job>
void for_each_parallel(std::size_t n, int threads, const Job& job) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::exception_ptr failure;
  std::size_t failed = n;
  const auto work = [&] {
    for (std::size_t i = next++; i < n && !stop; i = next++) try {
        job(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) {
          failed = i;
          failure = std::current_exception();
        }
        stop = true;
      }
  };
  std::vector<std::thread> others;
  try {
    for (int k = 1; k < threads && static_cast<std::size_t>(k) < n; ++k) others.emplace_back(work);
  } catch (const std::exception&) {}  // the system has no more
  work();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace trunnion
