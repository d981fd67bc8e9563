// Hash of the structure and names of a model.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/fingerprint.h"

#include "base/hash.h"
#include "base/units.h"
#include "schema/writer.h"

namespace trunnion {

namespace {

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
  for (const auto& item : blocks_of_signals(description)) structure.signals.emplace_back(item.first, *description.signals.find(item.first));
  structure.record = {};
  const auto without_files = [](std::vector<LookDescription>& looks) {  // whose places differ from computer to computer
    for (LookDescription& look : looks)
      if (auto* mesh = std::get_if<MeshLook>(&look)) mesh->file.clear();
  };
  without_files(structure.ground.drawn);
  for (auto& item : structure.bodies) without_files(item.second.drawn);
  structure.solver = {};
  structure.solver.coordinates = description.solver.coordinates;
  structure.solver.coupling = description.solver.coupling;
  Hash hash;
  add(hash, write_tree(structure));
  return hash.value();
}

}  // namespace trunnion
