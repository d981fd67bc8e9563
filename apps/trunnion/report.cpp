// trunnion report: results as one HTML page.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.h"

#include <cstdio>

#include "commands.h"
#include "report/viewer_page.h"

namespace trunnion::cli {

namespace {

struct ReportOptions {
  ReportRequest request;
  std::string file;
  bool quiet = false;
};

int report(const ReportOptions& options) {
  if (viewer_page().empty())
    throw Error("this program was built without the report viewer (TRUNNION_VIEWER=OFF); rebuild it with node and npm");
  const Report made = make_report(options.request);
  const std::string page = report_page(made, viewer_page()),
                    file = options.file.empty() ? options.request.folders.front() + "/report.html" : options.file;
  write_report(page, file);
  if (options.quiet) return kDone;
  for (const std::string& note : made.notes) std::printf("  %s\n", note.c_str());
  std::printf("report: %s (%.1f MB); open it in a browser\n", file.c_str(), 1e-6 * static_cast<double>(page.size()));
  return kDone;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", "results of one or several folders as one HTML page: animation, plots, tables");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("DIR", options->request.folders, "folders of results; runs are overlaid")->required();
  command->add_option("-o,--output", options->file, "the page [DIR/report.html, of the first folder]")->type_name("FILE");
  command->add_option("--every", options->request.every, "keep every N-th record [as many as fit into 5 MB, chosen to preserve the curves]")
      ->type_name("N")
      ->check(positive_count());
  command->add_option("--channels", options->request.channels, "channels to include, names or patterns with * and ? [all]; may be repeated")
      ->type_name("PATTERN")
      ->expected(1)
      ->take_all();
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace trunnion::cli
