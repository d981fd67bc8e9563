// Worker threads for batches of tasks.
// SPDX-License-Identifier: BSD-3-Clause
#include "cosimulation/workers.h"

#include <utility>

namespace trunnion {

namespace {

constexpr int kSpins = 2000;  // polls of a flag before a thread sleeps; a communication step takes microseconds

/// Returns when `flag` differs from `old`.
template <class T>
T wait_for_change(const std::atomic<T>& flag, T old) {
  for (int i = 0; i < kSpins; ++i)
    if (const T now = flag.load(std::memory_order_acquire); now != old) return now;
  flag.wait(old, std::memory_order_acquire);
  return flag.load(std::memory_order_acquire);
}

}  // namespace

Workers::Workers(int threads) {
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { wait_for_work(i); });
  } catch (const std::exception&) {}  // the system has no more
  failures_.resize(threads_.size() + 1);
}

Workers::~Workers() {
  end_.store(true, std::memory_order_release);
  batch_.fetch_add(1, std::memory_order_release);
  batch_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::share_of(int thread) {
  try {
    for (int i = thread; i < tasks_; i += static_cast<int>(failures_.size())) call_(task_, i);
  } catch (...) { failures_[static_cast<std::size_t>(thread)] = std::current_exception(); }
}

void Workers::wait_for_work(int thread) {
  for (unsigned seen = 0;;) {
    seen = wait_for_change(batch_, seen);
    if (end_.load(std::memory_order_acquire)) return;
    share_of(thread);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void Workers::run(int tasks, void* task, Call call) {
  tasks_ = tasks;
  task_ = task;
  call_ = call;
  busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  batch_.fetch_add(1, std::memory_order_release);
  batch_.notify_all();
  share_of(0);
  for (int left = busy_.load(std::memory_order_acquire); left != 0;) left = wait_for_change(busy_, left);
  for (std::exception_ptr& failure : failures_)
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

}  // namespace trunnion
