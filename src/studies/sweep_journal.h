// The journal of a sweep: every finished run, appended to a file, so that the sweep can go on after it was ended at any instant.
//   header   "trunnion sweep journal 1\n", key of the sweep (8 bytes), hash of both
//   record   size of the content (8 bytes), hash of size and content, content: number of the run, status, end time, key figures, message,
//            kept channels with their values
// Numbers are those of the machine, little-endian. A record that is incomplete or damaged ends what is read of a file: it and what follows
// is dropped, and those runs are repeated, to the same bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "studies/sweep_run.h"

namespace trunnion {

/// What a journal holds of a finished run; its channels stay in the file.
struct JournalEntry {
  std::size_t run = 0;
  RunStatus status = RunStatus::completed;
  double end_time = 0;
  std::vector<double> kpi;
  std::string message;
  std::string file;          // the journal
  std::uint64_t offset = 0;  // of the record
};

/// Appends runs to a journal. One process per file; for several threads.
class Journal {
 public:
  /// Opens or creates `path`, without what follows its last whole record. Throws FileError; InputError for a journal of another sweep.
  Journal(const std::string& path, std::uint64_t key);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Throws FileError if it cannot be written completely; the file then ends with the record before it.
  void add(std::size_t run, const SweepRun& content);
  /// Until all is on the disk.
  void settle();

 private:
  std::string path_;
  int id_ = -1;
  std::uint64_t end_ = 0;  // of the last whole record
  std::mutex access_;
  std::chrono::steady_clock::time_point settled_;
};

/// Runs in a journal, in the order in which they finished. Throws InputError for a journal of another sweep; FileError if it cannot be
/// read.
std::vector<JournalEntry> read_journal(const std::string& path, std::uint64_t key);
/// The key of the sweep; nothing: the file is no journal. Throws FileError if it cannot be read.
std::optional<std::uint64_t> key_of_journal(const std::string& path);
/// The kept channels of a run. Throws FileError if they cannot be read.
Recording read_kept(const JournalEntry& entry);
/// The journals in a folder, in the order of their names.
std::vector<std::string> journals_in(const std::string& folder);

}  // namespace trunnion
