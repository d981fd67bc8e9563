// Reference: dense elimination with partial pivoting (base/lu.h) on the same matrix; systems whose solution is known exactly. Every test
// with the order and the other pivots of this build (KLU) and with the core's own.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/sparse_lu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/diagnostic.h"
#include "base/system_matrix.h"
#include "support/allocation_counter.h"

namespace trunnion {
namespace {

/// A chain with some distant neighbours: few entries in every row, and a diagonal.
std::vector<Entry> chain_entries(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Entry> entries;
  for (int i = 0; i < n; ++i) {
    entries.push_back({i, i});
    if (i > 0) entries.insert(entries.end(), {{i, i - 1}, {i - 1, i}});
    if (random() % 4 == 0) entries.push_back({i, static_cast<int>(random() % static_cast<unsigned>(n))});
  }
  std::shuffle(entries.begin(), entries.end(), random);
  return entries;
}

/// Adds random values, each entry as often as it is listed.
struct RandomValues {
  const std::vector<Entry>& entries;
  std::vector<double> x;
  RandomValues(const std::vector<Entry>& places, unsigned seed, double diagonal) : entries(places) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    for (const Entry& e : entries) x.push_back(value(random) + (e.row == e.column ? diagonal : 0));
  }
  template <class Entries>
  void operator()(Entries& T) const {
    for (std::size_t i = 0; i < entries.size(); ++i) T(entries[i].row, entries[i].column) += x[i];
  }
};

void fill(SparseLu& lu, const RandomValues& values) {
  ReplayedEntries T{lu.values().data(), lu.slots().data()};
  std::fill(lu.values().begin(), lu.values().end(), 0.0);
  values(T);
}

std::vector<double> ramp(int n) {
  std::vector<double> b(n);
  for (int i = 0; i < n; ++i) b[i] = std::sin(1.0 + i);
  return b;
}

void expect_like_dense(int n, const std::vector<Entry>& entries, const RandomValues& values, const SparseLu& lu, double digits) {
  SystemMatrix dense(n, entries, MatrixStorage::dense);
  dense.assemble(values);
  ASSERT_TRUE(dense.factor());
  std::vector<double> x = ramp(n), y = x, x_dense = x, y_dense = x;
  lu.solve(x.data());
  lu.solve_transposed(y.data());
  dense.solve(x_dense.data());
  dense.solve_transposed(y_dense.data());
  const auto size = [](const std::vector<double>& v) {
    double largest = 0;
    for (double value : v) largest = std::max(largest, std::abs(value));
    return largest;
  };
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(x[i], x_dense[i], digits * size(x_dense)) << n;
    EXPECT_NEAR(y[i], y_dense[i], digits * size(y_dense)) << n;
  }
  for (int count : {1, 2, 5, 8, 19}) {  // simultaneous right sides
    std::vector<std::vector<double>> some(count, ramp(n));
    std::vector<double*> columns;
    for (int c = 0; c < count; ++c) {
      some[c][c % n] += c;
      columns.push_back(some[c].data());
    }
    std::vector<std::vector<double>> one_by_one = some;
    lu.solve_transposed(columns.data(), count);
    for (int c = 0; c < count; ++c) {
      lu.solve_transposed(one_by_one[c].data());
      for (int i = 0; i < n; ++i) EXPECT_NEAR(some[c][i], one_by_one[c][i], digits * size(one_by_one[c])) << n;
    }
  }
}

class SparseLuBy : public ::testing::TestWithParam<MakeSparsePivots> {};
INSTANTIATE_TEST_SUITE_P(Pivots, SparseLuBy, ::testing::Values(make_sparse_pivots, make_own_sparse_pivots),
                         [](const auto& pivots) { return pivots.index == 0 ? "OfThisBuild" : "OfTheCore"; });

TEST_P(SparseLuBy, SolvesLikeADenseFactorisation) {
  for (int n : {1, 2, 5, 30, 100})
    for (unsigned seed = 0; seed < 20; ++seed) {
      const std::vector<Entry> entries = chain_entries(n, seed);
      SparseLu lu(n, entries, GetParam());
      EXPECT_EQ(lu.slots().size(), entries.size());
      for (unsigned again = 0; again < 3; ++again) {
        const RandomValues values(entries, 100 * seed + again, 4);
        fill(lu, values);
        ASSERT_TRUE(lu.factor());
        expect_like_dense(n, entries, values, lu, 1e-13);
      }
    }
}

/// Without a dominant diagonal the preselected pivots are useless: others are found.
TEST_P(SparseLuBy, OtherPivotsAreChosenWhereThoseInAdvanceFail) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    constexpr int n = 60;
    const std::vector<Entry> entries = chain_entries(n, seed);
    SparseLu lu(n, entries, GetParam());
    RandomValues values(entries, seed, 0);
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].row == entries[i].column) values.x[i] = i % 2 == 0 ? 0 : 1e-14;
    fill(lu, values);
    ASSERT_TRUE(lu.factor());
    expect_like_dense(n, entries, values, lu, 1e-9);
  }
}

/// A factorisation is independent of the previous one: of its pivots and of its failure.
TEST_P(SparseLuBy, TheSameValuesGiveTheSameBitsWhateverCameBefore) {
  constexpr int n = 50;
  const std::vector<Entry> entries = chain_entries(n, 3);
  const RandomValues good(entries, 1, 4), bad(entries, 2, 0);
  SparseLu lu(n, entries, GetParam());
  const auto solution = [&] {
    fill(lu, good);
    EXPECT_TRUE(lu.factor());
    std::vector<double> x = ramp(n);
    lu.solve(x.data());
    return x;
  };
  const std::vector<double> first = solution();
  fill(lu, bad);
  lu.factor();
  EXPECT_EQ(solution(), first);
  std::fill(lu.values().begin(), lu.values().end(), 0.0);
  EXPECT_FALSE(lu.factor());
  EXPECT_EQ(solution(), first);
}

TEST_P(SparseLuBy, ZeroMatricesAndNumbersThatAreNoneAreRefused) {
  constexpr int n = 20;
  const std::vector<Entry> entries = chain_entries(n, 5);
  SparseLu lu(n, entries, GetParam());
  EXPECT_FALSE(lu.factor());  // zeros
  const RandomValues values(entries, 9, 4);
  for (double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (std::size_t place = 0; place < lu.values().size(); ++place) {
      fill(lu, values);
      lu.values()[place] = wrong;
      const bool factored = lu.factor();
      std::vector<double> x = ramp(n);
      if (factored) lu.solve(x.data());
      EXPECT_TRUE(!factored || !std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); })) << place;
    }
  fill(lu, values);
  EXPECT_TRUE(lu.factor());
}

TEST_P(SparseLuBy, APatternWithoutARegularMatrixIsAnError) {
  const std::vector<Entry> column{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}};
  EXPECT_THROW(SparseLu(3, column, GetParam()), Error);
}

TEST_P(SparseLuBy, FactoringAndSolvingDoNotAllocate) {
  constexpr int n = 200;
  const std::vector<Entry> entries = chain_entries(n, 8);
  const RandomValues values(entries, 1, 4);
  const long at_first = test::allocations();
  SparseLu lu(n, entries, GetParam());
  std::vector<double> x = ramp(n);
  // KLU's memory is always counted, that of operator new not under sanitizers
  if (GetParam() != make_own_sparse_pivots || test::allocations_are_counted()) EXPECT_GT(test::allocations(), at_first);
  const long before = test::allocations();
  for (int i = 0; i < 3; ++i) {
    fill(lu, values);
    const bool factored = lu.factor();
    lu.solve(x.data());
    lu.solve_transposed(x.data());
    if (!factored) FAIL();
  }
  EXPECT_EQ(test::allocations(), before);
}

/// Equations of constraints have no entry on the diagonal: the order must find others.
TEST_P(SparseLuBy, ConstraintsWithoutADiagonalAreSolved) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    constexpr int n = 60, rows = 20;
    std::mt19937 random(seed);
    std::vector<Entry> entries;
    for (int i = 0; i < n; ++i) entries.push_back({i, i});
    for (int i = 0; i < rows; ++i)  // each row couples three velocities, one of which is its own
      for (int k : {3 * i, static_cast<int>(random() % n), static_cast<int>(random() % n)})
        entries.insert(entries.end(), {{n + i, k}, {k, n + i}});
    SparseLu lu(n + rows, entries, GetParam());
    const RandomValues values(entries, seed, 3);
    fill(lu, values);
    ASSERT_TRUE(lu.factor());
    expect_like_dense(n + rows, entries, values, lu, 1e-10);
  }
}

/// The five-point pattern of a square: elimination in the given order takes n^4 operations, a good order n^3.
TEST(SparseOrder, OfTheCoreHasAboutTheFillOfKlu) {
  for (int side : {10, 20, 40}) {
    std::vector<Entry> entries;
    for (int i = 0; i < side * side; ++i) {
      entries.push_back({i, i});
      if (i % side > 0) entries.insert(entries.end(), {{i, i - 1}, {i - 1, i}});
      if (i >= side) entries.insert(entries.end(), {{i, i - side}, {i - side, i}});
    }
    const double n = side, own = SparseLu(side * side, entries, make_own_sparse_pivots).operations();
    EXPECT_LT(own, 1.3 * SparseLu(side * side, entries, make_sparse_pivots).operations()) << side;
    EXPECT_LT(own, 40 * n * n * n) << side;
  }
}

TEST(SystemMatrix, StorageFollowsSizeAndPattern) {
  std::vector<Entry> full;
  for (int i = 0; i < 40; ++i)
    for (int k = 0; k < 40; ++k) full.push_back({i, k});
  EXPECT_FALSE(SystemMatrix(40, full).sparse());
  EXPECT_TRUE(SystemMatrix(40, full, MatrixStorage::sparse).sparse());
  EXPECT_FALSE(SystemMatrix(6, chain_entries(6, 1)).sparse());
  EXPECT_TRUE(SystemMatrix(12, chain_entries(12, 1)).sparse());
  EXPECT_TRUE(SystemMatrix(200, chain_entries(200, 1)).sparse());
  EXPECT_FALSE(SystemMatrix(200, chain_entries(200, 1), MatrixStorage::dense).sparse());
  EXPECT_EQ(SystemMatrix(0, {}).size(), 0);
}

/// One assembly gives the pattern and fills either storage; a part may be assembled alone.
TEST(SystemMatrix, OneAssemblyServesBothStorages) {
  constexpr int n = 40;
  const std::vector<Entry> entries = chain_entries(n, 4);
  RandomValues values(entries, 6, 4);
  RecordedEntries recorded;
  values(recorded);
  SystemMatrix dense(n, recorded.entries, MatrixStorage::dense), sparse(n, recorded.entries, MatrixStorage::sparse),
      copy = SystemMatrix(n, recorded.entries, MatrixStorage::sparse);
  for (int pass = 0; pass < 2; ++pass) {
    dense.assemble(values);
    sparse.assemble(values);
    copy.copy_values(sparse);
    ASSERT_TRUE(dense.factor() && sparse.factor() && copy.factor());
    std::vector<double> x = ramp(n), y = x, z = x;
    dense.solve(x.data());
    sparse.solve(y.data());
    copy.solve(z.data());
    EXPECT_EQ(y, z);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(x[i], y[i], 1e-13);
    // the second time without the last entries
    for (std::size_t i = entries.size() - 5; i < entries.size(); ++i)
      if (entries[i].row != entries[i].column) values.x[i] = 0;
  }
}

}  // namespace
}  // namespace trunnion
