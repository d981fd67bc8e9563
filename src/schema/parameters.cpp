// A visitor of the table that collects numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/parameters.h"

#include <cmath>
#include <cstddef>

#include "base/text.h"
#include "schema/table.h"

namespace trunnion {

namespace {

class ParameterList : public Visitor {
 public:
  std::vector<Parameter> found;

  void leaf(const Key& key, const Slot& slot) override {
    key_ = &key;
    std::visit([this](const auto& value) { add(value); }, slot);
  }
  void group(const Key& key, const Group& group) override {
    if (group.present) within(key.name, [&] { group.describe(*this); });
  }
  void section(const Key& key, const Items& items, const char*) override { list(key, items); }
  void list(const Key& key, const Items& items) override {
    within(key.name, [&] {
      for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string name = items.name(i);
        within(name.empty() ? std::to_string(i) : name, [&] { items.describe(*this, i); });
      }
    });
  }
  void alternatives(const std::vector<Alternative>& alternatives, bool) override { describe_active(*this, alternatives); }

 private:
  template <class F>
  void within(const std::string& name, F&& f) {
    if (name == "drawn" || (prefix_.empty() && (name == "solver" || name == "coupling" || name == "record"))) return;
    const std::size_t size = prefix_.size();
    prefix_ += name + ".";
    f();
    prefix_.resize(size);
  }
  void add_number(double* value, const std::string& suffix, bool limited = true, const char* unit = nullptr) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Parameter p{prefix_ + key_->name + suffix, unit != nullptr ? unit : key_->measure.unit, key_->doc, value};
    if (limited && (key_->is(kPositive) || key_->is(kNonNegative) || key_->is(kFraction) || key_->is(kBelowOne))) p.min = 0;
    if (limited && key_->is(kFraction)) p.max = 1;
    if (limited && key_->is(kBelowOne)) p.max = std::nextafter(1.0, 0.0);
    p.min_excluded = limited && key_->is(kPositive);
    if (*value == kInfinity && !key_->is(kInfinite)) return;
    found.push_back(std::move(p));
  }
  template <std::size_t N>
  void add(std::array<double, N>* value) {
    for (std::size_t i = 0; i < N; ++i) add_number(&(*value)[i], "." + std::to_string(i));
  }
  template <std::size_t N>
  void add(std::optional<std::array<double, N>>* value) {
    if (*value) add(&**value);
  }
  void add(double* value) { add_number(value, ""); }
  void add(std::optional<double>* value) {
    if (*value) add_number(&**value, "");
  }
  void add(std::array<Vec3d, 2>* value) {
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t k = 0; k < 3; ++k) add_number(&(*value)[i][k], "." + std::to_string(i) + "." + std::to_string(k));
  }
  void add(std::vector<double>* list, const std::string& row = "") {
    for (std::size_t i = 0; i < list->size(); ++i) add_number(&(*list)[i], row + "." + std::to_string(i));
  }
  void add(std::vector<std::vector<double>>* rows) {
    for (std::size_t i = 0; i < rows->size(); ++i) add(&(*rows)[i], "." + std::to_string(i));
  }
  void add(Points* points) {
    for (std::size_t i = 0; i < points->size(); ++i) {
      add_number(&(*points)[i][0], "." + std::to_string(i) + ".0", false, kTime.unit);
      add_number(&(*points)[i][1], "." + std::to_string(i) + ".1");
    }
  }
  void add(OverSignal over) {
    for (std::size_t i = 0; i < over.points->size(); ++i) add_number(&(*over.points)[i][1], "." + std::to_string(i) + ".1");
  }
  void add(NumberOrSignal* value) {
    if (double* number = std::get_if<double>(value)) add_number(number, "");
  }
  void add(StartPressure* value) {
    if (!value->equilibrium) add_number(&value->value, "");
  }
  void add(Automatic<double>* value) { add(&value->value); }
  void add(Automatic<Vec2d>* value) { add(&value->value); }
  void add(InertiaTensor tensor) {
    if (*tensor.products == Vec3d{}) return add(tensor.moments);
    for (std::size_t i = 0; i < 3; ++i) add_number(&(*tensor.moments)[i], std::string(".") + InertiaTensor::kMoments[i]);
    for (std::size_t i = 0; i < 3; ++i) add_number(&(*tensor.products)[i], std::string(".") + InertiaTensor::kProducts[i], false);
  }
  void add(const auto&) {}  // names, words, counts, switches, directions, outlines: structure or appearance

  std::string prefix_;
  const Key* key_ = nullptr;
};

}  // namespace

std::vector<double> values_of(Description description, const std::vector<std::string>& paths) {
  std::vector<double> values(paths.size(), std::numeric_limits<double>::quiet_NaN());
  for (const Parameter& parameter : parameters_of(description))
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (parameter.path == paths[i]) values[i] = *parameter.value;
  return values;
}

void set_values(Description& description, const std::vector<std::string>& paths, const std::vector<double>& values) {
  for (const Parameter& parameter : parameters_of(description))
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (parameter.path == paths[i]) *parameter.value = values[i];
}

bool fits_path(std::string_view pattern, std::string_view path) {
  while (true) {
    const std::size_t wanted = pattern.find('.'), name = path.find('.');
    if ((wanted == std::string_view::npos) != (name == std::string_view::npos)) return false;
    if (!matches_pattern(pattern.substr(0, wanted), path.substr(0, name))) return false;
    if (wanted == std::string_view::npos) return true;
    pattern.remove_prefix(wanted + 1);
    path.remove_prefix(name + 1);
  }
}

std::vector<Parameter> parameters_of(Description& description) {
  ParameterList list;
  describe(list, description);
  // the opening of an orifice without a signal is not used, and a changed one is refused
  for (auto& [name, valve] : description.valves)
    if (const auto* orifice = std::get_if<OrificeDescription>(&valve); orifice != nullptr && !orifice->signal)
      std::erase_if(list.found, [stem = "valves." + name + ".orifice."](const Parameter& parameter) {
        return parameter.path.starts_with(stem + "opening.") || parameter.path == stem + "time_constant" ||
               parameter.path == stem + "damping";
      });
  return std::move(list.found);
}

}  // namespace trunnion
