// Key figures. Reference: closed forms of courses with unequal steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/kpi.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/diagnostic.h"
#include "support/allocation_counter.h"

namespace trunnion {
namespace {

constexpr double kDuration = 10;

/// The value of an expression of `x` and `lift.force`, which at time t are f(t) and g(t).
template <class F, class G>
double kpi_of(const std::string& expression, const std::vector<double>& times, F&& f, G&& g) {
  const KpiSet set({"k=" + expression}, kDuration);
  KpiValues values(set);
  for (const double t : times) {
    std::vector<double> row;
    for (const std::string& name : set.channels()) row.push_back(name == "x" ? f(t) : g(t));
    values.add(t, row.data());
  }
  return values.results().at(0);
}

double kpi_of(const std::string& expression) {
  return kpi_of(
      expression, {0, 1, 3, 4}, [](double t) { return t; }, [](double t) { return 10 - 2 * t; });
}

TEST(Kpi, FunctionsOfACourseWithUnequalSteps) {
  EXPECT_EQ(kpi_of("max(x)"), 4);
  EXPECT_EQ(kpi_of("min(lift.force)"), 2);
  EXPECT_EQ(kpi_of("range(lift.force)"), 8);
  EXPECT_EQ(kpi_of("initial(lift.force)"), 10);
  EXPECT_EQ(kpi_of("final(lift.force)"), 2);
  EXPECT_EQ(kpi_of("integral(x)"), 8);
  EXPECT_EQ(kpi_of("mean(x)"), 2);
  EXPECT_DOUBLE_EQ(kpi_of("rms(x)"), std::sqrt((0.5 * (0 + 1) + 2 * 0.5 * (1 + 9) + 0.5 * (9 + 16)) / 4));
  EXPECT_EQ(kpi_of("at(x, 2)"), 2);
  EXPECT_EQ(kpi_of("at(lift.force, 1/2)"), 9);
  EXPECT_EQ(kpi_of("at(x, 0)"), 0);
  EXPECT_EQ(kpi_of("at(x, 4)"), 4);
  EXPECT_TRUE(std::isnan(kpi_of("at(x, 5)")));  // the run ended before
}

TEST(Kpi, MeanIsOfTimeNotOfSteps) {  // a mean of the records would be 4
  EXPECT_EQ(kpi_of(
                "mean(x)", {0, 8, 8.5, 9, 10}, [](double t) { return t < 9 ? 0.0 : 10.0; }, [](double) { return 0.0; }),
            1.25);
}

TEST(Kpi, ExpressionsInsideAndOutsideOfFunctions) {
  EXPECT_EQ(kpi_of("max(x - lift.force)"), 2);
  EXPECT_EQ(kpi_of("max(x) - max(lift.force)"), -6);
  EXPECT_EQ(kpi_of("1 + 2 * 3 - 8 / 4 / 2"), 6);
  EXPECT_EQ(kpi_of("-2^2 + (1 - 3)^2"), 0);
  EXPECT_EQ(kpi_of("2^3^2"), 512);
  EXPECT_EQ(kpi_of("2^-1"), 0.5);
  EXPECT_EQ(kpi_of("- - 3 - -4"), 7);
  EXPECT_EQ(kpi_of("max(abs(x - 4) + sqrt(x))"), 5 - 2 + std::sqrt(1.0));
  EXPECT_EQ(kpi_of("abs(min(x) - max(x)) / 1e1"), 0.4);
  EXPECT_EQ(kpi_of("max('lift.force')"), 10);
  EXPECT_EQ(kpi_of("max(\"x\")*.5"), 2);
  EXPECT_TRUE(std::isinf(kpi_of("1/min(x)")));
}

TEST(Kpi, AJumpHasBothItsSides) {
  const KpiSet set({"m=max(x)", "i=integral(x)", "a=at(x, 1)"}, kDuration);
  KpiValues values(set);
  for (const auto& [t, x] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {1.0, 5.0}, {2.0, 1.0}}) values.add(t, &x);
  EXPECT_EQ(values.results(), (std::vector<double>{5, 3, 0}));
}

TEST(Kpi, AValueThatIsNoNumberStays) {
  EXPECT_TRUE(std::isnan(kpi_of("max(sqrt(x - 1))")));
  EXPECT_TRUE(std::isnan(kpi_of("min(sqrt(2 - x))")));
  EXPECT_TRUE(std::isnan(kpi_of("mean(sqrt(x - 1))")));
}

TEST(Kpi, StatesNeedNoMemory) {
  const KpiSet set({"m=max(x*2+1)", "r=rms(x)/mean(x)"}, kDuration);
  KpiValues values(set);
  double x = 1;
  values.add(0, &x);
  const long before = test::allocations();
  for (int i = 1; i < 100; ++i) values.add(0.1 * i, &x);
  EXPECT_EQ(test::allocations(), before);
}

TEST(Kpi, ChannelsInUseAreNamedOnce) {
  const KpiSet set({"a=max(b.c) + max(b.c)", "d=min(e_1 + b.c)"}, kDuration);
  EXPECT_EQ(set.channels(), (std::vector<std::string>{"b.c", "e_1"}));
  EXPECT_EQ(set.names(), (std::vector<std::string>{"a", "d"}));
  EXPECT_EQ(set.expressions()[1], "min(e_1 + b.c)");
}

TEST(Kpi, WrongDefinitionsAreExplained) {
  const auto refusal = [](const std::vector<std::string>& definitions) {
    try {
      KpiSet(definitions, kDuration);
    } catch (const InputError& error) { return std::string(error.what()); }
    return std::string("accepted");
  };
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"max(x)", "expected name=expression"},
           {"=max(x)", "expected name=expression"},
           {"a b=max(x)", "a b: the name has other characters"},
           {"1a=max(x)", "the name has other characters"},
           {"k=x", "`x` is a course over time"},
           {"k=maxi(x)", "did you mean `max`?"},
           {"k=median(x)", "there is no function `median`"},
           {"k=max(x", "the expression ends early; expected `,` or `)`"},
           {"k=", "the expression ends early"},
           {"k=max(x))", "found `)`"},
           {"k=max(min(x))", "`min` inside of another function"},
           {"k=max(x + 2*mean(x))", "`mean` inside of another function"},
           {"k=max(x) + y", "`y` is a course over time"},
           {"k=at(x)", "`at` has 1 arguments; expected at(course, time)"},
           {"k=max(x, 1)", "`max` has 2 arguments; expected max(course)"},
           {"k=abs()", "`abs` has 0 arguments"},
           {"k=max(x > 1)", "comparisons, `and` and `or` are not possible"},
           {"k=at(x, 11)", "is outside the run; expected 0 to 10 s"},
           {"k=at(x, -1)", "is outside the run"},
           {"k=at(x, 0/0)", "is outside the run"},
           {"k=at(x, x)", "expected a number of seconds"},
           {"k=at(x, max(x))", "expected a number of seconds"},
           {"k=at(x, 500 ms)", "found `ms)`; expected `,` or `)`"},
           {"k=max('x)", "expected a name between two quotes"},
           {"k=1 $ 2", "found `$ 2`"},
           {"k=" + std::string(1000, '(') + "1" + std::string(1000, ')'), "fewer nested brackets"},
           {"k=1" + std::string(4000, '^') + "1", "found `^"},
           {"k=1" +
                [] {
                  std::string text;
                  for (int i = 0; i < 200; ++i) text += "^1";
                  return text;
                }(),
            "fewer nested powers"},
       })
    EXPECT_NE(refusal({text}).find(message), std::string::npos) << text << "\n" << refusal({text});
  EXPECT_NE(refusal({"k=max(x)", "k=min(x)"}).find("occurs twice"), std::string::npos);
  const std::string both = refusal({"k=x", "l=y"});
  EXPECT_NE(both.find("`x`"), std::string::npos);
  EXPECT_NE(both.find("`y`"), std::string::npos);
}

}  // namespace
}  // namespace trunnion
