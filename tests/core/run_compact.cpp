// A program of the core alone:   run_compact FILE STEPS   reads the compact form of a model, makes some steps and prints the time and
// the state as hexadecimal numbers, one a line. What is wrong is printed, too, with exit code 2. `run_compact built STEPS` does the same
// with a lever built in code.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "base/diagnostic.h"
#include "front/content.h"
#include "linearise/linear_model.h"
#include "model/model.h"
#include "run/run.h"
#include "schema/compact.h"
#include "support/built_machines.h"

int main(int, char** arguments) {
  try {
    std::shared_ptr<const trunnion::CompiledModel> model;
    if (std::string(arguments[1]) == "built") {
      model = trunnion::Model::build(trunnion::test::lever())->content().compiled;
    } else {
      std::ifstream file(arguments[1], std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      model = trunnion::compile(trunnion::parse_compact(text, arguments[1]));
    }
    trunnion::Runner run(model);
    for (long i = std::atol(arguments[2]); i > 0; --i) run.step();
    std::printf("%a\n", run.state().time);
    for (const double value : run.state().values()) std::printf("%a\n", value);
    return 0;
  } catch (const trunnion::InputError& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
