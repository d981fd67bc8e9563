// Control blocks with the matrices of a linear model from a file.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/linear_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "file/model_file.h"
#include "run/run.h"
#include "studies/linear_study.h"
#include "support/machines.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

class LinearFile : public test::InFolder {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path(name)) << text;
    return path(name);
  }
  std::string model_with(const std::string& block) {
    return write("model.yaml", R"(trunnion: 1
gravity: [0, 0, 0]
bodies: {m: {point_mass: {mass: 1}}}
joints: {m: {prismatic: {parent: ground, axis: x}}}
signals: {w: {constant: 3}}
control: {s: {state_space: )" + block +
                                   R"(}}
forces: {f: {joint: m, load: 1, signal: s}}
solver: {step: 1 ms, duration: 1}
)");
  }
  std::string refusal(const std::string& block) {
    try {
      (void)load_model(model_with(block));
    } catch (const InputError& error) { return error.what(); }
    return "";
  }
};

TEST_F(LinearFile, IsTheModelThatLinearizeWrote) {
  // x'' = 4 u - 4 x - 5 x', from rest at the end of its spring
  const std::string plant = write("plant.yaml", R"(trunnion: 1
gravity: [0, 0, 0]
bodies: {m: {point_mass: {mass: 1}}}
joints: {m: {prismatic: {parent: ground, axis: x}}}
springs: {k: {joint: m, stiffness: 4, damping: 5, rest: 0}}
inputs: {u: {}}
forces: {f: {joint: m, load: 4, signal: u}}
solver: {step: 1 ms, duration: 1}
)");
  LinearStudyRequest request;
  request.model_file = plant;
  linear_study(request, path("lin"));
  const auto model = compile(load_model(model_with("{inputs: [w], file: lin/linear.json, output: m.position}")));
  Runner run(model);
  run.advance(1);
  // x = 3 (1 - 4/3 e^-t + 1/3 e^-4t) is the force on a mass of 1 kg
  const double speed = 3 * (1 + 4.0 / 3 * (std::exp(-1) - 1) + 1.0 / 3 * (1 - std::exp(-4)) / 4);
  EXPECT_NEAR(run.state().v()[0], speed, 1e-6);
  // the expanded model has the matrices
  const std::string written = write_model(load_model(path("model.yaml")));
  EXPECT_EQ(written.find("linear.json"), std::string::npos);
  EXPECT_NE(written.find("A:"), std::string::npos);
}

TEST_F(LinearFile, WrongOnesAreRefused) {
  write("two.json", R"({"inputs": ["u"], "outputs": ["position", "speed"], "A": [[-1]], "B": [[1]], "C": [[1], [2]], "D": [[0], [0]]})");
  write("bad.json", R"({"inputs": ["u"], "outputs": ["y"], "A": [[-1, 2]], "B": [[1]], "C": [[1]], "D": [[0]]})");
  EXPECT_EQ(refusal("{inputs: [w], file: two.json, output: speed}"), "");
  EXPECT_NE(refusal("{inputs: [w], file: two.json}").find("has 2 outputs"), std::string::npos);
  EXPECT_NE(refusal("{inputs: [w], file: two.json, output: spead}").find("did you mean `speed`?"), std::string::npos);
  EXPECT_NE(refusal("{inputs: [w, w], file: two.json, output: speed}").find("a value for each of u"), std::string::npos);
  EXPECT_NE(refusal("{inputs: [w], file: bad.json}").find("`A` is not 1 x 1"), std::string::npos);
  EXPECT_NE(refusal("{inputs: [w], file: no.json}").find("no.json"), std::string::npos);
  EXPECT_NE(refusal("{inputs: [w], file: model.yaml}").find("is no linear model"), std::string::npos);
}

}  // namespace
}  // namespace trunnion
