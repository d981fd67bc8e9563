// The C interface: models by name, simulations, states.
// SPDX-License-Identifier: BSD-3-Clause
#include "front/c_interface.h"

#include <cstring>
#include <limits>

namespace trunnion {

namespace {

struct LastError {
  std::string text;
  std::vector<Finding> findings;
};
LastError& last_error() {
  thread_local LastError error;
  return error;
}

/// A text of an item of a list; null beyond its end.
template <class Infos, class Get>
const char* text_of(const trunnion_model* model, const Infos& infos, int number, Get&& get) {
  if (model == nullptr) return nullptr;
  const auto& list = infos(*model->model);
  return number < 0 || static_cast<std::size_t>(number) >= list.size() ? nullptr : get(list[static_cast<std::size_t>(number)]).c_str();
}
const auto kChannels = [](const Model& m) -> const std::vector<ChannelInfo>& { return m.channels(); };
const auto kInputs = [](const Model& m) -> const std::vector<InputInfo>& { return m.inputs(); };
const auto kParameters = [](const Model& m) -> const std::vector<ParameterInfo>& { return m.parameters(); };
const auto kName = [](const auto& info) -> const std::string& { return info.name; };
const auto kUnit = [](const auto& info) -> const std::string& { return info.unit; };

template <class Find>
trunnion_status find(const trunnion_model* model, const char* name, int* out, Find&& find_in) {
  return guarded(
      [&] { required(out, "the result") = find_in(*required(model, "the model").model, std::string(&required(name, "the name"))).number; });
}

Start start_from(int start) {
  switch (start) {
    case TRUNNION_START_GIVEN:
      return Start::given;
    case TRUNNION_START_EQUILIBRIUM:
      return Start::equilibrium;
    case TRUNNION_START_STEADY:
      return Start::steady;
  }
  throw ModelError("there is no start number " + std::to_string(start));
}

}  // namespace

trunnion_status keep_error(trunnion_status status, const char* what, const std::vector<Finding>& findings) noexcept {
  try {
    last_error().text = what;
    last_error().findings = findings;
  } catch (...) { last_error().text.clear(); }
  return status;
}

}  // namespace trunnion

using namespace trunnion;

extern "C" {

int trunnion_abi_version(void) { return TRUNNION_ABI_VERSION; }

const char* trunnion_last_error(void) { return last_error().text.c_str(); }
size_t trunnion_findings(void) { return last_error().findings.size(); }
trunnion_status trunnion_finding_at(size_t number, trunnion_finding* out) {
  if (out == nullptr || number >= last_error().findings.size()) return TRUNNION_INVALID;
  const Finding& f = last_error().findings[number];
  *out = {f.file.c_str(), f.line, f.column, f.path.c_str(), f.found.c_str(), f.expected.c_str(), f.hint.c_str()};
  return TRUNNION_OK;
}

trunnion_status trunnion_model_from_compact(const char* text, trunnion_model** out) {
  return guarded([&] {
    trunnion_model*& result = required(out, "the result");
    result = nullptr;
    result = new trunnion_model{Model::from_compact(std::string(&required(text, "the model")))};
  });
}
void trunnion_model_free(trunnion_model* model) { delete model; }
double trunnion_model_step_size(const trunnion_model* model) { return model == nullptr ? 0 : model->model->step_size(); }
double trunnion_model_duration(const trunnion_model* model) { return model == nullptr ? 0 : model->model->duration(); }
uint64_t trunnion_model_fingerprint(const trunnion_model* model) { return model == nullptr ? 0 : model->model->fingerprint(); }

size_t trunnion_channels(const trunnion_model* model) { return model == nullptr ? 0 : model->model->channels().size(); }
const char* trunnion_channel_name(const trunnion_model* model, int channel) { return text_of(model, kChannels, channel, kName); }
const char* trunnion_channel_unit(const trunnion_model* model, int channel) { return text_of(model, kChannels, channel, kUnit); }
const char* trunnion_channel_meaning(const trunnion_model* model, int channel) {
  return text_of(model, kChannels, channel, [](const ChannelInfo& info) -> const std::string& { return info.meaning; });
}
trunnion_status trunnion_find_channel(const trunnion_model* model, const char* name, int* out) {
  return find(model, name, out, [](const Model& m, const std::string& n) { return m.channel(n); });
}
size_t trunnion_inputs(const trunnion_model* model) { return model == nullptr ? 0 : model->model->inputs().size(); }
const char* trunnion_input_name(const trunnion_model* model, int input) { return text_of(model, kInputs, input, kName); }
const char* trunnion_input_unit(const trunnion_model* model, int input) { return text_of(model, kInputs, input, kUnit); }
trunnion_status trunnion_find_input(const trunnion_model* model, const char* name, int* out) {
  return find(model, name, out, [](const Model& m, const std::string& n) { return m.input(n); });
}
size_t trunnion_parameters(const trunnion_model* model) { return model == nullptr ? 0 : model->model->parameters().size(); }
const char* trunnion_parameter_name(const trunnion_model* model, int parameter) { return text_of(model, kParameters, parameter, kName); }
const char* trunnion_parameter_unit(const trunnion_model* model, int parameter) { return text_of(model, kParameters, parameter, kUnit); }
trunnion_status trunnion_find_parameter(const trunnion_model* model, const char* name, int* out) {
  return find(model, name, out, [](const Model& m, const std::string& n) { return m.parameter(n); });
}

trunnion_status trunnion_simulation_new(const trunnion_model* model, int start, trunnion_simulation** out) {
  return guarded([&] {
    trunnion_simulation*& result = required(out, "the result");
    result = nullptr;
    result = new trunnion_simulation{Simulation(required(model, "the model").model, start_from(start))};
  });
}
void trunnion_simulation_free(trunnion_simulation* simulation) { delete simulation; }
double trunnion_time(const trunnion_simulation* simulation) { return simulation == nullptr ? 0 : simulation->simulation.time(); }

trunnion_status trunnion_step(trunnion_simulation* simulation, int steps) {
  if (simulation == nullptr || steps < 0)
    return keep_error(TRUNNION_INVALID, "a simulation and a number of steps that is not negative", {});
  for (int i = 0; i < steps; ++i)
    if (!simulation->simulation.try_step().ok()) return keep_error(TRUNNION_FAILED, simulation->simulation.error().c_str(), {});
  return TRUNNION_OK;
}
trunnion_status trunnion_run_until(trunnion_simulation* simulation, double end) {
  return guarded([&] { required(simulation, "the simulation").simulation.run_until(end); });
}
trunnion_status trunnion_restart(trunnion_simulation* simulation, int start) {
  return guarded([&] { required(simulation, "the simulation").simulation.restart(start_from(start)); });
}
trunnion_status trunnion_set_input(trunnion_simulation* simulation, int input, double value, double slope) {
  return guarded([&] { required(simulation, "the simulation").simulation.set(InputIndex{input}, value, slope); });
}
trunnion_status trunnion_set_parameter(trunnion_simulation* simulation, int parameter, double value) {
  return guarded([&] { required(simulation, "the simulation").simulation.set_parameter(ParameterIndex{parameter}, value); });
}
trunnion_status trunnion_get_parameter(const trunnion_simulation* simulation, int parameter, double* out) {
  return guarded([&] { required(out, "the result") = required(simulation, "the simulation").simulation.value(ParameterIndex{parameter}); });
}
trunnion_status trunnion_read(const trunnion_simulation* simulation, const int* channels, size_t count, double* out) {
  return guarded([&] {
    const Simulation& from = required(simulation, "the simulation").simulation;
    if (count == 0) return;
    (void)required(channels, "the list of channels"), (void)required(out, "the result");
    for (size_t i = 0; i < count; ++i) out[i] = from.value(ChannelIndex{channels[i]});
  });
}
trunnion_status trunnion_attach_ledger(trunnion_simulation* simulation) {
  return guarded([&] { required(simulation, "the simulation").simulation.attach_ledger(); });
}

size_t trunnion_state_size(const trunnion_simulation* simulation) {
  size_t size = 0;
  if (simulation != nullptr) (void)guarded([&] { size = simulation->simulation.state().bytes().size(); });
  return size;
}
trunnion_status trunnion_get_state(const trunnion_simulation* simulation, void* out, size_t size) {
  return guarded([&] {
    const std::string bytes = required(simulation, "the simulation").simulation.state().bytes();
    if (out == nullptr) throw ModelError("the buffer of the state is null");
    if (size != bytes.size())
      throw ModelError("the state has " + std::to_string(bytes.size()) + " bytes, the buffer " + std::to_string(size));
    std::memcpy(out, bytes.data(), bytes.size());
  });
}
trunnion_status trunnion_set_state(trunnion_simulation* simulation, const void* bytes, size_t size) {
  return guarded([&] {
    Simulation& to = required(simulation, "the simulation").simulation;
    if (bytes == nullptr) throw ModelError("the state is null");
    to.set_state(State::from_bytes(std::string(static_cast<const char*>(bytes), size)));
  });
}

}  // extern "C"
