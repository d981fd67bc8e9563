// Machines built in code: equal to their files bit for bit, subject to the rules of files, and safe whatever is in the description.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "schema/table.h"
#include "support/built_machines.h"
#include "trunnion/trunnion.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

std::string source(const std::string& path) { return std::string(TRUNNION_SOURCE_DIR) + "/" + path; }

std::string state_after(const std::shared_ptr<const Model>& model, int steps) {
  Simulation simulation(model);
  for (int i = 0; i < steps; ++i) simulation.step();
  const auto bytes = simulation.state().bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void expect_equal(const Model& one, const Model& other) {
  EXPECT_EQ(one.fingerprint(), other.fingerprint());
  EXPECT_EQ(one.compact(), other.compact());  // holds every number, bit for bit
}

// ---------------------------------------------------------------- equal to a file

TEST(Build, MachinesInCodeHaveTheBitsOfTheirFiles) {
  for (const auto& [description, file] :
       {std::pair{test::lever(), "examples/lever.yaml"}, {test::pump_crane(), "tests/data/pump_crane.yaml"}}) {
    SCOPED_TRACE(file);
    const auto built = Model::build(description), loaded = Model::load(source(file));
    expect_equal(*built, *loaded);
    EXPECT_EQ(built->text(), loaded->text());
    EXPECT_EQ(state_after(built, 1000), state_after(loaded, 1000));
    Description other = description;
    std::get<RodShape>(other.bodies.find(other.bodies[0].first)->shapes[0]).mass += 1;
    EXPECT_NE(Model::build(other)->compact(), loaded->compact());
    EXPECT_NE(state_after(Model::build(other), 1000), state_after(loaded, 1000));
  }
}

TEST(Build, DescriptionsOfExamplesBuildAgainBitForBit) {
  const std::set<std::string> run{"lever", "crane_single", "four_bar", "excavator_quasistatic", "forwarder_crane"};
  int models = 0, compared = 0;
  for (const auto& entry : fs::directory_iterator(source("examples"))) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path());
    ++models;
    const auto loaded = Model::load(entry.path().string()), built = Model::build(loaded->description());
    expect_equal(*built, *loaded);
    EXPECT_EQ(to_yaml(built->description()), to_yaml(loaded->description()));
    expect_equal(*Model::from_text(to_yaml(loaded->description())), *loaded);
    if (!run.contains(entry.path().stem().string())) continue;
    ++compared;
    EXPECT_EQ(state_after(built, 20), state_after(loaded, 20));
  }
  EXPECT_GT(models, 15);
  EXPECT_EQ(compared, 5);
}

TEST(Build, LoadedModelsAreChangedAndBuiltAgain) {
  Description d = Model::load(source("examples/lever.yaml"))->description();
  d.cylinders.find("lift")->bore = 0.06;
  expect_equal(*Model::build(d), *Model::load(source("examples/lever.yaml"), {"cylinders.lift.bore=60 mm"}));
  d.cylinders.find("lift")->bore = -0.06;
  try {
    (void)Model::build(d);
    FAIL();
  } catch (const ModelError& error) {
    ASSERT_EQ(error.findings().size(), 1u) << error.what();
    const Finding& finding = error.findings()[0];
    EXPECT_EQ(finding.path, "cylinders.lift.bore");
    EXPECT_EQ(finding.file, "");
    EXPECT_EQ(finding.line, 0);
    EXPECT_EQ(finding.column, 0);
  }
}

TEST(Build, ACsvSignalWithPointsIsATable) {
  Description d = test::lever();
  const auto points = std::get<RampsSignal>(*d.signals.find("command")).points;
  *d.signals.find("command") = CsvSignal{.file = "nowhere.csv", .scale = 2, .points = points};
  const auto model = Model::build(d);
  const auto* table = std::get_if<TableSignal>(d.signals.find("command"));
  EXPECT_EQ(table, nullptr);
  table = std::get_if<TableSignal>(model->description().signals.find("command"));
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->points[1], (std::array<double, 2>{0.7, 20}));
  expect_equal(*Model::from_text(to_yaml(d)), *model);
}

// ---------------------------------------------------------------- misuse

struct Misuse {
  const char* path;
  const char* part;  // of the finding
  std::function<void(Description&)> make;
};

CylinderDescription& cylinder(Description& d) { return *d.cylinders.find("lift"); }
DirectionalValveDescription& valve(Description& d) { return std::get<DirectionalValveDescription>(*d.valves.find("valve")); }

const std::vector<Misuse> kMisuses{
    {"bodies.lever.rod.mass", "", [](Description& d) { d.bodies.find("lever")->shapes = {RodShape{.length = 2, .mass = kNan}}; }},
    {"bodies.lever.rod.length", "length greater than 0",
     [](Description& d) { d.bodies.find("lever")->shapes = {RodShape{.length = -2, .mass = 1}}; }},
    {"bodies.lever", "", [](Description& d) { d.bodies.find("lever")->shapes.clear(); }},
    {"gravity.1", "", [](Description& d) { d.gravity[1] = -kInf; }},
    {"bodies.", "cannot be a name", [](Description& d) { d.bodies.add("", *d.bodies.find("lever")); }},
    {"bodies.a b", "cannot be a name", [](Description& d) { d.bodies.add("a b", *d.bodies.find("lever")); }},
    {"bodies.lever", "repeated", [](Description& d) { d.bodies.add("lever", *d.bodies.find("lever")); }},
    {"joints.lever", "repeated", [](Description& d) { d.joints.add("lever", *d.joints.find("lever")); }},
    {"signals.command", "repeated", [](Description& d) { d.signals.add("command", *d.signals.find("command")); }},
    {"bodies.\\xff", "UTF-8", [](Description& d) { d.bodies.add("\xff", *d.bodies.find("lever")); }},
    {"title", "UTF-8", [](Description& d) { d.title = "\xff"; }},
    {"title", "control character", [](Description& d) { d.title = "a\x01z"; }},
    {"joints.lever", "one of", [](Description& d) { d.joints.find("lever")->kind = static_cast<JointKind>(77); }},
    {"joints.lever.revolute.parent", "did you mean", [](Description& d) { d.joints.find("lever")->parent = "grond"; }},
    {"joints.lever.revolute.parent", "empty", [](Description& d) { d.joints.find("lever")->parent = ""; }},
    {"joints.lever.revolute.axis", "no direction", [](Description& d) { d.joints.find("lever")->axis = {}; }},
    {"joints.lever.pair", "no start value",
     [](Description& d) {
       d.joints.find("lever")->pair = Vec2d{1, 2};
     }},
    {"cylinders.lift", "mutually exclusive", [](Description& d) { cylinder(d).area_A = 1e-3, cylinder(d).area_B = 1e-3; }},
    {"cylinders.lift.area_B", "cannot be combined", [](Description& d) { cylinder(d).area_B = 1e-3; }},
    {"cylinders.lift.rod", "missing", [](Description& d) { cylinder(d).rod.reset(); }},
    {"cylinders.lift", "missing key", [](Description& d) { cylinder(d).rod.reset(), cylinder(d).bore.reset(); }},
    {"cylinders.lift.chamber_length_A", "missing", [](Description& d) { cylinder(d).chamber_length_A.reset(); }},
    {"cylinders.lift.A", "did you mean", [](Description& d) { cylinder(d).A = "piston_sid"; }},
    {"cylinders.lift.friction.model", "one of", [](Description& d) { cylinder(d).friction.model = static_cast<FrictionKind>(-1); }},
    {"cylinders.lift.bulk_modulus", "", [](Description& d) { cylinder(d).bulk_modulus = kNan; }},
    {"valves.valve.directional_4_3.flow", "greater than 0", [](Description& d) { valve(d).flow = 0; }},
    {"valves.valve.signal", "", [](Description& d) { valve(d).signal = ""; }},
    {"valves.valve.signal", "did you mean", [](Description& d) { valve(d).signal = "comand"; }},
    {"valves.o.orifice", "mutually exclusive",
     [](Description& d) { d.valves.add("o", OrificeDescription{.A = "pump", .B = "tank", .diameter = 1e-3, .area = 1e-6}); }},
    {"valves.o.orifice.at_pressure_drop", "cannot be combined",
     [](Description& d) { d.valves.add("o", OrificeDescription{.A = "pump", .B = "tank", .diameter = 1e-3, .at_pressure_drop = 1e5}); }},
    {"valves.o.orifice.opening", "empty list",
     [](Description& d) {
       d.valves.add("o", OrificeDescription{.A = "pump", .B = "tank", .diameter = 1e-3, .signal = "command", .opening = {}});
     }},
    {"springs.s", "mutually exclusive",
     [](Description& d) {
       d.springs.add("s", {.joint = "lever", .between = {"ground", "lever"}, .stiffness = 1});
     }},
    {"forces.f.load", "cannot be combined", [](Description& d) { d.forces.add("f", {.body = "lever", .load = 3.0}); }},
    {"signals.command.ramps.1", "earlier",
     [](Description& d) {
       *d.signals.find("command") = RampsSignal{{{1, 0}, {0, 1}}};
     }},
    {"signals.command.ramps", "empty list", [](Description& d) { *d.signals.find("command") = RampsSignal{}; }},
    {"signals.command.ramps.0.1", "",
     [](Description& d) {
       *d.signals.find("command") = RampsSignal{{{0, kNan}}};
     }},
    {"signals.command.csv", "are not set", [](Description& d) { *d.signals.find("command") = CsvSignal{.file = "a.csv"}; }},
    {"signals.command.table.0.1", "",
     [](Description& d) {
       *d.signals.find("command") = CsvSignal{.file = "a.csv", .points = {{0, kNan}}};
     }},
    {"sources.pump.pressure", "", [](Description& d) { *d.sources.find("pump") = PressureSourceDescription{.pressure = std::string()}; }},
    {"solver.step", "greater than 0", [](Description& d) { d.solver.step = 0; }},
    {"solver.integrator", "one of", [](Description& d) { d.solver.integrator = static_cast<IntegratorKind>(99); }},
    {"solver.max_iterations", "", [](Description& d) { d.solver.max_iterations = -3; }},
    {"record.channels.0", "there is no channel", [](Description& d) { d.record.channels = {"lever.angel"}; }},
    {"trunnion", "", [](Description& d) { d.version = 2; }},
};

TEST(Build, EveryMisuseIsAFinding) {
  for (const Misuse& misuse : kMisuses) {
    SCOPED_TRACE(std::string(misuse.path) + " " + misuse.part);
    Description d = test::lever();
    misuse.make(d);
    try {
      (void)Model::build(d);
      ADD_FAILURE() << "accepted";
    } catch (const ModelError& error) {
      bool found = false;
      for (const Finding& finding : error.findings()) {
        found = found || (finding.path == misuse.path && finding.text().find(misuse.part) != std::string::npos);
        EXPECT_EQ(finding.file, "");
        EXPECT_EQ(finding.line, 0);
        EXPECT_EQ(finding.column, 0);
      }
      EXPECT_TRUE(found) << error.what();
    }
  }
}

TEST(Build, AllFindingsAreReportedTogether) {
  Description d = test::lever();
  d.solver.step = -1;
  d.cylinders.find("lift")->bore = kNan;
  d.joints.find("lever")->parent = "nobody";
  try {
    (void)Model::build(d);
    FAIL();
  } catch (const ModelError& error) { EXPECT_EQ(error.findings().size(), 3u) << error.what(); }
}

// ---------------------------------------------------------------- whatever is in the description

/// Calls `each` with every value of a description, one after the other, in its original form again after the call.
class EachValue : public Visitor {
 public:
  using Each = std::function<void(const std::string& what, bool must_fail)>;
  explicit EachValue(Each each) : each_(std::move(each)) {}
  int values = 0;

  void leaf(const Key& key, const Slot& slot) override {
    if (std::holds_alternative<Composed>(slot)) return;
    ++values;
    key_ = &key;
    std::visit([&](auto& value) { vary(value); }, slot);
  }
  void group(const Key&, const Group& group) override {
    if (group.present) group.describe(*this);
  }
  void section(const Key&, const Items& items, const char*) override {
    for (std::size_t i = 0; i < items.size(); ++i) items.describe(*this, i);
  }
  void list(const Key& key, const Items& items) override { section(key, items, nullptr); }
  void alternatives(const std::vector<Alternative>& alternatives, bool) override { describe_active(*this, alternatives); }

 private:
  template <class T>
  void with(T& value, const T& other, const char* what, bool must_fail = false) {
    const T before = value;
    value = other;
    each_(std::string(key_->name) + " " + what, must_fail);
    value = before;
  }
  void vary(double* x) {
    with(*x, kNan, "NaN", true);
    with(*x, -kInf, "-inf", true);
    with(*x, kInf, "inf", !key_->is(kInfinite));
    for (const double value : {-1.0, 0.0, 1e-320, 1e300}) with(*x, value, "number");
  }
  void vary(std::optional<double>* x) {
    if (*x) return vary(&**x);
    with(*x, std::optional<double>(kNan), "NaN", true);
    with(*x, std::optional<double>(-1), "-1");
  }
  void vary(int* x) {
    for (const int value : {-1, 0, std::numeric_limits<int>::min()}) with(*x, value, "whole number");
  }
  void vary(std::optional<int>* x) { with(*x, std::optional<int>(-1), "whole number"); }
  void vary(bool* x) { with(*x, !*x, "other"); }
  void vary(std::string* x) {
    for (const char* text : {"", "nothing of this name", "ground", "1e5", "\n", "auto", "null"}) with(*x, std::string(text), text);
    with(*x, std::string("\xff"), "UTF-8", true);
  }
  void vary(std::optional<std::string>* x) {
    with(*x, std::optional<std::string>(""), "empty");
    with(*x, std::optional<std::string>("nothing"), "nothing");
  }
  template <class T, std::size_t N>
  void vary(std::array<T, N>* x) {
    for (T& part : *x) vary(&part);
  }
  template <class T, std::size_t N>
  void vary(std::optional<std::array<T, N>>* x) {
    if (*x) vary(&**x);
  }
  template <class T>
  void vary(std::vector<T>* x) {
    with(*x, {}, "empty list");
    with(*x, std::vector<T>(1), "one element");
    for (std::size_t i = 0; i < std::min<std::size_t>(x->size(), 2); ++i) vary(&(*x)[i]);
  }
  void vary(const OverSignal& x) { vary(x.points); }
  void vary(const Outline& x) { vary(x.points); }
  void vary(NumberOrSignal* x) {
    for (const NumberOrSignal& value :
         {NumberOrSignal(-1.0), NumberOrSignal(0.0), NumberOrSignal(""), NumberOrSignal("nothing"), NumberOrSignal("5 bar")})
      with(*x, value, "number or signal");
    with(*x, NumberOrSignal(kNan), "NaN", true);
  }
  void vary(StartPressure* x) {
    with(*x, StartPressure{false, kNan}, "NaN", true);
    with(*x, StartPressure{false, -1}, "-1");
    with(*x, StartPressure{true, 0}, "equilibrium");
  }
  void vary(Automatic<double>* x) { vary(&x->value); }
  void vary(Automatic<Vec2d>* x) {
    with(*x, Automatic<Vec2d>{Vec2d{kNan, 1}}, "NaN", true);
    with(*x, Automatic<Vec2d>{Vec2d{-1, 0}}, "number");
  }
  void vary(const Axis& x) {
    vary(x.value);
    with(*x.value, Vec3d{}, "no direction", true);
  }
  void vary(const AxisPair& x) { vary(x.value); }
  void vary(const InertiaTensor& x) { vary(x.moments), vary(x.products); }
  void vary(const Choice& x) {
    const std::size_t before = x.get();
    for (std::size_t value = 0; value < x.words.size() + 2; ++value) {
      x.set(value);
      each_(std::string(key_->name) + " choice " + std::to_string(value), value >= x.words.size());
    }
    x.set(static_cast<std::size_t>(-1));
    each_(std::string(key_->name) + " choice -1", true);
    if (before < x.words.size()) x.set(before);
  }
  void vary(const Words& x) {
    for (bool* chosen : x.chosen) vary(chosen);
  }
  void vary(const Composed&) {}

  Each each_;
  const Key* key_ = nullptr;
};

/// Whether the description is accepted; what is refused has findings.
bool accepted(const Description& d) {
  (void)to_yaml(d);
  try {
    (void)Model::build(d);
    return true;
  } catch (const ModelError& error) {
    EXPECT_FALSE(error.findings().empty()) << error.what();
  } catch (const RunError&) {  // possible numbers for which there is no start
  }
  return false;
}

TEST(Build, NoValueCrashesAndNonFiniteNumbersAreFindings) {
  for (Description d : {test::lever(), test::pump_crane()}) {
    // unset optional choices cannot be restored by the visitor
    d.coupling.integrator = IntegratorKind::rk4;
    int refused = 0, fine = 0;
    EachValue visitor([&](const std::string& what, bool must_fail) {
      const bool good = accepted(d);
      ++(good ? fine : refused);
      EXPECT_FALSE(good && must_fail) << what;
    });
    describe(visitor, d);
    EXPECT_TRUE(accepted(d));
    EXPECT_GT(visitor.values, 100);
    EXPECT_GT(refused, 300);
    EXPECT_GT(fine, 100);
  }
}

template <class T>
void vary_list(const Description& d, NamedList<T> Description::*list) {
  for (std::size_t i = 0; i < (d.*list).size(); ++i) {
    Description without = d, twice = d, renamed = d, blank = d;
    (without.*list).erase((without.*list).begin() + static_cast<std::ptrdiff_t>(i));
    (void)accepted(without);
    (twice.*list).push_back((d.*list)[i]);
    EXPECT_FALSE(accepted(twice)) << (d.*list)[i].first;
    (renamed.*list)[i].first = "ground";
    (void)accepted(renamed);
    (blank.*list)[i].second = T{};
    (void)accepted(blank);
  }
  Description more = d;
  (more.*list).add("more");
  (void)accepted(more);
}

TEST(Build, NoStructureCrashes) {
  for (const Description& d : {test::lever(), test::pump_crane(), Model::load(source("examples/excavator.yaml"))->description(),
                               Model::load(source("examples/excavator_quasistatic.yaml"))->description()}) {
    vary_list(d, &Description::bodies);
    vary_list(d, &Description::joints);
    vary_list(d, &Description::loops);
    vary_list(d, &Description::motions);
    vary_list(d, &Description::couplings);
    vary_list(d, &Description::wheels);
    vary_list(d, &Description::blades);
    vary_list(d, &Description::springs);
    vary_list(d, &Description::forces);
    vary_list(d, &Description::signals);
    vary_list(d, &Description::inputs);
    vary_list(d, &Description::volumes);
    vary_list(d, &Description::sources);
    vary_list(d, &Description::valves);
    vary_list(d, &Description::pumps);
    vary_list(d, &Description::accumulators);
    vary_list(d, &Description::lines);
    vary_list(d, &Description::cylinders);
    vary_list(d, &Description::motors);
    vary_list(d, &Description::quasistatic);
  }
}

}  // namespace
}  // namespace trunnion
