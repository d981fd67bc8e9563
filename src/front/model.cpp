// Models of the public interface: names, inputs, parameters.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/units.h"
#include "front/content.h"
#include "linearise/steady.h"
#include "machine/equilibrium.h"
#include "machine/start.h"
#include "model/validate.h"
#include "run/recorded_channels.h"
#include "schema/compact.h"
#include "schema/fingerprint.h"
#include "schema/plausibility.h"
#include "schema/read_back.h"
#include "schema/schema.h"

namespace trunnion {

int abi_version() noexcept { return kAbiVersion; }

std::string Finding::text() const { return Diagnostic{{file, line, column}, path, found, expected, hint}.text(); }

ModelError public_error(const Error& error) {
  std::vector<Finding> findings;
  if (const auto* input = dynamic_cast<const InputError*>(&error))
    for (const Diagnostic& d : input->diagnostics())
      findings.push_back({d.span.file, d.span.line, d.span.column, d.path, d.found, d.expected, d.hint});
  return {error.what(), std::move(findings)};
}
RunError public_error(const SimulationError& error) { return {error.what(), error.time(), error.equations(), error.remedy()}; }

void check_index(int number, std::size_t size, const char* what) {
  if (number < 0 || static_cast<std::size_t>(number) >= size)
    throw ModelError(std::string("there is no ") + what + " number " + std::to_string(number) + "; the model has " + std::to_string(size));
}

namespace {

/// The number of a name. Throws ModelError with the nearest one.
template <class Info>
int find(const std::unordered_map<std::string, int>& numbers, const std::vector<Info>& infos, const std::string& name, const char* what) {
  if (const auto at = numbers.find(name); at != numbers.end()) return at->second;
  std::vector<std::string> names;
  names.reserve(infos.size());
  for (const Info& info : infos) names.push_back(info.name);
  const std::string near = nearest_name(name, names);
  throw ModelError(std::string("there is no ") + what + " '" + name + "'" +
                   (!near.empty()   ? "; did you mean '" + near + "'?"
                    : names.empty() ? std::string("; the model has none")
                                    : ""));
}

std::string unit_text(const char* unit) { return std::string(unit) == "SI" ? "" : unit; }

}  // namespace

// ---------------------------------------------------------------- names

Model::Content::Content(std::shared_ptr<const CompiledModel> model)
    : compiled(std::move(model)), fingerprint(trunnion::fingerprint(compiled->description)) {
  for (std::size_t i = 0; i < compiled->description.inputs.size(); ++i) {
    const auto& [name, input] = compiled->description.inputs[i];
    const InputRange& range = compiled->signals.input(static_cast<int>(i));
    inputs.push_back({name, input.unit, range.initial, range.min, range.max, range.rate});
  }
}

const Model::Content::Channels& Model::Content::channels() const {
  std::call_once(channels_made_, [&] {
    const ChannelReader reader(compiled);
    const std::size_t observed = reader.observer().channels().size();
    for (const Channel& channel : reader.channels()) {
      const std::size_t i = channels_.infos.size();
      ChannelPlace place{ChannelPlace::Kind::kept, i};
      if (i == 0) place.kind = ChannelPlace::Kind::time;
      if (i > 0 && i <= observed) {
        place = {ChannelPlace::Kind::observed, i - 1};
        if (const std::ptrdiff_t at = reader.observer().place_in_state(i - 1); at >= 0)
          place = {ChannelPlace::Kind::state, static_cast<std::size_t>(at)};
        if (const int input = reader.observer().input_of(i - 1); input >= 0)
          place = {ChannelPlace::Kind::input, static_cast<std::size_t>(input)};
      }
      channels_.places.push_back(place);
      channels_.numbers.emplace(channel.name, static_cast<int>(i));
      channels_.infos.push_back({channel.name, channel.unit, channel.meaning});
    }
  });
  return channels_;
}

Model::Content::FoundStart Model::Content::find_start(const std::shared_ptr<const CompiledModel>& machine, Start start) {
  FoundStart found;
  switch (start) {
    case Start::equilibrium:
      found.state = equilibrium_state(*machine);
      break;
    case Start::steady:
      found.state = steady_state(machine, &found.warnings);
      break;
    case Start::given:
      found.state = start_state(*machine);
      break;
  }
  return found;
}

StateVector Model::Content::start_of(const std::shared_ptr<const CompiledModel>& machine, Start start,
                                     std::vector<std::string>* warnings) const {
  if (static_cast<std::size_t>(start) >= starts_.size()) throw ModelError("there is no such start; expected given, equilibrium or steady");
  if (machine != compiled) {
    FoundStart found = find_start(machine, start);
    if (warnings != nullptr) *warnings = std::move(found.warnings);
    return std::move(found.state);
  }
  const std::lock_guard lock(finding_start_);
  std::optional<FoundStart>& found = starts_[static_cast<std::size_t>(start)];
  if (!found) found = find_start(compiled, start);
  if (warnings != nullptr) *warnings = found->warnings;
  return found->state;
}

const Model::Content::Parameters& Model::Content::parameters() const {
  std::call_once(parameters_made_, [&] {
    Description description = compiled->description;
    for (const Parameter& p : parameters_of(description)) {
      parameters_.numbers.emplace(p.path, static_cast<int>(parameters_.infos.size()));
      parameters_.infos.push_back({p.path, unit_text(p.unit), p.meaning, *p.value, p.min, p.max, p.min_excluded});
    }
  });
  return parameters_;
}

Model::Model(std::unique_ptr<const Content> content) : content_(std::move(content)) {}
Model::~Model() = default;

std::shared_ptr<const Model> Model::from_compact(const std::string& text) {
  return translated([&] { return std::make_shared<const Model>(std::make_unique<const Content>(trunnion::compile(parse_compact(text)))); });
}
std::shared_ptr<const Model> Model::build(const Description& description) {
  return translated([&] {
    std::shared_ptr<const CompiledModel> compiled = trunnion::compile(read_back(description));
    check_recorded_channels(compiled);
    return std::make_shared<const Model>(std::make_unique<const Content>(std::move(compiled)));
  });
}
std::string Model::compact() const { return compact_text(content_->compiled->description); }

std::string to_yaml(const Description& description) { return write_model(without_csv_files(description)); }

const Description& Model::description() const { return content_->compiled->description; }
const std::string& Model::title() const { return content_->compiled->title; }
double Model::step_size() const { return grid_step(content_->compiled->description); }
double Model::duration() const { return content_->compiled->description.solver.duration; }
std::uint64_t Model::fingerprint() const { return content_->fingerprint; }
std::string Model::text() const { return write_model(content_->compiled->description); }
std::vector<std::string> Model::warnings() const { return plausibility_warnings(content_->compiled->description); }
const std::vector<ChannelInfo>& Model::channels() const { return content_->channels().infos; }
const std::vector<InputInfo>& Model::inputs() const { return content_->inputs; }
const std::vector<ParameterInfo>& Model::parameters() const { return content_->parameters().infos; }

ChannelIndex Model::channel(const std::string& name) const {
  const auto& numbers = content_->channels().numbers;
  if (!numbers.contains(name))
    if (const std::string how = how_to_request(content_->compiled, name); !how.empty())
      throw ModelError("the channel '" + name + "' is not among those of the model: " + how);
  return {find(numbers, channels(), name, "channel")};
}
InputIndex Model::input(const std::string& name) const {
  std::unordered_map<std::string, int> numbers;
  for (const InputInfo& input : content_->inputs) numbers.emplace(input.name, static_cast<int>(numbers.size()));
  return {find(numbers, content_->inputs, name, "input")};
}
ParameterIndex Model::parameter(const std::string& name) const {
  return {find(content_->parameters().numbers, parameters(), name, "parameter")};
}

// ---------------------------------------------------------------- parameters

OwnParameters::OwnParameters(const Model& model)
    : original_(model.shared_from_this()),
      last_(model.content().compiled),
      description_(std::make_unique<Description>(model.content().compiled->description)) {
  forget_positions(*description_);
  slots_ = parameters_of(*description_);
}

void OwnParameters::set(int parameter, double value) {
  const Parameter& p = slots_[static_cast<std::size_t>(parameter)];
  const bool infinite = std::isinf(value) && value > 0 && std::isinf(original_->parameters()[static_cast<std::size_t>(parameter)].value);
  if (!std::isfinite(value) && !infinite) throw ModelError(p.path + " must be a finite number");
  const bool low = p.min_excluded ? !(value > p.min) : !(value >= p.min);
  if (low || !(value <= p.max)) {
    const std::string limit = low ? (p.min_excluded ? "above " : "at least ") + number_text(p.min) : "at most " + number_text(p.max);
    throw ModelError(p.path + " = " + number_text(value) + " is outside its limits; expected " + limit +
                     (*p.unit == 0 ? std::string() : std::string(" ") + p.unit));
  }
  const auto same = [value](double other) { return other == value && std::signbit(other) == std::signbit(value); };
  if (same(*p.value)) return;
  const auto replaced = std::find_if(replaced_.begin(), replaced_.end(), [&](const auto& entry) { return entry.first == parameter; });
  if (replaced == replaced_.end())
    replaced_.emplace_back(parameter, *p.value);
  else if (same(replaced->second))
    replaced_.erase(replaced);
  *p.value = value;
}

bool OwnParameters::same_mechanism() const {
  return last_in_use_ && std::all_of(replaced_.begin(), replaced_.end(),
                                     [&](const auto& entry) { return belongs_to_oil(slots_[static_cast<std::size_t>(entry.first)].path); });
}

std::shared_ptr<const CompiledModel> OwnParameters::compile() {
  const std::shared_ptr<const CompiledModel>& original = original_->content().compiled;
  std::shared_ptr<const CompiledModel> model =
      same_mechanism() ? compile_oil(*description_, original, *last_) : trunnion::compile(*description_, original);
  if (same_structure(*model, *original)) {
    TR_ASSERT(validate(*model).empty());
    last_ = model;
    last_in_use_ = false;
    return model;
  }
  throw Error(
      "the parameters as set change the structure of the model, as a leakage above 0 adds a flow; set them back, or load a model "
      "with these values");
}

}  // namespace trunnion
