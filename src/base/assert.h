// Invariants inside the library, checked in builds without NDEBUG: preset `debug`, and the sanitizers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cassert>
#include <thread>

namespace trunnion {

/// Whether this build checks them.
bool assertions_are_checked();

}  // namespace trunnion

/// Ends the program where the library itself is wrong, or is used against its contract in a way that cannot be refused.
#ifdef NDEBUG
#define TR_ASSERT(condition) static_cast<void>(sizeof(!(condition)))
#else
#define TR_ASSERT(condition) assert(condition)
#endif

namespace trunnion {

/// An object that must be used by one thread at a time; functions may call each other.
class SingleUse {
 public:
  class Scope {
   public:
#ifdef NDEBUG
    explicit Scope(SingleUse&) {}
    ~Scope() {}
#else
    explicit Scope(SingleUse& object) : object_(object) {
      std::thread::id nobody;
      const bool entered = object_.user_.compare_exchange_strong(nobody, std::this_thread::get_id());
      TR_ASSERT(entered || nobody == std::this_thread::get_id());  // otherwise used by two threads at once
      outermost_ = entered;
    }
    ~Scope() {
      if (outermost_) object_.user_ = std::thread::id();
    }

   private:
    SingleUse& object_;
    bool outermost_ = false;
#endif
   public:
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

#ifndef NDEBUG
 private:
  std::atomic<std::thread::id> user_;
#endif
};

}  // namespace trunnion
