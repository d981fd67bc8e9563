// Sections of a report other than runs: comparisons, linear models, studies, curves. Tables are those of the CSV files, unchanged.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/data_block.h"

namespace trunnion {

/// compare.csv and history.csv of `folder`; `runs`: names of the runs' sections, in the order of the rows.
ReportJson compare_section(const std::string& folder, const std::string& name, const std::vector<std::string>& runs, DataBlock& block);
/// The folders of a comparison's runs inside `folder`, in the order of its rows.
std::vector<std::string> runs_of_comparison(const std::string& folder);

/// linear.json of `folder`, if it exists; root locus, sensitivities and comparison with a run.
ReportJson linear_section(const std::string& folder, const std::string& name, DataBlock& block);
/// `curve.*` of `folder`.
ReportJson curve_section(const std::string& folder, const std::string& name, DataBlock& block);
/// `study.json`, tables and pictures of `folder`.
ReportJson study_section(const std::string& folder, const std::string& name, DataBlock& block);
/// `sweep.json`, the first rows of sweep.csv and pictures of `folder`.
ReportJson sweep_section(const std::string& folder, const std::string& name);
/// `fit.*` of `folder`.
ReportJson fit_section(const std::string& folder, const std::string& name, DataBlock& block);

}  // namespace trunnion
