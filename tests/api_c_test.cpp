// The C interface, from a program compiled as C11.
// Reference: the C++ interface, bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "c/drive.h"
#include "support/driven_crane.h"
#include "trunnion/trunnion.h"

namespace {

TEST(CInterface, DrivesAMachineAndAnswersMisuse) {
  double angle = 0;
  ASSERT_EQ(drive(trunnion::test::kDrivenCrane, 3, &angle), 0) << "line of tests/c/drive.c";
  const auto model = trunnion::Model::from_text(trunnion::test::kDrivenCrane, {"solver.step=2 ms"});
  trunnion::Simulation sim(model);
  sim.set(model->input("lever"), 3);
  sim.run_until(0.3);
  EXPECT_EQ(angle, sim.value("boom.angle"));
}

}  // namespace
