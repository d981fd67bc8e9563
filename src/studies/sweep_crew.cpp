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

#include "base/diagnostic.h"
#include "base/parallel.h"

namespace trunnion {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::microseconds(300);  // between two looks for messages
constexpr std::size_t kMostAtOnce = 16;                  // runs handed to a rank
constexpr std::uint64_t kLeaves = UINT64_MAX;            // no number of a run

bool stopped(const std::atomic<int>* stop) { return stop != nullptr && stop->load(std::memory_order_relaxed) != 0; }
bool stopped(const CrewJob& job) { return stopped(job.stop); }

/// Time spent on waiting. A pause during which the process was suspended counts little.
class Waiting {
 public:
  void pause() {
    constexpr Clock::duration kMost = std::chrono::milliseconds(100);
    const Clock::time_point before = Clock::now();
    std::this_thread::sleep_for(kPause);
    spent_ += std::min(Clock::now() - before, kMost);
  }
  Clock::duration spent() const { return spent_; }

 private:
  Clock::duration spent_{};
};

/// The runs of a sweep: not handed out, handed out, finished.
class Pool {
 public:
  explicit Pool(const CrewJob& job)
      : job_(job), left_(job.runs.begin(), job.runs.end()), finished_(job.all, true), unfinished_(job.runs.size()) {
    for (const std::size_t run : job.runs) finished_[run] = false;
  }
  std::size_t runs() const { return job_.runs.size(); }
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
  /// No further run begins.
  void abandon() {
    const std::lock_guard lock(access_);
    left_.clear();
    away_.clear();
  }

 private:
  const CrewJob& job_;
  std::mutex access_;
  std::deque<std::size_t> left_, away_;
  std::vector<bool> finished_;
  std::size_t unfinished_;
};

/// What a thread of rank 0 or of a process alone does.
void work(const CrewJob& job, Pool& pool) try {
  while (!stopped(job)) {
    std::optional<std::size_t> run = pool.take();
    if (!run) run = pool.take_again();
    if (!run || !job.perform(*run)) return;
    pool.finish(*run);
  }
} catch (...) {
  pool.abandon();
  throw;
}
void work_parallel(const CrewJob& job, Pool& pool) {
  for_each_parallel(std::min(static_cast<std::size_t>(std::max(job.threads, 1)), pool.runs()), job.threads,
                    [&](std::size_t) { work(job, pool); });
}

/// Answers the other ranks until all have left, or those that are missing are lost.
class Server {
 public:
  Server(const CrewJob& job, Pool& pool, Ranks& ranks)
      : job_(job), pool_(pool), ranks_(ranks), left_(static_cast<std::size_t>(ranks.size()), false), heard_(left_.size(), Clock::now()) {
    left_[0] = true;
  }
  /// `ended`: the threads of this rank have no more runs. Returns the number of lost ranks.
  int serve(const std::atomic<bool>& ended) {
    Waiting pause;
    while (std::find(left_.begin(), left_.end(), false) != left_.end()) {
      if (const auto received = ranks_.receive()) {
        answer(*received);
        pause = {};
      } else if (!stopped(job_) && !ended) {
        std::this_thread::sleep_for(kPause);
      } else {
        if (pause.spent() > patience()) break;
        pause.pause();
      }
    }
    return static_cast<int>(std::count(left_.begin(), left_.end(), false));
  }

 private:
  void answer(const Ranks::Received& received) {
    const auto rank = static_cast<std::size_t>(received.from);
    longest_ = std::max(longest_, Clock::now() - heard_[rank]);
    heard_[rank] = Clock::now();
    left_[rank] = !received.message.empty() && received.message.back() == kLeaves;
    for (const std::uint64_t run : received.message) pool_.finish(run);
    const Ranks::Message runs = stopped(job_) || left_[rank] ? Ranks::Message() : pool_.take_some(ranks_.size());
    try {
      ranks_.send(received.from, runs);
    } catch (const Error&) { return; }  // it is lost, and will not be heard again
  }
  /// A rank that is only slow is heard within this time.
  Clock::duration patience() const { return 5 * longest_ + ranks_.limits().request; }

  const CrewJob& job_;
  Pool& pool_;
  Ranks& ranks_;
  std::vector<bool> left_;
  std::vector<Clock::time_point> heard_;
  Clock::duration longest_{};  // between two messages of a rank
};

/// The answer of rank 0.
Ranks::Message ask(Ranks& ranks, const Ranks::Message& finished) {
  ranks.send(0, finished);
  Waiting pause;
  while (true) {
    if (auto received = ranks.receive()) return std::move(received->message);
    if (pause.spent() > ranks.limits().answer)
      throw Error("rank 0 does not answer; what other ranks have finished is in their journals, and the same command goes on");
    pause.pause();
  }
}

void announce_to_all(Ranks& ranks, const Ranks::Message& announcement) {
  for (int rank = 1; rank < ranks.size(); ++rank) try {
      ranks.send(rank, announcement);
    } catch (const Error&) { continue; }  // it is lost
}

}  // namespace

void perform_alone(const CrewJob& job) {
  Pool pool(job);
  work_parallel(job, pool);
}

int perform_with_ranks(const CrewJob& job, Ranks& ranks) {
  Pool pool(job);
  Server server(job, pool, ranks);
  std::atomic<bool> ended{false};
  std::exception_ptr failure;
  std::thread workers([&] {
    try {
      work_parallel(job, pool);  // also repeats what other ranks have not finished
    } catch (...) { failure = std::current_exception(); }
    ended = true;
  });
  int lost = 0;
  try {
    lost = server.serve(ended);
  } catch (...) {
    pool.abandon();
    workers.join();
    throw;
  }
  workers.join();
  if (failure) std::rethrow_exception(failure);
  return lost;
}

void dismiss(Ranks& ranks) {
  const CrewJob nothing;
  Pool pool(nothing);
  announce_to_all(ranks, {});
  const std::atomic<bool> ended{true};
  Server(nothing, pool, ranks).serve(ended);
}

void perform_for_rank_0(const CrewJob& job, Ranks& ranks) {
  Ranks::Message finished;
  while (!stopped(job)) {
    const Ranks::Message runs = ask(ranks, finished);
    finished.clear();
    if (runs.empty()) break;
    std::mutex access;
    for_each_parallel(runs.size(), job.threads, [&](std::size_t i) {
      if (stopped(job) || !job.perform(runs[i])) return;
      const std::lock_guard lock(access);
      finished.push_back(runs[i]);
    });
  }
  if (job.settle) job.settle();
  finished.push_back(kLeaves);
  ask(ranks, finished);
}

void leave(Ranks& ranks) { ask(ranks, {kLeaves}); }

void announce(Ranks& ranks, std::uint64_t key) { announce_to_all(ranks, {key}); }

std::optional<std::uint64_t> await_announcement(Ranks& ranks, const std::atomic<int>* stop) {
  Waiting pause;
  while (!stopped(stop)) {
    if (const auto received = ranks.receive()) return received->message.empty() ? std::nullopt : std::optional(received->message.front());
    if (pause.spent() > ranks.limits().start) throw Error("rank 0 does not begin; the same command goes on with what is finished");
    pause.pause();
  }
  return std::nullopt;
}

}  // namespace trunnion
