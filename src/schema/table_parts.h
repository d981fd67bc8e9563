// Helpers shared by the parts of the table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "schema/table.h"

namespace trunnion {

/// fluid, volumes, sources, valves, cylinders.
void describe_oil(Visitor& v, Description& d);
/// Friction and limits of an angle (or displacement) of a joint or loop closure.
void describe_elements(Visitor& v, CoordinateElements& elements, bool friction, bool is_angle);
/// solver, record.
void describe_solver(Visitor& v, Description& d);
/// coupling.
void describe_coupling(Visitor& v, Description& d);
/// An item of valves.
void describe_valve(Visitor& v, ValveDescription& valve);
/// Size of an orifice: its forms; also the discharge coefficient; also the laminar limit.
template <class Sized>
std::vector<Alternative> size_forms(Sized& o);
template <class Sized>
void describe_area(Visitor& v, Sized& o);
template <class Sized>
void describe_size(Visitor& v, Sized& o);

// Power: table_power.cpp
void describe_fluid(Visitor& v, FluidDescription& fluid);
void describe_pump(Visitor& v, PumpDescription& pump);
void describe_accumulator(Visitor& v, AccumulatorDescription& accumulator);
void describe_line(Visitor& v, LineDescription& line);

/// An item of control: table_control.cpp
void describe_control_block(Visitor& v, BlockDescription& block);

/// The number of an enumerator among `count` words, or count + 1.
template <class E>
std::size_t word_of(E value, std::size_t count) {
  const auto number = static_cast<std::size_t>(value);
  return number < count ? number : count + 1;
}

/// A word for each enumerator of E, in their order.
template <class E>
Choice choice(E& value, std::vector<const char*> words, std::vector<OldWord> old_words = {}) {
  const std::size_t count = words.size();
  return {std::move(words), [&value, count] { return word_of(value, count); }, [&value](std::size_t i) { value = static_cast<E>(i); },
          std::move(old_words)};
}

/// The same for an optional choice.
template <class E>
Choice choice(std::optional<E>& value, std::vector<const char*> words) {
  return {words,
          [&value, none = words.size()] { return value ? word_of(*value, none) : none; },
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

template <class Sized>
std::vector<Alternative> size_forms(Sized& o) {
  const auto clear = [&o] { o.diameter.reset(), o.area.reset(), o.flow.reset(), o.at_pressure_drop.reset(); };
  return {{"diameter", "Size by diameter", o.diameter.has_value(), clear,
           [&o](Visitor& w) {
             w.leaf({"diameter", "Diameter", kLength, kRequired | kPositive}, &o.diameter);
           }},
          {"area", "Size by area", o.area.has_value(), clear,
           [&o](Visitor& w) {
             w.leaf({"area", "Area", kArea, kRequired | kPositive}, &o.area);
           }},
          {"flow", "Size by nominal flow", o.flow.has_value() || o.at_pressure_drop.has_value(), clear, [&o](Visitor& w) {
             w.leaf({"flow", "Nominal flow", kFlow, kRequired | kPositive}, &o.flow);
             w.leaf({"at_pressure_drop", "Pressure drop at the nominal flow", kPressure, kRequired | kPositive}, &o.at_pressure_drop);
           }}};
}

template <class Sized>
void describe_area(Visitor& v, Sized& o) {
  v.alternatives(size_forms(o), true);
  v.leaf({"discharge", "Discharge coefficient", kNumber, kPositive}, &o.discharge);
}

template <class Sized>
void describe_size(Visitor& v, Sized& o) {
  describe_area(v, o);
  v.leaf({"laminar_limit", "Pressure drop below which the flow is laminar", kPressure, kPositive}, &o.laminar_limit);
}

}  // namespace trunnion
