// Results as one HTML page that opens anywhere, without a network: what `trunnion report` does.
// The page is the viewer (folder viewer/) with the data in it: one JSON text and, of every section that has numbers, a packed block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

struct ReportRequest {
  std::vector<std::string> folders;   // of results, in the order to show
  std::size_t bytes = 3'600'000;      // text of the numbers of all runs, so that a page stays below 5 MB with a viewer of 1 MB
  long every = 0;                     // of every run each so many records; 0: those most needed, as many as fit
  std::vector<std::string> channels;  // of every run, names or patterns with * and ?; empty: all
};

struct Report {
  std::string data;                 // JSON, safe inside a page
  std::vector<std::string> blocks;  // base64 of gzip streams
  std::vector<std::string> notes;   // a line for each section: what of it is in the page
};

/// Reads the results. Throws InputError with what is wrong with every folder.
Report make_report(const ReportRequest& request);

/// The page: `viewer` with the data in the place of `<!-- TRUNNION_DATA -->`. Throws Error where there is no such place.
std::string report_page(const Report& report, std::string_view viewer);

/// Writes a page into `file` whole; the folder is made. Throws InputError where another file than a report stands there.
void write_report(const std::string& page, const std::string& file);

}  // namespace trunnion
