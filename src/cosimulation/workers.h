// Threads that run the tasks of a batch in parallel: thread i modulo their number runs task i; the caller is one of them. Tasks share no
// data, so that results do not depend on the number of threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace trunnion {

class Workers {
 public:
  /// The caller and `threads` - 1 others, fewer where the system has no more, which wait for work during the lifetime of this object.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Runs task(i) for i = 0 ... tasks - 1; returns when all are done. Rethrows exceptions of tasks. No allocation.
  template <class Task>
  void run(int tasks, Task& task) {
    if (threads_.empty() || tasks < 2) {
      for (int i = 0; i < tasks; ++i) task(i);
      return;
    }
    run(tasks, &task, [](void* t, int i) { (*static_cast<Task*>(t))(i); });
  }

 private:
  using Call = void (*)(void*, int);
  void run(int tasks, void* task, Call call);
  void share_of(int thread);
  void wait_for_work(int thread);

  std::vector<std::thread> threads_;
  std::vector<std::exception_ptr> failures_;  // per thread
  std::atomic<unsigned> batch_{0};            // counts batches
  std::atomic<int> busy_{0};
  std::atomic<bool> end_{false};
  int tasks_ = 0;
  void* task_ = nullptr;
  Call call_ = nullptr;
};

}  // namespace trunnion
