// CVODE and IDA.
// SPDX-License-Identifier: BSD-3-Clause
#include "solve/multistep.h"

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <utility>

#include "base/diagnostic.h"

namespace trunnion {

namespace {

/// User data of SUNDIALS callbacks.
struct MultistepUser {
  FirstOrderSystem* system = nullptr;
  std::vector<double> sizes;
  std::exception_ptr thrown;  // of the system
};

constexpr long kMostSteps = 20000;    // between two outputs
constexpr double kDifference = 1e-7;  // relative to a quantity or its reference size: increment for difference quotients

/// Exceptions must not propagate through the C library.
int evaluate(void* user, double t, N_Vector x, N_Vector x_dot, N_Vector out) {
  MultistepUser& u = *static_cast<MultistepUser*>(user);
  try {
    const double* rates = x_dot == nullptr ? nullptr : N_VGetArrayPointer(x_dot);
    return u.system->evaluate(t, N_VGetArrayPointer(x), rates, N_VGetArrayPointer(out)) ? 0 : 1;
  } catch (...) {
    u.thrown = std::current_exception();
    return -1;
  }
}
int cvode_rates(double t, N_Vector x, N_Vector out, void* user) { return evaluate(user, t, x, nullptr, out); }
int ida_residual(double t, N_Vector x, N_Vector x_dot, N_Vector out, void* user) { return evaluate(user, t, x, x_dot, out); }

/// CVODE's own increments shrink with the rates and vanish at rest, which amplifies the iteration error of the rates.
int cvode_jacobian(double t, N_Vector x, N_Vector rates, SUNMatrix J, void* user, N_Vector moved, N_Vector, N_Vector) {
  const std::vector<double>& sizes = static_cast<MultistepUser*>(user)->sizes;
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    double& at = N_VGetArrayPointer(x)[j];
    const double value = at;
    at += kDifference * std::max(std::abs(value), sizes[j]);
    const double increment = at - value;
    const int flag = cvode_rates(t, x, moved, user);
    at = value;
    if (flag != 0) return flag;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      SM_ELEMENT_D(J, i, j) = (N_VGetArrayPointer(moved)[i] - N_VGetArrayPointer(rates)[i]) / increment;
  }
  return 0;
}

void keep_quiet(int, const char*, const char*, char*, void*) {}  // the flag reports it

void require(bool good, const char* what) {
  if (!good) throw Error(std::string("SUNDIALS: ") + what + " failed");
}

struct MultistepMemory {
  MultistepMemory() = default;
  MultistepMemory(const MultistepMemory&) = delete;
  MultistepMemory& operator=(const MultistepMemory&) = delete;

  SUNContext context = nullptr;
  N_Vector x = nullptr, x_dot = nullptr, absolute = nullptr, id = nullptr, error = nullptr, errors = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
  void *cvode = nullptr, *ida = nullptr;
  MultistepUser user;
  bool at_start = true;  // no step since start()
  bool at_stop = false;  // the last step ended at its stop time
  ~MultistepMemory() {
    if (cvode != nullptr) CVodeFree(&cvode);
    if (ida != nullptr) IDAFree(&ida);
    if (solver != nullptr) SUNLinSolFree(solver);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    for (N_Vector vector : {x, x_dot, absolute, id, error, errors})
      if (vector != nullptr) N_VDestroy(vector);
    if (context != nullptr) SUNContext_Free(&context);
  }
};

class SundialsMultistep final : public Multistep {
 public:
  SundialsMultistep(MultistepKind kind, FirstOrderSystem& system, double longest, double relative, const std::vector<double>& sizes,
                    const std::vector<bool>& algebraic);

  std::size_t size() const override { return size_; }
  double* x() override { return N_VGetArrayPointer(memory_.x); }
  double* x_dot() override { return N_VGetArrayPointer(memory_.x_dot); }
  bool start(double t, double t_stop) override;
  bool advance(double t) override;
  const double* errors() const override { return N_VGetArrayPointer(memory_.errors); }
  void clear_errors() override { N_VConst(0, memory_.errors); }
  long iterations() const override;
  std::string failure() const override;

 private:
  MultistepMemory memory_;
  MultistepKind kind_;
  std::size_t size_;
  int flag_ = 0;
};

SundialsMultistep::SundialsMultistep(MultistepKind kind, FirstOrderSystem& system, double longest, double relative,
                                     const std::vector<double>& sizes, const std::vector<bool>& algebraic)
    : kind_(kind), size_(sizes.size()) {
  MultistepMemory& m = memory_;
  m.user = {&system, sizes, nullptr};
  const auto n = static_cast<sunindextype>(size_);
  require(SUNContext_Create(nullptr, &m.context) == 0, "SUNContext_Create");
  for (N_Vector* vector : {&m.x, &m.x_dot, &m.absolute, &m.id, &m.error, &m.errors}) {
    *vector = N_VNew_Serial(n, m.context);
    require(*vector != nullptr, "N_VNew_Serial");
    N_VConst(0, *vector);
  }
  for (std::size_t i = 0; i < size_; ++i) {
    N_VGetArrayPointer(m.absolute)[i] = relative * sizes[i];
    N_VGetArrayPointer(m.id)[i] = i < algebraic.size() && algebraic[i] ? 0 : 1;
  }
  m.matrix = SUNDenseMatrix(n, n, m.context);
  require(m.matrix != nullptr, "SUNDenseMatrix");
  m.solver = SUNLinSol_Dense(m.x, m.matrix, m.context);
  require(m.solver != nullptr, "SUNLinSol_Dense");
  if (kind == MultistepKind::cvode) {
    m.cvode = CVodeCreate(CV_BDF, m.context);
    require(m.cvode != nullptr, "CVodeCreate");
    require(CVodeSetErrHandlerFn(m.cvode, keep_quiet, nullptr) == CV_SUCCESS && CVodeInit(m.cvode, cvode_rates, 0, m.x) == CV_SUCCESS &&
                CVodeSVtolerances(m.cvode, relative, m.absolute) == CV_SUCCESS && CVodeSetUserData(m.cvode, &m.user) == CV_SUCCESS &&
                CVodeSetLinearSolver(m.cvode, m.solver, m.matrix) == CV_SUCCESS && CVodeSetJacFn(m.cvode, cvode_jacobian) == CV_SUCCESS &&
                CVodeSetMaxNumSteps(m.cvode, kMostSteps) == CV_SUCCESS && CVodeSetMaxStep(m.cvode, longest) == CV_SUCCESS,
            "setting up CVODE");
  } else {
    m.ida = IDACreate(m.context);
    require(m.ida != nullptr, "IDACreate");
    require(IDASetErrHandlerFn(m.ida, keep_quiet, nullptr) == IDA_SUCCESS && IDAInit(m.ida, ida_residual, 0, m.x, m.x_dot) == IDA_SUCCESS &&
                IDASVtolerances(m.ida, relative, m.absolute) == IDA_SUCCESS && IDASetUserData(m.ida, &m.user) == IDA_SUCCESS &&
                IDASetLinearSolver(m.ida, m.solver, m.matrix) == IDA_SUCCESS && IDASetId(m.ida, m.id) == IDA_SUCCESS &&
                IDASetSuppressAlg(m.ida, SUNTRUE) == IDA_SUCCESS && IDASetMaxNumSteps(m.ida, kMostSteps) == IDA_SUCCESS &&
                IDASetMaxStep(m.ida, longest) == IDA_SUCCESS,
            "setting up IDA");
  }
}

bool SundialsMultistep::start(double t, double t_stop) {
  MultistepMemory& m = memory_;
  m.at_start = true;
  m.at_stop = false;
  if (kind_ == MultistepKind::cvode) {
    flag_ = CVodeReInit(m.cvode, t, m.x);
    if (flag_ >= 0) flag_ = CVodeSetStopTime(m.cvode, t_stop);
  } else {
    flag_ = IDAReInit(m.ida, t, m.x, m.x_dot);
    if (flag_ >= 0) flag_ = IDASetStopTime(m.ida, t_stop);
  }
  return flag_ >= 0;
}

bool SundialsMultistep::advance(double t) {
  MultistepMemory& m = memory_;
  const bool cvode = kind_ == MultistepKind::cvode;
  for (long steps = 0;; ++steps) {
    double reached = 0;
    flag_ = cvode ? CVodeGetCurrentTime(m.cvode, &reached) : IDAGetCurrentTime(m.ida, &reached);
    if (flag_ < 0) return false;
    if (m.at_stop || (!m.at_start && reached >= t)) break;
    if (steps == kMostSteps) {
      flag_ = cvode ? CV_TOO_MUCH_WORK : IDA_TOO_MUCH_WORK;
      return false;
    }
    flag_ = cvode ? CVode(m.cvode, t, m.x, &reached, CV_ONE_STEP) : IDASolve(m.ida, t, &reached, m.x, m.x_dot, IDA_ONE_STEP);
    if (m.user.thrown) std::rethrow_exception(std::exchange(m.user.thrown, nullptr));
    if (flag_ < 0) return false;
    m.at_start = false;
    if ((cvode ? CVodeGetEstLocalErrors(m.cvode, m.error) : IDAGetEstLocalErrors(m.ida, m.error)) < 0) return false;
    N_VAbs(m.error, m.error);
    N_VLinearSum(1, m.errors, 1, m.error, m.errors);
    m.at_stop = flag_ == (cvode ? CV_TSTOP_RETURN : IDA_TSTOP_RETURN);
    if (m.at_stop && reached <= t) return true;  // x() is already set
  }
  flag_ = cvode ? CVodeGetDky(m.cvode, t, 0, m.x) : IDAGetDky(m.ida, t, 0, m.x);
  if (!cvode && flag_ >= 0) flag_ = IDAGetDky(m.ida, t, 1, m.x_dot);
  return flag_ >= 0;
}

long SundialsMultistep::iterations() const {
  long count = 0;
  if (kind_ == MultistepKind::cvode)
    CVodeGetNumNonlinSolvIters(memory_.cvode, &count);
  else
    IDAGetNumNonlinSolvIters(memory_.ida, &count);
  return count;
}

std::string SundialsMultistep::failure() const {
  char* name = kind_ == MultistepKind::cvode ? CVodeGetReturnFlagName(flag_) : IDAGetReturnFlagName(flag_);
  std::string text(name == nullptr ? "" : name);
  std::free(name);
  return text;
}

}  // namespace

MakeMultistep multistep_factory() {
  return [](MultistepKind kind, FirstOrderSystem& system, double longest, double relative, const std::vector<double>& sizes,
            const std::vector<bool>& algebraic) -> std::unique_ptr<Multistep> {
    return std::make_unique<SundialsMultistep>(kind, system, longest, relative, sizes, algebraic);
  };
}

}  // namespace trunnion
