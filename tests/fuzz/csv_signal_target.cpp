// Fuzz target: signals from CSV files.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "file/csv.h"
#include "fuzz/targets.h"

namespace trunnion::fuzz {

void csv_signal(std::string_view input) {
  refused_properly([&] {
    write_file(scratch_folder() + "/signal.csv", input);
    const std::vector<std::string> header = csv_header(scratch_folder() + "/signal.csv");
    for (const bool by_name : {false, true}) {
      CsvSignal signal;
      signal.file = "signal.csv";
      signal.smooth = by_name;
      if (by_name && !header.empty()) {
        signal.time = header.front();
        signal.value = header.back();
      }
      std::vector<Diagnostic> findings;
      read_csv_signal(signal, scratch_folder(), "signals.stick", {"model.yaml", 1, 1}, findings, 10000);
      require(signal.points.empty() == !findings.empty(), "points and findings, or neither");
      for (std::size_t i = 0; i < signal.points.size(); ++i) {
        require(std::isfinite(signal.points[i][0]) && std::isfinite(signal.points[i][1]), "a point that is not finite");
        require(i == 0 || signal.points[i][0] >= signal.points[i - 1][0], "times that decrease");
      }
      if (!findings.empty()) throw InputError(findings);
    }
  });
}

}  // namespace trunnion::fuzz
