// Description -> tree -> YAML or JSON text.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/writer.h"

#include "schema/schema.h"

namespace trunnion {

namespace {

FileTree number(double value) { return FileTree::scalar(number_text(value)); }
FileTree name(const std::string& text) { return FileTree::scalar(text, true); }

template <class List, class F>
FileTree list(const List& values, F write) {
  FileTree tree = FileTree::list();
  for (const auto& value : values) tree.items.push_back(write(value));
  return tree;
}

FileTree vector(const Vec3d& v) { return list(v, number); }

struct ValueWriter {
  const Key& key;

  FileTree operator()(const double* x) const { return number(*x); }
  FileTree operator()(const std::optional<double>* x) const { return *x ? number(**x) : FileTree{}; }
  FileTree operator()(const int* x) const { return FileTree::scalar(std::to_string(*x)); }
  FileTree operator()(const std::optional<int>* x) const { return *x ? FileTree::scalar(std::to_string(**x)) : FileTree{}; }
  FileTree operator()(const bool* x) const { return FileTree::scalar(*x ? "true" : "false"); }
  FileTree operator()(const std::string* x) const { return x->empty() && !key.is(kRequired) ? FileTree{} : name(*x); }
  FileTree operator()(const std::optional<std::string>* x) const { return *x ? name(**x) : FileTree{}; }
  FileTree operator()(const Vec3d* x) const { return vector(*x); }
  FileTree operator()(const std::optional<Vec3d>* x) const { return *x ? vector(**x) : FileTree{}; }
  FileTree operator()(const std::array<Vec3d, 2>* x) const { return list(*x, vector); }
  FileTree operator()(const Vec2d* x) const { return list(*x, number); }
  FileTree operator()(const std::optional<Vec2d>* x) const { return *x ? list(**x, number) : FileTree{}; }
  FileTree operator()(const std::array<std::string, 2>* x) const { return list(*x, name); }
  FileTree operator()(const std::vector<std::string>* x) const { return list(*x, name); }
  FileTree operator()(const std::vector<double>* x) const { return x->empty() && !key.is(kRequired) ? FileTree{} : list(*x, number); }
  FileTree operator()(const std::vector<std::vector<double>>* x) const {
    return list(*x, [](const std::vector<double>& row) { return list(row, number); });
  }
  FileTree operator()(const Points* x) const {
    return list(*x, [](const std::array<double, 2>& p) { return list(p, number); });
  }
  FileTree operator()(const OverSignal& x) const { return x.points->empty() && x.optional ? FileTree{} : (*this)(x.points); }
  FileTree operator()(const Outline& x) const {
    return x.points->empty() ? FileTree{} : list(*x.points, [](const Vec2d& p) { return list(p, number); });
  }
  FileTree operator()(const NumberOrSignal* x) const {
    if (const auto* value = std::get_if<double>(x)) return number(*value);
    return (*this)(&std::get<std::string>(*x));
  }
  FileTree operator()(const StartPressure* x) const { return x->equilibrium ? name("equilibrium") : number(x->value); }
  FileTree operator()(const Automatic<double>* x) const { return x->value ? number(*x->value) : name("auto"); }
  FileTree operator()(const Automatic<Vec2d>* x) const { return x->value ? list(*x->value, number) : name("auto"); }
  FileTree operator()(const Axis& x) const { return vector(*x.value); }
  FileTree operator()(const AxisPair& x) const { return list(*x.value, vector); }
  FileTree operator()(const InertiaTensor& x) const {
    if (*x.products == Vec3d{}) return vector(*x.moments);
    FileTree tree = FileTree::map();
    for (std::size_t i = 0; i < 3; ++i) tree.add(InertiaTensor::kMoments[i], number((*x.moments)[i]));
    for (std::size_t i = 0; i < 3; ++i) tree.add(InertiaTensor::kProducts[i], number((*x.products)[i]));
    return tree;
  }
  FileTree operator()(const Words& x) const {
    std::vector<std::string> chosen;
    for (std::size_t k = 0; k < x.words.size(); ++k)
      if (*x.chosen[k]) chosen.emplace_back(x.words[k]);
    return list(chosen, name);
  }
  FileTree operator()(const Composed&) const { return {}; }
  FileTree operator()(const Choice& x) const {
    const std::size_t chosen = x.get();
    if (chosen > x.words.size()) return name("an unknown enumerator");  // which reading reports
    return chosen < x.words.size() ? name(x.words[chosen]) : FileTree{};
  }
};

class Writer : public Visitor {
 public:
  explicit Writer(FileTree& map) : map_(&map) {}

  void leaf(const Key& key, const Slot& slot) override {
    FileTree value = write_value(key, slot);
    if (value.kind != FileTree::Kind::null) map_->add(key.name, std::move(value));
  }
  void group(const Key& key, const Group& group) override {
    if (group.present) within(map_->add(key.name, FileTree::map()), group.describe);
  }
  void section(const Key& key, const Items& items, const char*) override {
    if (items.size() == 0) return;
    FileTree& section = map_->add(key.name, FileTree::map());
    for (std::size_t i = 0; i < items.size(); ++i)
      within(section.add(items.name(i), FileTree::map()), [&](Visitor& v) { items.describe(v, i); });
  }
  void list(const Key& key, const Items& items) override {
    if (items.size() == 0 && !key.is(kRequired)) return;
    FileTree& list = map_->add(key.name, FileTree::list());
    for (std::size_t i = 0; i < items.size(); ++i)
      within(list.items.emplace_back(FileTree::map()), [&](Visitor& v) { items.describe(v, i); });
  }
  /// All forms that are active: of an inconsistent description several, which reading reports.
  void alternatives(const std::vector<Alternative>& alternatives, bool) override {
    for (const Alternative& a : alternatives)
      if (a.active) a.describe(*this);
  }

 private:
  template <class F>
  void within(FileTree& map, F describe) {
    FileTree* outer = map_;
    map_ = &map;
    describe(*this);
    map_ = outer;
  }

  FileTree* map_;
};

/// Finds the measure of the value at a path.
class UnitFinder : public Visitor {
 public:
  explicit UnitFinder(std::string path) : path_(std::move(path) + ".") {}
  const std::string& unit() const { return unit_; }

  void leaf(const Key& key, const Slot&) override {
    if (path_.starts_with(prefix_ + key.name + ".")) unit_ = key.measure.unit;
  }
  void group(const Key& key, const Group& group) override {
    if (group.present) within(key.name, group.describe);
  }
  void section(const Key& key, const Items& items, const char* scalar_key) override {
    for (std::size_t i = 0; i < items.size(); ++i)
      within(std::string(key.name) + "." + items.name(i), [&](Visitor& v) {
        if (scalar_key != nullptr && path_ == prefix_) path_ += std::string(scalar_key) + ".";
        items.describe(v, i);
      });
  }
  void list(const Key& key, const Items& items) override {
    for (std::size_t i = 0; i < items.size(); ++i)
      within(std::string(key.name) + "." + std::to_string(i), [&](Visitor& v) { items.describe(v, i); });
  }
  void alternatives(const std::vector<Alternative>& alternatives, bool) override { describe_active(*this, alternatives); }

 private:
  template <class F>
  void within(const std::string& name, F describe) {
    const std::string outer = prefix_;
    prefix_ += name + ".";
    if (path_.starts_with(prefix_)) describe(*this);
    prefix_ = outer;
  }

  std::string path_, prefix_, unit_;  // each name followed by a dot
};

}  // namespace

std::string unit_at(const Description& description, const std::string& path) {
  Description copy = description;  // visitors may write; this one does not
  UnitFinder finder(path);
  describe(finder, copy);
  return finder.unit();
}

Description without_csv_files(Description description) {
  for (auto& [name, signal] : description.signals)
    if (const auto* csv = std::get_if<CsvSignal>(&signal); csv != nullptr && !csv->points.empty()) {
      TableSignal table{csv->points, csv->smooth};
      for (auto& point : table.points) point[1] *= csv->scale;
      signal = table;
    }
  return description;
}

FileTree write_value(const Key& key, const Slot& slot) { return std::visit(ValueWriter{key}, slot); }

FileTree write_tree(const Description& description) {
  Description copy = description;  // visitors may write; this one does not
  FileTree root = FileTree::map();
  Writer writer(root);
  describe(writer, copy);
  return root;
}

std::string write_model(const Description& description) { return yaml_text(write_tree(description)); }

std::string write_model_json(const Description& description) { return json_text(write_tree(description)) + "\n"; }

}  // namespace trunnion
