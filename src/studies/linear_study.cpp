// Linear models, root loci and sensitivities with their files.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/linear_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "results/files.h"
#include "studies/difference_study.h"
#include "studies/linear_request.h"
#include "studies/table.h"

namespace trunnion {

namespace {

/// The linear model about the start, or at the one requested time.
LinearCase single_case(const LinearStudyRequest& request, const std::shared_ptr<const CompiledModel>& model) {
  if (request.at.empty()) {
    std::vector<std::string> warnings;
    LinearCase c = make_linear_case(model, start_of(model, request.start, &warnings), request.start, request.options);
    c.linear.warnings.insert(c.linear.warnings.end(), warnings.begin(), warnings.end());
    return c;
  }
  std::optional<LinearCase> found;
  states_at(model, request.start, request.at,
            [&](const StateVector& state) { found = make_linear_case(model, state, request.start, request.options); });
  return *found;
}

/// Returns why the picture is missing, or an empty text.
std::string write_root_locus(const RootLocus& locus, const std::string& folder, const std::string& name) {
  make_folder(folder);
  write_text(root_locus_csv(locus), folder + "/" + name + ".csv");
  write_text(root_locus_json(locus), folder + "/" + name + ".json");
  return draw(root_locus_plot(locus), folder + "/" + name + ".svg");
}

std::string complex_text(std::complex<double> z) {
  z += 0.0;  // no -0
  return z.imag() == 0 ? fmt::format("{:.6g}", z.real())
                       : fmt::format("{:.6g} {} {:.6g}i", z.real(), z.imag() < 0 ? "-" : "+", std::abs(z.imag()));
}

}  // namespace

// ---------------------------------------------------------------- root locus

RootLocus root_locus(const LinearStudyRequest& request, const Progress& progress, const EachPoint& each) {
  RootLocus locus;
  const VariedRows varied = varied_rows(request.pairs, request.vary);
  locus.paths = varied.paths;
  check_values(request, varied);
  for (const auto& values : varied.rows) {
    const LinearStudyRequest of = with_values(request, varied.paths, values);
    std::optional<LinearCase> found;
    RootLocusPoint point;
    point.values = values;
    std::shared_ptr<const CompiledModel> model;
    try {
      model = load_requested(of);
    } catch (const InputError& error) {
      point.possible = false;
      point.status = std::string("impossible: ") + of_varied(error, varied.paths, request.pairs).what();
    } catch (const Error& error) { point.status = error.what(); }
    if (model) try {
        found = single_case(of, model);
        point = root_locus_point(values, *found);
      } catch (const Error& error) { point.status = error.what(); }
    locus.points.push_back(std::move(point));
    if (found && each) each(locus.points.size(), values, of, *found);
    if (progress) progress(static_cast<double>(locus.points.size()));
  }
  follow(locus, {varied.sizes.begin(), varied.sizes.end()});
  return locus;
}

// ---------------------------------------------------------------- sensitivities

SensitivityTable sensitivities(const LinearStudyRequest& request, const LinearCase& c) {
  SensitivityTable table{c, request.sensitivity, {}};
  LinearOptions options = request.options;
  options.outputs = {c.linear.outputs.empty() ? "" : c.linear.outputs.front().name};  // only A is differentiated
  if (c.linear.outputs.empty()) options.outputs = request.options.outputs;
  std::vector<double> values;
  for (const std::string& path : request.sensitivity)
    values.push_back(number_at(request.model_file, request.overrides, path, "--sensitivity"));
  for (std::size_t i = 0; i < values.size(); ++i)
    table.rows.push_back(eigenvalue_sensitivity(c.linear, c.spectrum, values[i], [&](double p) {
      const auto model = load_requested(request, {{request.sensitivity[i], fmt::format("{:.17g}", p)}});
      return linearise(model, start_of(model, request.start), options);
    }));
  return table;
}

std::string sensitivity_csv(const SensitivityTable& table) {
  std::string text = "parameter,value,number,re,im,derivative_re,derivative_im,error,relative_re,relative_im,refusal\n";
  const std::vector<Eigenvalue>& eigenvalues = table.of.spectrum.eigenvalues;
  for (std::size_t p = 0; p < table.rows.size(); ++p) {
    const Sensitivity& row = table.rows[p];
    for (std::size_t i = 0; i < eigenvalues.size(); ++i) {
      text += table.paths[p];
      append_number(text += ",", row.value);
      text += "," + std::to_string(i + 1);
      append_number(text += ",", eigenvalues[i].value.real());
      append_number(text += ",", eigenvalues[i].value.imag());
      const std::string refusal = row.of.empty() ? row.refusal : row.of[i].refusal;
      if (!refusal.empty()) {
        text += ",,,,,," + quoted(refusal) + "\n";
        continue;
      }
      const EigenvalueSensitivity& s = row.of[i];
      for (double x : {s.derivative.real(), s.derivative.imag(), s.error, s.relative.real(), s.relative.imag()})
        append_number(text += ",", x);
      text += ",\n";
    }
  }
  return text;
}

std::string sensitivity_json(const SensitivityTable& table) {
  using Json = nlohmann::ordered_json;
  const auto complex = [](std::complex<double> z) { return Json{{"re", z.real()}, {"im", z.imag()}}; };
  Json eigenvalues = Json::array(), parameters = Json::array();
  for (const Eigenvalue& e : table.of.spectrum.eigenvalues) eigenvalues.push_back(complex(e.value));
  for (std::size_t p = 0; p < table.rows.size(); ++p) {
    const Sensitivity& row = table.rows[p];
    Json list = Json::array();
    for (const EigenvalueSensitivity& s : row.of) {
      const bool known = s.refusal.empty();
      list.push_back({{"derivative", known ? complex(s.derivative) : Json(nullptr)},
                      {"error", known ? Json(s.error) : Json(nullptr)},
                      {"relative", known ? complex(s.relative) : Json(nullptr)},
                      {"refusal", s.refusal}});
    }
    parameters.push_back(
        {{"path", table.paths[p]}, {"value", row.value}, {"step", row.step}, {"refusal", row.refusal}, {"eigenvalues", list}});
  }
  return Json{{"eigenvalues", eigenvalues}, {"parameters", parameters}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string sensitivity_text(const SensitivityTable& table) {
  std::vector<std::vector<std::string>> lines{{"parameter", "eigenvalue 1/s", "d eigenvalue / d parameter", "error", "relative"}};
  std::vector<std::string> refusals;
  const std::vector<Eigenvalue>& eigenvalues = table.of.spectrum.eigenvalues;
  for (std::size_t p = 0; p < table.rows.size(); ++p) {
    const Sensitivity& row = table.rows[p];
    if (!row.refusal.empty()) refusals.push_back(fmt::format("{} = {:g}: {}\n", table.paths[p], row.value, row.refusal));
    for (std::size_t i = 0; i < row.of.size(); ++i) {
      const EigenvalueSensitivity& s = row.of[i];
      if (eigenvalues[i].value.imag() < 0) continue;  // the conjugate of the previous one
      if (eigenvalues[i].chain > 0 && s.refusal.empty()) continue;
      const std::string name = fmt::format("{} = {:g}", table.paths[p], row.value), value = complex_text(eigenvalues[i].value);
      if (s.refusal.empty())
        lines.push_back({name, value, complex_text(s.derivative), fmt::format("{:.1e}", s.error), complex_text(s.relative)});
      else
        refusals.push_back(fmt::format("{}, eigenvalue {}: {}\n", name, value, s.refusal));
    }
  }
  std::string text = lines.size() > 1 ? aligned(lines, 1) : "";
  if (std::any_of(eigenvalues.begin(), eigenvalues.end(), [](const Eigenvalue& e) { return e.chain > 0; }))
    text += refusals.empty() ? "null eigenvalues remain zero\n" : "null eigenvalues remain zero, except as follows\n";
  for (const std::string& refusal : refusals) text += refusal;
  return text;
}

// ---------------------------------------------------------------- the study

namespace {

/// A table of which the rows of every combination follow its values.
class VariedTable {
 public:
  explicit VariedTable(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) paths_ += quoted(path) + ",";
  }
  /// `csv`: with a header, the same for all combinations.
  void add(const std::vector<std::string>& values, const std::string& csv) {
    std::string before;
    for (const std::string& value : values) before += quoted(value) + ",";
    for (std::size_t begin = 0, end = 0; begin < csv.size(); begin = end + 1) {
      end = csv.find('\n', begin);
      if (begin > 0 || points_ == 0) text_ += (begin == 0 ? paths_ : before) + csv.substr(begin, end + 1 - begin);
    }
    ++points_;
  }
  std::size_t points() const { return points_; }
  const std::string& text() const { return text_; }

 private:
  std::string paths_, text_;
  std::size_t points_ = 0;
};

class Study {
 public:
  Study(const LinearStudyRequest& request, std::string folder, const StudyHooks& hooks)
      : request_(request), folder_(std::move(folder)), hooks_(hooks) {
    std::sort(request_.at.begin(), request_.at.end());
    request_.at.erase(std::unique(request_.at.begin(), request_.at.end()), request_.at.end());
    model_ = load_requested(request_);
    check_request(request_, model_);
    if (varies(request_)) {
      varied_ = varied_rows(request_.pairs, request_.vary);
      check_values(request_, varied_);
    }
    for (const std::string& path : request_.sensitivity) (void)number_at(request_.model_file, request_.overrides, path, "--sensitivity");
    if (request_.find) request_.find->range = search_range(request_);
  }

  std::string run() {
    if (request_.at.size() > 1)
      along_a_run();
    else
      single();
    return failure_;
  }

 private:
  void print(const std::string& text) const {
    if (hooks_.print) hooks_.print(text);
  }
  Progress progress(const std::string& label, double duration) const {
    return hooks_.progress ? hooks_.progress(label, duration) : Progress{};
  }
  void fail(const std::string& text) { failure_ += (failure_.empty() ? "" : "\n") + text; }

  /// The linear models as one file over time, and a table of eigenvalues. In a folder each if requested, or where one file cannot hold
  /// them.
  void along_a_run() {
    RootLocus over_time;
    over_time.paths = {"time"};
    std::vector<LinearCase> cases;
    try {
      states_at(model_, request_.start, request_.at, [&](const StateVector& state) {
        const LinearCase& c = cases.emplace_back(make_linear_case(model_, state, request_.start, request_.options));
        const std::string time = number_text(request_.at[over_time.points.size()]);
        over_time.points.push_back(root_locus_point({time}, c));
        print(linear_text(c));
      });
    } catch (const SimulationError& error) {
      if (over_time.points.empty()) throw;
      fail(error.what());
    }
    follow(over_time, {static_cast<int>(over_time.points.size())});
    files_ = "over_time.csv, over_time.json";
    add_picture("over_time.svg", write_root_locus(over_time, folder_, "over_time"), root_locus_plot(over_time));
    print(root_locus_text(over_time));
    const bool stacked = write_linear_stack(cases, folder_);
    if (stacked)
      files_ += ", linear_over_time.mat";
    else
      print("linear_over_time.mat is missing: the independent coordinates change along the run; each linear model has a folder\n");
    if (request_.folders || !stacked) {
      for (std::size_t i = 0; i < cases.size(); ++i)
        write_linear_case(cases[i], request_.model_file, folder_ + "/at_" + over_time.points[i].values.front());
      files_ += ", and per time a folder at_SECONDS with linear.json, linear.csv, eigenvalues.csv, linear.mat";
    }
    print_files();
  }

  void single() {
    const LinearCase c = first_case();
    files_ = "linear.json, linear.csv, eigenvalues.csv, linear.mat";
    std::optional<FrequencyStudy> paths;  // unknown inputs are reported before files are written
    if (!request_.frequency.inputs.empty()) paths = frequency_study(c, request_.frequency);
    remove_linear_cases(folder_);
    write_linear_case(c, request_.model_file, folder_);
    print(linear_text(c));
    if (request_.increments.size() > 1) compare_differences(c);
    if (paths) write_paths(*paths);
    if (!request_.sensitivity.empty()) differentiate(c);
    if (varies(request_)) vary();
    if (request_.find) find(c);
    if (request_.simulate) simulate(c);
    print_files();
  }

  /// By the first increment with which there is a linear model, if several are given.
  LinearCase first_case() {
    for (std::size_t i = 0;; ++i) {
      if (i < request_.increments.size()) request_.options.step = request_.increments[i];
      try {
        return single_case(request_, model_);
      } catch (const SimulationError&) {
        if (i + 1 >= request_.increments.size()) throw;
      }
    }
  }

  void write_paths(const FrequencyStudy& study) {
    const FrequencyRequest& asked = request_.frequency;
    write_text(frequency_csv(study), folder_ + "/frequency.csv");
    write_text(frequency_json(study), folder_ + "/frequency.json");
    files_ += ", frequency.csv, frequency.json";
    const auto picture = [&](const char* name, const Plot& plot) { add_picture(name, draw(plot, folder_ + "/" + name), plot); };
    if (asked.step) {
      write_text(step_csv(study), folder_ + "/step.csv");
      files_ += ", step.csv";
      picture("step.svg", step_plot(study));
    }
    if (asked.bode) picture("bode.svg", bode_plot(study));
    if (asked.nyquist) picture("nyquist.svg", nyquist_plot(study));
    print(frequency_text(study));
  }

  /// Lists a drawn picture, or why it is missing.
  void add_picture(const char* name, const std::string& missing, const Plot& plot) {
    if (missing.empty())
      files_ += std::string(", ") + name;
    else
      print(fmt::format("{} is missing: {}\n", name, missing));
    for (const std::string& note : plot.notes) print(fmt::format("{}: {}\n", name, note));
  }

  void find(const LinearCase& c) {
    const std::string path = request_.find->path;
    const double own = number_at(request_.model_file, request_.overrides, path, "--find-zero");
    const ModeSearch search = find_crossings(*request_.find, c, own, [&](double value) {
      return single_case(request_, load_requested(request_, {{path, fmt::format("{:.17g}", value)}}));
    });
    write_text(mode_search_json(search), folder_ + "/find_zero.json");
    files_ += ", find_zero.json";
    print(mode_search_text(search));
    if (search.crossings.empty()) fail(fmt::format("--find-zero: no crossing was found in the range of {}", path));
  }

  void differentiate(const LinearCase& c) {
    const SensitivityTable table = sensitivities(request_, c);
    write_text(sensitivity_csv(table), folder_ + "/sensitivity.csv");
    write_text(sensitivity_json(table), folder_ + "/sensitivity.json");
    files_ += ", sensitivity.csv, sensitivity.json";
    print(sensitivity_text(table));
  }

  void compare_differences(const LinearCase& c) {
    const DifferenceStudy study = difference_study(c, request_.increments);
    write_text(difference_csv(study), folder_ + "/differences.csv");
    files_ += ", differences.csv";
    const Plot plot = difference_plot(study);
    add_picture("differences.svg", draw(plot, folder_ + "/differences.svg"), plot);
    print(difference_text(study));
    for (const std::string& note : study.notes) print(fmt::format("  {:<19} {}\n", "note", note));
    for (const DifferencePoint& point : study.points)
      if (point.found.empty()) fail(fmt::format("--difference-step {:g}: {}", point.increment, point.status));
  }

  void vary() {
    const std::size_t count = varied_.rows.size();
    VariedTable derivatives(varied_.paths), responses(varied_.paths);
    const auto each = [&](std::size_t number, const std::vector<std::string>& values, const LinearStudyRequest& of, const LinearCase& c) {
      if (!of.sensitivity.empty()) derivatives.add(values, sensitivity_point(of, c, number));
      if (of.simulate) responses.add(values, simulate_point(of, c, number));
    };
    const RootLocus locus = root_locus(request_, progress("root locus ", static_cast<double>(count)), each);
    files_ += ", root_locus.csv, root_locus.json";
    if (derivatives.points() > 0) write_varied(derivatives, "root_locus_sensitivity.csv");
    if (responses.points() > 0) {
      write_varied(responses, "root_locus_simulate.csv");
      files_ += ", per combination simulate_NUMBER.csv";
    }
    add_picture("root_locus.svg", write_root_locus(locus, folder_, "root_locus"), root_locus_plot(locus));
    print(root_locus_text(locus));
    if (locus.impossible() > 0) print(fmt::format("{} of {} combinations are impossible and left out\n", locus.impossible(), count));
    if (locus.failures() > 0) fail(fmt::format("{} of {} points of the root locus have no linear model", locus.failures(), count));
  }

  void write_varied(const VariedTable& table, const char* name) {
    write_text(table.text(), folder_ + "/" + name);
    files_ += std::string(", ") + name;
  }

  /// The table of a combination; of refusals only if it has none.
  std::string sensitivity_point(const LinearStudyRequest& of, const LinearCase& c, std::size_t number) {
    try {
      return sensitivity_csv(sensitivities(of, c));
    } catch (const Error& error) {
      fail(fmt::format("combination {}: {}", number, error.what()));
      SensitivityTable table{c, of.sensitivity, {}};
      for (std::size_t i = 0; i < of.sensitivity.size(); ++i) {
        Sensitivity& row = table.rows.emplace_back();
        row.value = std::numeric_limits<double>::quiet_NaN();
        row.refusal = error.what();
      }
      return sensitivity_csv(table);
    }
  }

  /// Writes simulate_NUMBER.csv of a combination. A table with the largest difference of every channel.
  std::string simulate_point(const LinearStudyRequest& of, const LinearCase& c, std::size_t number) {
    const std::string file = fmt::format("simulate_{}.csv", number);
    const LinearRun run = run_beside(c.model, start_of(c.model, of.start), c.linear, c.reference, *of.simulate, {});
    write_text(linear_run_csv(run), folder_ + "/" + file);
    if (run.failure) fail(fmt::format("{}: {}", file, run.failure->what()));
    std::string text = "file,channel,largest_difference,at,low,high\n";
    for (const LinearRunChannel& channel : run.channels) {
      text += file + "," + channel.variable.name;
      for (const double x : {channel.largest_difference, channel.difference_time, channel.low, channel.high}) append_number(text += ",", x);
      text += "\n";
    }
    return text;
  }

  void simulate(const LinearCase& c) {
    const LinearRun run = run_beside(c.model, start_of(c.model, request_.start), c.linear, c.reference, *request_.simulate,
                                     progress("", model_->description.solver.duration));
    write_text(linear_run_csv(run), folder_ + "/simulate.csv");
    files_ += ", simulate.csv";
    print(linear_run_text(run));
    if (run.failure) fail(run.failure->what());
  }

  void print_files() const { print(fmt::format("files: in {}/: {}\n", folder_, files_)); }

  LinearStudyRequest request_;
  VariedRows varied_;
  std::string folder_, failure_, files_;
  const StudyHooks& hooks_;
  std::shared_ptr<const CompiledModel> model_;
};

}  // namespace

std::string linear_study(const LinearStudyRequest& request, const std::string& folder, const StudyHooks& hooks) {
  return Study(request, folder, hooks).run();
}

}  // namespace trunnion
