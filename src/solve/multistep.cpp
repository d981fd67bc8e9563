// SPDX-License-Identifier: BSD-3-Clause
#include "solve/multistep.h"

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cstdlib>
#include <exception>
#include <utility>

#include "base/diagnostic.h"

namespace trunnion {

namespace {

constexpr long kMostSteps = 20000;  // between two outputs

/// The system and what it threw: exceptions do not pass through the library, which is C.
struct Evaluated {
  FirstOrderSystem& system;
  std::exception_ptr thrown;

  int at(double t, const double* x, const double* x_dot, double* out) {
    try {
      return system.evaluate(t, x, x_dot, out) ? 0 : 1;
    } catch (...) {
      thrown = std::current_exception();
      return -1;
    }
  }
};

int cvode_rates(double t, N_Vector x, N_Vector out, void* system) {
  return static_cast<Evaluated*>(system)->at(t, N_VGetArrayPointer(x), nullptr, N_VGetArrayPointer(out));
}

int ida_residual(double t, N_Vector x, N_Vector x_dot, N_Vector out, void* system) {
  return static_cast<Evaluated*>(system)->at(t, N_VGetArrayPointer(x), N_VGetArrayPointer(x_dot), N_VGetArrayPointer(out));
}

void keep_quiet(int, const char*, const char*, char*, void*) {}  // the flag says it all

void require(bool good, const char* what) {
  if (!good) throw Error(std::string("SUNDIALS: ") + what + " failed");
}

}  // namespace

struct Multistep::Memory {
  explicit Memory(FirstOrderSystem& system) : evaluated{system, nullptr} {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Evaluated evaluated;
  SUNContext context = nullptr;
  N_Vector x = nullptr, x_dot = nullptr, absolute = nullptr, id = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
  void *cvode = nullptr, *ida = nullptr;
  ~Memory() {
    if (cvode != nullptr) CVodeFree(&cvode);
    if (ida != nullptr) IDAFree(&ida);
    if (solver != nullptr) SUNLinSolFree(solver);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    for (N_Vector vector : {x, x_dot, absolute, id})
      if (vector != nullptr) N_VDestroy(vector);
    if (context != nullptr) SUNContext_Free(&context);
  }
};

Multistep::Multistep(MultistepKind kind, FirstOrderSystem& system, double longest, double relative, const std::vector<double>& absolute,
                     const std::vector<bool>& algebraic)
    : memory_(std::make_unique<Memory>(system)), kind_(kind), size_(absolute.size()) {
  Memory& m = *memory_;
  const auto n = static_cast<sunindextype>(size_);
  require(SUNContext_Create(nullptr, &m.context) == 0, "SUNContext_Create");
  for (N_Vector* vector : {&m.x, &m.x_dot, &m.absolute, &m.id}) {
    *vector = N_VNew_Serial(n, m.context);
    require(*vector != nullptr, "N_VNew_Serial");
    N_VConst(0, *vector);
  }
  for (std::size_t i = 0; i < size_; ++i) {
    N_VGetArrayPointer(m.absolute)[i] = absolute[i];
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
                CVodeSVtolerances(m.cvode, relative, m.absolute) == CV_SUCCESS && CVodeSetUserData(m.cvode, &m.evaluated) == CV_SUCCESS &&
                CVodeSetLinearSolver(m.cvode, m.solver, m.matrix) == CV_SUCCESS && CVodeSetMaxNumSteps(m.cvode, kMostSteps) == CV_SUCCESS &&
                CVodeSetMaxStep(m.cvode, longest) == CV_SUCCESS,
            "setting up CVODE");
  } else {
    m.ida = IDACreate(m.context);
    require(m.ida != nullptr, "IDACreate");
    require(IDASetErrHandlerFn(m.ida, keep_quiet, nullptr) == IDA_SUCCESS && IDAInit(m.ida, ida_residual, 0, m.x, m.x_dot) == IDA_SUCCESS &&
                IDASVtolerances(m.ida, relative, m.absolute) == IDA_SUCCESS && IDASetUserData(m.ida, &m.evaluated) == IDA_SUCCESS &&
                IDASetLinearSolver(m.ida, m.solver, m.matrix) == IDA_SUCCESS && IDASetId(m.ida, m.id) == IDA_SUCCESS &&
                IDASetSuppressAlg(m.ida, SUNTRUE) == IDA_SUCCESS && IDASetMaxNumSteps(m.ida, kMostSteps) == IDA_SUCCESS &&
                IDASetMaxStep(m.ida, longest) == IDA_SUCCESS,
            "setting up IDA");
  }
}

Multistep::~Multistep() = default;

double* Multistep::x() { return N_VGetArrayPointer(memory_->x); }
double* Multistep::x_dot() { return N_VGetArrayPointer(memory_->x_dot); }

bool Multistep::start(double t, double t_stop) {
  Memory& m = *memory_;
  if (kind_ == MultistepKind::cvode) {
    flag_ = CVodeReInit(m.cvode, t, m.x);
    if (flag_ >= 0) flag_ = CVodeSetStopTime(m.cvode, t_stop);
  } else {
    flag_ = IDAReInit(m.ida, t, m.x, m.x_dot);
    if (flag_ >= 0) flag_ = IDASetStopTime(m.ida, t_stop);
  }
  return flag_ >= 0;
}

bool Multistep::advance(double t) {
  Memory& m = *memory_;
  double reached = 0;
  flag_ =
      kind_ == MultistepKind::cvode ? CVode(m.cvode, t, m.x, &reached, CV_NORMAL) : IDASolve(m.ida, t, &reached, m.x, m.x_dot, IDA_NORMAL);
  if (m.evaluated.thrown) std::rethrow_exception(std::exchange(m.evaluated.thrown, nullptr));
  return flag_ >= 0;
}

long Multistep::iterations() const {
  long count = 0;
  if (kind_ == MultistepKind::cvode)
    CVodeGetNumNonlinSolvIters(memory_->cvode, &count);
  else
    IDAGetNumNonlinSolvIters(memory_->ida, &count);
  return count;
}

std::string Multistep::failure() const {
  char* name = kind_ == MultistepKind::cvode ? CVodeGetReturnFlagName(flag_) : IDAGetReturnFlagName(flag_);
  std::string text(name == nullptr ? "" : name);
  std::free(name);
  return text;
}

}  // namespace trunnion
