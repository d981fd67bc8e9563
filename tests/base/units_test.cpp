// Quantities: exact SI values, rejections with a reason, dimensions.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/units.h"

#include <gtest/gtest.h>

#include <clocale>
#include <limits>
#include <string>

namespace trunnion {
namespace {

constexpr double kPi = 3.14159265358979323846;

double value_of(const std::string& text) {
  const QuantityText read = read_quantity(text);
  EXPECT_TRUE(read.quantity) << text << ": " << read.problem;
  return read.quantity ? read.quantity->value : std::numeric_limits<double>::quiet_NaN();
}

Dimension dimension_of(const std::string& text) { return read_quantity(text).quantity.value().dimension; }

TEST(Units, ScaledNumbersAreTheDoublesOneWouldWrite) {
  EXPECT_EQ(value_of("7.6 MPa"), 7.6e6);
  EXPECT_EQ(value_of("7.6MPa"), 7.6e6);
  EXPECT_EQ(value_of("  7.6   MPa "), 7.6e6);
  EXPECT_EQ(value_of("35 mm"), 0.035);
  EXPECT_EQ(value_of("1ms"), 0.001);
  EXPECT_EQ(value_of("24 L/min"), 4e-4);
  EXPECT_EQ(value_of("12.5 mm/s"), 0.0125);
  EXPECT_EQ(value_of("3.5 N/mm^2"), 3.5e6);
  EXPECT_EQ(value_of("5e-3 m2"), 5e-3);
  EXPECT_EQ(value_of("1e11"), 1e11);
  EXPECT_EQ(value_of("+2 t"), 2000);
  EXPECT_EQ(value_of(".5 bar"), 5e4);
  EXPECT_EQ(value_of("2 in"), 0.0508);
  EXPECT_EQ(value_of("10 mN"), 0.01);
  EXPECT_EQ(value_of("25 mg"), 25e-6);
  EXPECT_DOUBLE_EQ(value_of("3 uL"), 3e-9);
  EXPECT_EQ(value_of("4 MW"), 4e6);
  EXPECT_EQ(value_of("100 lb"), 45.359237);
  EXPECT_DOUBLE_EQ(value_of("1 lbf/in^2"), value_of("1 psi"));
  EXPECT_DOUBLE_EQ(value_of("231 in^3"), value_of("1 gal"));
  EXPECT_EQ(value_of("180 deg"), kPi);
  EXPECT_DOUBLE_EQ(value_of("30 rpm"), kPi);
  EXPECT_EQ(value_of("-37.90 deg"), -37.90 * kPi / 180);
}

TEST(Units, CompoundUnitsFollowTheGrammar) {
  EXPECT_EQ(dimension_of("330 N s/m"), kDamping.dimension);
  EXPECT_EQ(dimension_of("330 N*s/m"), kDamping.dimension);
  EXPECT_EQ(dimension_of("330 N·s/m"), kDamping.dimension);
  EXPECT_EQ(dimension_of("330 kg s^-1"), kDamping.dimension);
  EXPECT_EQ(dimension_of("330 kg s-1"), kDamping.dimension);
  EXPECT_EQ(dimension_of("1 m^3/(s Pa)"), kLeakage.dimension);
  EXPECT_EQ(dimension_of("1 m3/s/Pa"), kLeakage.dimension);
  EXPECT_EQ(dimension_of("1 (kg m^2)"), kInertia.dimension);
  EXPECT_EQ(dimension_of("1 kg/m^3"), kDensity.dimension);
  EXPECT_EQ(dimension_of("80 1/s"), kFrequency.dimension);
  EXPECT_EQ(value_of("2 (km/h)^2"), 2 * 1e6 / (3600.0 * 3600.0));
  EXPECT_EQ(dimension_of("1 N m/rad"), (Dimension{2, 1, -2, 0, 0, -1}));
}

TEST(Units, TemperaturesAreRead) {
  EXPECT_EQ(value_of("300 K"), 300);
  EXPECT_EQ(value_of("40 degC"), 313.15);
  EXPECT_DOUBLE_EQ(value_of("-20 °C"), 253.15);
  EXPECT_EQ(value_of("7e-4 1/K"), 7e-4);
  EXPECT_EQ(value_of("-8 MPa/K"), -8e6);
  EXPECT_EQ(dimension_of("40 degC"), kTemperature.dimension);
  EXPECT_EQ(dimension_of("-8 MPa/K"), kPressurePerTemperature.dimension);
  EXPECT_EQ(value_of("46 cSt"), 46e-6);
  EXPECT_FALSE(fits(dimension_of("40 degC"), kAngle));
  for (const char* difference : {"7e-4 1/degC", "3 degC^2", "1 J/(kg degC)", "2 m degC"}) {
    const QuantityText read = read_quantity(difference);
    EXPECT_FALSE(read.quantity) << difference;
    EXPECT_NE(read.problem.find("scale"), std::string::npos) << read.problem;
  }
}

TEST(Units, BareNumbersHaveNoUnit) {
  EXPECT_FALSE(read_quantity("3").quantity->has_unit);
  EXPECT_TRUE(read_quantity("3 rad").quantity->has_unit);
}

TEST(Units, WrongTextsAreRefusedWithAReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a number"},
      {"abc", "not a number"},
      {"nan", "not a number"},
      {"inf", "not a number"},
      {".inf", "not a number"},
      {"-", "not a number"},
      {".", "not a number"},
      {"+-3", "not a number"},
      {"3,5 MPa", "decimal comma"},
      {"1e999", "range of numbers"},
      {"1e300 km^9", "range of numbers"},
      {"3 MPaa", "`MPaa` is not known"},
      {"1.2.3", "cannot be read"},
      {"3 m^", "whole number"},
      {"3 (m", "not closed"},
      {"3 m)", "cannot be read"},
      {"3 N/m s", "ambiguous"},
      {"3 m^99999999999", "too large"},
      {"3 /s", "cannot be read"},
      {"3 m//s", "cannot be read"},
      {"0x10", "`x` is not known"},
      {"5 %", "`%` is not known"},
  };
  for (const auto& [text, words] : cases) {
    const QuantityText read = read_quantity(text);
    EXPECT_FALSE(read.quantity) << text;
    EXPECT_NE(read.problem.find(words), std::string::npos) << text << ": " << read.problem;
  }
}

TEST(Units, HintsNameTheNearestUnit) {
  EXPECT_EQ(read_quantity("3 MPaa").hint, "did you mean `MPa`?");
  EXPECT_EQ(read_quantity("3 mpa").hint, "did you mean `MPa`?");
  EXPECT_EQ(read_quantity("3 gpm").hint, "did you mean `gal/min`?");
  EXPECT_EQ(read_quantity("3,5 MPa").hint, "write a decimal point: 3.5 MPa");
}

TEST(Units, DeepOrLongUnitsAreRefusedNotFollowed) {
  EXPECT_FALSE(read_quantity("1 " + std::string(100000, '(')).quantity);
  std::string product = "1 m";
  for (int i = 0; i < 1000; ++i) product += "*m";
  EXPECT_FALSE(read_quantity(product).quantity);
}

TEST(Units, AnglesAreNumbersButNoLengths) {
  const Dimension degrees = dimension_of("1 deg");
  EXPECT_TRUE(fits(degrees, kAngle));
  EXPECT_TRUE(fits(degrees, kNumber));
  EXPECT_FALSE(fits(degrees, kLength));
  EXPECT_FALSE(fits(dimension_of("1 m"), kAngle));
  EXPECT_TRUE(fits(dimension_of("1 N m/rad"), kTorque));
  EXPECT_TRUE(fits(dimension_of("1 m"), kJointCoordinate));
  EXPECT_TRUE(fits(degrees, kJointCoordinate));
}

TEST(Units, FrequenciesAreNoAngularRates) {
  EXPECT_TRUE(fits(dimension_of("1 Hz"), kFrequency));
  EXPECT_FALSE(fits(dimension_of("1 Hz"), kAngularRate));
  EXPECT_FALSE(fits(dimension_of("60 rpm"), kFrequency));
  EXPECT_TRUE(fits(dimension_of("60 rpm"), kAngularRate));
}

TEST(Units, NumbersReadBackAsWritten) {
  for (const double x : {0.1, 1e11, -37.9, 3.14e-5, 5e-324, 1.7976931348623157e308, 0.0}) EXPECT_EQ(value_of(number_text(x)), x);
}

TEST(Units, ReadingDoesNotDependOnTheLocale) {
  for (const char* name : {"de_DE.UTF-8", "fi_FI.UTF-8", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    EXPECT_EQ(value_of("3.5 MPa"), 3.5e6);
    EXPECT_EQ(number_text(0.5), "0.5");
  }
  std::setlocale(LC_ALL, "C");
}

}  // namespace
}  // namespace trunnion
