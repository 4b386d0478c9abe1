// SPDX-License-Identifier: Apache-2.0
#include "layout/node_check.h"

#include <fmt/format.h>

#include <string_view>

#include "base/compression.h"
#include "base/status.h"

namespace betr::layout {
namespace {

absl::Status Bad(std::string_view what) { return absl::DataLossError(std::string(what)); }

// Formats a range for an error message. Long bounds are cut, so that the message stays readable.
std::string Brief(const Range& range) {
  constexpr size_t kMaxShown = 40;
  const auto brief = [](const Bound& bound) {
    return bound.bytes.size() <= kMaxShown
               ? ToString(bound)
               : fmt::format("{}... ({} bytes)", ToString(Bound{bound.bytes.substr(0, kMaxShown), bound.past}),
                             bound.bytes.size());
  };
  return fmt::format("[{}, {})", brief(range.lo), brief(range.hi));
}

bool TooLong(std::string_view text) { return text.size() > kMaxBoundSize.value; }

absl::Status CheckRange(const Range& range) {
  if (TooLong(range.lo.bytes) || TooLong(range.hi.bytes)) return Bad("a bound is too long");
  return range.Empty() ? Bad(fmt::format("range {} is empty", Brief(range))) : absl::OkStatus();
}

// Checks that `range` lies inside the range of its holder.
absl::Status CheckInside(const Range& range, const Range& holder) {
  BETR_RETURN_IF_ERROR(CheckRange(range));
  return holder.Covers(range) ? absl::OkStatus()
                              : Bad(fmt::format("range {} is not inside {}", Brief(range), Brief(holder)));
}

absl::Status CheckLink(const dag::Link& link, const Range& holder) {
  BETR_RETURN_IF_ERROR(CheckInside(link.range, holder));
  if (link.Null() && !link.translation.empty()) return Bad("it has a translation, but no target");
  return TooLong(link.translation) ? Bad("its translation is too long") : absl::OkStatus();
}

absl::Status CheckView(const dag::BlockView& view, const Range& holder) {
  BETR_RETURN_IF_ERROR(CheckInside(view.clip, holder));
  if (TooLong(view.affix.strip) || TooLong(view.affix.prepend)) return Bad("its affix is too long");
  if (!Range::Prefix(view.affix.prepend).Covers(view.clip)) {
    return Bad(fmt::format("range {} is not inside the image of its affix", Brief(view.clip)));
  }
  return view.slot == nullptr ? Bad("it has no block") : absl::OkStatus();
}

// `left`: what lies behind the gotos before this one. `height`: that of the node.
absl::Status CheckGoto(const dag::Goto& message, const Range& left, dag::Height height, size_t runs) {
  BETR_RETURN_IF_ERROR(CheckLink(message.link, left));
  if (message.Erases() && message.target_height != 0) return Bad("it has a target height, but no target");
  if (!message.Erases() && message.target_height + 1 >= height) {
    return Bad(
        fmt::format("its target has height {}, too much for a node of height {}", message.target_height, height));
  }
  return message.over > runs ? Bad(fmt::format("it supersedes {} runs of {}", message.over, runs)) : absl::OkStatus();
}

absl::Status CheckPartition(const dag::Partition& partition, const Range& range, dag::Height height) {
  for (size_t i = 0; i < partition.runs.size(); ++i) {
    BETR_RETURN_IF_ERROR(Annotate(CheckView(partition.runs[i], range), fmt::format("run {}", i)));
  }
  Range left = range;
  for (size_t i = 0; i < partition.gotos.size(); ++i) {
    const dag::Goto& message = partition.gotos[i];
    BETR_RETURN_IF_ERROR(Annotate(CheckGoto(message, left, height, partition.runs.size()), fmt::format("goto {}", i)));
    left.lo = message.link.range.hi;
  }
  return absl::OkStatus();
}

absl::Status CheckEdges(const dag::Node& node) {
  if (node.edges.empty() || !node.basements.empty()) return Bad("an interior node has edges and no basements");
  Range left = node.bounds;
  for (size_t i = 0; i < node.edges.size(); ++i) {
    const dag::Edge& edge = node.edges[i];
    const std::string place = fmt::format("edge {}", i);
    BETR_RETURN_IF_ERROR(Annotate(CheckLink(edge.link, left), place));
    if (edge.link.range.lo != left.lo) return Bad(place + ": there is a gap before it");
    BETR_RETURN_IF_ERROR(Annotate(CheckPartition(edge.partition, edge.link.range, node.height), place));
    left.lo = edge.link.range.hi;
  }
  return left.lo == left.hi ? absl::OkStatus() : Bad("there is a gap after the last edge");
}

uint64_t ItemsOf(const dag::Node& node) {
  uint64_t items = node.edges.size() + node.basements.size();
  for (const dag::Edge& edge : node.edges) items += edge.partition.runs.size() + edge.partition.gotos.size();
  return items;
}

absl::Status CheckBasements(const dag::Node& node) {
  if (!node.edges.empty()) return Bad("a leaf has no edges");
  Range left = node.bounds;
  for (size_t i = 0; i < node.basements.size(); ++i) {
    BETR_RETURN_IF_ERROR(Annotate(CheckView(node.basements[i], left), fmt::format("basement {}", i)));
    left.lo = node.basements[i].clip.hi;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckNode(const dag::Node& node) {
  if (node.height > dag::kMaxHeight) {
    return Bad(fmt::format("its height is {}, at most {}", node.height, dag::kMaxHeight));
  }
  if (!IsCodec(node.codec)) return Bad("its compression is unknown or has an impossible level");
  BETR_RETURN_IF_ERROR(Annotate(CheckRange(node.bounds), "its bounds"));
  if (ItemsOf(node) > kMaxNodeItems) {
    return Bad(fmt::format("it has {} edges, runs, gotos and basements, at most {}", ItemsOf(node), kMaxNodeItems));
  }
  return node.Leaf() ? CheckBasements(node) : CheckEdges(node);
}

}  // namespace betr::layout
