// Threads and ranks that perform a sweep.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sweep_crew.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "base/parallel.h"

namespace trunnion {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::microseconds(300);  // between two looks for messages
constexpr std::size_t kMostAtOnce = 16;                  // runs handed to a rank
constexpr std::uint64_t kLeaves = UINT64_MAX;            // of a rank that was stopped, and expects no answer

bool stopped(const CrewJob& job) { return job.stop != nullptr && job.stop->load(std::memory_order_relaxed) != 0; }

/// The runs of a sweep: not handed out, handed out, finished.
class Pool {
 public:
  explicit Pool(const CrewJob& job)
      : job_(job), left_(job.runs.begin(), job.runs.end()), finished_(job.all, true), unfinished_(job.runs.size()) {
    for (const std::size_t run : job.runs) finished_[run] = false;
  }
  std::optional<std::size_t> take() {
    const std::lock_guard lock(access_);
    if (left_.empty()) return std::nullopt;
    const std::size_t run = left_.front();
    left_.pop_front();
    return run;
  }
  /// For another rank: more at once while there are many.
  Ranks::Message take_some(int workers) {
    const std::lock_guard lock(access_);
    const std::size_t share = left_.size() / (4 * static_cast<std::size_t>(std::max(workers, 1)));
    const std::size_t count = std::min(left_.size(), std::clamp<std::size_t>(share, 1, kMostAtOnce));
    Ranks::Message runs(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(count));
    left_.erase(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(count));
    away_.insert(away_.end(), runs.begin(), runs.end());
    return runs;
  }
  /// When nothing is left: a run that another rank has not finished, each once.
  std::optional<std::size_t> take_again() {
    const std::lock_guard lock(access_);
    while (!away_.empty()) {
      const std::size_t run = away_.front();
      away_.pop_front();
      if (!finished_[run]) return run;
    }
    return std::nullopt;
  }
  void finish(std::size_t run) {
    const std::lock_guard lock(access_);
    if (run >= finished_.size() || finished_[run]) return;
    finished_[run] = true;
    --unfinished_;
    if (job_.progress) job_.progress(job_.runs.size() - unfinished_);
  }
  bool all_finished() {
    const std::lock_guard lock(access_);
    return unfinished_ == 0;
  }

 private:
  const CrewJob& job_;
  std::mutex access_;
  std::deque<std::size_t> left_, away_;
  std::vector<bool> finished_;
  std::size_t unfinished_;
};

/// What a thread of rank 0 or of a process alone does.
void work(const CrewJob& job, Pool& pool) {
  while (!stopped(job)) {
    std::optional<std::size_t> run = pool.take();
    if (!run) run = pool.take_again();
    if (!run) return;
    if (!job.perform(*run)) return;
    pool.finish(*run);
  }
}

/// Answers the other ranks until all runs are finished and all ranks know, or those that are left do not ask any more.
class Server {
 public:
  Server(const CrewJob& job, Pool& pool, const Ranks& ranks)
      : job_(job), pool_(pool), ranks_(ranks), told_(static_cast<std::size_t>(ranks.size()), false), asked_(told_.size(), Clock::now()) {
    told_[0] = true;
  }
  /// `ended`: the threads of this rank have no more runs. Returns the number of lost ranks.
  int serve(const std::atomic<bool>& ended) {
    std::optional<Clock::time_point> over;
    while (true) {
      if (const auto received = ranks_.receive()) {
        answer(*received);
        continue;
      }
      if (std::all_of(told_.begin(), told_.end(), [](bool told) { return told; })) break;
      if (stopped(job_) || (ended && pool_.all_finished())) {
        if (!over) over = Clock::now();
        if (Clock::now() - *over > patience()) break;
      }
      std::this_thread::sleep_for(kPause);
    }
    return static_cast<int>(std::count(told_.begin(), told_.end(), false));
  }

 private:
  void answer(const Ranks::Received& received) {
    const auto rank = static_cast<std::size_t>(received.from);
    longest_ = std::max(longest_, Clock::now() - asked_[rank]);
    asked_[rank] = Clock::now();
    for (const std::uint64_t run : received.message) pool_.finish(run);
    const bool leaves = !received.message.empty() && received.message.back() == kLeaves;
    const Ranks::Message runs = stopped(job_) || leaves ? Ranks::Message() : pool_.take_some(ranks_.size());
    told_[rank] = runs.empty();
    if (!leaves) ranks_.send(received.from, runs);
  }
  /// A rank that is only slow asks within this time.
  Clock::duration patience() const { return 5 * longest_ + std::chrono::seconds(2); }

  const CrewJob& job_;
  Pool& pool_;
  const Ranks& ranks_;
  std::vector<bool> told_;  // that nothing is left
  std::vector<Clock::time_point> asked_;
  Clock::duration longest_{};  // between two requests of a rank
};

}  // namespace

void perform_alone(const CrewJob& job) {
  Pool pool(job);
  const auto threads = static_cast<std::size_t>(std::max(job.threads, 1));
  for_each_parallel(threads, job.threads, [&](std::size_t) { work(job, pool); });
}

int perform_with_ranks(const CrewJob& job, const Ranks& ranks) {
  Pool pool(job);
  Server server(job, pool, ranks);
  std::atomic<bool> ended{false};
  std::exception_ptr failure;
  std::thread others([&] {
    try {
      const auto threads = static_cast<std::size_t>(std::max(job.threads, 1));
      for_each_parallel(threads, job.threads, [&](std::size_t) { work(job, pool); });
      while (!stopped(job) && !pool.all_finished()) {  // by other ranks, or to be done for them
        work(job, pool);
        std::this_thread::sleep_for(kPause);
      }
    } catch (...) { failure = std::current_exception(); }
    ended = true;
  });
  int lost = 0;
  try {
    lost = server.serve(ended);
  } catch (...) {
    others.join();
    throw;
  }
  others.join();
  if (failure) std::rethrow_exception(failure);
  return lost;
}

void perform_for_rank_0(const CrewJob& job, const Ranks& ranks) {
  Ranks::Message finished;
  while (!stopped(job)) {
    ranks.send(0, finished);
    finished.clear();
    std::optional<Ranks::Received> answer;
    while (!stopped(job) && !(answer = ranks.receive())) std::this_thread::sleep_for(kPause);
    if (answer && answer->message.empty()) return;
    if (!answer) break;
    std::mutex access;
    const Ranks::Message& runs = answer->message;
    for_each_parallel(runs.size(), job.threads, [&](std::size_t i) {
      if (stopped(job) || !job.perform(runs[i])) return;
      const std::lock_guard lock(access);
      finished.push_back(runs[i]);
    });
  }
  finished.push_back(kLeaves);
  ranks.send(0, finished);
}

void announce(const Ranks& ranks, bool work) {
  for (int rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, {work ? std::uint64_t{1} : std::uint64_t{0}});
}

bool await_announcement(const Ranks& ranks) {
  while (true) {
    if (const auto received = ranks.receive()) return !received->message.empty() && received->message.front() == 1;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace trunnion
