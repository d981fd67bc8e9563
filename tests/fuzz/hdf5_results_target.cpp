// Fuzz target: results from valid HDF5 files of arbitrary content, the layer of Trunnion above the HDF5 library.
// (On damaged bytes HDF5 1.10 leaks, and allocates without bound; read_results_test.cpp reads such files in separate processes.)
// SPDX-License-Identifier: BSD-3-Clause
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fuzz/targets.h"
#include "results/read_results.h"

namespace trunnion::fuzz {

namespace {

constexpr std::array kNames{"channels", "units", "descriptions", "model", "values", "rows"};

/// The bytes of the input in sequence; zeros after its end.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  std::size_t below(std::size_t n) { return next() % n; }
  unsigned next() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  std::string text(std::size_t size) {
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(text.size());
    text.resize(size);
    return text;
  }
  /// Mostly small, occasionally very large.
  hsize_t length() {
    const unsigned byte = next();
    constexpr unsigned kLarge = 224;
    return byte < kLarge ? byte % 8 : hsize_t{1} << (8 + byte - kLarge);
  }

 private:
  std::string_view rest_;
};

hid_t fixed_text(std::size_t size) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, std::max<std::size_t>(size, 1));
  return type;
}

hid_t any_type(Bytes& bytes) {
  switch (bytes.below(12)) {
    case 0:
      return fixed_text(bytes.next());
    case 1:
      return fixed_text(H5T_VARIABLE);
    case 2:
      return fixed_text(static_cast<std::size_t>(bytes.length()));
    case 3:
      return H5Tcopy(H5T_IEEE_F32BE);
    case 4:
      return H5Tcopy(H5T_STD_U64LE);
    case 5:
      return H5Tcopy(H5T_STD_I8LE);
    case 6: {
      const hid_t type = H5Tcreate(H5T_OPAQUE, 1 + bytes.below(64));
      H5Tset_tag(type, "any");
      return type;
    }
    case 7: {
      const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
      H5Tinsert(type, "a", 0, H5T_IEEE_F64LE);
      H5Tinsert(type, "b", 8, H5T_STD_I32LE);
      return type;
    }
    case 8: {
      const hsize_t size = 1 + bytes.below(5);
      return H5Tarray_create2(H5T_IEEE_F64LE, 1, &size);
    }
    case 9:
      return H5Tvlen_create(H5T_STD_U8LE);
    case 10: {
      const hid_t type = H5Tenum_create(H5T_STD_I8LE);
      const signed char one = 1;
      H5Tenum_insert(type, "one", &one);
      return type;
    }
    default:
      return H5Tcopy(H5T_IEEE_F64LE);
  }
}

struct Shape {
  hid_t space;
  int rank;
  std::array<hsize_t, 4> size;
};

Shape any_shape(Bytes& bytes) {
  Shape shape{H5I_INVALID_HID, static_cast<int>(bytes.below(6)), {}};
  if (shape.rank == 0) shape.space = H5Screate(H5S_SCALAR);
  if (shape.rank == 5) shape.space = H5Screate(H5S_NULL), shape.rank = 0;
  if (shape.rank == 0) return shape;
  for (int i = 0; i < shape.rank; ++i) shape.size[static_cast<std::size_t>(i)] = bytes.length();
  const std::array<hsize_t, 4> most{H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
  shape.space = H5Screate_simple(shape.rank, shape.size.data(), most.data());
  return shape;
}

/// Any dataset; a small one of few chunks has values: HDF5 packs every chunk on its own, which takes much longer than reading it here.
/// (No raw chunks: HDF5 reads beyond those that are too short.)
void add_any_dataset(hid_t file, const char* name, Bytes& bytes) {
  constexpr hsize_t kMost = 1 << 16, kMostChunks = 32;  // [bytes] that are written, in chunks
  const hid_t type = any_type(bytes);
  const Shape shape = any_shape(bytes);
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  double chunks = 1, chunk_bytes = static_cast<double>(H5Tget_size(type));
  if (shape.rank > 0) {
    std::array<hsize_t, 4> piece{};
    for (hsize_t& size : piece) size = 1 + bytes.below(8);
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i) {
      chunks *= std::ceil(static_cast<double>(shape.size[i]) / static_cast<double>(piece[i]));
      chunk_bytes *= static_cast<double>(piece[i]);
    }
    H5Pset_chunk(layout, shape.rank, piece.data());
    if (bytes.below(2) == 1) H5Pset_deflate(layout, 1);
  }
  constexpr double kLargestChunk = 4294967295.0;  // [bytes] HDF5 refuses a larger one, and leaks memory
  const hid_t set = shape.rank > 0 && chunk_bytes > kLargestChunk
                        ? H5I_INVALID_HID
                        : H5Dcreate2(file, name, type, shape.space, H5P_DEFAULT, layout, H5P_DEFAULT);
  const hssize_t points = H5Sget_simple_extent_npoints(shape.space);
  const std::size_t size = H5Tget_size(type);
  const bool own_memory = H5Tis_variable_str(type) > 0 || H5Tget_class(type) == H5T_VLEN;
  if (set >= 0 && points > 0 && chunks <= kMostChunks && !own_memory && static_cast<hsize_t>(points) <= kMost &&
      size <= kMost / static_cast<hsize_t>(points)) {
    const std::string data = bytes.text(size * static_cast<std::size_t>(points));
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data());
  } else if (set >= 0 && points == 1 && H5Tis_variable_str(type) > 0) {
    const std::string text = bytes.text(bytes.next());
    const char* const begin = text.c_str();
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<const void*>(&begin));
  }
  if (set >= 0) H5Dclose(set);
  H5Pclose(layout);
  if (shape.space >= 0) H5Sclose(shape.space);
  if (type >= 0) H5Tclose(type);
}

void add_dataset(hid_t file, const char* name, hid_t type, int rank, const hsize_t* size, const void* data) {
  const hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, size, nullptr);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (set >= 0) {
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
  }
  H5Sclose(space);
}

/// The dataset that `trunnion` writes under this name, with content of the input.
void add_proper_dataset(hid_t file, std::string_view name, Bytes& bytes) {
  const std::string text_name(name);
  const hsize_t columns = 1 + bytes.below(4), rows = bytes.below(8);
  if (name == "rows") {
    const std::uint64_t count = bytes.length();
    add_dataset(file, "rows", H5T_STD_U64LE, 0, nullptr, &count);
  } else if (name == "values") {
    const hsize_t size[2] = {rows, columns};
    const std::string data = bytes.text(static_cast<std::size_t>(rows * columns) * sizeof(double));
    add_dataset(file, "values", H5T_IEEE_F64LE, 2, size, data.data());
  } else {
    const std::size_t width = 1 + bytes.below(64);
    std::string data = bytes.text(width * static_cast<std::size_t>(columns));
    if (name == "channels") data.replace(0, std::min<std::size_t>(data.size(), 5), std::string_view("time").substr(0, data.size()));
    data.resize(width * static_cast<std::size_t>(columns));
    const hid_t type = fixed_text(width);
    add_dataset(file, text_name.c_str(), type, name == "model" ? 0 : 1, &columns, data.data());
    H5Tclose(type);
  }
}

void add(hid_t file, const char* name, Bytes& bytes) {
  switch (bytes.below(12)) {
    case 0:
      return;  // missing
    case 1: {
      const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      if (group >= 0) H5Gclose(group);
      return;
    }
    case 2:
      H5Lcreate_soft(kNames[bytes.below(kNames.size())], file, name, H5P_DEFAULT, H5P_DEFAULT);
      return;
    case 3:
      H5Lcreate_hard(file, kNames[bytes.below(kNames.size())], file, name, H5P_DEFAULT, H5P_DEFAULT);
      return;
    case 4:
      H5Lcreate_external("other.h5", kNames[bytes.below(kNames.size())], file, name, H5P_DEFAULT, H5P_DEFAULT);
      return;
    case 5: {
      const hid_t type = any_type(bytes);
      if (H5Tcommit2(file, name, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) < 0) return (void)H5Tclose(type);
      H5Tclose(type);
      return;
    }
    case 6:
    case 7:
    case 8:
      return add_any_dataset(file, name, bytes);
    default:
      return add_proper_dataset(file, name, bytes);
  }
}

void build(const std::string& path, std::string_view input) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  // HDF5 keeps the tables of its caches, 1 MB for each file; without this half of the time is spent in obtaining zeroed pages for them
  H5set_free_list_limits(-1, -1, 1 << 20, 1 << 16, 1 << 20, 1 << 16);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 14, true);  // in memory until closed
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  require(file >= 0, "cannot create " + path);
  Bytes bytes(input);
  for (const char* name : kNames) add(file, name, bytes);
  H5Fclose(file);
  H5Pclose(access);
}

}  // namespace

void hdf5_results(std::string_view input) {
  const std::string path = scratch_folder() + "/some.h5";
  build(path, input);
  refused_properly([&] {
    const StoredResults results = find_results(path);
    refused_properly([&] { results.model(); });
    const Recording recording = results.read({"*"});
    require(recording.columns.size() == recording.channels.size(), "channels without columns");
    for (const auto& column : recording.columns) require(column.size() == recording.rows(), "columns of different lengths");
  });
}

}  // namespace trunnion::fuzz
