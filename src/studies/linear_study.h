// Computation of `trunnion linearize`: linear models about one state or along a run, their root locus over varied values, the
// sensitivities of their eigenvalues, the comparison with a run; and their files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "file/variation.h"
#include "spectra/sensitivity.h"
#include "studies/frequency_study.h"
#include "studies/linear_case.h"
#include "studies/linear_run.h"
#include "studies/mode_search.h"
#include "studies/root_locus.h"

namespace trunnion {

/// The request. Names are those of the command line.
struct LinearStudyRequest {
  std::string model_file;
  std::vector<Override> overrides;
  StartKind start = StartKind::given;
  std::vector<double> at;  // [s] times of a run; none: the start
  LinearOptions options;
  std::vector<double> increments;         // of the counterpart's differences: the first is that of `options`; several are compared
  std::vector<VariedPath> vary;           // root locus over all combinations,
  std::string pairs;                      // times the rows of a CSV file; empty: none
  std::vector<std::string> sensitivity;   // paths of numbers
  std::optional<double> simulate;         // [s] T of run_beside
  std::optional<ModeSearchRequest> find;  // crossings of a damping ratio
  FrequencyRequest frequency;             // of paths from inputs to the outputs
  bool folders = false;                   // with several times: also a folder for each
};

/// Sensitivities of the eigenvalues of one linear model to parameters, by their paths.
struct SensitivityTable {
  LinearCase of;
  std::vector<std::string> paths;
  std::vector<Sensitivity> rows;  // per path
};

/// Derivatives with respect to the numbers at request.sensitivity, of the linear model about the start or the equilibrium. Throws
/// InputError if a path is not a number.
SensitivityTable sensitivities(const LinearStudyRequest& request, const LinearCase& c);
std::string sensitivity_csv(const SensitivityTable& table);
std::string sensitivity_json(const SensitivityTable& table);
std::string sensitivity_text(const SensitivityTable& table);

/// What else is done with every linear model of a root locus; `number`: of its combination, from 1; `of`: the request with its values.
using EachPoint =
    std::function<void(std::size_t number, const std::vector<std::string>& values, const LinearStudyRequest& of, const LinearCase& c)>;

/// Root locus over request.vary and request.pairs. Throws InputError before the first point is computed if no combination is possible, and
/// for times beyond a run; a combination that is impossible or without linear model is a point with its reason.
RootLocus root_locus(const LinearStudyRequest& request, const Progress& progress = {}, const EachPoint& each = {});

/// Hooks of a study; all are optional.
struct StudyHooks {
  std::function<void(const std::string& text)> print;  // tables as they become known
  std::function<Progress(const std::string& label, double duration)> progress;
};

/// Performs the request and writes its files into `folder`. Returns why a part of it failed, or an empty text; available results are
/// written. Throws InputError, with every finding about the request, and SimulationError if no linear model exists at all.
std::string linear_study(const LinearStudyRequest& request, const std::string& folder, const StudyHooks& hooks = {});

}  // namespace trunnion
