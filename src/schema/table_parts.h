// Helpers shared by the parts of the table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>

#include "schema/table.h"

namespace trunnion {

/// fluid, volumes, sources, valves, cylinders.
void describe_oil(Visitor& v, Description& d);
/// solver, record.
void describe_solver(Visitor& v, Description& d);
/// coupling.
void describe_coupling(Visitor& v, Description& d);
/// An item of valves.
void describe_valve(Visitor& v, ValveDescription& valve);
/// Size of an orifice: its forms; also the discharge coefficient; also the laminar limit.
std::vector<Alternative> size_forms(OrificeSize& o);
void describe_area(Visitor& v, OrificeSize& o);
void describe_size(Visitor& v, OrificeSize& o);

// Power: table_power.cpp
void describe_fluid(Visitor& v, FluidDescription& fluid);
void describe_pump(Visitor& v, PumpDescription& pump);
void describe_accumulator(Visitor& v, AccumulatorDescription& accumulator);
void describe_line(Visitor& v, LineDescription& line);

/// A word for each enumerator of E, in their order.
template <class E>
Choice choice(E& value, std::vector<const char*> words, std::vector<OldWord> old_words = {}) {
  return {std::move(words), [&value] { return static_cast<std::size_t>(value); }, [&value](std::size_t i) { value = static_cast<E>(i); },
          std::move(old_words)};
}

/// The same for an optional choice.
template <class E>
Choice choice(std::optional<E>& value, std::vector<const char*> words) {
  return {words,
          [&value, none = words.size()] { return value ? static_cast<std::size_t>(*value) : none; },
          [&value](std::size_t i) { value = static_cast<E>(i); },
          {}};
}

template <class T, class F>
Items items(std::vector<T>& list, F describe_item) {
  return {[&list] { return list.size(); }, [](std::size_t) { return std::string(); }, [&list](const std::string&) { list.emplace_back(); },
          [&list, describe_item](Visitor& v, std::size_t i) { describe_item(v, list[i]); },
          [describe_item](Visitor& v) {
            T sample{};
            describe_item(v, sample);
          }};
}

template <class T, class F>
Items named_items(NamedList<T>& list, F describe_item) {
  return {[&list] { return list.size(); }, [&list](std::size_t i) { return list[i].first; },
          [&list](const std::string& name) { list.emplace_back(name, T{}); },
          [&list, describe_item](Visitor& v, std::size_t i) { describe_item(v, list[i].second); },
          [describe_item](Visitor& v) {
            T sample{};
            describe_item(v, sample);
          }};
}

}  // namespace trunnion
