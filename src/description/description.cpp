// Names of joint coordinates, and positions of values in the model file.
// SPDX-License-Identifier: BSD-3-Clause
#include "description/description.h"

#include "base/expression.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace trunnion {

template <class T>
NamedList<T>::NamedList() = default;
template <class T>
NamedList<T>::NamedList(const NamedList&) = default;
template <class T>
NamedList<T>::NamedList(NamedList&&) noexcept = default;
template <class T>
NamedList<T>& NamedList<T>::operator=(const NamedList&) = default;
template <class T>
NamedList<T>& NamedList<T>::operator=(NamedList&&) noexcept = default;
template <class T>
NamedList<T>::~NamedList() = default;

template struct NamedList<AccumulatorDescription>;
template struct NamedList<BladeDescription>;
template struct NamedList<BlockDescription>;
template struct NamedList<BodyDescription>;
template struct NamedList<CouplingDescription>;
template struct NamedList<CylinderDescription>;
template struct NamedList<ForceDescription>;
template struct NamedList<InputDescription>;
template struct NamedList<JointDescription>;
template struct NamedList<LineDescription>;
template struct NamedList<LoopDescription>;
template struct NamedList<MarkerDescription>;
template struct NamedList<MeteringDescription>;
template struct NamedList<MotionDescription>;
template struct NamedList<MotorDescription>;
template struct NamedList<PortDescription>;
template struct NamedList<PumpDescription>;
template struct NamedList<QuasistaticDescription>;
template struct NamedList<SignalDescription>;
template struct NamedList<SourceDescription>;
template struct NamedList<SpoolEdgeDescription>;
template struct NamedList<SpringDescription>;
template struct NamedList<SubsystemDescription>;
template struct NamedList<ValveDescription>;
template struct NamedList<VolumeDescription>;
template struct NamedList<WheelDescription>;
template struct NamedList<SequenceValue>;

const std::vector<JointPartName>& joint_parts(JointKind kind) {
  using Parts = std::vector<JointPartName>;
  constexpr JointPartKind kTurn = JointPartKind::angle, kShift = JointPartKind::displacement;
  constexpr JointPartName kSpherical{JointPartKind::spherical, "q", "rate", "angular_acceleration"};
  static const Parts fixed, revolute{{kTurn, "angle", "rate", "acceleration"}}, prismatic{{kShift, "position", "speed", "acceleration"}},
      cylindrical{{kShift, "position", "speed", "acceleration"}, {kTurn, "angle", "rate", "angular_acceleration"}},
      universal{{kTurn, "angle_1", "rate_1", "acceleration_1"}, {kTurn, "angle_2", "rate_2", "acceleration_2"}},
      planar{{kShift, "x", "speed_x", "acceleration_x"},
             {kShift, "y", "speed_y", "acceleration_y"},
             {kTurn, "angle", "rate", "angular_acceleration"}},
      spherical{kSpherical}, point_on_line{{kShift, "position", "speed", "acceleration"}, kSpherical},
      free{{kShift, "x", "speed_x", "acceleration_x"},
           {kShift, "y", "speed_y", "acceleration_y"},
           {kShift, "z", "speed_z", "acceleration_z"},
           kSpherical};
  switch (kind) {
    case JointKind::revolute:
      return revolute;
    case JointKind::prismatic:
      return prismatic;
    case JointKind::cylindrical:
      return cylindrical;
    case JointKind::universal:
      return universal;
    case JointKind::planar:
      return planar;
    case JointKind::spherical:
      return spherical;
    case JointKind::point_on_line:
      return point_on_line;
    case JointKind::free:
      return free;
    case JointKind::fixed:
      break;
  }
  return fixed;
}

const std::vector<JointPartName>& loop_parts(LoopKind kind) {
  static const std::vector<JointPartName> none, along_line{{JointPartKind::displacement, "position", "speed", "acceleration"}};
  switch (kind) {
    case LoopKind::revolute:
      return joint_parts(JointKind::revolute);
    case LoopKind::prismatic:
      return joint_parts(JointKind::prismatic);
    case LoopKind::cylindrical:
      return joint_parts(JointKind::cylindrical);
    case LoopKind::universal:
      return joint_parts(JointKind::universal);
    case LoopKind::point_on_line:
      return along_line;
    case LoopKind::planar:
    case LoopKind::spherical:
    case LoopKind::distance:
      break;
  }
  return none;
}

namespace {

/// Calls visit(place, elements) for every angle and displacement of the joints and loop closures.
template <class Visit>
void for_each_coordinate(const Description& d, Visit&& visit) {
  const auto visit_all = [&](const auto& list, bool of_loop, const auto& parts_of) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::vector<JointPartName>& parts = parts_of(list[i].second.kind);
      for (std::size_t k = 0; k < parts.size(); ++k)
        if (parts[k].kind != JointPartKind::spherical)
          visit(CoordinatePlace{of_loop, i, k, list[i].first, parts[k], parts.size() == 1}, list[i].second.elements[k]);
    }
  };
  visit_all(d.joints, false, joint_parts);
  visit_all(d.loops, true, loop_parts);
}

}  // namespace

std::vector<CoordinatePlace> coordinates_with_elements(const Description& d) {
  std::vector<CoordinatePlace> places;
  for_each_coordinate(d, [&](const CoordinatePlace& place, const CoordinateElements& elements) {
    if (elements.friction || elements.limits) places.push_back(place);
  });
  return places;
}

std::optional<CoordinatePlace> place_of_coordinate(const Description& d, const std::string& name) {
  const CoordinateName wanted = split_coordinate(name);
  std::optional<CoordinatePlace> found;
  for_each_coordinate(d, [&](const CoordinatePlace& place, const CoordinateElements&) {
    if (!found && place.joint == wanted.joint && (wanted.part.empty() ? place.alone : wanted.part == place.name.position)) found = place;
  });
  return found;
}

namespace {

/// Names in an expression; none if it is wrong, which the checks report.
std::vector<NumberOrSignal> names_of_expression(const std::string& text) try {
  const Expression expression = parse_expression(text);
  return {expression.names.begin(), expression.names.end()};
} catch (const ExpressionError&) { return {}; }

std::vector<NumberOrSignal> names_of_sequence(const SequenceBlock& sequence) {
  std::vector<NumberOrSignal> names;
  const auto add = [&](const std::string& text) {
    for (const NumberOrSignal& name : names_of_expression(text))
      if (name != NumberOrSignal(std::string(kElapsed))) names.push_back(name);
  };
  for (const SequenceStep& step : sequence.steps) {
    add(step.until);
    for (const auto& command : step.commands) add(command.second.value);
  }
  return names;
}

template <class Block>
std::vector<NumberOrSignal> with_hand_over(const Block& block, std::vector<NumberOrSignal> inputs) {
  if (hands_over(block)) inputs.insert(inputs.end(), {block.manual, block.automatic});
  return inputs;
}

}  // namespace

std::vector<std::string> commands_of(const SequenceBlock& sequence) {
  std::vector<std::string> names;
  for (const SequenceStep& step : sequence.steps)
    for (const auto& command : step.commands)
      if (std::find(names.begin(), names.end(), command.first) == names.end()) names.push_back(command.first);
  return names;
}

std::vector<std::string> block_outputs(const Description& d) {
  std::vector<std::string> names;
  for (const auto& [name, block] : d.control) {
    if (const auto* sequence = std::get_if<SequenceBlock>(&block.law))
      for (const std::string& command : commands_of(*sequence)) names.push_back(name + "." + command);
    if (const auto* by = std::get_if<OperatorBlock>(&block.law))
      for (const std::string& joint : by->joints) names.insert(names.end(), {name + "." + joint, name + "." + joint + ".rate"});
  }
  return names;
}

namespace {

/// Names of the signals that a sum or product consists of; null: another signal.
const std::vector<std::string>* operands(const SignalDescription& signal) {
  if (const auto* sum = std::get_if<SumSignal>(&signal)) return &sum->of;
  if (const auto* product = std::get_if<ProductSignal>(&signal)) return &product->of;
  return nullptr;
}

/// Names of the sums and products that contain the value of a control block. (Without recursion, as chains may be long.)
std::unordered_set<std::string_view> signals_with_blocks(const Description& d) {
  std::unordered_set<std::string_view> found;
  if (d.control.empty()) return found;
  std::unordered_map<std::string_view, std::vector<std::string_view>> users;
  for (const auto& [name, signal] : d.signals)
    if (const auto* of = operands(signal))
      for (const std::string& operand : *of) users[operand].push_back(name);
  const std::vector<std::string> outputs = block_outputs(d);
  std::vector<std::string_view> open(outputs.begin(), outputs.end());
  for (const auto& item : d.control) open.push_back(item.first);
  while (!open.empty()) {
    const auto by = users.find(open.back());
    open.pop_back();
    if (by == users.end()) continue;
    for (const std::string_view user : by->second)
      if (found.insert(user).second) open.push_back(user);
  }
  return found;
}

}  // namespace

NamedList<BlockDescription> blocks_of_signals(const Description& d) {
  NamedList<BlockDescription> blocks;
  const std::unordered_set<std::string_view> names = signals_with_blocks(d);
  for (const auto& [name, signal] : d.signals) {
    if (!names.contains(name)) continue;
    BlockDescription& block = blocks.emplace_back(name, BlockDescription{}).second;
    if (std::holds_alternative<SumSignal>(signal))
      block.law = SumBlock{.inputs = *operands(signal)};
    else
      block.law = ProductBlock{.inputs = *operands(signal)};
  }
  return blocks;
}

NamedList<SignalDescription> signals_over_time(const Description& d) {
  NamedList<SignalDescription> signals;
  const std::unordered_set<std::string_view> names = signals_with_blocks(d);
  for (const auto& item : d.signals)
    if (!names.contains(item.first)) signals.push_back(item);
  return signals;
}

std::string block_path(const Description& d, const std::string& name) {
  return (d.signals.find(name) != nullptr ? "signals." : "control.") + name;
}

bool names_block(const Description& d, const std::string& name) {
  if (d.control.find(name) != nullptr) return true;
  const std::vector<std::string> outputs = block_outputs(d);
  return std::find(outputs.begin(), outputs.end(), name) != outputs.end() || signals_with_blocks(d).contains(name);
}

bool can_be_followed(const Description& d, const std::string& name) {
  const BlockDescription* block = d.control.find(name);
  if (block == nullptr || block->period) return false;
  const auto* filter = std::get_if<LowPassBlock>(&block->law);
  return filter != nullptr && !filter->time_constant;
}

std::vector<NumberOrSignal> block_inputs(const BlockDescription& block) {
  return std::visit(
      [](const auto& law) -> std::vector<NumberOrSignal> {
        if constexpr (requires { law.inputs; })
          return {law.inputs.begin(), law.inputs.end()};
        else if constexpr (requires { law.expression; })
          return names_of_expression(law.expression);
        else if constexpr (requires { law.steps; })
          return names_of_sequence(law);
        else if constexpr (requires { law.speed; })
          return {law.speed};
        else if constexpr (requires { law.reset; })
          return {law.input, law.reset};
        else if constexpr (requires { law.setpoint; })
          return with_hand_over(law, {law.setpoint, law.measurement, law.feedforward});
        else if constexpr (requires { law.manual; })
          return with_hand_over(law, {law.input});
        else
          return {law.input};
      },
      block.law);
}

std::optional<CoordinateReading> coordinate_reading(const Description& d, const std::string& name) {
  const CoordinateName wanted = split_coordinate(name);
  std::optional<CoordinateReading> found;
  for_each_coordinate(d, [&](const CoordinatePlace& place, const CoordinateElements&) {
    if (found || place.joint != wanted.joint) return;
    if (wanted.part == place.name.position) found = {place, false};
    if (wanted.part == place.name.rate) found = {place, true};
  });
  return found;
}

std::vector<std::string> joints_to_ground(const Description& d, const std::string& body) {
  std::vector<std::string> joints;
  const JointDescription* joint = d.joints.find(body);
  for (std::string name = body; joint != nullptr && joints.size() < d.joints.size(); joint = d.joints.find(name)) {
    joints.push_back(name);
    name = joint->parent;
  }
  return joints;
}

std::vector<CoordinatePlace> operator_coordinates(const Description& d, const OperatorBlock& b) {
  std::vector<CoordinatePlace> places;
  for (const std::string& name : b.joints)
    if (const auto place = place_of_coordinate(d, name)) places.push_back(*place);
  const std::vector<std::string> way = joints_to_ground(d, b.body);
  for_each_coordinate(d, [&](const CoordinatePlace& place, const CoordinateElements&) {
    if (!place.of_loop && std::find(way.begin(), way.end(), place.joint) != way.end() &&
        std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  });
  return places;
}

std::vector<std::string> coordinate_reading_names(const Description& d) {
  std::vector<std::string> names;
  for_each_coordinate(d, [&](const CoordinatePlace& place, const CoordinateElements&) {
    for (const char* quantity : {place.name.position, place.name.rate}) names.push_back(place.joint + "." + quantity);
  });
  return names;
}

namespace {

constexpr const char* kMarkerQuantities[2][3] = {{"position_x", "position_y", "position_z"}, {"velocity_x", "velocity_y", "velocity_z"}};

}  // namespace

std::optional<MarkerReading> marker_reading(const Description& d, const std::string& name) {
  const CoordinateName wanted = split_coordinate(name);
  if (d.markers.find(wanted.joint) == nullptr || coordinate_reading(d, name)) return std::nullopt;
  for (const bool rate : {false, true})
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (wanted.part == kMarkerQuantities[rate ? 1 : 0][axis]) {
        std::size_t number = 0;
        while (d.markers[number].first != wanted.joint) ++number;
        return MarkerReading{number, axis, rate};
      }
  return std::nullopt;
}

std::vector<std::string> marker_reading_names(const Description& d) {
  std::vector<std::string> names;
  for (const auto& item : d.markers)
    for (const auto& quantities : kMarkerQuantities)
      for (const char* quantity : quantities) names.push_back(item.first + "." + quantity);
  return names;
}

std::vector<MarkerReading> markers_read_by_control(const Description& d) {
  std::vector<MarkerReading> readings;
  if (d.markers.empty()) return readings;
  for (const auto& item : d.control)
    for (const NumberOrSignal& input : block_inputs(item.second)) {
      const auto* name = std::get_if<std::string>(&input);
      const std::optional<MarkerReading> reading = name != nullptr ? marker_reading(d, *name) : std::nullopt;
      if (reading && std::none_of(readings.begin(), readings.end(), [&](const MarkerReading& other) {
            return other.marker == reading->marker && other.axis == reading->axis;
          }))
        readings.push_back(*reading);
    }
  return readings;
}

std::vector<CoordinateReading> coordinates_read_by_control(const Description& d) {
  std::vector<CoordinateReading> readings;
  for (const auto& item : d.control) {
    if (const auto* by = std::get_if<OperatorBlock>(&item.second.law))
      for (const CoordinatePlace& place : operator_coordinates(d, *by)) readings.push_back({place, false});
    for (const NumberOrSignal& input : block_inputs(item.second))
      if (const auto* name = std::get_if<std::string>(&input)) {
        const std::string of = split_coordinate(*name).joint;
        if (d.cylinders.find(of) != nullptr || d.motors.find(of) != nullptr || d.pumps.find(of) != nullptr || d.volumes.find(of) != nullptr)
          continue;
        if (const auto reading = coordinate_reading(d, *name)) readings.push_back(*reading);
      }
  }
  return readings;
}

const CoordinateElements* elements_of(const Description& d, const CoordinatePlace& place) {
  const CoordinateElements& elements = elements_at(d, place);
  return elements.friction || elements.limits ? &elements : nullptr;
}

CoordinateName split_coordinate(const std::string& name) {
  const std::size_t dot = name.find('.');
  return {name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1)};
}

int find_coordinate(JointKind kind, const std::string& part) {
  const std::vector<JointPartName>& parts = joint_parts(kind);
  if (part.empty()) return parts.size() == 1 && parts[0].kind != JointPartKind::spherical ? 0 : -1;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].kind != JointPartKind::spherical && part == parts[i].position) return static_cast<int>(i);
  return -1;
}

const DescriptionSource& source_of(const Description& d) {
  static const DescriptionSource none;
  return d.source ? *d.source : none;
}

SourceSpan span_of(const Description& d, std::string path) {
  const SourceMap& spans = source_of(d).spans;
  while (true) {
    if (auto place = spans.find(path)) return *std::move(place);
    const std::size_t dot = path.rfind('.');
    if (dot == std::string::npos) break;
    path.resize(dot);
  }
  return spans.find("").value_or(SourceSpan{});
}

void forget_positions(Description& d) {
  if (!d.source) return;
  auto source = std::make_shared<DescriptionSource>();
  source->input_file = d.source->input_file;
  source->courses = d.source->courses;
  d.source = std::move(source);
}

double grid_step(const Description& d) {
  return d.solver.coupling == CouplingKind::cosimulation ? d.coupling.step.value_or(d.solver.step) : d.solver.step;
}

int steps_within(double H, double longest) {
  constexpr double kWholeSteps = 1e-6;  // relative: 10 ms at 1 ms are ten steps
  return std::max(1, static_cast<int>(std::ceil(H / longest * (1 - kWholeSteps))));
}

int mechanism_steps_of(const Description& d) {
  if (d.coupling.mechanism_steps) return *d.coupling.mechanism_steps;
  if (d.coupling.scheme != CouplingScheme::sequential && d.coupling.scheme != CouplingScheme::parallel) return 1;
  return steps_within(grid_step(d), d.solver.step);
}

}  // namespace trunnion
