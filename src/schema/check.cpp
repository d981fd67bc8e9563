// Checks part 1: names and references, joint tree, inertias.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/check.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/expression.h"
#include "schema/name_index.h"
#include "schema/reader.h"
#include "schema/schema.h"
#include "schema/table.h"

namespace trunnion {

namespace {

/// Names in file order with fast look-up.
class KnownNames {
 public:
  /// `name` must outlive this object.
  void add(const std::string& name) {
    in_order_.push_back(&name);
    all_.insert(name);
  }
  void add_made(std::string name) { add(made_.emplace_back(std::move(name))); }
  template <class T>
  void add(const NamedList<T>& list) {
    in_order_.reserve(in_order_.size() + list.size());
    all_.reserve(all_.size() + list.size());
    for (const auto& item : list) add(item.first);
  }
  bool contains(const std::string& name) const { return all_.contains(name); }
  bool empty() const { return in_order_.empty(); }
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    names.reserve(in_order_.size());
    for (const std::string* name : in_order_) names.push_back(*name);
    return names;
  }

 private:
  std::vector<const std::string*> in_order_;
  std::unordered_set<std::string_view> all_;
  std::deque<std::string> made_;  // names that are not in the description
};

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return near.empty() ? "" : "did you mean `" + near + "`?";
}

/// `slider.position`, `slider.angle`: the named coordinates of a joint.
std::vector<std::string> coordinates_of(const std::string& joint, JointKind kind) {
  std::vector<std::string> names;
  for (const JointPartName& part : joint_parts(kind))
    if (part.kind != JointPartKind::spherical) names.push_back(joint + "." + part.position);
  return names;
}

/// Whether items have values that refer to other items.
class NameSearch : public Visitor {
 public:
  bool found = false;
  void leaf(const Key& key, const Slot&) override { found = found || key.names != Names::nothing; }
  void group(const Key&, const Group& group) override {
    if (!group.present) group.create();
    group.describe(*this);
  }
  void section(const Key&, const Items& items, const char*) override { items.describe_sample(*this); }
  void list(const Key&, const Items& items) override { items.describe_sample(*this); }
  void alternatives(const std::vector<Alternative>& alternatives, bool) override {
    for (const Alternative& a : alternatives) {
      a.activate();
      a.describe(*this);
    }
  }
};

/// Resolves every reference by name in a description.
class ReferenceCheck : public Visitor {
 public:
  ReferenceCheck(const Description& d, Findings& out) : d_(d), out_(out), joints_(d.joints), sources_(d.sources) {
    bodies_.add(d.bodies);
    bodies_.add_made("ground");
    volumes_.add(d.volumes);
    nodes_.add(d.volumes);
    for (const auto& [name, source] : d.sources)
      if (std::holds_alternative<PressureSourceDescription>(source)) nodes_.add(name);
    for (const auto& [name, joint] : d.joints) {
      if (find_coordinate(joint.kind, "") == 0) coordinates_.add(name);
      for (std::string& coordinate : coordinates_of(name, joint.kind)) coordinates_.add_made(std::move(coordinate));
    }
    for (KnownNames* names : {&signals_, &commands_, &quantities_}) {
      names->add(d.signals);
      names->add(d.inputs);
    }
    blocks_.add(d.control);
    commands_.add(d.control);
    quantities_.add(d.control);
    for (const std::string& name : block_outputs(d))
      for (KnownNames* names : {&blocks_, &commands_, &quantities_}) names->add_made(name);
    if (d.control.empty()) return;
    for (const auto& item : blocks_of_signals(d)) blocks_.add_made(std::string(item.first));
    for (const auto& item : d.volumes) quantities_.add_made(item.first + ".pressure");
    for (const auto& [name, source] : d.sources)
      if (std::holds_alternative<PressureSourceDescription>(source)) quantities_.add_made(name + ".pressure");
    for (const auto& item : d.cylinders)
      for (const char* quantity : {".length", ".rate"}) quantities_.add_made(item.first + quantity);
    for (const auto& item : d.motors)
      for (const char* quantity : {".angle", ".rate"}) quantities_.add_made(item.first + quantity);
    for (const auto& item : d.pumps)
      for (const char* quantity : {".angle", ".rate"})
        if (!item.second.joint.empty()) quantities_.add_made(item.first + quantity);
    for (std::string& name : coordinate_reading_names(d)) quantities_.add_made(std::move(name));
    for (std::string& name : marker_reading_names(d)) quantities_.add_made(std::move(name));
  }

  void leaf(const Key& key, const Slot& slot) override {
    if (key.names == Names::nothing) return;
    constexpr int kAlone = -1;
    if (key.names == Names::expression || key.names == Names::condition) return look_up_expression(key, **std::get_if<std::string*>(&slot));
    if (const auto* text = std::get_if<std::string*>(&slot)) look_up(key, **text, kAlone, key.is(kRequired));
    if (const auto* text = std::get_if<std::optional<std::string>*>(&slot); text != nullptr && **text) look_up(key, ***text, kAlone, true);
    if (const auto* pair = std::get_if<std::array<std::string, 2>*>(&slot))
      for (int i = 0; i < 2; ++i) look_up(key, (**pair)[static_cast<std::size_t>(i)], i, true);
    if (const auto* list = std::get_if<std::vector<std::string>*>(&slot))
      for (std::size_t i = 0; i < (*list)->size(); ++i) look_up(key, (**list)[i], static_cast<int>(i), true);
    if (const auto* value = std::get_if<NumberOrSignal*>(&slot))
      if (const auto* name = std::get_if<std::string>(*value); name != nullptr && (!name->empty() || key.is(kRequired)))
        look_up(key, *name, kAlone, true);
  }
  void group(const Key& key, const Group& group) override {
    if (group.present) within(key.name, [&] { group.describe(*this); });
  }
  void section(const Key& key, const Items& items, const char*) override {
    NameSearch search;
    items.describe_sample(search);
    if (!search.found) return;
    for (std::size_t i = 0; i < items.size(); ++i) within(key.name + ("." + items.name(i)), [&] { items.describe(*this, i); });
  }
  void list(const Key& key, const Items& items) override {
    for (std::size_t i = 0; i < items.size(); ++i) within(key.name + ("." + std::to_string(i)), [&] { items.describe(*this, i); });
  }
  void alternatives(const std::vector<Alternative>& alternatives, bool) override { describe_active(*this, alternatives); }

 private:
  template <class F>
  void within(const std::string& name, F visit) {
    const std::size_t outer = path_.size();
    path_ += name;
    path_ += '.';
    visit();
    path_.resize(outer);
  }

  /// Every name in an expression; wrong expressions are reported by check_control().
  void look_up_expression(const Key& key, const std::string& text) try {
    for (const std::string& name : parse_expression(text).names)
      if (key.names != Names::condition || name != kElapsed) look_up(key, name, -1, true);
  } catch (const ExpressionError&) {}

  /// `index`: in a list of names, or negative; `needed`: an empty name is an error.
  void look_up(const Key& key, const std::string& name, int index, bool needed) {
    const auto& [known, what] = targets(key.names);
    const bool block = key.names == Names::signal && blocks_.contains(name);
    if ((known->contains(name) && !block) || (name.empty() && !needed) || (block && can_be_followed(d_, name))) return;
    const std::string path = path_ + key.name + (index < 0 ? "" : "." + std::to_string(index));
    if (key.names == Names::coordinate)
      if (const auto* joint = joints_.find(split_coordinate(name).joint)) return not_a_coordinate(*joint, name, path);
    std::string hint = out_.size() < kListedFindings ? did_you_mean(name, known->list()) : "";
    if (key.names == Names::node && sources_.find(name) != nullptr) hint = "`" + name + "` is a flow source, which defines no pressure";
    if (block)
      hint = (signals_.contains(name) ? "" : "`" + name + "` is a control block, and ") +
             "a motion prescribes rate and acceleration, too: let it follow a `low_pass` with `frequency`, without `period`, that reads it";
    if (hint.empty() && key.names == Names::quantity && read_quantity(name).quantity)
      hint = "a constant has a name, too: `signals: {constant: " + name + "}`";
    if (hint.empty() && known->empty()) hint = std::string("the model has none");
    add_finding(d_, out_, path,
                block && signals_.contains(name) ? "the signal `" + name + "` contains the value of a control block"
                                                 : "`" + name + "` is not the name of " + std::string(what),
                "", hint);
  }

  /// The joint exists, but `name` is not one of its angles or displacements.
  void not_a_coordinate(const JointDescription& joint, const std::string& name, const std::string& path) {
    const auto& [joint_name, part] = split_coordinate(name);
    const std::vector<std::string> known = coordinates_of(joint_name, joint.kind);
    const std::vector<JointPartName>& parts = joint_parts(joint.kind);
    std::string expected = known.size() > 1 ? "one of " : "";
    for (const std::string& coordinate : known) expected += (&coordinate == &known.front() ? "`" : ", `") + coordinate + "`";
    const bool spherical = !parts.empty() && parts.back().kind == JointPartKind::spherical;
    if (parts.empty())
      add_finding(d_, out_, path, "the joint `" + joint_name + "` is fixed and has no coordinate", "a joint that moves");
    else if (part.empty() && !known.empty())
      add_finding(d_, out_, path, "the joint `" + joint_name + "` has several coordinates", expected);
    else if (spherical && (known.empty() || part.starts_with("q")))
      add_finding(d_, out_, path, "`" + name + "` is the rotation of a spherical joint: a quaternion, not a coordinate", expected,
                  "use springs between points or torques on the body");
    else
      add_finding(d_, out_, path, "the joint `" + joint_name + "` has no coordinate `" + part + "`", expected, did_you_mean(name, known));
  }

  std::pair<const KnownNames*, const char*> targets(Names names) const {
    switch (names) {
      case Names::body:
        return {&bodies_, "a body"};
      case Names::coordinate:
        return {&coordinates_, "a joint coordinate"};
      case Names::node:
        return {&nodes_, "a volume or a pressure source"};
      case Names::volume:
        return {&volumes_, "a volume"};
      case Names::command:
        return {&commands_, "a signal, an input or a control block"};
      case Names::quantity:
      case Names::expression:
      case Names::condition:
        return {&quantities_, "a signal, an input, a control block, or a quantity that blocks can read"};
      default:
        return {&signals_, "a signal or an input"};
    }
  }

  const Description& d_;
  Findings& out_;
  NameIndex<JointDescription> joints_;
  NameIndex<SourceDescription> sources_;
  std::string path_;
  KnownNames bodies_, volumes_, nodes_, coordinates_, signals_, blocks_, commands_, quantities_;
};

// The parent of every joint by name, and the joints known to be in no cycle, or in one already found.
struct Parents {
  std::unordered_map<std::string_view, std::string_view> of;
  std::unordered_set<std::string_view> settled;
};

// The bodies of the cycle through `start`; empty if its chain of parents does not return to it.
std::vector<std::string_view> cycle_from(Parents& parents, std::string_view start) {
  std::vector<std::string_view> chain{start};
  while (chain.size() <= parents.of.size()) {
    const auto parent = parents.of.find(chain.back());
    if (parent == parents.of.end() || parents.settled.contains(chain.back())) {
      parents.settled.insert(chain.begin(), chain.end());
      return {};
    }
    if (parent->second == start) {
      parents.settled.insert(chain.begin(), chain.end());
      return chain;
    }
    chain.push_back(parent->second);
  }
  return {};
}

// J is an inertia tensor if and only if (tr J / 2) 1 - J, the second moment of mass, is positive semidefinite: all principal
// minors are non-negative. `kInertiaTolerance` allows for values rounded in the file.
bool is_possible_inertia(const InertiaShape& s) {
  constexpr double kInertiaTolerance = 1e-9;
  const auto& [jx, jy, jz] = s.moments;
  const auto& [xy, xz, yz] = s.products;
  const double half = (jx + jy + jz) / 2, scale = std::max(half, std::max({std::abs(xy), std::abs(xz), std::abs(yz)}));
  if (!(scale > 0)) return true;
  const double a = (half - jx) / scale, b = (half - jy) / scale, c = (half - jz) / scale;
  const double d = -xy / scale, e = -xz / scale, f = -yz / scale;
  const double minor2 = std::min({a * b - d * d, a * c - e * e, b * c - f * f});
  const double minor3 = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
  return std::min({a, b, c, minor2, minor3}) >= -kInertiaTolerance;
}

// Twice the area of a triangle, positive if c is to the left of a-b.
double turn(const Vec2d& a, const Vec2d& b, const Vec2d& c) { return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]); }

bool is_on_edge(const Vec2d& p, const Vec2d& a, const Vec2d& b) {
  return turn(a, b, p) == 0 && std::min(a[0], b[0]) <= p[0] && p[0] <= std::max(a[0], b[0]) && std::min(a[1], b[1]) <= p[1] &&
         p[1] <= std::max(a[1], b[1]);
}

bool edges_meet(const Vec2d& a, const Vec2d& b, const Vec2d& c, const Vec2d& d) {
  if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) return true;
  return is_on_edge(a, c, d) || is_on_edge(b, c, d) || is_on_edge(c, a, b) || is_on_edge(d, a, b);
}

// Why the corners are not a valid outline; empty: they are.
std::string wrong_with(const std::vector<Vec2d>& corners) {
  const std::size_t n = corners.size();
  if (n < 3) return "found " + std::to_string(n) + " corners";
  const auto at = [&](std::size_t i) -> const Vec2d& { return corners[i % n]; };
  const auto number = [](std::size_t i) { return std::to_string(i); };
  for (std::size_t i = 0; i < n; ++i)
    if (is_on_edge(at(i), at(i + 1), at(i + 2)) || is_on_edge(at(i + 2), at(i), at(i + 1)))
      return "the outline turns back on itself at corner " + number((i + 1) % n) + " (counted from 0)";
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 2; j < n && (j + 1) % n != i; ++j)
      if (edges_meet(at(i), at(i + 1), at(j), at(j + 1)))
        return "the outline intersects itself: the edge from corner " + number(i) + " meets the one from corner " + number(j) +
               " (counted from 0)";
  return "";
}

/// Start values of other kinds of joints.
void check_start_values(const Description& d, Findings& out, const std::string& name, const JointDescription& joint) {
  using enum JointKind;
  const auto only = [&](bool set, const char* member, std::initializer_list<JointKind> kinds) {
    if (set && std::find(kinds.begin(), kinds.end(), joint.kind) == kinds.end())
      add_finding(d, out, "joints." + name + "." + member, std::string("a joint of this kind has no start value `") + member + "`");
  };
  only(joint.coordinate.has_value(), "coordinate", {revolute, prismatic, cylindrical, planar, point_on_line});
  only(joint.rate.has_value(), "rate", {revolute, prismatic, cylindrical, planar, point_on_line});
  only(joint.displacement.has_value(), "displacement", {cylindrical});
  only(joint.speed.has_value(), "speed", {cylindrical});
  only(joint.pair.has_value(), "pair", {universal, planar});
  only(joint.pair_rate.has_value(), "pair_rate", {universal, planar});
  only(joint.position.has_value(), "position", {free});
  only(joint.velocity.has_value(), "velocity", {free});
  only(joint.rotation.has_value(), "rotation", {spherical, point_on_line, free});
  only(joint.angular_velocity.has_value(), "angular_velocity", {spherical, point_on_line, free});
}

}  // namespace

std::string full_coordinate_name(const NameIndex<JointDescription>& joints, const std::string& name) {
  const auto& [joint_name, part] = split_coordinate(name);
  const JointDescription* joint = joints.find(joint_name);
  const int index = joint == nullptr ? -1 : find_coordinate(joint->kind, part);
  return index < 0 ? name : joint_name + "." + joint_parts(joint->kind)[static_cast<std::size_t>(index)].position;
}

void add_finding(const Description& d, Findings& out, const std::string& path, const std::string& found, const std::string& expected,
                 const std::string& hint) {
  out.push_back({span_of(d, path), path, found, expected, hint});
}

Findings check(const Description& d, const std::map<std::string, Dimension>& dimensions) {
  Findings out;
  if (d.version != 1) add_finding(d, out, "trunnion", "found version " + std::to_string(d.version), "1, the version this program reads");
  check_names(d, out);
  check_references(d, out);
  check_tree(d, out);
  check_joints(d, out);
  check_contacts(d, out);
  check_looks(d, out);
  check_dimensions(d, dimensions, out);
  check_values(d, out);
  check_solver(d, out);
  check_coupling(d, out);
  return out;
}

void check_values(const Description& d, Findings& out) {
  check_inertias(d, out);
  check_signals(d, out);
  check_hydraulics(d, out);
  check_power(d, out);
  check_control(d, out);
}

[[gnu::cold]] void check_names(const Description& d, Findings& out) {
  std::unordered_map<std::string_view, std::string> owner{{"ground", ""}};  // name -> section
  const auto claim = [&](const std::string& section, const auto& list) {
    owner.reserve(owner.size() + list.size());
    for (const auto& item : list) {
      const std::string& name = item.first;
      const auto [it, fresh] = owner.emplace(name, section);
      if (!is_item_name(name)) add_finding(d, out, section + "." + name, "`" + name + "` cannot be a name", "letters, digits, `_` and `-`");
      if (fresh) continue;
      if (it->second.empty())
        add_finding(d, out, section + "." + name, "the name `ground` is reserved for the world", "another name");
      else
        add_finding(d, out, section + "." + name, "the name `" + name + "` is already used in `" + it->second + "`",
                    "different names, as both name result channels");
    }
  };
  claim("bodies", d.bodies);
  claim("volumes", d.volumes);
  claim("sources", d.sources);
  claim("valves", d.valves);
  claim("pumps", d.pumps);
  claim("accumulators", d.accumulators);
  claim("lines", d.lines);
  claim("cylinders", d.cylinders);
  claim("motors", d.motors);
  claim("quasistatic", d.quasistatic);
  claim("control", d.control);
  const auto no_number = [&](const std::string& section, const std::string& what, const auto& list) {
    for (const auto& item : list)
      if (item.first.find_first_of("0123456789-") == 0)
        add_finding(d, out, section + "." + item.first, "the name of " + what + " cannot begin with a digit or `-`",
                    "a name that does not look like a number");
  };
  no_number("signals", "a signal", d.signals);
  no_number("inputs", "an input", d.inputs);
  no_number("control", "a control block", d.control);
  for (const std::string& name : block_outputs(d))
    if (marker_reading(d, name))
      add_finding(d, out, "control." + split_coordinate(name).joint, "`" + name + "` is a command of this block and a quantity of a marker",
                  "another name for one of the two");
  const NameIndex<SignalDescription> signals(d.signals);
  for (const auto& [name, input] : d.inputs) {
    if (!is_item_name(name)) add_finding(d, out, "inputs." + name, "`" + name + "` cannot be a name", "letters, digits, `_` and `-`");
    if (signals.find(name) != nullptr)
      add_finding(d, out, "inputs." + name, "the name `" + name + "` is already used in `signals`",
                  "different names, as both name signals");
  }
  const NameIndex<InputDescription> inputs(d.inputs);
  for (const auto& item : d.control)
    if (const bool signal = signals.find(item.first) != nullptr; signal || inputs.find(item.first) != nullptr)
      add_finding(d, out, "control." + item.first,
                  "the name `" + item.first + "` is already used in `" + (signal ? "signals" : "inputs") + "`",
                  "different names, as both name signals");
}

void check_references(const Description& d, Findings& out) {
  ReferenceCheck visitor(d, out);
  describe(visitor, const_cast<Description&>(d));  // visitors may write; this one does not
}

void check_tree(const Description& d, Findings& out) {
  KnownNames bodies, joints;
  bodies.add(d.bodies);
  joints.add(d.joints);
  for (const auto& [body, description] : d.bodies)
    if (!joints.contains(body))
      add_finding(d, out, "bodies." + body, "the body has no joint", "a joint of the same name in `joints`",
                  "for a free body: joints: {" + body + ": {free: {parent: ground}}}");
  for (const auto& [joint, description] : d.joints)
    if (!bodies.contains(joint))
      add_finding(d, out, "joints." + joint, "there is no body `" + joint + "`, and a joint is named after its child body", "",
                  out.size() < kListedFindings ? did_you_mean(joint, bodies.list()) : "");
  Parents parents;
  for (const auto& [name, joint] : d.joints) parents.of.emplace(name, joint.parent);
  for (const auto& [joint, description] : d.joints) {
    const std::vector<std::string_view> cycle = cycle_from(parents, joint);
    if (cycle.empty()) continue;
    std::string text;
    for (const std::string_view name : cycle) text += std::string(name) + " -> ";
    add_finding(d, out, "joints." + joint, "the joints form a cycle: " + text + joint, "a tree rooted at `ground`",
                "close the loop with an entry in `loops`");
  }
}

void check_joints(const Description& d, Findings& out) {
  constexpr double kRightAngle = 1e-9;  // [rad]
  for (const auto& [name, joint] : d.joints) {
    const auto& [a, b] = joint.axes;
    if (joint.kind == JointKind::universal && std::abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) > kRightAngle)
      add_finding(d, out, "joints." + name + ".universal.axes", "the two axes are not perpendicular", "perpendicular axes, such as [x, y]");
  }
  const NameIndex<JointDescription> joints(d.joints);
  for (const auto& [name, coupling] : d.couplings)
    if (full_coordinate_name(joints, coupling.joints[0]) == full_coordinate_name(joints, coupling.joints[1]))
      add_finding(d, out, "couplings." + name + ".joints", "the coordinate `" + coupling.joints[0] + "` is coupled to itself",
                  "two coordinates");
}

void check_unused_values(const Description& d, Findings& out) {
  for (const auto& [name, joint] : d.joints) check_start_values(d, out, name, joint);
  for (const auto& [name, loop] : d.loops)
    if (loop.distance && loop.kind != LoopKind::distance)
      add_finding(d, out, "loops." + name + ".distance", "only a distance constraint has a distance");
}

void check_contacts(const Description& d, Findings& out) {
  for (const auto& [name, loop] : d.loops)
    if (loop.between[0] == loop.between[1] && !loop.between[0].empty())
      add_finding(d, out, "loops." + name, "both points are on `" + loop.between[0] + "`", "two different bodies");
  for (const auto& [name, wheel] : d.wheels)
    if (wheel.body == wheel.plane && !wheel.body.empty())
      add_finding(d, out, "wheels." + name + ".plane.body", "the wheel and its plane are both on `" + wheel.body + "`",
                  "two different bodies");
  for (const auto& [name, blade] : d.blades)
    if (blade.body == blade.on && !blade.body.empty())
      add_finding(d, out, "blades." + name + ".on", "the blade and its reference are both on `" + blade.body + "`", "two different bodies");
}

void check_inertias(const Description& d, Findings& out) {
  for (const auto& [name, body] : d.bodies) {
    if (body.shapes.empty()) add_finding(d, out, "bodies." + name, "the body has no shape");
    for (std::size_t i = 0; i < body.shapes.size(); ++i) {
      const auto* shape = std::get_if<InertiaShape>(&body.shapes[i]);
      if (shape == nullptr || is_possible_inertia(*shape)) continue;
      const std::string path = "bodies." + name + (body.shapes.size() > 1 ? ".shapes." + std::to_string(i) : "") + ".inertia";
      add_finding(d, out, path, "no mass distribution has this inertia", "moments of which each is at most the sum of the other two");
    }
  }
}

void check_looks(const Description& d, Findings& out) {
  const auto check_drawn = [&](const std::vector<LookDescription>& drawn, const std::string& owner) {
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const auto* plate = std::get_if<PlateLook>(&drawn[i]);
      const std::string wrong = plate == nullptr ? "" : wrong_with(plate->outline);
      if (!wrong.empty())
        add_finding(d, out, owner + ".drawn." + std::to_string(i) + ".plate.outline", wrong,
                    "three or more corners in order around the plate");
    }
  };
  check_drawn(d.ground.drawn, "ground");
  for (const auto& [name, body] : d.bodies) check_drawn(body.drawn, "bodies." + name);
}

std::vector<Diagnostic> check_description(const Description& description) { return check(description, {}); }

std::vector<Diagnostic> check_parameters(const Description& description) {
  Findings out;
  check_values(description, out);
  return out;
}

}  // namespace trunnion
