// What the parts of the C interface share: handles, and the last error of a thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <new>
#include <string>
#include <vector>

#include "trunnion/simulation.h"
#include "trunnion/trunnion_c.h"

struct trunnion_model {
  std::shared_ptr<const trunnion::Model> model;
};
struct trunnion_simulation {
  trunnion::Simulation simulation;
};

namespace trunnion {

/// Keeps the error for trunnion_last_error(). No-throw.
trunnion_status keep_error(trunnion_status status, const char* what, const std::vector<Finding>& findings) noexcept;

/// Calls f; exceptions become a status and the last error.
template <class F>
trunnion_status guarded(F&& f) noexcept {
  try {
    f();
    return TRUNNION_OK;
  } catch (const ModelError& error) { return keep_error(TRUNNION_INVALID, error.what(), error.findings()); } catch (const RunError& error) {
    return keep_error(TRUNNION_FAILED, error.what(), {});
  } catch (const std::bad_alloc&) { return keep_error(TRUNNION_NO_MEMORY, "out of memory", {}); } catch (const std::exception& error) {
    return keep_error(TRUNNION_FAILED, error.what(), {});
  } catch (...) { return keep_error(TRUNNION_FAILED, "unknown error", {}); }
}

/// Throws ModelError for a null pointer.
template <class T>
T& required(T* pointer, const char* what) {
  if (pointer == nullptr) throw ModelError(std::string(what) + " is null");
  return *pointer;
}

}  // namespace trunnion
