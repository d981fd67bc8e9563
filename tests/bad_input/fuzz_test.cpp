// For any text, the reader either returns a description or throws InputError with findings.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "file/model_file.h"

namespace trunnion {
namespace {

std::string example() {
  std::ifstream stream(std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Random edits: bytes, pieces moved or duplicated, and fragments with a meaning for the reader.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) edit(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void edit(std::string& text) {
    static const char* const fragments[] = {"[", "]",      "{",     "}",    ":",     ": ", "- ",     "&a ",   "*a",   "\"", "'",
                                            "#", "\n",     "  ",    ".inf", "1e999", "-1", "0",      ",",     "null", "| ", "? ",
                                            "%", "ground", "crank", "<<: ", "3 kg",  "\t", "!!int ", "---\n", "...\n"};
    const std::size_t at = below(text.size()), length = below(std::min<std::size_t>(40, text.size() - at));
    switch (below(5)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 3:
        text.insert(at, fragments[below(std::size(fragments))]);
        break;
      default:
        text.replace(at, length, fragments[below(std::size(fragments))]);
    }
  }

  std::mt19937 random_;  // deterministic on all platforms
};

TEST(Fuzz, MutatedModelsAreReadOrRefusedProperly) {
  const std::string text = example();
  Mutator mutate(1);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string mutated = mutate(text);
    try {
      const Description d = parse_model(mutated, "model.yaml");
      EXPECT_NO_THROW(parse_model(write_model(d), "again.yaml")) << mutated;
    } catch (const InputError& error) {
      ++refused;
      EXPECT_FALSE(error.diagnostics().empty());
    } catch (const std::exception& error) { FAIL() << error.what() << "\n" << mutated; }
  }
  EXPECT_GT(refused, 200);
}

TEST(Fuzz, MutatedOverridesAreReadOrRefusedProperly) {
  const std::string text = example();
  const char* const settings[] = {"cylinders.lift.friction.model=lugre", "signals.command.steps=[[0, 1], [1, 2]]",
                                  "bodies.crank.rod.mass=3 kg", "gravity.1=-3"};
  Mutator mutate(2);
  for (int i = 0; i < 400; ++i) {
    const std::string setting = mutate(settings[i % 4]);
    try {
      parse_model(text, "model.yaml", {parse_override(setting)});
    } catch (const InputError& error) { EXPECT_FALSE(error.diagnostics().empty()); } catch (const std::exception& error) {
      FAIL() << error.what() << "\n" << setting;
    }
  }
}

TEST(Fuzz, DeepNestingIsRefused) {
  for (const char* piece : {"[", "{a: ", "- ", "? "}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += piece;
    EXPECT_THROW(parse_model(text, "model.yaml"), InputError) << piece;
  }
}

}  // namespace
}  // namespace trunnion
