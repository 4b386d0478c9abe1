// SPDX-License-Identifier: Apache-2.0
// Changes a forgery at random: links, bounds, translations, views, messages, heights, counts, places, roots, the
// superblock. Each thing changed stays one that a decoder takes, or nearly so, and contradicts the others.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "support/damage/forgery.h"

namespace betr::test {

class Forger {
 public:
  Forger(Forgery& forgery, Random& random) : forgery_(forgery), random_(random) {}

  // Does one thing, and says what.
  std::string Forge();

 private:
  std::string ForgeNode();
  std::string ForgeEdge(dag::Node& node);
  std::string ForgePartition(dag::Edge& edge);
  std::string ForgeGoto(dag::Node& node, dag::Edge& edge);
  std::string ForgeBounds(dag::Node& node);
  std::string ForgeView(dag::BlockView& view);
  std::string ForgeBlock(dag::BlockView& view);
  std::string ForgeBasements(dag::Node& node);
  std::string ForgeTable();
  std::string ForgeCatalog();
  std::string ForgeSuperblock();
  std::string ForgeBytes();
  // Nodes above each other, each with some edges to the one below.
  std::string BuildTower();

  NodeId AnyNode();
  NodeId AnyTarget(dag::Height height);
  std::string AnyText();
  std::string AnyKey();
  Bound AnyBound();
  Range AnyRange(const Range& inside);
  uint64_t AnyNumber();
  std::vector<dag::BlockView*> Views();
  layout::StoredBlock AnyBlock(const dag::Block& old, const Codec& codec);

  Forgery& forgery_;
  Random& random_;
};

}  // namespace betr::test
