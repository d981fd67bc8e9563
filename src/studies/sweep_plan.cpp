// The runs of a sweep and their models.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"
#include "file/override.h"
#include "schema/compact.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

[[noreturn]] void wrong_request(const char* option, const std::string& path, const std::string& found, const std::string& expected) {
  throw InputError({Diagnostic{{option, 0, 0}, path, found, expected, ""}});
}

/// A number [SI] of a parameter; nothing: the text is no number, has another unit, or is outside the limits.
std::optional<double> number_of(const std::string& text, const Parameter& parameter) {
  const QuantityText read = read_quantity(text);
  if (!read.quantity) return std::nullopt;
  if (read.quantity->has_unit) {
    const QuantityText unit = read_quantity(std::string("1 ") + parameter.unit);
    if (!unit.quantity || !fits(read.quantity->dimension, {"", "", "", unit.quantity->dimension})) return std::nullopt;
  }
  const double value = read.quantity->value;
  const bool low = parameter.min_excluded ? !(value > parameter.min) : !(value >= parameter.min);
  return low || !(value <= parameter.max) ? std::nullopt : std::optional(value);
}

}  // namespace

const char* word(SweepKeep keep) {
  constexpr const char* kKeepWords[] = {"kpi", "channels", "all"};
  return kKeepWords[static_cast<int>(keep)];
}

SweepItems sweep_items(const SweepRequest& request) {
  std::vector<VariedPath> lists;
  std::vector<ValueRange> ranges;
  PairTable sample;
  for (const std::string& text : request.vary) {
    VariedValues variation = read_variation(text);
    if (variation.range) {
      sample.paths.push_back(variation.path);
      ranges.push_back(*variation.range);
    } else {
      lists.emplace_back(variation.path, std::move(variation.values));
    }
  }
  if (!ranges.empty() && request.sample.empty())
    wrong_request("--vary", sample.paths.front(), "the range has no step", "a:b:step, or a sample of the range by --sample lhs:N,SEED");
  if (!request.sample.empty()) {
    const SampleRequest points = read_sample(request.sample);
    if (ranges.empty()) wrong_request("--sample", "", "there is no range to take samples of", "--vary PATH=a:b");
    sample.rows = latin_hypercube(ranges, points);
  }
  VariedRows varied = varied_rows(request.pairs, lists, sample);
  SweepItems items{std::move(varied.paths), std::move(varied.rows), {}};
  if (items.paths.empty()) wrong_request("--vary", "", "the sweep varies nothing", "--vary PATH=VALUES, or --pairs FILE.csv");
  if (request.pairs.empty() && request.sample.empty()) items.grid = std::move(varied.sizes);
  for (const std::string& path : items.paths)
    if (const auto names = segments_of(path);
        names.size() > 1 && matches_pattern(names[0], "record") && matches_pattern(names[1], "channels"))
      wrong_request("--vary", path, "all runs of a sweep keep the same channels", "--set record.channels=[...] and --keep channels");
  return items;
}

// ---------------------------------------------------------------- the plan

SweepPlan::SweepPlan(const SweepRequest& request) : request_(request), items_(sweep_items(request)) {
  if (request_.kpis.empty() && request_.keep == SweepKeep::kpi)
    wrong_request("--kpi", "", "nothing of the runs is kept", "--kpi NAME=EXPRESSION, such as p_max=max(lift.force), or --keep channels");
  text_ = file_text(request_.model_file, "model file", limits_of(request_.overrides).input_size);
  find_reference();
  check_columns();
  find_parameters();
  hash();
}

/// Names of key figures are columns beside those of paths and of the run.
void SweepPlan::check_columns() const {
  std::vector<Diagnostic> findings;
  for (const std::string& name : kpis_->names()) {
    const bool path = std::find(items_.paths.begin(), items_.paths.end(), name) != items_.paths.end();
    if (path || name == "run" || name == "status" || name == "end_time" || name == "message")
      findings.push_back(
          {{"--kpi", 0, 0}, name, "the name is that of another column of sweep.csv", "another name, such as " + name + "_kpi", ""});
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

Description SweepPlan::read(const std::vector<std::string>& values) const {
  std::vector<Override> overrides = request_.overrides;
  for (std::size_t i = 0; i < values.size(); ++i) overrides.push_back({items_.paths[i], values[i]});
  Description description = parse_model(text_, request_.model_file, overrides);
  if (recorded_) description.record.channels = *recorded_;
  return description;
}

/// The first run with a valid model, which also decides what is recorded.
void SweepPlan::find_reference() {
  std::optional<InputError> first;
  for (reference_run_ = 0; reference_run_ < items_.rows.size(); ++reference_run_) try {
      reference_description_ = read(items_.rows[reference_run_]);
      reference_ = compile(reference_description_);
      break;
    } catch (const InputError& error) {
      if (!first) first = of_varied(error, items_.paths, request_.pairs);
    }
  if (!reference_) throw InputError(*first);
  kpis_ = std::make_unique<KpiSet>(request_.kpis, reference_->description.solver.duration);
  std::vector<std::string> recorded;
  if (request_.keep == SweepKeep::all) recorded = {"*"};
  if (request_.keep != SweepKeep::kpi) {
    check_recorded_channels(reference_);
    const std::vector<std::string>& given = reference_description_.record.channels;
    recorded.insert(recorded.end(), given.begin(), given.end());
  }
  reference_description_.record.channels = recorded;
  reference_ = compile(reference_description_);
  const std::vector<std::string> more = requested_channels(reference_, *kpis_);
  if (!more.empty() && recorded.empty()) recorded = {"*"};
  recorded.insert(recorded.end(), more.begin(), more.end());
  recorded_ = recorded;
  reference_description_.record.channels = recorded;
  if (!more.empty()) reference_ = compile(reference_description_);
  source_ = std::make_shared<const KpiSource>(reference_, *kpis_);
}

/// A path is a set of parameters if two of its values, where possible, give the description that reading the file gives.
void SweepPlan::find_parameters() {
  const std::vector<Parameter> all = parameters_of(reference_description_);
  for (std::size_t i = 0; i < items_.paths.size(); ++i) {
    Path& path = paths_.emplace_back();
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (fits_path(items_.paths[i], all[k].path)) found.push_back(k);
    if (found.empty()) continue;
    path.unit = std::string(all[found.front()].unit) == "SI" ? "" : all[found.front()].unit;
    std::vector<std::string> tried;
    bool same = true;
    for (const auto& row : items_.rows) {
      if (tried.size() >= 2 || !same) break;
      if (!number_of(row[i], all[found.front()]) || std::find(tried.begin(), tried.end(), row[i]) != tried.end()) continue;
      try {
        same = gives_the_same(i, found, row[i]);
        tried.push_back(row[i]);
      } catch (const InputError&) { continue; }  // of this value with the others
    }
    if (same && !tried.empty()) path.parameters = found;
  }
  if (reference_description_.solver.compiled == CompiledKind::off) return;
  // one code for all runs
  for (std::size_t i = 0; i < items_.paths.size(); ++i)
    if (!paths_[i].parameters.empty()) reference_description_.solver.compiled_parameters.push_back(items_.paths[i]);
  reference_ = compile(reference_description_);
}

bool SweepPlan::gives_the_same(std::size_t path, const std::vector<std::size_t>& parameters, const std::string& value) const {
  std::vector<std::string> values = items_.rows[reference_run_];
  values[path] = value;
  const Description by_file = read(values);
  Description by_setting = reference_description_;
  const std::vector<Parameter> slots = parameters_of(by_setting);
  for (const std::size_t k : parameters) {
    const auto number = number_of(value, slots[k]);
    if (!number) return false;
    *slots[k].value = *number;
  }
  return compact_text(by_setting) == compact_text(by_file);
}

double SweepPlan::number(std::size_t run, std::size_t path) const {
  const QuantityText read = read_quantity(items_.rows[run][path]);
  return read.quantity ? read.quantity->value : std::numeric_limits<double>::quiet_NaN();
}

void SweepPlan::hash() {
  Hash hash;
  for (const std::string& text : {std::string(kVersion), text_, compact_text(reference_description_), std::string(word(request_.keep)),
                                  std::string(word(request_.start))})
    hash.add(text);
  for (const Override& o : request_.overrides) hash.add(o.path), hash.add(o.value);
  for (const std::string& path : items_.paths) hash.add(path);
  for (const auto& row : items_.rows)
    for (const std::string& value : row) hash.add(value);
  for (const std::string& text : request_.kpis) hash.add(text);
  for (const std::string& text : texts_of_files()) hash.add(text);
  key_ = hash.value();
}

/// The models of runs that may read other files than the reference: with every value of paths for which the file is read again, as text.
/// None if nothing is read beside the model file.
std::vector<std::string> SweepPlan::texts_of_files() const {
  std::vector<std::string> texts;
  if (!may_read_files()) return texts;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (is_parameter(i)) continue;
    std::set<std::string> done;
    for (const std::vector<std::string>& row : items_.rows)
      if (done.insert(row[i]).second) texts.push_back(text_with(i, row));
  }
  return texts;
}

bool SweepPlan::may_read_files() const {
  const auto names_file = [](const std::string& text) {
    return text.find("csv") != std::string::npos || text.find("include") != std::string::npos;
  };
  const auto any = [&](const std::vector<std::string>& texts) { return std::any_of(texts.begin(), texts.end(), names_file); };
  return names_file(text_) || any(items_.paths) || std::any_of(items_.rows.begin(), items_.rows.end(), any) ||
         std::any_of(request_.overrides.begin(), request_.overrides.end(),
                     [&](const Override& o) { return names_file(o.path) || names_file(o.value); });
}

/// The reference with the row's value of a path; if that is no model, the row's. What is wrong if neither is one.
std::string SweepPlan::text_with(std::size_t path, const std::vector<std::string>& row) const {
  std::vector<std::string> values = items_.rows[reference_run_];
  values[path] = row[path];
  try {
    return compact_text(read(values));
  } catch (const InputError&) {}
  try {
    return compact_text(read(row));
  } catch (const InputError& error) { return error.what(); }
}

// ---------------------------------------------------------------- models of runs

SweepPlan::Maker::Maker(const SweepPlan& plan) : plan_(plan), description_(plan.reference_description_) {
  forget_positions(description_);
  slots_ = parameters_of(description_);
  for (const Parameter& slot : slots_) defaults_.push_back(*slot.value);
}

/// False: a value is no parameter, or not within its limits.
bool SweepPlan::Maker::set_parameters(std::size_t run) {
  const std::vector<std::string>& values = plan_.items_.rows[run];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Path& path = plan_.paths_[i];
    if (path.parameters.empty() && values[i] != plan_.items_.rows[plan_.reference_run_][i]) return false;
    for (const std::size_t k : path.parameters) {
      const auto number = number_of(values[i], slots_[k]);
      if (!number) return false;
      *slots_[k].value = *number;
    }
  }
  return true;
}

SweepPlan::Maker::Made SweepPlan::Maker::make(std::size_t run) {
  for (std::size_t k = 0; k < slots_.size(); ++k) *slots_[k].value = defaults_[k];
  if (set_parameters(run)) {
    std::shared_ptr<const CompiledModel> model = compile(description_, plan_.reference_);
    if (same_structure(*model, *plan_.reference_)) return {std::move(model), plan_.source_};
  }
  std::shared_ptr<const CompiledModel> model = compile(plan_.read(plan_.items_.rows[run]));
  if (plan_.request_.keep == SweepKeep::channels) check_recorded_channels(model);
  auto source = std::make_shared<const KpiSource>(model, *plan_.kpis_);
  return {std::move(model), std::move(source)};
}

}  // namespace trunnion
