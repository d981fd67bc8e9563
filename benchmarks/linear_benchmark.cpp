// The linear model: time to compute the matrix A, exact and of minimum size, compared with central differences of the whole machine
// (the counterpart), alternating in the same run; medians over blocks. The paper's figures for its four-bar are 5 ms and 16 ms.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "file/model_file.h"
#include "linearise/counterpart.h"
#include "linearise/reduction.h"
#include "machine/start.h"

namespace {

using namespace trunnion;

constexpr int kBlocks = 41;
constexpr double kBlockSeconds = 2e-3;

/// Seconds of one call, over a block of calls.
template <class Call>
double time_block(Call&& call) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  long calls = 0;
  double seconds = 0;
  do {
    call();
    ++calls;
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  } while (seconds < kBlockSeconds);
  return seconds / static_cast<double>(calls);
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

template <int D>
void compare(const std::string& name, const std::shared_ptr<const CompiledModel>& model) {
  const StateVector start = start_state(*model);
  Reduction<D> reduction(model);
  CounterpartDifferences<D> differences(model, start);
  std::vector<double> A, J(static_cast<std::size_t>(differences.size()) * differences.size()), exact, counterpart;
  for (int i = 0; i < kBlocks; ++i) {
    exact.push_back(time_block([&] {
      reduction.set_reference(start);
      reduction.jacobian(A);
    }));
    counterpart.push_back(time_block([&] { differences.jacobian(1e-5, J.data()); }));
  }
  const double a = median(exact), b = median(counterpart);
  fmt::print("{:22} {:4} states {:10.2f} us   counterpart {:4} {:10.2f} us   ratio {:.2f}\n", name, reduction.size(), 1e6 * a,
             differences.size(), 1e6 * b, b / a);
}

}  // namespace

int main() {
  for (const char* name :
       {"four_bar_linear", "four_bar_lift", "quick_return", "slewing_crane", "spatial_slider_crank", "bicycle", "ladder"}) {
    const auto model = compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/examples/" + name + ".yaml", {}));
    if (model->planar)
      compare<2>(name, model);
    else
      compare<3>(name, model);
  }
}
