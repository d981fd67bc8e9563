// Control blocks in the circuits: values, samples and modes. Of steps: control_step.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/control.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/lu.h"
#include "control/discrete_laws.h"
#include "hydraulics/circuit.h"

namespace trunnion {

namespace {

/// For derivatives in states alone.
constexpr auto kNoInput = [](int) { return false; };

/// Time of sample k.
double sample_time(const ControlBlock& b, double k) {
  const double late = b.jitter > 0 ? b.jitter * (1 - uniform_number(b.seed, static_cast<std::uint64_t>(k))) : 0;
  return b.offset + k * b.period + late;
}

/// x = x_before + period f(u, x), by Newton's method, of a single state between bounds of the solution: f may have plateaus; false: there
/// is none. `period`: since the sample before.
bool sample_states(const ControlBlock& b, double period, const double* u, double* x) {
  constexpr int kMostIterations = 50;
  constexpr double kConverged = 1e-12;  // of the largest state; the next increment is rounding
  if (b.law->discrete()) {
    b.law->sample(u, period, x);
    return true;
  }
  const int n = b.states();
  if (n == 0) return true;
  double before[kMaxBlockStates + 1], increment[kMaxBlockStates + 1];
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  std::copy_n(x, n, before);
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    const double last = x[0];
    if (!advance_states(*b.law, u, period, before, x, increment)) return false;
    if (n == 1 && increment[0] != 0) {
      (increment[0] > 0 ? low : high) = last;
      if (high - low < std::numeric_limits<double>::infinity() && !(x[0] > low && x[0] < high)) {
        x[0] = (low + high) / 2;
        increment[0] = x[0] - last;
      }
    }
    double moved = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      moved = std::max(moved, std::abs(increment[i]));
      size = std::max(size, std::abs(x[i]));
    }
    if (moved <= kConverged * size) return true;
  }
  return false;
}

}  // namespace

template <class S>
void read_block(const ControlBlock& block, const S* s, const S* s_dot, const S* y, const OilValues<S>& values, S* u) {
  for (const BlockInput& input : block.inputs) {
    switch (input.kind) {
      case BlockInput::Kind::signal:
        *u++ = input.state >= 0 ? y[input.state] : values.signal[input.index];
        break;
      case BlockInput::Kind::pressure:
        *u++ = values.pressure[input.index];
        break;
      case BlockInput::Kind::position:
        *u++ = s[input.index];
        break;
      case BlockInput::Kind::rate:
        *u++ = s_dot[input.index];
        break;
    }
  }
}

template void read_block<double>(const ControlBlock&, const double*, const double*, const double*, const OilValues<double>&, double*);
template void read_block<Dual<1>>(const ControlBlock&, const Dual<1>*, const Dual<1>*, const Dual<1>*, const OilValues<Dual<1>>&, Dual<1>*);

template <class S>
void evaluate_blocks(const Hydraulics& netlist, const S* s, const S* s_dot, S* y, S* ydot, OilValues<S>& values) {
  S u[kMaxBlockInputs], rate[kMaxBlockStates + 1];
  for (const ControlBlock& b : netlist.control) {
    std::fill_n(ydot + b.output, b.size(), S(0));
    if (!b.sampled()) {
      read_block<S>(b, s, s_dot, y, values, u);
      y[b.output] = b.law->evaluate(u, y + b.output + 1, rate);
    }
    values.signal[b.signal] = y[b.output];
  }
  for (const ControlBlock& b : netlist.control) {  // which may depend on values of blocks that come later
    if (b.sampled() || b.states() == 0) continue;
    read_block<S>(b, s, s_dot, y, values, u);
    b.law->evaluate(u, y + b.output + 1, ydot + b.output + 1);
  }
  for (const int node : netlist.driven_sources) values.pressure[node] = values.signal[netlist.nodes[node].source];
  for (std::size_t i = 0; i < netlist.spools.size(); ++i)
    if (netlist.spools[i].driven()) values.spool[i] = y[netlist.spools[i].state];
}
template void evaluate_blocks<double>(const Hydraulics&, const double*, const double*, double*, double*, OilValues<double>&);
template void evaluate_blocks<Dual<1>>(const Hydraulics&, const Dual<1>*, const Dual<1>*, Dual<1>*, Dual<1>*, OilValues<Dual<1>>&);

bool advance_states(const BlockLaw& law, const double* u, double period, const double* before, double* x, double* increment) {
  double T[kMaxBlockStates * kMaxBlockStates + 1];
  int pivot[kMaxBlockStates + 1];
  const int n = law.states(), inputs = law.inputs();
  for (int i = 0; i < n * n; ++i) T[i] = i % (n + 1) == 0 ? 1 : 0;
  law.differentiate(
      u, x, kNoInput,
      [&](int row, double number) {
        if (row > 0) increment[row - 1] = before[row - 1] + period * number - x[row - 1];
      },
      [&](int row, int column, double slope) {
        if (row > 0) T[(row - 1) * n + column - inputs] -= period * slope;
      });
  if (n == 1) {
    if (T[0] == 0 || !std::isfinite(T[0])) return false;
    increment[0] *= 1 / T[0];
  } else {
    if (!lu_factor(T, n, pivot)) return false;
    lu_solve(T, n, pivot, increment);
  }
  for (int i = 0; i < n; ++i) x[i] += increment[i];
  return true;
}

double fastest_rate(const ControlBlock& block, const double* s, const double* s_dot, const double* y, const OilValues<double>& values,
                    bool oscillations) {
  const int n = block.sampled() ? 0 : block.states();
  if (n == 0) return 0;
  double u[kMaxBlockInputs], A[kMaxBlockStates * kMaxBlockStates], B[kMaxBlockStates * kMaxBlockStates];
  read_block<double>(block, s, s_dot, y, values, u);
  const int inputs = block.law->inputs();
  block.law->differentiate(
      u, y + block.output + 1, kNoInput, [](int, double) {},
      [&](int row, int column, double slope) {
        if (row > 0) A[(row - 1) * n + column - inputs] = slope;
      });
  if (n == 1) return std::max(-A[0], double(0));
  if (n == 2) {
    const double real = (A[0] + A[3]) / 2, square = A[0] * A[3] - A[1] * A[2], split = real * real - square;
    if (split >= 0) return std::max(std::sqrt(split) - real, double(0));
    return oscillations || real >= 0 ? std::sqrt(square) : -square / real;
  }
  // Gelfand's formula with the power 2^kSquares
  constexpr int kSquares = 8;
  double rate = 0, power = 1;
  for (int k = 0; k <= kSquares; ++k, power /= 2) {
    const double size = std::abs(*std::max_element(A, A + n * n, [](double a, double b) { return std::abs(a) < std::abs(b); }));
    if (!(size > 0)) return 0;
    rate += power * std::log(size);
    for (int i = 0; i < n * n; ++i) A[i] /= size;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        B[i * n + j] = 0;
        for (int m = 0; m < n; ++m) B[i * n + j] += A[i * n + m] * A[m * n + j];
      }
    std::copy(B, B + n * n, A);
  }
  return std::exp(rate);
}

namespace {

/// States of a block at the start, and its value: NaN if it depends on an input that is.
double start_block(const ControlBlock& b, const double* s, const double* s_dot, const OilValues<double>& values, double* y) {
  double u[kMaxBlockInputs];
  double* const x = y + b.output + 1;
  read_block<double>(b, s, s_dot, y, values, u);
  bool known = true;
  for (int k = 0; k < b.law->inputs(); ++k) {
    if (!std::isnan(u[k])) continue;
    known = known && !b.law->start_depends(k);
    u[k] = 0;  // its states follow when it is known
  }
  b.law->start(u, x);
  if (b.followed_port >= 0) {
    x[0] = 0;
    x[1] = 1;
    double rate[kMaxBlockStates + 1];
    b.law->evaluate(u, x, rate);
    x[0] = s[b.followed_port];
    x[1] = s_dot[b.followed_port] / rate[0];
    known = true;
  }
  return known ? b.law->value(u, x) : std::numeric_limits<double>::quiet_NaN();
}

void set_value(const ControlBlock& b, double value, OilValues<double>& values, double* y) { y[b.output] = values.signal[b.signal] = value; }

/// Numbers of the blocks of a loop whose start values depend on unknown ones of each other alone; empty: there is none but of those `tried`.
[[gnu::cold]] std::vector<int> unknown_loop(const Hydraulics& netlist, const double* s, const double* s_dot,
                                            const OilValues<double>& values, const double* y, const std::vector<char>& tried) {
  double u[kMaxBlockInputs];
  std::vector<int> smallest, reached;
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    if (tried[i] != 0 || !std::isnan(y[netlist.control[i].output])) continue;
    reached.assign(1, static_cast<int>(i));  // all that its value depends on, itself too
    bool waits = false;                      // for a pressure
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const ControlBlock& b = netlist.control[static_cast<std::size_t>(reached[next])];
      read_block<double>(b, s, s_dot, y, values, u);
      for (int k = 0; k < b.law->inputs(); ++k) {
        if (!std::isnan(u[k]) || !b.law->start_depends(k)) continue;
        const BlockInput& input = b.inputs[static_cast<std::size_t>(k)];
        const int block = input.kind == BlockInput::Kind::signal ? netlist.block_of_signal[input.index] : -1;
        waits = waits || block < 0;
        if (block >= 0 && std::find(reached.begin(), reached.end(), block) == reached.end()) reached.push_back(block);
      }
    }
    if (!waits && (smallest.empty() || reached.size() < smallest.size())) smallest = reached;  // the smallest is one loop alone
  }
  std::sort(smallest.begin(), smallest.end());
  return smallest;
}

/// Start values w of a loop, w = f(w) with every filter steady at its inputs, by Newton's method from 0. Without a solution, as of an
/// integrating loop, filters start at the inputs 0.
[[gnu::cold]] void start_loop(const Hydraulics& netlist, const std::vector<int>& loop, const double* s, const double* s_dot,
                              OilValues<double>& values, double* y) {
  constexpr int kIterations = 50;
  constexpr double kEqual = 1e-9, kDifference = 1e-7;
  const std::size_t n = loop.size();
  std::vector<double> w(n, 0.0), changed(n), f(n), T(n * n);
  std::vector<int> pivot(n);
  const auto block = [&](std::size_t i) -> const ControlBlock& { return netlist.control[static_cast<std::size_t>(loop[i])]; };
  const auto evaluate = [&](const std::vector<double>& at, std::vector<double>& result) {
    for (std::size_t i = 0; i < n; ++i) set_value(block(i), at[i], values, y);
    for (std::size_t i = 0; i < n; ++i) result[i] = start_block(block(i), s, s_dot, values, y) - at[i];
  };
  const auto largest = [](const std::vector<double>& x) {
    double size = 0;
    for (const double number : x) size = std::max(size, std::abs(number));
    return size;
  };
  bool solved = false;
  evaluate(w, f);
  const double size = largest(f);
  for (int iteration = 0; iteration < kIterations && !solved; ++iteration) {
    for (std::size_t j = 0; j < n; ++j) {
      const double at = w[j], step = kDifference * std::max(std::abs(at), size > 0 ? size : 1);
      w[j] = at + step;
      evaluate(w, changed);
      for (std::size_t i = 0; i < n; ++i) T[i * n + j] = (f[i] - changed[i]) / step;
      w[j] = at;
    }
    if (!lu_factor(T.data(), static_cast<int>(n), pivot.data())) break;
    lu_solve(T.data(), static_cast<int>(n), pivot.data(), f.data());
    for (std::size_t i = 0; i < n; ++i) w[i] += f[i];
    solved = largest(f) <= kEqual * largest(w);
    evaluate(w, f);
  }
  if (!(solved && largest(w) <= size / kEqual)) std::fill(w.begin(), w.end(), 0.0);
  evaluate(w, f);
  double u[kMaxBlockInputs];
  for (std::size_t i = 0; i < n; ++i) {
    read_block<double>(block(i), s, s_dot, y, values, u);
    set_value(block(i), block(i).law->value(u, y + block(i).output + 1), values, y);
  }
}

}  // namespace

void start_blocks(const Hydraulics& netlist, const double* s, const double* s_dot, OilValues<double>& values, double* y) {
  for (const ControlBlock& b : netlist.control) set_value(b, std::numeric_limits<double>::quiet_NaN(), values, y);
  std::vector<char> in_loop(netlist.control.size(), 0);
  for (;;) {
    // values of blocks whose states do not depend on inputs first: others may read them
    for (std::size_t round = 0; round <= netlist.control.size(); ++round)
      for (std::size_t i = 0; i < netlist.control.size(); ++i)
        if (const ControlBlock& b = netlist.control[i]; in_loop[i] == 0) set_value(b, start_block(b, s, s_dot, values, y), values, y);
    const std::vector<int> loop = unknown_loop(netlist, s, s_dot, values, y, in_loop);
    if (loop.empty()) break;
    start_loop(netlist, loop, s, s_dot, values, y);
    for (const int i : loop) in_loop[static_cast<std::size_t>(i)] = 1;
  }
  for (const ControlBlock& b : netlist.control) {
    if (b.sampled()) y[b.next_sample()] = sample_time(b, b.offset > 0 ? 0 : 1);
    if (b.delayed()) {
      y[b.next_value()] = y[b.output];
      y[b.next_effect()] = y[b.next_sample()];
    }
  }
}

bool sample_due(const Hydraulics& netlist, const double* y, double t, double near) { return next_sample(netlist, y) <= t + near; }

double next_sample(const Hydraulics& netlist, const double* y) {
  double next = std::numeric_limits<double>::infinity();
  for (const ControlBlock& b : netlist.control) {
    if (b.sampled()) next = std::min(next, y[b.next_sample()]);
    if (b.delayed()) next = std::min(next, y[b.next_effect()]);
  }
  return next;
}

namespace {

bool has_modes(const ControlBlock& b) { return !b.sampled() && b.law->modes() > 0; }

/// How far inputs hold as conditions: that of the blocks which they are, otherwise their value less 0.5.
void read_excess(const Hydraulics& netlist, const ControlBlock& b, const double* u, const double* excess, double* c) {
  for (int k = 0; k < b.law->inputs(); ++k) {
    const BlockInput& input = b.inputs[static_cast<std::size_t>(k)];
    const int block = input.kind == BlockInput::Kind::signal ? netlist.block_of_signal[input.index] : -1;
    c[k] = block >= 0 ? excess[block] : u[k] - 0.5;
  }
}

/// Values of all blocks with their states and modes as they are, those of continuous ones anew: also of blocks after a reader whose value
/// does not depend on theirs directly. `excess`: how far they hold as conditions; null: not asked for.
void find_values(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, OilValues<double>& values,
                 double* excess) {
  double u[kMaxBlockInputs], c[kMaxBlockInputs];
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    const ControlBlock& b = netlist.control[i];
    values.signal[b.signal] = y[b.output];
    if (excess != nullptr) excess[i] = y[b.output] - 0.5;
  }
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    const ControlBlock& b = netlist.control[i];
    if (b.sampled()) continue;
    const double* const x = y + b.output + 1;
    read_block<double>(b, s, s_dot, y, values, u);
    values.signal[b.signal] = b.law->value(u, x);
    if (excess == nullptr) continue;
    read_excess(netlist, b, u, excess, c);
    const double value = values.signal[b.signal] - 0.5;
    excess[i] = has_modes(b) ? value : b.law->margin(u, c, x, value);
  }
}

}  // namespace

bool modes_stale(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, OilValues<double>& values) {
  double u[kMaxBlockInputs];
  find_values(netlist, s, s_dot, y, values, nullptr);
  for (const ControlBlock& b : netlist.control) {
    if (!has_modes(b)) continue;
    read_block<double>(b, s, s_dot, y, values, u);
    if (b.law->stale(u, y + b.output + 1)) return true;
  }
  return false;
}

bool find_margins(const Hydraulics& netlist, const double* s, const double* s_dot, const double* y, OilValues<double>& values,
                  double* excess, double* margins) {
  double u[kMaxBlockInputs], c[kMaxBlockInputs];
  bool stale = false;
  find_values(netlist, s, s_dot, y, values, excess);
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    const ControlBlock& b = netlist.control[i];
    margins[i] = 1;
    if (!has_modes(b)) continue;
    const double* const x = y + b.output + 1;
    read_block<double>(b, s, s_dot, y, values, u);
    read_excess(netlist, b, u, excess, c);
    const double margin = b.law->margin(u, c, x, 1);
    const bool changes = b.law->stale(u, x);  // at the level itself a margin may be on either side
    margins[i] = changes ? std::min(margin, double(0)) : std::max(margin, std::numeric_limits<double>::min());
    stale = stale || changes;
  }
  return stale;
}

namespace {

/// Changes the modes of a block at a sample. States that jump with them do so with the others as the sample leaves these (of a controller
/// the filtered difference), so that its value begins with the last one.
void hand_over(const ControlBlock& b, double period, const double* u, double value, double* x) {
  double after[kMaxBlockStates + kMaxBlockModes], jumped[kMaxBlockStates + kMaxBlockModes];
  const int n = b.states(), all = n + b.law->modes();
  std::copy_n(x, all, after);
  b.law->restart(u, value, after);
  const bool found = sample_states(b, period, u, after);
  std::copy_n(x + n, all - n, after + n);
  std::copy_n(after, all, jumped);
  b.law->restart(u, value, jumped);
  b.law->restart(u, value, x);
  for (int i = 0; i < n && found; ++i)
    if (jumped[i] != after[i]) x[i] = jumped[i];
}

/// Samples a block at inputs u; false: its states have no solution.
bool take_sample(const ControlBlock& b, const double* u, double t, double near, double* y) {
  double* const x = y + b.output + 1;
  const double number = std::floor((t + near - b.offset) / b.period), period = number == 0 && b.offset > 0 ? b.offset : b.period;
  if (b.law->modes() > 0) hand_over(b, period, u, b.delayed() ? y[b.next_value()] : y[b.output], x);
  if (!sample_states(b, period, u, x)) return false;
  const double due = y[b.next_sample()];
  y[b.next_sample()] = sample_time(b, number + 1);
  y[b.delayed() ? b.next_value() : b.output] = b.law->value(u, x);
  if (b.delayed()) y[b.next_effect()] = due + b.latency;
  return true;
}

/// Whether a continuous block reads a sampled one that comes after it, and may change the values that others read at a sample.
bool reads_later_samples(const Hydraulics& netlist) {
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    if (netlist.control[i].sampled()) continue;
    for (const BlockInput& input : netlist.control[i].inputs) {
      const int other = input.kind == BlockInput::Kind::signal ? netlist.block_of_signal[input.index] : -1;
      if (other > static_cast<int>(i) && netlist.control[static_cast<std::size_t>(other)].sampled()) return true;
    }
  }
  return false;
}

}  // namespace

int sample_blocks(const Hydraulics& netlist, const double* s, const double* s_dot, double t, double near, double* y,
                  OilValues<double>& values) {
  const int most_passes = 100 + 2 * static_cast<int>(netlist.control.size());  // of modes that change each other for ever
  double u[kMaxBlockInputs];
  for (const ControlBlock& b : netlist.control) {
    if (b.delayed() && y[b.next_effect()] <= t + near) {
      y[b.output] = y[b.next_value()];
      y[b.next_effect()] = y[b.next_sample()];
    }
    values.signal[b.signal] = y[b.output];
  }
  const bool modes = std::any_of(netlist.control.begin(), netlist.control.end(), has_modes);
  if (modes) find_values(netlist, s, s_dot, y, values, nullptr);
  const auto evaluate = [&](const ControlBlock& b) {
    b.law->restart(u, y[b.output], y + b.output + 1);
    y[b.output] = b.law->value(u, y + b.output + 1);
    values.signal[b.signal] = y[b.output];
  };
  const bool anew = reads_later_samples(netlist);
  for (std::size_t i = 0; i < netlist.control.size(); ++i) {
    const ControlBlock& b = netlist.control[i];
    const bool due = b.sampled() && y[b.next_sample()] <= t + near;
    if (due && anew) find_values(netlist, s, s_dot, y, values, nullptr);
    read_block<double>(b, s, s_dot, y, values, u);
    if (!b.sampled()) {
      evaluate(b);
    } else if (due && !take_sample(b, u, t, near, y)) {
      return static_cast<int>(i);
    }
    values.signal[b.signal] = y[b.output];
  }
  // a mode may change another one, of a block before it
  for (int pass = 0; pass < most_passes && modes && modes_stale(netlist, s, s_dot, y, values); ++pass)
    for (const ControlBlock& b : netlist.control) {
      if (b.sampled()) continue;
      read_block<double>(b, s, s_dot, y, values, u);
      evaluate(b);
    }
  return -1;
}

std::vector<std::string> entry_names(const ControlBlock& block) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& stem, int count) {
    for (int k = 1; k <= count; ++k) names.push_back(block.name + stem + (count == 1 ? "" : "_" + std::to_string(k)));
  };
  add(".state", block.states());
  add(".mode", block.law->modes());
  if (block.sampled()) names.push_back(block.name + ".next_sample");
  if (block.delayed()) names.insert(names.end(), {block.name + ".next_value", block.name + ".next_effect"});
  return names;
}

}  // namespace trunnion
