// URDF -> tree of a model file. Both describe a tree of joints with the child frame in the joint; URDF gives the inertia tensor in
// separate axes:   J = R J_urdf R^T,  R = Rz(yaw) Ry(pitch) Rx(roll)
// Source: URDF specification, wiki.ros.org/urdf/XML.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/urdf.h"

#include <tinyxml2.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/diagnostic.h"
#include "base/text.h"
#include "base/units.h"
#include "description/description.h"
#include "file/input.h"
#include "file/mesh_file.h"
#include "schema/reader.h"
#include "schema/tree.h"

namespace trunnion {

namespace {

using tinyxml2::XMLElement;

struct Pose {
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero(), rpy = Eigen::Vector3d::Zero();
};

FileTree number(double value) { return FileTree::scalar(number_text(value)); }

Eigen::Matrix3d rotation_of(const Eigen::Vector3d& rpy) {
  return (Eigen::AngleAxisd(rpy[2], Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(rpy[1], Eigen::Vector3d::UnitY()) *
          Eigen::AngleAxisd(rpy[0], Eigen::Vector3d::UnitX()))
      .toRotationMatrix();
}

FileTree number_list(const Eigen::Vector3d& v) {
  FileTree list = FileTree::list();
  for (const double x : v) list.items.push_back(number(x));
  return list;
}

class Importer {
 public:
  Importer(std::string file, bool floating) : file_(std::move(file)), floating_(floating) {}

  ImportedModel read(const std::string& text) {
    check_text(text, file_);
    tinyxml2::XMLDocument document;
    if (document.Parse(text.c_str(), text.size()) != tinyxml2::XML_SUCCESS) {
      findings_.push_back({{file_, document.ErrorLineNum(), 0}, "", "this is not valid XML: " + std::string(document.ErrorName()), "", ""});
      throw InputError(findings_);
    }
    const XMLElement* robot = document.RootElement();
    if (robot == nullptr || std::string(robot->Name()) != "robot") {
      report(robot, "", "the outermost element is not <robot>", "a URDF file");
      throw InputError(findings_);
    }
    for (const XMLElement* e = robot->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const std::string kind = e->Name();
      if (kind.starts_with("xacro:")) {
        report(e, "", "this file contains xacro macros", "plain URDF", "expand it: xacro FILE.xacro > FILE.urdf");
        throw InputError(findings_);
      }
      if (kind == "link")
        add_link(*e);
      else if (kind == "joint")
        joints_.push_back(e);
      else
        ++others_[kind];
    }
    find_root();
    if (!findings_.empty()) throw InputError(findings_);
    for (const XMLElement* joint : joints_) add_joint(*joint);
    for (const auto& [joint, mimic] : mimics_)
      if (const double start = start_of(joint); start != 0) model_joints_.find(mimic.child)->value.add(mimic.key, number(start));
    if (!findings_.empty()) throw InputError(findings_);
    return finished(robot->Attribute("name"));
  }

 private:
  struct Link {
    std::string name;  // in the model
    FileTree body;
    int line;
    bool has_mass;
    const XMLElement* joint = nullptr;  // of which it is the child
  };
  /// A joint that follows another: coordinate = ratio times that of the leader + offset.
  struct Mimic {
    std::string child, leader;  // body in the model, joint in the file
    const char* key;            // of the start value
    double ratio, offset;
  };

  void report(const XMLElement* at, const std::string& path, const std::string& found, const std::string& expected = "",
              const std::string& hint = "") {
    findings_.push_back({{file_, at != nullptr ? at->GetLineNum() : 1, 0}, path, found, expected, hint});
  }

  std::string attribute(const XMLElement& e, const char* name, const std::string& path) {
    const char* text = e.Attribute(name);
    if (text == nullptr || *text == '\0') report(&e, path, "<" + std::string(e.Name()) + "> has no `" + name + "`");
    return text != nullptr ? text : "";
  }

  /// The name of a link or joint. It is used in comments and messages, so line breaks are refused.
  std::string name_of(const XMLElement& e) {
    std::string name = attribute(e, "name", "");
    if (printable(name) != name)
      report(&e, "", "the name `" + name + "` of <" + std::string(e.Name()) + "> has a line break or another control character",
             "a name on one line");
    if (name.size() > kLongestName)
      report(&e, "", "the name `" + name + "` of <" + std::string(e.Name()) + "> is too long", "at most 255 bytes");
    return name;
  }

  template <std::size_t count>
  std::array<double, count> values(const XMLElement& e, const char* name, const std::string& path, std::array<double, count> otherwise) {
    const char* text = e.Attribute(name);
    if (text == nullptr) return otherwise;
    std::istringstream words(text);
    std::vector<double> read;
    bool good = true;
    for (std::string word; words >> word;) {
      const QuantityText q = read_quantity(word);
      good = good && q.quantity && !q.quantity->has_unit;
      read.push_back(q.quantity ? q.quantity->value : 0);
    }
    std::array<double, count> out = otherwise;
    if (good && read.size() == count)
      std::copy(read.begin(), read.end(), out.begin());
    else
      report(&e, path, "found " + std::string(name) + "=\"" + text + "\"", count == 1 ? "a number" : std::to_string(count) + " numbers");
    return out;
  }
  double value(const XMLElement& e, const char* name, const std::string& path, double otherwise) {
    return values<1>(e, name, path, {otherwise})[0];
  }
  Eigen::Vector3d vector(const XMLElement& e, const char* name, const std::string& path, const Eigen::Vector3d& otherwise) {
    const auto v = values<3>(e, name, path, {otherwise[0], otherwise[1], otherwise[2]});
    return {v[0], v[1], v[2]};
  }
  Pose origin(const XMLElement& e, const std::string& path) {
    Pose pose;
    if (const XMLElement* o = e.FirstChildElement("origin")) {
      pose.xyz = vector(*o, "xyz", path, pose.xyz);
      pose.rpy = vector(*o, "rpy", path, pose.rpy);
    }
    return pose;
  }

  /// A unique name that a model file allows.
  std::string model_name(const std::string& name) {
    std::string out = name;
    for (char& c : out)
      if (!is_item_name({c})) c = '_';
    if (out.empty() || out == "ground") out += "_link";
    while (!names_.insert(out).second) out += "_";
    if (out != name) out_.changed.push_back("link `" + name + "` is body `" + out + "`");
    return out;
  }

  // Records child elements that are not read.
  void note_others(const XMLElement& e, const std::set<std::string>& known, const std::string& owner) {
    std::map<std::string, int> found;
    for (const XMLElement* c = e.FirstChildElement(); c != nullptr; c = c->NextSiblingElement())
      if (!known.contains(c->Name())) ++found[c->Name()];
    for (const auto& [kind, count] : found) {
      if (kind == "visual" || kind == "collision")
        shapes_[kind] += count;
      else
        out_.left_out.push_back("<" + kind + "> of " + owner);
    }
  }

  void add_link(const XMLElement& e) {
    const std::string name = name_of(e);
    if (name.empty()) return;
    if (links_.contains(name)) return report(&e, name, "duplicate link `" + name + "`", "unique names");
    note_others(e, {"inertial", "visual"}, "link `" + name + "`");
    Link link{name, FileTree::map(), e.GetLineNum(), false};
    if (const XMLElement* inertial = e.FirstChildElement("inertial")) {
      const Pose pose = origin(*inertial, name);
      const XMLElement *mass = inertial->FirstChildElement("mass"), *inertia = inertial->FirstChildElement("inertia");
      if (mass == nullptr) report(inertial, name, "<inertial> has no <mass>");
      const double m = mass != nullptr ? value(*mass, "value", name, 0) : 0;
      Eigen::Matrix3d j = Eigen::Matrix3d::Zero();
      if (inertia != nullptr) {
        const auto entry = [&](const char* key) { return value(*inertia, key, name, 0); };
        const double xy = entry("ixy"), xz = entry("ixz"), yz = entry("iyz");
        j << entry("ixx"), xy, xz, xy, entry("iyy"), yz, xz, yz, entry("izz");
      }
      const Eigen::Matrix3d r = rotation_of(pose.rpy);
      if (!pose.rpy.isZero(0)) j = (r * j * r.transpose()).eval();
      link.has_mass = m > 0;
      link.body.add("mass", number(m));
      link.body.add("center_of_mass", number_list(pose.xyz));
      FileTree tensor = FileTree::map();
      const char* keys[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
      const double entries[] = {j(0, 0), j(1, 1), j(2, 2), j(0, 1), j(0, 2), j(1, 2)};
      for (int k = 0; k < 6; ++k) tensor.add(keys[k], number(entries[k]));
      link.body.add("inertia", std::move(tensor));
    } else {
      link.body.add("mass", number(0));
      link.body.add("inertia", number_list(Eigen::Vector3d::Zero()));
    }
    FileTree drawn = FileTree::list();
    for (const XMLElement* visual = e.FirstChildElement("visual"); visual != nullptr; visual = visual->NextSiblingElement("visual"))
      add_visual(*visual, name, drawn);
    if (!drawn.items.empty()) link.body.add("drawn", std::move(drawn));
    links_.emplace(name, std::move(link));
    order_.push_back(name);
  }

  /// What reports draw of a link.
  void add_visual(const XMLElement& e, const std::string& link, FileTree& drawn) {
    const XMLElement* geometry = e.FirstChildElement("geometry");
    const XMLElement* form = geometry != nullptr ? geometry->FirstChildElement() : nullptr;
    const std::string kind = form != nullptr ? form->Name() : "";
    const auto left_out = [&](const std::string& why) { out_.left_out.push_back("a <visual> of link `" + link + "`" + why); };
    if (kind != "box" && kind != "cylinder" && kind != "sphere" && kind != "mesh") return left_out("");
    const Pose pose = origin(e, link);
    FileTree look = FileTree::map(), &inner = look.add(kind, FileTree::map());
    if (kind == "mesh") {
      const std::string written = attribute(*form, "filename", link), file = is_mesh_file(written) ? mesh_path(written) : "";
      if (written.empty()) return;
      if (file.empty())
        return left_out(": the mesh `" + printable(written) + "`, " +
                        (is_mesh_file(written) ? "a file that was not found" : "of a format other than STL and OBJ"));
      inner.add("file", FileTree::scalar(file, true));
      if (form->Attribute("scale") != nullptr) inner.add("scale", number_list(vector(*form, "scale", link, Eigen::Vector3d::Ones())));
    }
    if (kind == "box") inner.add("size", number_list(vector(*form, "size", link, Eigen::Vector3d::Zero())));
    if (kind == "cylinder") {
      inner.add("length", number(value(*form, "length", link, 0)));
      inner.add("axis", number_list(rotation_of(pose.rpy).col(2)));
    }
    if (kind == "cylinder" || kind == "sphere") inner.add("radius", number(value(*form, "radius", link, 0)));
    inner.add("at", number_list(pose.xyz));
    if ((kind == "box" || kind == "mesh") && !pose.rpy.isZero(0)) inner.add("orientation", number_list(pose.rpy));
    drawn.items.push_back(std::move(look));
  }
  /// Absolute path of a mesh: beside the robot's file, or of `package://NAME/...` in a folder NAME beside it or above; empty: there is none.
  std::string mesh_path(const std::string& written) const {
    namespace fs = std::filesystem;
    constexpr std::string_view kPackage = "package://", kFile = "file://";
    std::error_code error;
    const fs::path folder = fs::absolute(fs::path(file_), error).parent_path();
    const auto found = [&](const fs::path& path) {
      return fs::is_regular_file(path, error) ? path.lexically_normal().string() : std::string();
    };
    if (written.starts_with(kFile)) return found(written.substr(kFile.size()));
    if (!written.starts_with(kPackage)) return found(folder / written);
    const std::string rest = written.substr(kPackage.size());
    for (fs::path above = folder;; above = above.parent_path()) {
      if (std::string path = found(above / rest); !path.empty()) return path;
      if (above == above.root_path()) return "";
    }
  }

  Link* link_of(const XMLElement& joint, const char* which, const std::string& path) {
    const XMLElement* e = joint.FirstChildElement(which);
    if (e == nullptr) return report(&joint, path, "the joint has no <" + std::string(which) + ">"), nullptr;
    const std::string name = attribute(*e, "link", path);
    if (const auto it = links_.find(name); it != links_.end()) return &it->second;
    const std::string near = nearest_name(name, order_);
    if (!name.empty()) report(e, path, "there is no link `" + name + "`", "", near.empty() ? "" : "did you mean `" + near + "`?");
    return nullptr;
  }

  void find_root() {
    for (const XMLElement* joint : joints_) {
      const std::string name = name_of(*joint);
      Link* child = link_of(*joint, "child", name);
      (void)link_of(*joint, "parent", name);
      if (child == nullptr) continue;
      if (child->joint != nullptr)
        report(joint, name, "the link is already the child of another joint, in line " + std::to_string(child->joint->GetLineNum()),
               "one parent joint per link");
      child->joint = joint;
    }
    std::vector<std::string> roots;
    for (const std::string& name : order_)
      if (links_.at(name).joint == nullptr) roots.push_back(name);
    if (roots.size() != 1) {
      std::string all;
      for (const std::string& r : roots) all += (all.empty() ? ": `" : ", `") + r + "`";
      findings_.push_back(
          {{file_, 1, 0}, "", std::to_string(roots.size()) + " links are not the child of any joint" + all, "one root", ""});
      return;
    }
    root_ = roots[0];
    const bool is_ground = root_ == "world" && !links_.at(root_).has_mass && !floating_;
    for (const std::string& name : order_) links_.at(name).name = name == root_ && is_ground ? "ground" : model_name(name);
    if (is_ground) return (void)out_.changed.push_back("link `world` is the ground");
    FileTree joint = FileTree::map();
    joint.add(floating_ ? "free" : "fixed", FileTree::map()).add("parent", FileTree::scalar("ground", true));
    model_joints_.add(links_.at(root_).name, std::move(joint));
    out_.changed.push_back("the root `" + root_ + (floating_ ? "` is free" : "` is fixed to the ground"));
  }

  void add_joint(const XMLElement& e) {
    const std::string urdf_name = e.Attribute("name"), type = attribute(e, "type", urdf_name);
    if (!joint_names_.insert(urdf_name).second) return report(&e, urdf_name, "duplicate joint `" + urdf_name + "`", "unique names");
    const Link &child = *link_of(e, "child", urdf_name), &parent = *link_of(e, "parent", urdf_name);
    static const std::map<std::string, const char*> kKinds{{"revolute", "revolute"}, {"continuous", "revolute"}, {"prismatic", "prismatic"},
                                                           {"fixed", "fixed"},       {"floating", "free"},       {"planar", "planar"}};
    const auto kind = kKinds.find(type);
    if (kind == kKinds.end())
      return report(&e, urdf_name, "the joint has the type `" + type + "`", "revolute, continuous, prismatic, fixed, floating or planar");
    const std::string form = kind->second;
    const bool turns = form == "revolute", one = turns || form == "prismatic";
    note_others(e, {"origin", "parent", "child", "axis", "mimic", "dynamics", "limit"}, "joint `" + urdf_name + "`");
    if (urdf_name != child.name) out_.changed.push_back("joint `" + urdf_name + "` is joint `" + child.name + "`, after its child");
    FileTree joint = FileTree::map(), &inner = joint.add(form, FileTree::map());
    inner.add("parent", FileTree::scalar(parent.name, true));
    const Pose pose = origin(e, urdf_name);
    inner.add("at", number_list(pose.xyz));
    if (!pose.rpy.isZero(0)) inner.add("orientation", number_list(pose.rpy));
    if (one || form == "planar") {
      const XMLElement* axis = e.FirstChildElement("axis");
      const Eigen::Vector3d a = axis != nullptr ? vector(*axis, "xyz", urdf_name, Eigen::Vector3d::UnitX()) : Eigen::Vector3d(1, 0, 0);
      if (a.isZero(0)) report(axis, urdf_name, "the axis has no direction", "three numbers, not all 0");
      inner.add(one ? "axis" : "normal", number_list(a));
    }
    if (const XMLElement* mimic = e.FirstChildElement("mimic")) add_mimic(*mimic, urdf_name, child.name, one, turns);
    if (const XMLElement* dynamics = e.FirstChildElement("dynamics")) {
      const double damping = value(*dynamics, "damping", urdf_name, 0), friction = value(*dynamics, "friction", urdf_name, 0);
      if (damping != 0 && one) {
        FileTree& spring = springs_.add(child.name, FileTree::map());
        spring.add("joint", FileTree::scalar(child.name, true));
        spring.add("damping", number(damping));
      } else if (damping != 0) {
        out_.left_out.push_back("damping of joint `" + urdf_name + "`, which does not have exactly one coordinate");
      }
      if (friction != 0) add_friction(friction, urdf_name, one, turns, joint);
    }
    if (const XMLElement* limit = e.FirstChildElement("limit"); limit != nullptr && type != "continuous")
      add_limits(*limit, urdf_name, one, turns, joint);
    model_joints_.add(child.name, std::move(joint));
  }

  /// Dry friction, which the law makes smooth below its Stribeck velocity.
  void add_friction(double coulomb, const std::string& urdf_name, bool one, bool turns, FileTree& joint) {
    const std::string text = "dry friction of joint `" + urdf_name + "`, " + number_text(coulomb) + (turns ? " N m" : " N");
    if (!one || !(coulomb > 0)) return (void)out_.left_out.push_back(text);
    FileTree& friction = joint.add("friction", FileTree::map());
    friction.add("model", FileTree::scalar("coulomb_viscous"));
    friction.add("coulomb", number(coulomb));
    out_.changed.push_back(text + ": smooth below " + number_text(FrictionDescription{}.stribeck_velocity) + (turns ? " rad/s" : " m/s"));
  }
  /// Elastic stops.
  void add_limits(const XMLElement& limit, const std::string& urdf_name, bool one, bool turns, FileTree& joint) {
    const double lower = value(limit, "lower", urdf_name, 0), upper = value(limit, "upper", urdf_name, 0);
    const std::string text =
        "limits of joint `" + urdf_name + "`, " + number_text(lower) + " to " + number_text(upper) + (turns ? " rad" : " m");
    if (!one || !(lower < upper)) return (void)out_.left_out.push_back(text);
    FileTree& limits = joint.add("limits", FileTree::map());
    limits.add("minimum", number(lower));
    limits.add("maximum", number(upper));
    const double start = std::clamp(0.0, lower, upper);
    const bool moved = start != 0 && !mimics_.contains(urdf_name);
    if (moved) {
      joint.add(turns ? "angle" : "position", number(start));
      starts_[urdf_name] = start;
    }
    out_.changed.push_back(text + ": elastic, with the default stiffness" + (moved ? "; the joint starts at " + number_text(start) : ""));
  }

  void add_mimic(const XMLElement& mimic, const std::string& urdf_name, const std::string& name, bool one, bool turns) {
    const std::string leader = attribute(mimic, "joint", urdf_name);
    const auto found = std::find_if(joints_.begin(), joints_.end(), [&](const XMLElement* j) { return leader == j->Attribute("name"); });
    if (found == joints_.end() || !one) return report(&mimic, urdf_name, "it mimics `" + leader + "`", "another joint of one coordinate");
    std::string last = leader;
    for (auto next = mimics_.find(last); next != mimics_.end() && last != urdf_name; next = mimics_.find(last)) last = next->second.leader;
    if (last == urdf_name) return report(&mimic, urdf_name, "it mimics `" + leader + "`, and so itself", "a joint that does not follow it");
    const double ratio = value(mimic, "multiplier", urdf_name, 1), offset = value(mimic, "offset", urdf_name, 0);
    if (ratio == 0) return (void)out_.left_out.push_back("<mimic> of joint `" + urdf_name + "`, whose multiplier is 0");
    FileTree& coupling = couplings_.add(name, FileTree::map());
    FileTree pair = FileTree::list();
    pair.items = {FileTree::scalar(name, true), FileTree::scalar(link_of(**found, "child", leader)->name, true)};
    coupling.add("joints", std::move(pair));
    coupling.add("ratio", number(ratio));
    mimics_[urdf_name] = {name, leader, turns ? "angle" : "position", ratio, offset};
  }
  /// Start value of a joint: that of the first leader that follows no other, by the relations of the others.
  double start_of(std::string joint) const {
    double factor = 1, sum = 0;
    for (auto mimic = mimics_.find(joint); mimic != mimics_.end(); mimic = mimics_.find(joint)) {
      sum += factor * mimic->second.offset;
      factor *= mimic->second.ratio;
      joint = mimic->second.leader;
    }
    const auto start = starts_.find(joint);
    return start == starts_.end() ? sum : sum + factor * start->second;
  }

  ImportedModel finished(const char* robot) {
    for (const auto& [kind, count] : shapes_) out_.left_out.push_back(std::to_string(count) + " <" + kind + "> shapes");
    for (const auto& [kind, count] : others_) out_.left_out.push_back(std::to_string(count) + " <" + kind + ">");
    FileTree root = FileTree::map(), bodies = FileTree::map();
    for (const std::string& name : order_)
      if (links_.at(name).name != "ground") bodies.add(links_.at(name).name, links_.at(name).body);
    root.add("trunnion", FileTree::scalar("1"));
    if (robot != nullptr) root.add("title", FileTree::scalar(robot, true));
    for (const std::string& name : order_)
      if (const Link& link = links_.at(name); link.name == "ground")
        if (const FileTree::Entry* drawn = link.body.find("drawn")) root.add("ground", FileTree::map()).add("drawn", drawn->value);
    root.add("bodies", std::move(bodies));
    root.add("joints", std::move(model_joints_));
    if (!couplings_.entries.empty()) root.add("couplings", std::move(couplings_));
    if (!springs_.entries.empty()) root.add("springs", std::move(springs_));
    FileTree& solver = root.add("solver", FileTree::map());
    solver.add("step", FileTree::scalar("1 ms"));
    solver.add("duration", FileTree::scalar("5 s"));
    const auto comment = [&](const char* head, const std::vector<std::string>& lines) {
      if (!lines.empty()) out_.text += std::string("# ") + head + "\n";
      for (const std::string& line : lines) out_.text += "#   " + printable(line) + "\n";
    };
    out_.text = "# Imported from " + printable(file_) + "\n";
    comment("Changed:", out_.changed);
    comment("Not imported:", out_.left_out);
    out_.text += yaml_text(root);
    return std::move(out_);
  }

  std::string file_, root_;
  bool floating_;
  std::vector<Diagnostic> findings_;
  std::map<std::string, Link> links_;
  std::vector<std::string> order_;  // of links in the file
  std::vector<const XMLElement*> joints_;
  std::set<std::string> joint_names_;
  std::set<std::string> names_;
  std::map<std::string, int> others_, shapes_;
  std::map<std::string, Mimic> mimics_;   // by joint
  std::map<std::string, double> starts_;  // [rad, m] other than 0, of joints that follow no other
  FileTree model_joints_ = FileTree::map(), springs_ = FileTree::map(), couplings_ = FileTree::map();
  ImportedModel out_;
};

}  // namespace

ImportedModel import_urdf(const std::string& text, const std::string& file, bool floating) { return Importer(file, floating).read(text); }

}  // namespace trunnion
