// Diagnostics: what is wrong with an input, its position, what was expected, and a hint.
// Errors of one file are collected and reported together; exceptions carry the collection.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace trunnion {

/// A position in an input text; line and column from 1, 0: unknown.
struct SourceSpan {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One finding about an input.
struct Diagnostic {
  SourceSpan span;       ///< position
  std::string path;      ///< name path of the value, `cylinders.lift.friction.model`
  std::string found;     ///< what is wrong, as a sentence without a full stop
  std::string expected;  ///< what would be right; may be empty
  std::string hint;      ///< a suggestion; may be empty

  /// `file:line:column: error: path: found; expected ...; hint` on one line.
  std::string text() const;
  /// The same without a severity, for a value that is doubtful but possible: `file:line:column: path: found; expected ...; hint`.
  std::string warning_text() const;
};

/// Base of every exception of the library.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The input is wrong (exit code 2 of the command line). Carries every finding.
class InputError : public Error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// The simulation failed (exit code 1): time, equations, and remedy.
class SimulationError : public Error {
 public:
  SimulationError(double time, std::string equations, std::string cause, std::string remedy);
  double time() const { return time_; }                        ///< [s]
  const std::string& equations() const { return equations_; }  ///< names of the equations at fault
  const std::string& remedy() const { return remedy_; }

 private:
  double time_;
  std::string equations_;
  std::string remedy_;
};

/// The known name nearest to `name`, or an empty string if none is near (edit distance at most a third).
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

}  // namespace trunnion
