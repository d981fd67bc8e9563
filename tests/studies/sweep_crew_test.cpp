// Who performs the runs of a sweep. Reference: every run is performed, by whoever lives; nobody waits for ever.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sweep_crew.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "base/diagnostic.h"
#include "support/mailboxes.h"

namespace trunnion {
namespace {

using test::kImpatient;
using test::Mailboxes;
using test::ThreadRanks;

constexpr std::size_t kRuns = 300;
constexpr std::uint64_t kLeavesJob = UINT64_MAX;  // at the end of the last message of a rank

/// A job of which it is counted how often each run was performed.
struct CountedJob {
  std::array<std::atomic<int>, kRuns> performed{};
  CrewJob job;

  explicit CountedJob(int threads = 1) {
    job.runs.resize(kRuns);
    std::iota(job.runs.begin(), job.runs.end(), std::size_t{0});
    job.all = kRuns;
    job.threads = threads;
    job.perform = [this](std::size_t run) {
      ++performed[run];
      return true;
    };
  }
  std::size_t missing() const {
    return static_cast<std::size_t>(std::count_if(performed.begin(), performed.end(), [](const auto& times) { return times == 0; }));
  }
  int all() const { return std::accumulate(performed.begin(), performed.end(), 0); }
};

void wait_until(const std::atomic<bool>& condition) {
  while (!condition) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

TEST(SweepCrew, ThreadsPerformEveryRunOnce) {
  CountedJob counted(3);
  std::vector<std::size_t> progress;
  counted.job.progress = [&](std::size_t finished) { progress.push_back(finished); };
  perform_alone(counted.job);
  EXPECT_EQ(counted.missing(), 0U);
  EXPECT_EQ(counted.all(), static_cast<int>(kRuns));
  ASSERT_EQ(progress.size(), kRuns);
  EXPECT_EQ(progress.back(), kRuns);
}

/// On a full disk, say: the other threads do not compute what cannot be written.
TEST(SweepCrew, AnExceptionEndsAllThreadsAfterTheirRuns) {
  CountedJob counted(2);
  std::atomic<bool> thrown = false;
  counted.job.perform = [&](std::size_t run) {
    ++counted.performed[run];
    if (run == 1) {
      thrown = true;
      throw Error("full");
    }
    wait_until(thrown);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return true;
  };
  EXPECT_THROW(perform_alone(counted.job), Error);
  EXPECT_LT(counted.all(), 10);
}

TEST(SweepCrew, RanksPerformAllRuns) {
  Mailboxes boxes(3);
  CountedJob counted;
  std::array<std::atomic<int>, 3> of_rank{};
  std::atomic<bool> begun = false;
  const auto perform = [&](std::size_t rank) {
    return [&, rank](std::size_t run) {
      if (rank == 0) wait_until(begun);  // of another rank
      if (rank > 0) begun = true;
      ++of_rank[rank];
      ++counted.performed[run];
      return true;
    };
  };
  std::vector<std::thread> others;
  for (int rank = 1; rank < 3; ++rank)
    others.emplace_back([&, rank] {
      ThreadRanks ranks(boxes, rank);
      EXPECT_EQ(await_announcement(ranks, nullptr), 42U);
      CrewJob job{{}, kRuns, 2, perform(static_cast<std::size_t>(rank)), {}, {}, nullptr};
      perform_for_rank_0(job, ranks);
    });
  ThreadRanks ranks(boxes, 0);
  announce(ranks, 42);
  counted.job.perform = perform(0);
  EXPECT_EQ(perform_with_ranks(counted.job, ranks), 0);
  for (std::thread& other : others) other.join();
  EXPECT_EQ(counted.missing(), 0U);
  EXPECT_GT(of_rank[0], 0);
  EXPECT_GT(of_rank[1] + of_rank[2], 0);
}

TEST(SweepCrew, RanksAreReleasedIfThereIsNoWork) {
  Mailboxes boxes(2);
  std::thread other([&] {
    ThreadRanks ranks(boxes, 1);
    EXPECT_EQ(await_announcement(ranks, nullptr), std::nullopt);
    leave(ranks);
  });
  ThreadRanks ranks(boxes, 0);
  dismiss(ranks);
  other.join();
}

/// Rank 0 reads the journals as soon as it is alone.
TEST(SweepCrew, ARankLeavesWhenItsJournalIsOnTheDisk) {
  Mailboxes boxes(2);
  std::atomic<bool> settled = false;
  std::thread other([&] {
    ThreadRanks ranks(boxes, 1);
    CountedJob counted;
    counted.job.settle = [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      settled = true;
    };
    perform_for_rank_0(counted.job, ranks);
  });
  ThreadRanks ranks(boxes, 0);
  CountedJob counted;
  EXPECT_EQ(perform_with_ranks(counted.job, ranks), 0);
  EXPECT_TRUE(settled);
  other.join();
}

TEST(SweepCrew, ARankThatNeverAsksIsLost) {
  Mailboxes boxes(2);
  ThreadRanks ranks(boxes, 0, kImpatient);
  CountedJob counted(2);
  EXPECT_EQ(perform_with_ranks(counted.job, ranks), 1);
  EXPECT_EQ(counted.missing(), 0U);
  dismiss(ranks);  // nor does this wait for it
}

TEST(SweepCrew, RunsOfARankThatStopsAskingAreRepeated) {
  Mailboxes boxes(2);
  ThreadRanks ranks(boxes, 0, kImpatient), other(boxes, 1);
  other.send(0, {});
  other.send(0, {0});  // it finished one of the runs that it was given
  CountedJob counted;
  std::atomic<bool> served = false;
  std::thread listener([&] {
    for (int answers = 0; answers < 2;) answers += other.receive() ? 1 : 0;
    served = true;
  });
  counted.job.perform = [&](std::size_t run) {
    wait_until(served);
    ++counted.performed[run];
    return true;
  };
  EXPECT_EQ(perform_with_ranks(counted.job, ranks), 1);
  listener.join();
  EXPECT_EQ(counted.missing(), counted.performed[0] == 0 ? 1U : 0U);  // rank 0 may have begun with run 0 itself
}

TEST(SweepCrew, ARankEndsIfRank0DoesNotAnswer) {
  Mailboxes boxes(2);
  ThreadRanks ranks(boxes, 1, kImpatient);
  CountedJob counted;
  const auto message = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) { return std::string(error.what()); }
    return std::string("returned");
  };
  EXPECT_NE(message([&] { await_announcement(ranks, nullptr); }).find("the same command goes on"), std::string::npos);
  EXPECT_NE(message([&] { perform_for_rank_0(counted.job, ranks); }).find("rank 0 does not answer"), std::string::npos);
  EXPECT_NE(message([&] { leave(ranks); }).find("the same command goes on"), std::string::npos);
  EXPECT_EQ(counted.all(), 0);
}

/// It leaves after rank 0 has counted it as lost and gone.
TEST(SweepCrew, ARankThatAsksAfterRank0LeftEnds) {
  Mailboxes boxes(2);
  ThreadRanks ranks(boxes, 0, kImpatient);
  CountedJob counted;
  EXPECT_EQ(perform_with_ranks(counted.job, ranks), 1);
  ThreadRanks late(boxes, 1, kImpatient);
  EXPECT_THROW(perform_for_rank_0(counted.job, late), Error);
}

TEST(SweepCrew, AnExceptionInRank0IsThrownAlthoughARankIsLost) {
  Mailboxes boxes(2);
  ThreadRanks ranks(boxes, 0, kImpatient);
  CountedJob counted(2);
  counted.job.perform = [](std::size_t run) -> bool {
    if (run == 3) throw Error("full");
    return true;
  };
  EXPECT_THROW(perform_with_ranks(counted.job, ranks), Error);
}

TEST(SweepCrew, AnExceptionInRank0ReleasesTheOthers) {
  Mailboxes boxes(2);
  std::atomic<bool> thrown = false;
  std::atomic<int> others_runs = 0;
  std::thread other([&] {
    ThreadRanks ranks(boxes, 1);
    CountedJob counted;
    counted.job.perform = [&](std::size_t) {
      wait_until(thrown);
      ++others_runs;
      return true;
    };
    perform_for_rank_0(counted.job, ranks);
  });
  ThreadRanks ranks(boxes, 0);
  CountedJob counted;
  counted.job.perform = [&](std::size_t) -> bool {
    thrown = true;
    throw Error("full");
  };
  EXPECT_THROW(perform_with_ranks(counted.job, ranks), Error);
  other.join();
  EXPECT_LT(others_runs, static_cast<int>(kRuns) / 2);
}

TEST(SweepCrew, AStoppedJobReportsWhatWasFinished) {
  Mailboxes boxes(2);
  std::atomic<int> stop = 0;
  ThreadRanks rank_0(boxes, 0), ranks(boxes, 1);
  rank_0.send(1, {7, 8, 9});
  rank_0.send(1, {});
  CountedJob counted;
  counted.job.stop = &stop;
  counted.job.perform = [&](std::size_t run) {
    stop = 2;
    return run == 7;
  };
  perform_for_rank_0(counted.job, ranks);
  EXPECT_EQ(rank_0.receive()->message, Ranks::Message{});
  EXPECT_EQ(rank_0.receive()->message, (Ranks::Message{7, kLeavesJob}));
  EXPECT_EQ(await_announcement(ranks, &stop), std::nullopt);
}

}  // namespace
}  // namespace trunnion
