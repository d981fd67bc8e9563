// Open MPI, opened at run time.
// SPDX-License-Identifier: BSD-3-Clause
#include "external/mpi.h"

#include <cstdlib>

#include "base/diagnostic.h"
#include "external/on_demand.h"

namespace trunnion {

namespace {

constexpr const char* kOpenMpi = "libmpi.so.40";
constexpr int kSerialized = 2, kAnySource = -1, kTag = 7;  // MPI_THREAD_SERIALIZED, MPI_ANY_SOURCE

struct MpiStatus {
  int source, tag, error, cancelled;
  std::size_t bytes;
};

/// What is used of the library.
struct OpenMpi {
  int (*Init_thread)(int*, char***, int, int*);
  int (*Comm_rank)(void*, int*);
  int (*Comm_size)(void*, int*);
  int (*Comm_set_errhandler)(void*, void*);
  int (*Send)(const void*, int, void*, int, int, void*);
  int (*Recv)(void*, int, void*, int, int, void*, MpiStatus*);
  int (*Iprobe)(int, int, void*, int*, MpiStatus*);
  int (*Finalize)();
  void *world, *byte, *errors_return;
};

constexpr const char* kAlone = "without mpirun the sweep runs on this machine alone";

void require_success(int code, const char* what) {
  if (code != 0) throw Error(std::string("Open MPI cannot ") + what + "; the same command goes on with what is finished; " + kAlone);
}

OpenMpi loaded_open_mpi() {
  OpenMpi mpi{};
  const auto find = [](const char* name, auto& out) {
    out = reinterpret_cast<std::decay_t<decltype(out)>>(on_demand(kOpenMpi, name, true));
  };
  try {
    find("MPI_Init_thread", mpi.Init_thread);
    find("MPI_Comm_rank", mpi.Comm_rank);
    find("MPI_Comm_size", mpi.Comm_size);
    find("MPI_Comm_set_errhandler", mpi.Comm_set_errhandler);
    find("MPI_Send", mpi.Send);
    find("MPI_Recv", mpi.Recv);
    find("MPI_Iprobe", mpi.Iprobe);
    find("MPI_Finalize", mpi.Finalize);
    find("ompi_mpi_comm_world", mpi.world);
    find("ompi_mpi_byte", mpi.byte);
    find("ompi_mpi_errors_return", mpi.errors_return);
  } catch (const Error& error) {
    throw Error(std::string(error.what()) + "; under mpirun Open MPI is needed on every machine (Debian: libopenmpi3); " + kAlone);
  }
  return mpi;
}

const OpenMpi& open_mpi() {
  static const OpenMpi loaded = loaded_open_mpi();
  return loaded;
}

}  // namespace

bool is_rank_of_many() {
  const auto number = [](const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? 0 : std::atoi(text);
  };
  if (number("OMPI_COMM_WORLD_SIZE") > 1) return true;
  if (number("PMI_SIZE") > 1 && number("OMPI_COMM_WORLD_SIZE") == 0)
    throw Error(std::string("several processes were started by the launcher of another MPI than Open MPI, whose mpirun is needed here "
                            "(Debian: openmpi-bin); ") +
                kAlone);
  return false;
}

MpiRanks::MpiRanks() {
  const OpenMpi& mpi = open_mpi();
  setenv("OMPI_MCA_async_mpi_finalize", "1", 0);  // otherwise MPI_Finalize waits for all ranks, also for lost ones
  int provided = 0;
  require_success(mpi.Init_thread(nullptr, nullptr, kSerialized, &provided), "start");
  if (provided < kSerialized) throw Error(std::string("this Open MPI was built without support for threads; ") + kAlone);
  require_success(mpi.Comm_set_errhandler(mpi.world, mpi.errors_return), "start");
  require_success(mpi.Comm_rank(mpi.world, &rank_), "give the number of this process");
  require_success(mpi.Comm_size(mpi.world, &size_), "give the number of processes");
}

void MpiRanks::send(int to, const Message& message) {
  const OpenMpi& mpi = open_mpi();
  require_success(mpi.Send(message.data(), static_cast<int>(message.size() * sizeof(std::uint64_t)), mpi.byte, to, kTag, mpi.world),
                  "send");
}

std::optional<Ranks::Received> MpiRanks::receive() {
  const OpenMpi& mpi = open_mpi();
  int there = 0;
  MpiStatus status{};
  require_success(mpi.Iprobe(kAnySource, kTag, mpi.world, &there, &status), "look for messages");
  if (there == 0) return std::nullopt;
  Received received{status.source, Message(status.bytes / sizeof(std::uint64_t))};
  require_success(mpi.Recv(received.message.data(), static_cast<int>(status.bytes), mpi.byte, status.source, kTag, mpi.world, &status),
                  "receive");
  return received;
}

void MpiRanks::finish() { open_mpi().Finalize(); }

}  // namespace trunnion
