// Results as one self-contained HTML page: `trunnion report`. The page is the viewer (folder viewer/) with its data: one JSON text and a
// packed block for every section with numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

struct ReportRequest {
  std::vector<std::string> folders;   // of results, in display order
  std::size_t bytes = 3'600'000;      // text size of the numbers of all runs: the page stays below 5 MB with a viewer of 1 MB
  long every = 0;                     // every how many records of a run one is kept; 0: the most important ones, as many as fit
  std::vector<std::string> channels;  // of every run, names or patterns with * and ?; empty: all
};

struct Report {
  std::string data;                 // JSON, safe inside a page
  std::vector<std::string> blocks;  // base64 of gzip streams
  std::vector<std::string> notes;   // one line per section on its content
};

/// Reads the results. Throws InputError with the findings about every folder.
Report make_report(const ReportRequest& request);

/// The page: `viewer` with the data inserted at `<!-- TRUNNION_DATA -->`. Throws Error if that is missing.
std::string report_page(const Report& report, std::string_view viewer);

/// Writes a complete page to `file`; creates the folder. Throws InputError if the file exists and is not a report.
void write_report(const std::string& page, const std::string& file);

}  // namespace trunnion
