// Hash of the structure and names of a model.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/fingerprint.h"

#include <string_view>

#include "base/units.h"
#include "schema/writer.h"

namespace trunnion {

namespace {

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(0xff);  // not a byte of UTF-8: end of a text
  }
  void add(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3u; }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

void add(Hash& hash, const FileTree& tree) {
  hash.add(static_cast<unsigned char>(tree.kind));
  if (tree.kind == FileTree::Kind::scalar && (tree.quoted || !read_quantity(tree.text).quantity)) hash.add(tree.text);
  for (const FileTree& item : tree.items) add(hash, item);
  for (const FileTree::Entry& entry : tree.entries) {
    hash.add(entry.key);
    add(hash, entry.value);
  }
  hash.add(static_cast<unsigned char>(0xfe));
}

}  // namespace

std::uint64_t fingerprint(const Description& description) {
  Description structure = description;
  structure.title.clear();
  structure.signals.clear();
  structure.record = {};
  structure.solver = {};
  structure.solver.coordinates = description.solver.coordinates;
  structure.solver.coupling = description.solver.coupling;
  Hash hash;
  add(hash, write_tree(structure));
  return hash.value();
}

}  // namespace trunnion
