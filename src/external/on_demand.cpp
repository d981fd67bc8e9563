// Loading of shared libraries.
// SPDX-License-Identifier: BSD-3-Clause
#include "external/on_demand.h"

#include <dlfcn.h>

#include <string>

#include "base/diagnostic.h"

namespace trunnion {

void* on_demand(const char* library, const char* name, bool for_all) {
  if (void* const linked = dlsym(RTLD_DEFAULT, name)) return linked;  // whose variables may be copies in the program
  void* const handle = dlopen(library, RTLD_LAZY | (for_all ? RTLD_GLOBAL : RTLD_LOCAL));
  if (handle == nullptr) throw Error(std::string("a library cannot be loaded: ") + dlerror());
  void* const address = dlsym(handle, name);
  if (address == nullptr) throw Error(std::string("a library is of another version: ") + dlerror());
  return address;
}

}  // namespace trunnion
