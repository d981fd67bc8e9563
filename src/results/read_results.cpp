// Reading of result files.
// SPDX-License-Identifier: BSD-3-Clause
#include "results/read_results.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/diagnostic.h"
#include "base/text.h"
#include "file/input.h"
#include "results/hdf5_handle.h"

namespace trunnion {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_read(const std::string& file, const std::string& reason) {
  throw InputError(
      {Diagnostic{{file, 0, 0}, "", "it cannot be read: " + reason, "a file written by `trunnion`", "write the results again"}});
}

[[noreturn]] void damaged(const std::string& file) { cannot_read(file, "the file is damaged"); }

[[noreturn]] void no_results(const std::string& path, const std::string& found) {
  throw InputError({Diagnostic{{path, 0, 0}, "", found, "the folder of a run, with results.h5 or results.csv", ""}});
}

// ---------------------------------------------------------------- HDF5

/// The stored data; HDF5's own errors are thrown as Hdf5Error.
class Hdf5File {
 public:
  explicit Hdf5File(const std::string& name) : name_(name), size_(fs::file_size(name)), file_(open(name), H5Fclose) {}

  std::vector<Channel> channels() const {
    std::vector<Channel> channels;
    for (std::string& name : texts("channels")) channels.push_back({std::move(name), "", ""});
    const std::vector<std::string> units = texts("units"), descriptions = texts("descriptions");
    for (std::size_t k = 0; k < channels.size(); ++k) {
      if (k < units.size()) channels[k].unit = units[k];
      if (k < descriptions.size()) channels[k].meaning = descriptions[k];
    }
    return channels;
  }
  /// A text dataset; empty if missing.
  std::string text(const char* name) const {
    if (H5Lexists(file_, name, H5P_DEFAULT) <= 0) return "";
    const Hdf5Handle set(H5Dopen2(file_, name, H5P_DEFAULT), H5Dclose), type(H5Dget_type(set), H5Tclose),
        space(H5Dget_space(set), H5Sclose);
    if (H5Sget_simple_extent_npoints(space) != 1) damaged(name_);
    return text_of(type, [&](char* out) { return H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out); });
  }
  /// Number of complete rows.
  std::uint64_t rows() const {
    std::uint64_t rows = 0;
    const Hdf5Handle set(H5Dopen2(file_, "rows", H5P_DEFAULT), H5Dclose), space(H5Dget_space(set), H5Sclose);
    if (H5Sget_simple_extent_npoints(space) != 1 || H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rows) < 0)
      damaged(name_);
    return rows;
  }
  /// The columns with these indices.
  std::vector<std::vector<double>> columns(const std::vector<std::size_t>& wanted) const {
    const Hdf5Handle set(H5Dopen2(file_, "values", H5P_DEFAULT), H5Dclose), space(H5Dget_space(set), H5Sclose);
    hsize_t size[2] = {0, 0};
    if (H5Sget_simple_extent_ndims(space) != 2 || H5Sget_simple_extent_dims(space, size, nullptr) != 2) damaged(name_);
    const hsize_t count[2] = {rows(), 1};
    // every value is stored: at most as many as the stored bytes can unpack to
    const std::uintmax_t most = std::min<std::uintmax_t>(H5Dget_storage_size(set), size_) * kMostPacked / sizeof(double);
    if (count[0] > size[0] || count[0] > most / std::max<hsize_t>(size[1], 1)) damaged(name_);
    const Hdf5Handle memory(H5Screate_simple(1, count, nullptr), H5Sclose);
    std::vector<std::vector<double>> columns(wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const hsize_t begin[2] = {0, wanted[k]};
      columns[k].resize(count[0]);
      if (wanted[k] >= size[1] || H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr) < 0 ||
          H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, columns[k].data()) < 0)
        damaged(name_);
    }
    return columns;
  }

 private:
  static constexpr std::uintmax_t kMostPacked = 1032;  // bytes per stored byte: the limit of deflate

  static hid_t open(const std::string& name) {
    take_errors_of_hdf5();
    const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) cannot_read(name, "it is not an HDF5 file, or incomplete");
    return file;
  }
  /// A dataset of strings of one length.
  std::vector<std::string> texts(const char* name) const {
    const Hdf5Handle set(H5Dopen2(file_, name, H5P_DEFAULT), H5Dclose), type(H5Dget_type(set), H5Tclose),
        space(H5Dget_space(set), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const std::size_t size = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || count < 0 || size == 0 ||
        static_cast<std::uintmax_t>(count) > size_ / size)
      damaged(name_);
    std::string all(static_cast<std::size_t>(count) * size, '\0');
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0) damaged(name_);
    std::vector<std::string> values;
    for (std::size_t at = 0; at < all.size(); at += size) {
      values.emplace_back(all.substr(at, size).c_str());
      const std::string& text = values.back();  // printed and drawn
      if (find_invalid_utf8(text) != std::string::npos || find_control_character(text) != std::string::npos) damaged(name_);
    }
    return values;
  }
  /// A string of fixed length.
  template <class Read>
  std::string text_of(hid_t type, Read&& read) const {
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) return "";
    if (H5Tget_size(type) == 0 || H5Tget_size(type) > size_) damaged(name_);  // HDF5 divides by the size
    std::string text(H5Tget_size(type), '\0');
    if (read(text.data()) < 0) damaged(name_);
    return text.substr(0, text.find('\0'));
  }

  std::string name_;
  std::uintmax_t size_;  // [bytes]
  Hdf5Handle file_;
};

/// read(file), with errors of HDF5 reported as a damaged file.
template <class Read>
auto of_hdf5(const std::string& name, Read&& read) {
  try {
    return read(Hdf5File(name));
  } catch (const Hdf5Error&) { damaged(name); }
}

// ---------------------------------------------------------------- CSV

std::vector<std::string_view> cells_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::vector<Channel> csv_channels(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) cannot_read(file, "it is empty");
  check_text(line, file);  // names are printed and drawn
  std::vector<Channel> channels;
  for (const std::string_view cell : cells_of(line)) channels.push_back({std::string(cell), "", ""});
  return channels;
}

/// The number of complete rows; stops at `most`.
std::size_t csv_rows(const std::string& file, std::size_t most) {
  std::ifstream in(file);
  std::string line;
  std::size_t lines = 0;
  while (lines <= most && std::getline(in, line) && !in.eof()) ++lines;
  return lines > 0 ? lines - 1 : 0;
}

/// The columns with these indices. An incomplete last row of an unfinished file is ignored.
std::vector<std::vector<double>> csv_columns(const std::string& file, bool unfinished, std::size_t cells,
                                             const std::vector<std::size_t>& wanted) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  std::vector<std::vector<double>> columns(wanted.size());
  for (int number = 2; std::getline(in, line); ++number) {
    if (unfinished && in.eof()) break;
    const std::vector<std::string_view> row = cells_of(line);
    if (row.size() != cells)
      cannot_read(file, "line " + std::to_string(number) + " has " + std::to_string(row.size()) + " cells of " + std::to_string(cells));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const std::string_view cell = row[wanted[k]];
      double value = std::numeric_limits<double>::quiet_NaN();  // of an empty cell
      if (!cell.empty() && std::from_chars(cell.data(), cell.data() + cell.size(), value).ptr != cell.data() + cell.size())
        cannot_read(file, "line " + std::to_string(number) + " has no number in the column " + std::to_string(wanted[k] + 1));
      columns[k].push_back(value);
    }
  }
  return columns;
}

bool is_part(const fs::path& file) { return file.extension() == ".part"; }
/// Extension of a finished or unfinished file.
fs::path extension(const fs::path& file) { return (is_part(file) ? file.stem() : file).extension(); }
bool is_hdf5(const fs::path& file) { return extension(file) == ".h5"; }

/// Of two unfinished files the one to read: results.h5 is written in chunks, so that the CSV file is ahead of it; within the first chunk it
/// has no rows yet.
std::string chosen_part(const std::string& h5, const std::string& csv) {
  constexpr std::size_t kFew = 2;
  try {
    if (of_hdf5(h5, [](const Hdf5File& file) { return file.rows(); }) >= kFew) return h5;
  } catch (const Error&) { return csv; }
  return csv_rows(csv, kFew) >= kFew ? csv : h5;
}

}  // namespace

std::string result_file(const std::string& path) {
  const std::string part = path + ".part";
  std::error_code error;
  const bool whole = fs::is_regular_file(path, error), unfinished = fs::is_regular_file(fs::symlink_status(part, error));
  if (!unfinished) return whole ? path : "";
  return whole && fs::last_write_time(path, error) >= fs::last_write_time(part, error) ? path : part;
}

StoredResults find_results(const std::string& path) {
  StoredResults found;
  if (fs::is_directory(path)) {
    const std::string h5 = result_file((fs::path(path) / "results.h5").string()),
                      csv = result_file((fs::path(path) / "results.csv").string());
    found.file = h5.empty() || (is_part(h5) && !csv.empty() && !is_part(csv)) ? csv : h5;
    if (!h5.empty() && !csv.empty() && is_part(h5) && is_part(csv)) found.file = chosen_part(h5, csv);
    if (found.file.empty()) no_results(path, "the folder has neither results.h5 nor results.csv");
  } else {
    found.file = path;
    if (!fs::is_regular_file(path)) no_results(path, "there is no such folder or file");
    if (!is_hdf5(path) && extension(path) != ".csv") no_results(path, "the file ends neither in .h5 nor in .csv");
  }
  found.unfinished = is_part(found.file);
  found.channels = is_hdf5(found.file) ? of_hdf5(found.file, [](const Hdf5File& h5) { return h5.channels(); }) : csv_channels(found.file);
  const auto time = std::find_if(found.channels.begin(), found.channels.end(), [](const Channel& c) { return c.name == "time"; });
  if (time == found.channels.end()) no_results(found.file, "the file has no channel `time`");
  std::rotate(found.channels.begin(), time, time + 1);
  if (found.channels.front().unit.empty()) found.channels.front() = {"time", "s", "time"};
  return found;
}

std::string StoredResults::model() const {
  return is_hdf5(file) ? of_hdf5(file, [](const Hdf5File& h5) { return h5.text("model"); }) : "";
}

Recording StoredResults::read(const std::vector<std::string>& patterns) const {
  Recording recording;
  for (const Channel& c : channels)
    if (c.name == "time" || std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return matches_pattern(p, c.name); }))
      recording.channels.push_back(c);
  const auto places_in = [&](const std::vector<Channel>& stored) {
    std::unordered_map<std::string_view, std::size_t> place_of;
    for (std::size_t k = 0; k < stored.size(); ++k) place_of.emplace(stored[k].name, k);
    std::vector<std::size_t> places;
    places.reserve(recording.channels.size());
    for (const Channel& c : recording.channels) {
      const auto place = place_of.find(c.name);
      if (place == place_of.end()) cannot_read(file, "another run has replaced it");
      places.push_back(place->second);
    }
    return places;
  };
  if (is_hdf5(file)) {
    recording.columns = of_hdf5(file, [&](const Hdf5File& h5) { return h5.columns(places_in(h5.channels())); });
  } else {
    const std::vector<Channel> stored = csv_channels(file);
    recording.columns = csv_columns(file, unfinished, stored.size(), places_in(stored));
  }
  for (const auto& column : recording.columns)
    if (column.size() != recording.columns.front().size()) cannot_read(file, "its channels differ in length");
  return recording;
}

}  // namespace trunnion
