// Counting operator new.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/allocation_counter.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if __has_include(<SuiteSparse_config.h>)  // without KLU its folder is not searched
#include <SuiteSparse_config.h>
#endif

// A sanitizer has its own operators, which must not be mixed with these.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TR_COUNT_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TR_COUNT_ALLOCATIONS 0
#endif
#endif
#ifndef TR_COUNT_ALLOCATIONS
#define TR_COUNT_ALLOCATIONS 1
#endif

namespace {

std::atomic<long> count{0};

}  // namespace

#if TR_COUNT_ALLOCATIONS

namespace {

void* counted(std::size_t size) {
  ++count;
  return std::malloc(size > 0 ? size : 1);
}

void* counted_or_throw(std::size_t size) {
  if (void* p = counted(size)) return p;
  throw std::bad_alloc();
}

void* aligned_or_throw(std::size_t size, std::align_val_t alignment) {
  ++count;
  const auto step = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(step, (size + step - 1) / step * step)) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted_or_throw(size); }
void* operator new[](std::size_t size) { return counted_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return aligned_or_throw(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return aligned_or_throw(size, alignment); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

#endif  // TR_COUNT_ALLOCATIONS

namespace {

#ifdef SUITESPARSE_CONFIG_H
// KLU's allocations do not use operator new.
void* counted_malloc(std::size_t size) { return ++count, std::malloc(size); }
void* counted_calloc(std::size_t items, std::size_t size) { return ++count, std::calloc(items, size); }
void* counted_realloc(void* p, std::size_t size) { return ++count, std::realloc(p, size); }

const bool kKluIsCounted = [] {
  SuiteSparse_config.malloc_func = counted_malloc;
  SuiteSparse_config.calloc_func = counted_calloc;
  SuiteSparse_config.realloc_func = counted_realloc;
  return true;
}();
#else
constexpr bool kKluIsCounted = true;  // there is none
#endif

}  // namespace

namespace trunnion::test {

long allocations() { return count; }

bool allocations_are_counted() {
  if (!kKluIsCounted) return false;
  const long before = count;
  ::operator delete(::operator new(8));
  return count != before;
}

}  // namespace trunnion::test
