// SPDX-License-Identifier: Apache-2.0
// The public face of a store: forwards to Impl, which holds the parts.
#include "betr/store.h"

#include <fmt/format.h>

#include <utility>

#include "base/escape.h"
#include "base/status.h"
#include "layout/format_options.h"
#include "store/impl.h"

namespace betr {
namespace {

// Sets and checks the codec of a tree that is to be made.
absl::Status ChooseCodec(const store::Core& core, Op& op) {
  if (op.value.empty()) op.value = FormatCodec(core.superblock.codec);
  const absl::Status status = ParseCodec(op.value).status();
  return status.ok() ? status : Annotate(status, fmt::format("tree \"{}\"", Escape(op.key)));
}

absl::StatusOr<TreeId> FindTreeIn(const store::State& state, std::string_view name) {
  const store::Tree* const tree = state.trees.FindName(name);
  if (tree != nullptr) return tree->id;
  return absl::NotFoundError(fmt::format("tree \"{}\": there is no such tree", Escape(name)));
}

absl::Status CheckIsOf(const Store::Impl& store, const ReadView* view) {
  if (view == nullptr || !view->IsOf(store)) {
    return absl::InvalidArgumentError(view == nullptr ? "a view that is null" : "a view of another store");
  }
  return absl::OkStatus();
}

// Returns what is in a view, and keeps the view.
std::shared_ptr<const store::View> Inside(std::shared_ptr<const ReadView> view) {
  const store::View* const inside = &view->view();
  return {std::move(view), inside};
}

}  // namespace

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Store::~Store() {
  if (impl_ != nullptr && impl_->IsInherited()) {
    static_cast<void>(impl_.release());  // its destructor would wait for threads that only the other process has
  }
}

absl::Status Store::Close() { return impl_->IsInherited() ? impl_->CheckOpen() : impl_->Close(); }

absl::StatusOr<TreeId> Store::CreateTree(std::string_view name, std::string_view compression) {
  Op op;
  op.kind = OpKind::kCreateTree;
  op.key = name;
  op.value = compression;
  BETR_RETURN_IF_ERROR(ChooseCodec(impl_->core(), op));
  BETR_RETURN_IF_ERROR(impl_->Write({&op, 1}));
  return op.to_tree;
}

TreeId Store::UnusedTreeId() const { return impl_->fronts().state()->next_tree; }

absl::StatusOr<TreeId> Store::FindTree(std::string_view name) const {
  return FindTreeIn(*impl_->fronts().state(), name);
}

std::vector<TreeInfo> Store::Trees() const {
  std::vector<TreeInfo> infos;
  const store::StatePtr state = impl_->fronts().state();
  for (const auto& [id, tree] : state->trees) infos.push_back({id, tree.name, FormatCodec(tree.codec), tree.snapshot});
  return infos;
}

absl::StatusOr<TreeId> Store::Snapshot(TreeId tree, std::string_view name) {
  Op op;
  op.kind = OpKind::kSnapshot;
  op.tree = tree;
  op.key = name;
  BETR_RETURN_IF_ERROR(impl_->Write({&op, 1}));
  return op.to_tree;
}

absl::Status Store::DropTree(TreeId tree) {
  Op op;
  op.kind = OpKind::kDropTree;
  op.tree = tree;
  return impl_->Write({&op, 1});
}

absl::Status Store::Write(const WriteBatch& batch) {
  std::vector<Op> ops = batch.ops();
  for (Op& op : ops) {
    if (op.kind == OpKind::kCreateTree) BETR_RETURN_IF_ERROR(ChooseCodec(impl_->core(), op));
  }
  return impl_->Write(ops, batch.may_use_reserve() ? store::Purpose::kDelete : store::Purpose::kWrite);
}

BatchSize Store::MaxBatch() const { return impl_->MaxBatch(); }

absl::Status Store::Put(TreeId tree, std::string_view key, std::string_view value) {
  WriteBatch batch;
  batch.Put(tree, key, value);
  return impl_->Write(batch.ops_);
}

absl::Status Store::Erase(TreeId tree, std::string_view key) {
  WriteBatch batch;
  batch.Erase(tree, key);
  return impl_->Write(batch.ops_);
}

absl::Status Store::Upsert(TreeId tree, std::string_view key, uint16_t function, std::string_view delta) {
  WriteBatch batch;
  batch.Upsert(tree, key, function, delta);
  return impl_->Write(batch.ops_);
}

absl::Status Store::EraseRange(TreeId tree, const Range& range) {
  if (range.Empty()) {
    return impl_->MayWriteTo(tree);  // a batch leaves out empty ranges
  }
  WriteBatch batch;
  batch.EraseRange(tree, range);
  return impl_->Write(batch.ops_);
}

absl::Status Store::ClonePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to) {
  WriteBatch batch;
  batch.ClonePrefix(from_tree, from, to_tree, to);
  return impl_->Write(batch.ops_);
}

absl::Status Store::RenamePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to) {
  WriteBatch batch;
  batch.RenamePrefix(from_tree, from, to_tree, to);
  return impl_->Write(batch.ops_);
}

absl::Status Store::Sync() {
  BETR_RETURN_IF_ERROR(impl_->CheckOpen());
  return impl_->Sync();
}

absl::Status Store::Checkpoint() {
  BETR_RETURN_IF_ERROR(impl_->CheckOpen());
  return impl_->Checkpoint();
}

absl::Status Store::Compact(TreeId tree) { return impl_->Compact(tree); }

absl::StatusOr<std::optional<std::string>> Store::Get(TreeId tree, std::string_view key) const {
  return impl_->Get(nullptr, tree, key);
}

absl::StatusOr<std::unique_ptr<Cursor>> Store::NewCursor(TreeId tree, Range bounds) const {
  return impl_->NewCursor(impl_->Pin(), tree, std::move(bounds));
}

absl::StatusOr<RangeEstimate> Store::Estimate(TreeId tree, const Range& range) const {
  return impl_->Estimate(tree, range);
}

std::shared_ptr<const ReadView> Store::Pin() const { return std::make_shared<const ReadView>(impl_->Pin(), *impl_); }

absl::StatusOr<TreeId> Store::FindTree(const ReadView& view, std::string_view name) const {
  BETR_RETURN_IF_ERROR(CheckIsOf(*impl_, &view));
  return FindTreeIn(*view.view().state, name);
}

absl::StatusOr<std::optional<std::string>> Store::Get(const ReadView& view, TreeId tree, std::string_view key) const {
  BETR_RETURN_IF_ERROR(CheckIsOf(*impl_, &view));
  return impl_->Get(&view.view(), tree, key);
}

absl::StatusOr<std::unique_ptr<Cursor>> Store::NewCursor(std::shared_ptr<const ReadView> view, TreeId tree,
                                                         Range bounds) const {
  BETR_RETURN_IF_ERROR(CheckIsOf(*impl_, view.get()));
  return impl_->NewCursor(Inside(std::move(view)), tree, std::move(bounds));
}

absl::StatusOr<std::unique_ptr<DifferenceCursor>> Store::NewDifference(std::shared_ptr<const ReadView> view,
                                                                       const TreePrefix& before,
                                                                       const TreePrefix& after) const {
  BETR_RETURN_IF_ERROR(CheckIsOf(*impl_, view.get()));
  return impl_->NewDifference(Inside(std::move(view)), before, after);
}

absl::StatusOr<std::optional<ContentId>> Store::IdOfContent(const ReadView& view, TreeId tree,
                                                            std::string_view prefix) const {
  BETR_RETURN_IF_ERROR(CheckIsOf(*impl_, &view));
  return impl_->IdOfContent(view.view(), tree, prefix);
}

absl::StatusOr<Bytes> Store::Trim(const TrimOptions& options) {
  BETR_RETURN_IF_ERROR(impl_->MayWrite());
  return impl_->Trim(options);
}

absl::StatusOr<Footprint> Store::FootprintOf(const ReadView& view, const std::vector<TreePrefix>& prefixes) const {
  BETR_RETURN_IF_ERROR(CheckIsOf(*impl_, &view));
  return impl_->FootprintOf(view.view(), prefixes);
}

StoreStats Store::Stats() const { return impl_->Stats(); }
SpaceStats Store::Space() const { return impl_->Space(); }
FormatOptions Store::Format() const { return layout::OptionsOf(impl_->core().superblock); }
const StoreOptions& Store::Options() const { return impl_->core().options; }
bool Store::ReadOnly() const { return impl_->ReadOnly(); }

}  // namespace betr
