// Fuzz targets: each reads any bytes as one kind of input. An exception of the library with a message is valid; anything else,
// including other exceptions, ends the process. They are called by libFuzzer (preset `fuzz`), and by corpus_test.cpp on corpus/.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

namespace trunnion::fuzz {

/// A model file: read, written, read again, compiled, analysed and started, within small limits.
void model(std::string_view input);
/// The compact form of a model: read, written and read again.
void compact(std::string_view input);
/// A robot description: imported, and the model read.
void urdf(std::string_view input);
/// A CSV file of a signal.
void csv_signal(std::string_view input);
/// A CSV file of results, `NAME\n` followed by its text; without a known name it is results.csv. Read as a recording, as a table and into a
/// report.
void csv_results(std::string_view input);
/// A JSON file of results, `NAME\n` followed by its text; without a known name it is summary.json. Read into a report.
void json_results(std::string_view input);
/// A recipe of a valid HDF5 file with datasets of any kind and shape at the names of results.h5, which is read as results.
void hdf5_results(std::string_view input);

struct Target {
  const char* name;  // of its folder in corpus/
  void (*read)(std::string_view input);
};
inline constexpr std::array<Target, 7> kTargets{{{"model", model},
                                                 {"compact", compact},
                                                 {"urdf", urdf},
                                                 {"csv_signal", csv_signal},
                                                 {"csv_results", csv_results},
                                                 {"json_results", json_results},
                                                 {"hdf5_results", hdf5_results}}};

/// Calls `read`; exceptions of the library must have a message in UTF-8. Ends the process otherwise.
void refused_properly(const std::function<void()>& read);
/// Ends the process with a message if `holds` is false.
void require(bool holds, const std::string& what);

/// A folder of this process, removed at its end; empty at the start.
const std::string& scratch_folder();
void write_file(const std::string& path, std::string_view text);

/// `NAME\n` before a text: the name if it is one of `known`, else the first of them and the whole input.
template <class Names>
std::pair<std::string, std::string_view> split_name(std::string_view input, const Names& known) {
  const std::size_t end = input.find('\n');
  for (const auto& name : known)
    if (end != std::string_view::npos && input.substr(0, end) == std::string_view(name)) return {std::string(name), input.substr(end + 1)};
  return {std::string(*std::begin(known)), input};
}

}  // namespace trunnion::fuzz
