// Files that are too large, are not models, or refer to missing things: each gives a short clear message.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "file/model_file.h"
#include "file/urdf.h"
#include "model/model.h"
#include "results/run_case.h"
#include "studies/linear_case.h"
#include "support/program.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

namespace fs = std::filesystem;

const std::string kData = std::string(TRUNNION_SOURCE_DIR) + "/tests/data/hostile/";

/// Message of a function's exception; empty if none is thrown.
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_FALSE(text.empty());
    EXPECT_LT(text.size(), 4000u);
    EXPECT_EQ(find_invalid_utf8(text), std::string::npos);
    return text;
  }
  return "";
}

std::string refusal(const std::string& text, const std::vector<Override>& overrides = {}) {
  return message_of([&] { parse_model(text, "model.yaml", overrides); });
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(HostileInput, EveryCaseHasItsMessage) {
  struct {
    const char* file;
    std::vector<const char*> words;
  } const cases[] = {
      {"parameter_bomb.yaml",
       {"parameters.p", "bytes of texts inserted by $(...) and by parts exceed the limit of 64000000", "--set limits.text_size"}},
      {"nested_count.yaml", {"exceed the limit of", "--set limits."}},
      {"include_dev_zero.yaml", {"/dev/zero", "not a regular file", "include_dev_zero.yaml:2:10"}},
      {"latin1_title.yaml", {"latin1_title.yaml:2:9", "the byte \\xf6 is not UTF-8", "iconv"}},
      {"orifice_empty_signal.yaml", {"orifice_empty_signal.yaml:5:", "valves.bleed.signal", "the name is empty"}},
      {"no_message.yaml", {"loops.l", "does not close"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.file);
    const std::string text = message_of([&] { compile(load_model(kData + c.file)); });
    for (const char* words : c.words) EXPECT_TRUE(holds(text, words)) << words << "\n" << text;
  }
}

// ---------------------------------------------------------------- limits

TEST(HostileInput, EveryLimitStandsInTheMessageAndCanBeRaised) {
  const std::string chain = [] {
    std::string text = "trunnion: 1\nparameters:\n  p0: xxxxxxxxxx\n";
    for (int i = 1; i < 4; ++i) {
      text += "  p" + std::to_string(i) + ": \"";
      for (int k = 0; k < 10; ++k) text += "$(p" + std::to_string(i - 1) + ")";
      text += "\"\n";
    }
    return text + "title: $(p3)\n";
  }();
  const std::string parts =
      "trunnion: 1\ntemplates: {t: {volumes: {$(part): {volume: 1 L, pressure: 1 MPa}}}}\nparts: {a: {template: t, count: 50}}\n";
  const std::string aliases = "trunnion: 1\nparameters:\n  a: &a [1, 2, 3, 4, 5, 6, 7, 8]\n  b: [*a, *a, *a, *a, *a, *a, *a, *a]\n";
  struct {
    const std::string& text;
    const char *name, *small, *large;
  } const cases[] = {{chain, "text_size", "5000", "50000"},
                     {parts, "parts", "49", "50"},
                     {parts, "values", "200", "2000"},
                     {aliases, "values", "50", "2000"},
                     {parts, "input_size", "40", "1e4"}};
  for (const auto& c : cases) {
    const std::string path = std::string("limits.") + c.name;
    SCOPED_TRACE(path);
    const std::string text = refusal(c.text, {{path, c.small}});
    EXPECT_TRUE(holds(text, c.small)) << text;
    EXPECT_TRUE(holds(text, "`--set " + path + "=NUMBER` allows more")) << text;
    EXPECT_FALSE(holds(refusal(c.text, {{path, c.large}}), "limit"));
  }
}

TEST(HostileInput, LimitsAreNamedAndNumbers) {
  const std::string model = "trunnion: 1\n";
  EXPECT_TRUE(holds(refusal(model, {{"limits.size", "3"}}), "there is no such limit; expected one of `input_size`"));
  for (const char* value : {"0", "-1", "nan", "inf", ".inf", "3 kg", "", "many"})
    EXPECT_TRUE(holds(refusal(model, {{"limits.parts", value}}), "a number greater than 0")) << value;
  EXPECT_TRUE(holds(refusal("trunnion: 1\nlimits: {parts: 3}\n"), "`limits` is not known")) << "a file does not raise its own limits";
}

TEST(HostileInput, CopiesOfListsCountAsTheirValues) {
  std::string text = "trunnion: 1\nparameters:\n  p0: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "$(p" + std::to_string(i - 1) + ")";
    text += "  p" + std::to_string(i) + ": [";
    for (int k = 0; k < 10; ++k) text += (k > 0 ? ", " : "") + before;
    text += "]\n";
  }
  EXPECT_TRUE(holds(refusal(text), "the values of the model exceed the limit of 4000000")) << refusal(text);
}

TEST(HostileInput, TemplatesOfNothingAreCountedToo) {
  const std::string text =
      "trunnion: 1\ntemplates: {t: {parts: {b: {template: u, count: 1000000}}}, u: {}}\nparts: {a: {template: t, count: 1000000}}\n";
  EXPECT_TRUE(holds(refusal(text), "the parts of the model exceed the limit of 1000000")) << refusal(text);
}

TEST(HostileInput, TextsOfPartsAreCounted) {
  const std::string text =
      "trunnion: 1\ntemplates: {t: {title: " + std::string(10000, 'x') + "}}\nparts: {a: {template: t, count: 100000}}\n";
  EXPECT_TRUE(holds(refusal(text), "limits.text_size")) << refusal(text);
}

// ---------------------------------------------------------------- messages

TEST(HostileInput, NoMessageRepeatsLongTexts) {
  const std::string longest(40000, 'x');
  for (const std::string& text :
       {"trunnion: 1\n" + longest + ": 3\n", "trunnion: 1\nbodies: {" + longest + ": {rod: {length: 1, mass: 1}}}\n",
        "trunnion: 1\nbodies: {a: {rod: {length: " + longest + ", mass: 1}}}\n", "trunnion: 1\nbodies: {a: {" + longest + ": 1}}\n",
        "trunnion: 1\nparameters: {a: $(" + longest + ")}\n", "trunnion: 1\nparameters: {a: \"$(" + longest + "\"}\n",
        "trunnion: 1\ninclude: " + longest + "\n", "trunnion: 1\nparts: {" + longest + ": {template: " + longest + "}}\n",
        "trunnion: 1\nsignals: {s: {csv: {file: " + longest + "}}}\n",
        "trunnion: 1\nvalves: {v: {orifice: {A: " + longest + ", B: b, area: 1 cm^2}}}\n", longest})
    EXPECT_FALSE(refusal(text).empty()) << text.substr(0, 60);
  std::string many = "trunnion: 1\nbodies:\n";
  for (int i = 0; i < 5000; ++i) many += "  b" + std::to_string(i) + ": {rod: {length: x, mass: 1}}\n";
  try {
    parse_model(many, "model.yaml");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 5000u);
    EXPECT_TRUE(holds(error.what(), "and 4800 more findings"));
  }
}

TEST(HostileInput, ControlCharactersAreShownAsNumbers) {
  const std::string text = refusal("trunnion: 1\n\"a\\tb\\nc\": 1\n");
  EXPECT_TRUE(holds(text, "`a\\x09b\\x0ac`")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(HostileInput, InvalidUtf8HasItsPlace) {
  const std::string start = "trunnion: 1\ntitle: ";
  for (const std::string& bytes : {std::string("\xc0\xaf"), std::string("\xed\xa0\x80"), std::string("\xf5\x80\x80\x80"),
                                   std::string("\x80"), std::string("\xe2\x82"), std::string("\xff")}) {
    const std::string text = refusal(start + bytes + "\n");
    EXPECT_TRUE(holds(text, "model.yaml:2:8: error: the byte \\x")) << text;
  }
  EXPECT_EQ(refusal(start + "Bagger \xc3\xb6 \xe2\x82\xac \xf0\x9f\x9a\x9c\n"), "");
  EXPECT_TRUE(holds(refusal("trunnion: 1\n", {{"title", "\xf6"}}), "is not UTF-8"));
}

/// Raw, and as escapes: a title is printed on terminals.
TEST(HostileInput, ControlCharactersAreRefused) {
  for (const std::string& control : {std::string(1, '\0'), std::string("\x01"), std::string("\x07"), std::string("\x1b"),
                                     std::string("\x7f"), std::string("\xc2\x80"), std::string("\xc2\x9b")}) {
    const std::string text = refusal("trunnion: 1\ntitle: a" + control + "b\n");
    EXPECT_TRUE(holds(text, "model.yaml:2:9: error: the text contains the control character " + printable(control) + ";")) << text;
  }
  for (const char* escape : {"\\e[31m", "\\0", "\\x7f", "\\x9b", "\\u0085"}) {
    const std::string text = refusal("trunnion: 1\ntitle: \"a" + std::string(escape) + "\"\n");
    EXPECT_TRUE(holds(text, "model.yaml:2:8: error: ") && holds(text, "contains the control character \\x")) << text;
  }
  EXPECT_EQ(refusal("trunnion: 1\r\ntitle: a\tb\r\n"), "");
}

// ---------------------------------------------------------------- names

TEST(HostileInput, EmptyNamesAreNoNames) {
  const std::string head = "trunnion: 1\nvolumes: {a: {volume: 1 L, pressure: 1 MPa}, b: {volume: 1 L, pressure: 1 MPa}}\n";
  for (
      const char* rest :
      {"valves: {v: {orifice: {A: a, B: b, area: 1 cm^2}, signal: \"\"}}", "valves: {v: {orifice: {A: \"\", B: b, area: 1 cm^2}}}",
       "valves: {v: {directional_4_3: {P: a, T: b, A: a, B: b, flow: 1 L/min, at_signal: 10}, signal: \"\"}}",
       "sources: {s: {flow: 1 L/min, to: \"\"}}", "bodies: {c: {point_mass: {mass: 1}}}\njoints: {c: {prismatic: {parent: \"\", axis: x}}}",
       "springs: {s: {joint: \"\", stiffness: 1}}", "forces: {f: {joint: \"\", load: 1}}",
       "couplings: {c: {joints: [\"\", \"\"], ratio: 1}}", "signals: {s: {sum: [\"\"]}}",
       "bodies: {c: {point_mass: {mass: 1}}}\njoints: {c: {prismatic: {parent: ground, axis: x}}}\nmotions: {m: {joint: c, signal: \"\"}}"})
    EXPECT_FALSE(refusal(head + rest).empty()) << rest;
  Description built = parse_model(head + "valves: {v: {orifice: {A: a, B: b, area: 1 cm^2}}}", "model.yaml");
  std::get<OrificeDescription>(built.valves.at(0).second).signal = "";
  EXPECT_TRUE(holds(message_of([&] { compile(built); }), "is not the name of a signal"));
}

TEST(HostileInput, NamesOfRobotsStandOnOneLine) {
  const std::string text = test::text_of(kData + "urdf_newline_in_name.urdf");
  EXPECT_TRUE(holds(message_of([&] { import_urdf(text, "robot.urdf", false); }), "has a line break or another control character"));
  const std::string link = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>";
  const std::string two = "<robot name=\"r&#10;include: /etc/passwd\"><link name=\"a\">" + link + "<link name=\"b\">" + link +
                          "<joint name=\"j&#13;include: x\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>";
  EXPECT_TRUE(holds(message_of([&] { import_urdf(two, "robot.urdf", false); }), "the name `j\\x0dinclude: x` of <joint>"));
  const ImportedModel model =
      import_urdf("<robot name=\"r&#10;include: x\"><link name=\"a\">" + link + "</robot>", "ro\nbot: .urdf", false);
  EXPECT_EQ(parse_model(model.text, "model.yaml").title, "r\ninclude: x");
  EXPECT_TRUE(model.text.starts_with("# Imported from ro\\x0abot: .urdf\n"));
}

// ---------------------------------------------------------------- files

class HostileFiles : public test::InFolder {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream(path(name), std::ios::binary) << text; }
  std::string loaded(const std::string& text, const std::vector<Override>& overrides = {}) {
    write("model.yaml", text);
    return message_of([&] { load_model(path("model.yaml"), overrides); });
  }
};

TEST_F(HostileFiles, OnlyRegularFilesAreRead) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string& name : {std::string("/dev/zero"), std::string("/dev/tty"), path("pipe"), folder_.string(), path("nothing")}) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(holds(message_of([&] { load_model(name); }), "cannot be read"));
    EXPECT_TRUE(holds(loaded("trunnion: 1\ninclude: " + name + "\n"), "cannot be used"));
    EXPECT_TRUE(holds(loaded("trunnion: 1\nsignals: {s: {csv: {file: " + name + "}}}\n"), "cannot be used"));
  }
}

TEST_F(HostileFiles, LargeFilesAreRefusedWithTheLimit) {
  write("data.csv", "t,x\n0,1\n" + std::string(3000, '#') + "\n");
  const std::string model = "trunnion: 1\nsignals: {s: {csv: {file: data.csv}}}\n";
  const std::string text = loaded(model, {{"limits.input_size", "2000"}});
  EXPECT_TRUE(holds(text, "more than 2000 bytes")) << text;
  EXPECT_TRUE(holds(text, "limits.input_size")) << text;
  EXPECT_EQ(loaded(model, {{"limits.input_size", "4000"}}), "");
  write("part.yaml", "# " + std::string(3000, '#') + "\n");
  EXPECT_TRUE(holds(loaded("trunnion: 1\ninclude: [part.yaml, part.yaml]\n", {{"limits.input_size", "5000"}}), "the limit of 5000"));
}

TEST_F(HostileFiles, ManyIncludesAreRefused) {
  for (int i = 0; i < 15; ++i)
    write("p" + std::to_string(i) + ".yaml", "include: [p" + std::to_string(i + 1) + ".yaml, p" + std::to_string(i + 1) + ".yaml]\n");
  write("p15.yaml", "title: x\n");
  EXPECT_TRUE(holds(loaded("trunnion: 1\ninclude: p0.yaml\n"), "the included files exceed the limit of 1000"));
}

TEST_F(HostileFiles, NothingOfFilesThatAreNoModelsIsQuoted) {
  const std::vector<std::string> contents{"hunter2:x:0:0:hunter2:/root:/bin/sh\n",
                                          "hunter2",
                                          "password: hunter2\nuser: hunter2\n",
                                          "hunter2: {a: 1}\n",
                                          "- hunter2\n- hunter2\n",
                                          "title: x\nhunter2: hunter2\n",
                                          "hunter2: [\n",
                                          "a: *hunter2\n",
                                          "hunter2: 1\nhunter2: 2\n",
                                          "hunter2,1\nhunter2,2\n",
                                          "hunter2\nhunter2\nhunter2\n",
                                          "a hunter2\nb hunter2\n"};
  for (const std::string& content : contents) {
    write("secret", content);
    for (const char* use : {"include: secret", "signals: {s: {csv: {file: secret}}}", "signals: {s: {csv: {file: secret, value: huntr2}}}",
                            "signals: {s: {csv: {file: secret, time: 1, value: 1}}}"}) {
      if (content == contents[9] && std::string(use).find("csv") != std::string::npos) continue;  // a table of numbers
      const std::string text = loaded(std::string("trunnion: 1\n") + use + "\n");
      EXPECT_FALSE(text.empty()) << content << use;
      EXPECT_FALSE(holds(text, "hunter2")) << text;
    }
  }
  write("secret", "bodys: {}\n");
  EXPECT_TRUE(holds(loaded("trunnion: 1\ninclude: secret\n"),
                    "secret:1:1: error: this key is not a section of a model file; did you mean `bodies`?"));
}

// ---------------------------------------------------------------- values that are not finite

TEST(HostileInput, ValuesThatAreNotFiniteAtTheStartAreAFailure) {
  const CaseResult result = run_case(compile(load_model(kData + "nan_in_results.yaml")));
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->equations(), "energy.cylinder");
  EXPECT_TRUE(holds(result.failure->what(), "the value at the start is not finite")) << result.failure->what();
  EXPECT_EQ(result.recorder->recording().rows(), 0u);
}

// A force of 1e157 N on 1 kg: positions and velocities stay finite, the power does not.
TEST(HostileInput, ValuesThatAreNotFiniteEndTheRunBeforeTheyAreRecorded) {
  for (const char* every : {"1", "4"}) {
    const CaseResult result = run_case(
        compile(parse_model("trunnion: 1\nbodies: {m: {point_mass: {mass: 1}}}\njoints: {m: {prismatic: {parent: ground, axis: x}}}\n"
                            "signals: {s: {steps: [[5 ms, 1e157]]}}\nforces: {f: {joint: m, load: 1, signal: s}}\n"
                            "solver: {step: 1 ms, duration: 0.01}\nrecord: {every: " +
                                std::string(every) + "}\n",
                            "model.yaml")));
    ASSERT_TRUE(result.failure.has_value());
    EXPECT_TRUE(holds(result.failure->what(), "not finite")) << result.failure->what();
    EXPECT_EQ(result.failure->time(), 0.005);
    EXPECT_EQ(result.end_time, 0.005);
    const Recording& recording = result.recorder->recording();
    EXPECT_EQ(recording.rows(), *every == '1' ? 6u : 3u);  // 0, 4 and 5 ms of every fourth
    EXPECT_EQ(recording.columns[0].back(), result.end_time);
    for (const auto& column : recording.columns)
      for (const double value : column) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(HostileInput, MachinesWithoutStatesAreNotLinearised) {
  for (const char* text :
       {"trunnion: 1\n", "trunnion: 1\nbodies: {a: {rod: {length: 1, mass: 1}}}\njoints: {a: {fixed: {parent: ground}}}\n",
        "trunnion: 1\nbodies: {a: {rod: {length: 1, mass: 1, diameter: 0.1}}}\njoints: {a: {revolute: {parent: ground}}}\n"
        "loops: {l: {revolute: {between: [a, ground], at: [[1, 0, 0], [1, 0, 0]]}}}\n"})
    for (const LinearMethod method : {LinearMethod::reduced, LinearMethod::counterpart}) {
      const auto model = compile(parse_model(text, "model.yaml"));
      LinearOptions options;
      options.method = method;
      const std::string said = message_of([&] { linearise(model, start_of(model, StartKind::given), options); });
      EXPECT_TRUE(method == LinearMethod::counterpart || holds(said, "no states to linearise")) << text << said;
    }
}

#ifdef TRUNNION_PROGRAM

TEST_F(HostileFiles, TheProgramAnswersEveryCaseWithAMessage) {
  struct {
    const char *command, *file;
    int code;
  } const cases[] = {{"run", "parameter_bomb.yaml", 2}, {"run", "include_dev_zero.yaml", 2},
                     {"run", "latin1_title.yaml", 2},   {"run", "orifice_empty_signal.yaml", 2},
                     {"run", "no_message.yaml", 2},     {"linearize", "linearize_no_freedom.yaml", 2},
                     {"run", "nan_in_results.yaml", 1}, {"import", "urdf_newline_in_name.urdf", 2}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.file);
    const test::Outcome outcome = test::call_program(folder_, std::string(c.command) + " '" + kData + c.file + "'");
    EXPECT_EQ(outcome.code, c.code) << outcome.output;
    EXPECT_FALSE(outcome.output.empty());
    EXPECT_LT(outcome.output.size(), 4000u);
  }
  EXPECT_TRUE(exists("nan_in_results_results/summary.json"));
  EXPECT_TRUE(
      test::call_program(folder_, "equilibrium '" + kData + "nan_in_results.yaml' --at nan").printed("expected a number of at least 0"));
}

/// Escape sequences in files and names of files: a terminal would obey them.
TEST_F(HostileFiles, NoTextFromFilesControlsATerminal) {
  const std::string model =
      "trunnion: 1\nbodies: {rod: {rod: {length: 1, mass: 1}}}\njoints: {rod: {revolute: {parent: ground}}}\n"
      "solver: {step: 10 ms, duration: 0.05}\n";
  write("arm.yaml", model);
  ASSERT_EQ(test::call_program(folder_, "run arm.yaml -o run").code, 0);
  const std::string summary = test::text_of(path("run/summary.json"));
  for (const std::string& escape : {std::string("\x1b[31mred"),
                                    std::string("\xc2\x9b"
                                                "31mred"),
                                    std::string("\x7f")}) {
    SCOPED_TRACE(printable(escape));
    const auto check = [&](const std::string& command, int code, const std::string& words = "") {
      const test::Outcome outcome = test::call_program(folder_, command);
      EXPECT_EQ(outcome.code, code) << command << outcome.output;
      EXPECT_EQ(find_control_character(outcome.output), std::string::npos) << command << outcome.output;
      EXPECT_TRUE(holds(outcome.output, words)) << command << outcome.output;
    };
    const std::string refused = "the text contains the control character " + printable(escape).substr(0, escape.front() == '\xc2' ? 8 : 4);
    // CSV: a table of channels, a signal, reference values
    write("table.csv", "time,a" + escape + ",b\n0,1,2\n1,2,3\n");
    check("plot table.csv '*' -o plot.csv", 2, refused);
    check("plot table.csv nothing -o plot.csv", 2, refused);
    write("driven.yaml", model + "signals: {s: {csv: {file: table.csv, value: c}}}\nmotions: {m: {joint: rod, signal: s}}\n");
    check("check driven.yaml", 2);
    check("compare arm.yaml --vary solver.step=0.01,0.005 --reference table.csv -o compared", 2, refused);
    // a summary whose model has such a name
    std::string named = summary;
    const std::string quoted = escape.front() == '\x1b' ? "\\u001b[31mred" : escape == "\x7f" ? "\\u007f" : escape;
    for (std::size_t at = 0; (at = named.find("\"rod\"", at)) != std::string::npos;) named.replace(at, 5, "\"rod" + quoted + "\"");
    ASSERT_NE(named, summary);
    write("run/summary.json", named);
    fs::remove(path("run/results.h5"));
    check("report run", 0, "no animation: ");
    // names of files and other arguments
    check("report 'run" + escape + "'", 2);
    check("check 'arm" + escape + ".yaml'", 2, "contains a control character");
    fs::create_directories(path("compared/" + escape));
    write("compared/compare.json", "{}");
    write("compared/compare.csv", "solver.step\n0.1\n");
    fs::copy(path("run"), path("compared/" + escape), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    check("report compared", 0, printable(escape));
    fs::remove_all(path("compared"));
  }
}

/// A table of a comparison names its runs; others are not read.
TEST_F(HostileFiles, AComparisonShowsRunsOfItsOwnFolderOnly) {
  write("arm.yaml",
        "trunnion: 1\nbodies: {rod: {rod: {length: 1, mass: 1}}}\njoints: {rod: {revolute: {parent: ground}}}\n"
        "solver: {step: 10 ms, duration: 0.05}\n");
  ASSERT_EQ(test::call_program(folder_, "run arm.yaml -q -o private").code, 0);
  ASSERT_EQ(test::call_program(folder_, "run arm.yaml -q -o compared/own").code, 0);
  write("compared/compare.json", "{}");
  write("compared/compare.csv", "solver.step\n0.1\n");
  write("compared/history.csv",
        "time,own.velocity_violation,../private.velocity_violation,..velocity_violation,.velocity_violation\n0,0,0,0,0\n");
  const test::Outcome outcome = test::call_program(folder_, "report compared");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(outcome.printed("own: all 6 records")) << outcome.output;
  EXPECT_FALSE(outcome.printed("private")) << outcome.output;
}

#endif

}  // namespace
}  // namespace trunnion
