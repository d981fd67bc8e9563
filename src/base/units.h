// Physical quantities written as text: `7.6 MPa`, `-37.90deg`, `5e-3 m2`, `330 N s/m`, `m^3/(s Pa)`.
// Everything is converted to SI and radians; angles carry a tag but no dimension (N m/rad is N m).
// Grammar of a unit: products by space, `*` or `·`; quotients by `/`; parentheses; integer powers as `^3`, `3` or `-1`.
// A product after a quotient (`N/m s`) is rejected as ambiguous. Reading is independent of the locale.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

/// Exponents of the base units.
struct Dimension {
  int length = 0;       // m
  int mass = 0;         // kg
  int time = 0;         // s
  int current = 0;      // A
  int voltage = 0;      // V
  int angle = 0;        // rad, a tag only
  int temperature = 0;  // K
  bool operator==(const Dimension&) const = default;
};

/// A number in SI units and the dimension of its unit.
struct Quantity {
  double value = 0;       // SI, rad
  Dimension dimension{};  // of the unit; meaningless for a plain number
  bool has_unit = false;  // false: a plain number, read as SI
};

/// Result of reading a quantity: a value, or the problem of the text.
struct QuantityText {
  std::optional<Quantity> quantity;
  std::string problem;  // as a sentence without a full stop
  std::string hint;     // may be empty
};

/// Reads a finite number with an optional unit; blanks around it and between number and unit are optional.
QuantityText read_quantity(std::string_view text);

/// Kind of quantity of a value in the model file: its name for messages, SI unit and an example.
struct Measure {
  const char* name;     // "a pressure"
  const char* unit;     // SI unit, "Pa"; empty for a plain number
  const char* example;  // "7.6 MPa"
  Dimension dimension{};
  std::optional<Dimension> other{};  // an alternative dimension (joint quantities: rotation or translation)
  bool any = false;                  // any unit is accepted (values of signals)
};

/// Whether a value of dimension `found` is acceptable where `measure` is expected. The tag of angles is compared only
/// between frequencies and angular rates, so that `10 Hz` is never read as 10 rad/s.
bool fits(const Dimension& found, const Measure& measure);

/// The shortest text that reads back as the same number; `.inf` for infinity.
std::string number_text(double value);

/// All supported unit names.
const std::vector<std::string>& unit_names();

// The measures in use.
inline constexpr Measure kNumber{"a number", "", "0.8"};
inline constexpr Measure kLength{"a length", "m", "80 mm", {1, 0, 0}};
inline constexpr Measure kArea{"an area", "m^2", "28 cm^2", {2, 0, 0}};
inline constexpr Measure kVolume{"a volume", "m^3", "0.5 L", {3, 0, 0}};
inline constexpr Measure kMass{"a mass", "kg", "16 kg", {0, 1, 0}};
inline constexpr Measure kTime{"a time", "s", "1 ms", {0, 0, 1}};
inline constexpr Measure kPerTime{"a rate", "1/s", "50 1/s", {0, 0, -1}};
inline constexpr Measure kAngle{"an angle", "rad", "60 deg", {0, 0, 0, 0, 0, 1}};
inline constexpr Measure kSpeed{"a speed", "m/s", "12.5 mm/s", {1, 0, -1}};
inline constexpr Measure kAngularRate{"an angular rate", "rad/s", "10 deg/s", {0, 0, -1, 0, 0, 1}};
inline constexpr Measure kFrequency{"a frequency", "1/s", "2 Hz", {0, 0, -1}};
inline constexpr Measure kAcceleration{"an acceleration", "m/s^2", "-9.81 m/s^2", {1, 0, -2}};
inline constexpr Measure kInertia{"a moment of inertia", "kg m^2", "3 kg m^2", {2, 1, 0}};
inline constexpr Measure kForce{"a force", "N", "210 N", {1, 1, -2}};
inline constexpr Measure kTorque{"a torque", "N m", "50 N m", {2, 1, -2}};
inline constexpr Measure kStiffness{"a stiffness", "N/m", "5.77e6 N/m", {0, 1, -2}};
inline constexpr Measure kDamping{"a damping", "N s/m", "330 N s/m", {0, 1, -1}};
inline constexpr Measure kPressure{"a pressure", "Pa", "7.6 MPa", {-1, 1, -2}};
inline constexpr Measure kPerPressure{"a change per pressure", "1/Pa", "0.02 1/MPa", {1, -1, 2}};
inline constexpr Measure kFlow{"a volume flow", "m^3/s", "24 L/min", {3, 0, -1}};
inline constexpr Measure kDensity{"a density", "kg/m^3", "850 kg/m^3", {-3, 1, 0}};
inline constexpr Measure kSlowness{"an inverse speed", "s/m", "80 s/m", {-1, 0, 1}};
inline constexpr Measure kDisplacement{"a displacement per angle", "m^3/rad", "500 cm^3/rev", {3, 0, 0, 0, 0, -1}};
inline constexpr Measure kAngularStiffness{"a stiffness of an angle", "N m/rad", "40 N m/rad", {2, 1, -2}};
inline constexpr Measure kAngularDamping{"a damping of an angle", "N m s/rad", "3 N m s/rad", {2, 1, -1}};
inline constexpr Measure kAngularSlowness{"an inverse angular rate", "s/rad", "2 s/rad", {0, 0, 1, 0, 0, -1}};
inline constexpr Measure kFlowGradient{"a flow per pressure", "m^3/(s Pa)", "3 L/min/bar", {4, -1, 1}};
inline constexpr Measure kLeakage{"a leakage coefficient", "m^3/(s Pa)", "1e-13 m^3/(s Pa)", {4, -1, 1}};
inline constexpr Measure kKinematicViscosity{"a kinematic viscosity", "m^2/s", "46 mm^2/s", {2, 0, -1}};
inline constexpr Measure kTemperature{"a temperature", "K", "40 degC", {0, 0, 0, 0, 0, 0, 1}};
inline constexpr Measure kPerTemperature{"a change per temperature", "1/K", "7e-4 1/K", {0, 0, 0, 0, 0, 0, -1}};
inline constexpr Measure kPressurePerTemperature{"a pressure per temperature", "Pa/K", "-8 MPa/K", {-1, 1, -2, 0, 0, 0, -1}};
inline constexpr Measure kSignalValue{"a number with any unit", "SI", "10 V", {}, {}, true};
inline constexpr Measure kJointStiffness{"a stiffness of the joint", "N/m or N m/rad", "40 N m/rad", {0, 1, -2}, Dimension{2, 1, -2}};
inline constexpr Measure kJointDamping{"a damping of the joint", "N s/m or N m s/rad", "3 N m s/rad", {0, 1, -1}, Dimension{2, 1, -1}};
inline constexpr Measure kJointLoad{"a joint load", "N or N m", "50 N m", {1, 1, -2}, Dimension{2, 1, -2}};
inline constexpr Measure kJointCoordinate{"a joint coordinate", "m or rad", "20 deg", {1, 0, 0}, Dimension{0, 0, 0, 0, 0, 1}};
inline constexpr Measure kJointRate{"a rate of a joint coordinate", "m/s or rad/s", "20 deg/s", {1, 0, -1}, Dimension{0, 0, -1, 0, 0, 1}};
inline constexpr Measure kRatio{"a ratio of joint coordinates", "-, m/rad or rad/m", "40 mm/rad", {}, {}, true};

}  // namespace trunnion
