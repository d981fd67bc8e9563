// Libraries loaded at their first use instead of at the start of the program: HDF5 with its 36 libraries, MATIO and LAPACKE take more time
// to load than most commands need. With -DTRUNNION_ON_DEMAND=OFF they are linked as others. TRUNNION_HDF5 and so on: names of the files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace trunnion {

/// Address of a function or variable of a shared library, which is loaded and stays loaded; of that linked with the program, if it is.
/// Throws Error if there is none. Slow: a lookup by name. `for_all`: its names are also found by the libraries that it loads itself.
void* on_demand(const char* library, const char* name, bool for_all = false);

}  // namespace trunnion

#define TR_ON_DEMAND_MEMBER(name) decltype(&::name) name;
#define TR_ON_DEMAND_FIND(name) table.name = reinterpret_cast<decltype(table.name)>(on_demand(library, #name));

/// Struct `Table` of pointers to the functions and variables that LIST(X) names by X(name), and the function `get` that returns it, loading
/// the library at its first call.
#define TR_ON_DEMAND(Table, get, LIBRARY, LIST) \
  struct Table {                                \
    LIST(TR_ON_DEMAND_MEMBER)                   \
  };                                            \
  inline const Table& get() {                   \
    static const Table loaded = [] {            \
      const char* const library = LIBRARY;      \
      Table table{};                            \
      LIST(TR_ON_DEMAND_FIND)                   \
      return table;                             \
    }();                                        \
    return loaded;                              \
  }
