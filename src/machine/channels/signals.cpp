// SPDX-License-Identifier: BSD-3-Clause
#include "machine/channels/signals.h"

#include "mechanics/applied.h"

namespace trunnion {

[[gnu::cold]] void SignalChannels::offer(const CompiledModel& model, ChannelList& list) {
  using Array = ValuePlace::Array;
  const auto offer_value = [&](const char* section, const std::string& name, const char* unit, const char* meaning, SignalIndex signal,
                               double factor) {
    if (const int cell = list.offer(section, name, name, unit, meaning); cell >= 0) cells.push_back({cell, signal, factor});
  };
  for (const Spool& spool : model.hydraulics.spools)
    if (spool.signal >= 0) list.offer("valves", spool.name + ".command", "", "command, before the spool", {Array::signal, spool.signal});
  for (const ControlBlock& block : model.hydraulics.control)
    if (model.description.signals.find(block.name) == nullptr)
      list.offer("control", block.name + ".output", "", "value of the control block", {Array::y, block.output});
  for (const auto& item : model.description.signals) {
    const SignalIndex signal = model.signals.find(item.first);
    const char* const meaning = "value of the signal";
    if (const int block = model.hydraulics.block_of_signal[static_cast<std::size_t>(signal)]; block >= 0)
      list.offer("signals", item.first + ".signal", "", meaning,
                 {Array::y, model.hydraulics.control[static_cast<std::size_t>(block)].output});
    else
      offer_value("signals", item.first + ".signal", "", meaning, signal, 1);
  }
  const auto offer_factor = [&](const auto& load) {
    offer_value("forces", load.name + ".factor", "", "factor of the load over time", load.signal, 1);
  };
  std::visit(
      [&](const auto& m) {
        for_each_applied(m, [&](const auto& element) {
          if constexpr (kHasFactor<decltype(element)>) offer_factor(element);
          if constexpr (std::is_same_v<decltype(element), const JointLoad&>)
            offer_value("forces", element.name + ".load", "N or N m", "load on the joint coordinate", element.signal, element.load);
        });
        for (const DrivenLoad& load : model.driven_loads) {
          if (load.motion >= 0) continue;
          list.offer("forces", load.name + ".factor", "", "factor of the load over time",
                     {Array::signal, model.hydraulics.actuators[load.port].drive});
          if (!m.ports[load.port].is_load())
            list.offer("forces", load.name + ".load", "N or N m", "load on the joint coordinate", {Array::port_force, load.port});
        }
      },
      model.mechanism);
}

}  // namespace trunnion
