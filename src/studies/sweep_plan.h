// What a sweep consists of: its runs with their values, and how a run's model is made from them.
//   values that are parameters (schema/parameters.h)   set in the description of a reference model, which is compiled once; each run's
//                                                      model shares its structure and patterns
//   other values                                       the model file is read again
// Whether a path is a parameter is decided by comparison: setting it must give the same description as reading the file with it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "file/variation.h"
#include "results/run_case.h"
#include "schema/parameters.h"
#include "studies/kpi.h"
#include "studies/sweep_run.h"

namespace trunnion {

/// What is kept of every run.
enum class SweepKeep : unsigned char { kpi, channels, all };  // channels: those of record.channels; all: every channel
const char* word(SweepKeep keep);

struct SweepRequest {
  std::string model_file;
  std::vector<Override> overrides;
  std::vector<std::string> vary;  // `path=v1,v2,...`, `path=a:b:step`, with a sample `path=a:b`
  std::string pairs;              // a CSV file; empty: none
  std::string sample;             // `lhs:N,seed`; empty: none
  std::vector<std::string> kpis;  // `name=expression`
  SweepKeep keep = SweepKeep::kpi;
  StartKind start = StartKind::given;
};

/// The values of all runs.
struct SweepItems {
  std::vector<std::string> paths;
  std::vector<std::vector<std::string>> rows;  // per run, a value per path
  std::vector<std::size_t> grid;               // numbers of values per path, if the runs are all their combinations; otherwise empty
};
/// Rows of the pairs, times points of the sample, times combinations of the lists, the last fastest. Throws InputError with every finding.
SweepItems sweep_items(const SweepRequest& request);

class SweepPlan {
 public:
  /// Reads the model and compiles the first run that has a valid one. Throws InputError if there is none, or for wrong paths and key
  /// figures.
  explicit SweepPlan(const SweepRequest& request);

  const SweepRequest& request() const { return request_; }
  const SweepItems& items() const { return items_; }
  const KpiSet& kpis() const { return *kpis_; }
  const std::shared_ptr<const CompiledModel>& reference() const { return reference_; }
  /// SI unit of a path's numbers; empty if they have none, or are no parameter.
  const std::string& unit(std::size_t path) const { return paths_[path].unit; }
  bool is_parameter(std::size_t path) const { return !paths_[path].parameters.empty(); }
  /// The number [SI] of a value; NaN: it is none.
  double number(std::size_t run, std::size_t path) const;
  /// Hash of the models, with the files that they read, and of everything in the request that decides about results.
  std::uint64_t key() const { return key_; }

  /// Makes models of runs; for one thread.
  class Maker {
   public:
    explicit Maker(const SweepPlan& plan);
    struct Made {
      std::shared_ptr<const CompiledModel> model;
      std::shared_ptr<const KpiSource> source;
    };
    /// Throws InputError.
    Made make(std::size_t run);

   private:
    bool set_parameters(std::size_t run);

    const SweepPlan& plan_;
    Description description_;
    std::vector<Parameter> slots_;
    std::vector<double> defaults_;  // of the reference
  };

 private:
  struct Path {
    std::vector<std::size_t> parameters;  // their numbers; empty: read the file again
    std::string unit;
  };
  Description read(const std::vector<std::string>& values) const;
  void find_reference();
  void find_parameters();
  bool gives_the_same(std::size_t path, const std::vector<std::size_t>& parameters, const std::string& value) const;
  void check_columns() const;
  void hash();
  std::vector<std::string> texts_of_files() const;
  bool may_read_files() const;
  std::string text_with(std::size_t path, const std::vector<std::string>& row) const;

  SweepRequest request_;
  SweepItems items_;
  std::string text_;  // of the model file
  std::size_t reference_run_ = 0;
  Description reference_description_;
  std::shared_ptr<const CompiledModel> reference_;
  std::unique_ptr<KpiSet> kpis_;
  std::shared_ptr<const KpiSource> source_;           // in models of the reference's structure
  std::optional<std::vector<std::string>> recorded_;  // record.channels of all runs, once they are known
  std::vector<Path> paths_;
  std::uint64_t key_ = 0;
};

}  // namespace trunnion
