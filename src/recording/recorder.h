// A recording of an evaluation: the operations that lead from its inputs to its results, as a tree. Where the evaluation branches on a
// number, the tree branches; it grows by every way that an evaluation takes, and ends there with results. Equal operations of one way are
// recorded once; operations on constants, and with 0 and 1 where they leave a number as it is, are not recorded.
// What depends on parameters alone is prepared: recorded apart, once for all evaluations, however late an evaluation needs it. Branches of
// the preparation itself (begin_preparation()) are no ways: they must be taken as recorded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "recording/number.h"

namespace recording {

/// What an input of the evaluation is.
enum class InputKind : std::uint8_t {
  state,      // `index`: of the state's numbers
  time,       // [s] at the start of the step
  step,       // [s] its length
  signal,     // `index`: of the model's signals
  outside,    // `index`: of the model's inputs
  parameter,  // `index`: of the chosen parameters
};
struct Input {
  InputKind kind = InputKind::state;
  int index = 0;
  bool at_end = false;  // of the step, of a signal: its left limit there; otherwise its right limit at the start
  int derivative = 0;   // of a signal in time
  bool operator==(const Input&) const = default;
};

/// Operation with its operands; a constant has its index among the constants instead, an input its index among the inputs.
struct Operation {
  Op op = Op::constant;
  std::array<int, 3> of{-1, -1, -1};
  bool operator==(const Operation&) const = default;
};

/// A part of the tree without branches.
struct Block {
  std::vector<int> nodes;           // in order
  int condition = -1;               // on which it ends; -1: with results, or it is not complete
  std::array<int, 2> next{-1, -1};  // blocks where it is false and true; -1: not seen yet
  std::uintptr_t place = 0;         // in the program, of the branch
  long visits = 0;                  // by evaluations without turns, and those that count_visit() counts
  bool ends = false;
  int status = 0;            // with which the evaluation ended
  std::vector<int> results;  // nodes
};

/// A condition of the preparation, and the side on which everything after it was recorded.
struct Guard {
  int condition = 0;
  bool side = false;
};

class Recorder {
 public:
  Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  /// A branch of the tree and the side to take there, whatever its condition says.
  struct Turn {
    int block = 0;
    bool side = false;
  };
  /// Follows the preparation from here on: its numbers may be used in all evaluations after end_preparation(). Another one for other values
  /// of the parameters must repeat it.
  void begin_preparation();
  /// Throws std::runtime_error as end() does.
  void end_preparation();
  /// Follows an evaluation from here on; numbers of earlier ones must not be used in it. With turns it takes ways that its numbers do not
  /// take: what is recorded there holds for the numbers that do.
  void begin(std::vector<Turn> turns = {});
  /// The blocks of the way so far, of the evaluation in progress or the last one.
  const std::vector<int>& way() const { return way_; }
  /// The sides that it did not take where rounding errors may take them.
  const std::vector<Turn>& close_turns() const { return close_; }
  /// Branches of which evaluations took one side only, while others from the same place in the program took both: the most visited first.
  std::vector<Turn> open_turns() const;
  /// Whether rounding errors may invert a comparison of two numbers.
  static bool are_close(Real a, Real b);
  /// Counts an evaluation that took a recorded way without recording (evaluation.h).
  void count_visit(const std::vector<int>& way) {
    for (const int block : way) ++blocks_[static_cast<std::size_t>(block)].visits;
  }
  Number input(const Input& input, Real value);
  /// Ends it with a status and results. Throws std::runtime_error if the recording does not repeat what it recorded before: something that
  /// is not an input changed, or a number of an earlier evaluation was used.
  void end(int status, const std::vector<Number>& results);
  /// Leaves the evaluation without results; what was recorded stays.
  void abandon();

  const std::vector<Operation>& operations() const { return operations_; }
  const std::vector<Real>& constants() const { return constants_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<Block>& blocks() const { return blocks_; }    // the first is the root
  const std::vector<int>& prepared() const { return prepared_; }  // operations, in order
  bool is_prepared(int node) const {
    return static_cast<std::size_t>(node) < prepared_flags_.size() && prepared_flags_[static_cast<std::size_t>(node)];
  }
  const std::vector<Guard>& guards() const { return guards_; }
  /// Whether some input is a parameter.
  bool is_parametric() const { return !prepared_flags_.empty(); }
  /// Most operations of one evaluation; beyond, it ends by std::runtime_error.
  static constexpr std::size_t kMostOperations = 1'000'000;
  /// Ways through the tree that ended.
  int ways() const { return ways_; }

  /// The one in use by this thread.
  static Recorder& active();

  // ---- called by numbers
  Number operation(Op op, Real value, const Number& x, const Number& y);
  Condition condition(Op op, bool value, const Number& x, const Number& y);
  Condition inverse(const Condition& condition);
  Number choose(const Condition& condition, const Number& x, const Number& y);
  bool branch(const Condition& condition, std::uintptr_t place);
  [[gnu::noinline]] void fail(const char* what);

 private:
  int node(const Number& x);
  int constant(Real value);
  bool is(int node, Real value) const;
  int record(const Operation& operation);
  bool needs_parameters_alone(const Operation& operation) const;
  void set_prepared(int node);
  /// Of a recorded operation.
  int path_of(int node) const { return is_prepared(node) ? kPreparation : path_; }
  bool is_known(int path) const { return path == path_ || path == kPreparation; }
  void enter(int block);
  void add_guard(const Guard& guard);

  struct Hash {
    std::size_t operator()(const Operation& o) const;
  };
  std::vector<Operation> operations_;
  std::vector<Real> constants_;
  std::unordered_map<std::uint64_t, int> constant_nodes_;  // by the bits of the value
  std::vector<Input> inputs_;
  std::vector<int> input_nodes_;
  std::vector<Block> blocks_;
  int ways_ = 0;
  static constexpr int kPreparation = 0;  // its path
  std::vector<int> prepared_;
  std::vector<bool> prepared_flags_;  // per node
  std::vector<Guard> guards_;
  // of the evaluation in progress
  int path_ = kPreparation, last_path_ = kPreparation, block_ = 0;
  std::vector<int> way_;
  std::vector<Turn> turns_, close_;
  std::unordered_map<Operation, int, Hash> known_, known_prepared_;
  std::unordered_map<int, bool> decided_;
  std::string failure_;
};

}  // namespace recording
