// The operations of a calculation in the order in which they were done, with their slopes: read backwards they give the derivatives of a
// result with respect to everything that it was computed from, in one pass, however many variables there are.
// Every result has a place, counted from 1 and never used twice. The tape keeps the places of a first part (`keep`), to which all later
// parts may refer, and those of the present part; what refers to a part that was dropped is a constant.
// Source: A. Griewank, A. Walther, Evaluating Derivatives (2008), section 3.2 (the reverse mode).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace tangents {

using Real = decltype(1.0);
/// Place of a number on the tape; 0: it is on none.
using Place = std::int64_t;

class Tape {
 public:
  /// The tape on which this thread puts its operations; null: results have the place 0.
  static Tape*& current() {
    static thread_local Tape* tape = nullptr;
    return tape;
  }

  Place add(Place a, Real by_a, Place b = 0, Real by_b = 0) {
    operations_.push_back({a, b, by_a, by_b});
    return begin_ + static_cast<Place>(operations_.size());
  }
  /// Keeps what there is for all parts to come. Once.
  void keep() {
    kept_ = operations_;
    drop();
  }
  /// Begins a new part.
  void drop() {
    begin_ += static_cast<Place>(operations_.size());
    operations_.clear();
  }

  /// Weights of all places in the sum of weighted results, in the order of the tape.
  class Weights {
   public:
    explicit Weights(const Tape& tape) : tape_(&tape) {}
    /// Begins the present part.
    void begin() {
      of_part_.assign(tape_->operations_.size(), 0);
      kept_.resize(tape_->kept_.size());
    }
    Real& operator[](Place place) { return *find(place); }
    /// From the end of the present part to its begin.
    void sweep() { sweep(tape_->operations_, of_part_); }
    /// From the end of the kept part to its begin.
    void sweep_kept() { sweep(tape_->kept_, kept_); }

   private:
    Real* find(Place place) {
      if (place > tape_->begin_) return &of_part_[static_cast<std::size_t>(place - tape_->begin_ - 1)];
      if (place > 0 && place <= static_cast<Place>(kept_.size())) return &kept_[static_cast<std::size_t>(place - 1)];
      none_ = 0;
      return &none_;
    }
    template <class Operations>
    void sweep(const Operations& operations, std::vector<Real>& weights) {
      for (std::size_t i = operations.size(); i-- > 0;) {
        const Real weight = weights[i];
        if (weight == 0) continue;
        const auto& operation = operations[i];
        *find(operation.a) += operation.by_a * weight;
        if (operation.b != 0) *find(operation.b) += operation.by_b * weight;
      }
    }

    const Tape* tape_;
    std::vector<Real> kept_, of_part_;
    Real none_ = 0;
  };

 private:
  struct Operation {
    Place a, b;
    Real by_a, by_b;
  };
  std::vector<Operation> kept_, operations_;
  Place begin_ = 0;  // places before the present part
};

}  // namespace tangents
