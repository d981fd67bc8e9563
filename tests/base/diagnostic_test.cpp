// Texts of diagnostics, and the nearest known name.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/diagnostic.h"

#include <gtest/gtest.h>

namespace trunnion {
namespace {

TEST(Diagnostic, TextHasPlacePathFoundExpectedAndHint) {
  EXPECT_EQ((Diagnostic{{"m.yaml", 3, 7}, "a.b", "found `x`", "a length", "try y"}).text(),
            "m.yaml:3:7: error: a.b: found `x`; expected a length; try y");
  EXPECT_EQ((Diagnostic{{"--set", 0, 0}, "a.b", "found `x`", "", ""}).text(), "--set: error: a.b: found `x`");
  EXPECT_EQ((Diagnostic{{}, "", "nothing", "", ""}).text(), "error: nothing");
}

TEST(Diagnostic, InputErrorTellsAllFindings) {
  const InputError error({{{"m", 1, 1}, "a", "one", "", ""}, {{"m", 2, 1}, "b", "two", "", ""}});
  EXPECT_STREQ(error.what(), "m:1:1: error: a: one\nm:2:1: error: b: two");
  EXPECT_EQ(error.diagnostics().size(), 2u);
}

TEST(Diagnostic, SimulationErrorTellsWhenWhereWhyAndWhatToTry) {
  const SimulationError error(0.5, "v1.pressure", "no convergence", "a smaller step");
  EXPECT_STREQ(error.what(), "simulation failed at t = 0.5 s in v1.pressure: no convergence; try: a smaller step");
  EXPECT_EQ(error.equations(), "v1.pressure");
}

TEST(NearestName, ForgivesSwapsCaseAndSmallMistakes) {
  const std::vector<std::string> known{"crank", "rocker", "coupler", "MPa", "v1"};
  EXPECT_EQ(nearest_name("crnak", known), "crank");
  EXPECT_EQ(nearest_name("mpa", known), "MPa");
  EXPECT_EQ(nearest_name("couplr", known), "coupler");
  EXPECT_EQ(nearest_name("v2", known), "v1");
  EXPECT_EQ(nearest_name("wheel", known), "");
  EXPECT_EQ(nearest_name("x", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name(std::string(1000000, 'a'), known), "");
}

}  // namespace
}  // namespace trunnion
