// SPDX-License-Identifier: Apache-2.0
#include "store/offline/scrub.h"

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "layout/extent_io.h"
#include "layout/node_codec.h"
#include "store/slots.h"

namespace betr::store {
namespace {

constexpr Bytes kPiece = MiB(4);

// Stands for a block whose bytes are verified where they were read.
class NoSlot final : public dag::BlockSlot {
 public:
  absl::StatusOr<std::shared_ptr<const dag::Block>> Get() const override {
    return absl::UnimplementedError("a scrub looks at checksums only");
  }
  std::shared_ptr<const dag::Block> Peek() const override { return nullptr; }
  size_t Count() const override { return 0; }
  Bytes Size() const override { return Bytes{0}; }
};

class Scrub {
 public:
  Scrub(Inspection& image, const ReportFinding& report) : image_(image), report_(report) {}

  absl::StatusOr<ScrubFigures> Run() {
    const std::vector<UsedExtent>& extents = image_.extents();
    for (size_t begin = 0, end = 0; begin < extents.size(); begin = end) {
      end = PieceEnd(extents, begin);
      WillRead(extents, end);
      BETR_RETURN_IF_ERROR(ReadPiece(extents, begin, end));
    }
    VerifyScattered();
    return figures_;
  }

 private:
  // Returns the end of the extents that follow each other and fit into one read.
  static size_t PieceEnd(const std::vector<UsedExtent>& extents, size_t begin) {
    size_t end = begin + 1;
    while (end < extents.size() && extents[end].extent.start == extents[end - 1].extent.end() &&
           SizeOf(extents, begin, end + 1) <= kPiece) {
      ++end;
    }
    return end;
  }

  // Has the device work while this thread verifies.
  void WillRead(const std::vector<UsedExtent>& extents, size_t begin) {
    if (begin < extents.size()) {
      image_.device()
          .Readahead(extents[begin].extent.Offset(), SizeOf(extents, begin, PieceEnd(extents, begin)))
          .IgnoreError();
    }
  }

  static Bytes SizeOf(const std::vector<UsedExtent>& extents, size_t begin, size_t end) {
    return layout::UnitBytes(extents[end - 1].extent.end() - extents[begin].extent.start);
  }

  absl::Status ReadPiece(const std::vector<UsedExtent>& extents, size_t begin, size_t end) {
    const Bytes offset = extents[begin].extent.Offset();
    bytes_.resize(SizeOf(extents, begin, end).value);
    absl::Status read = image_.device().Read(offset, bytes_);
    figures_.read += Bytes{bytes_.size()};
    if (absl::IsCancelled(read)) return read;
    if (!read.ok() && end - begin > 1) {
      for (size_t i = begin; i < end; ++i) BETR_RETURN_IF_ERROR(ReadPiece(extents, i, i + 1));
      return absl::OkStatus();
    }
    for (size_t i = begin; i < end; ++i) {
      const Bytes at = extents[i].extent.Offset() - offset;
      ++figures_.extents;
      Report(extents[i],
             read.ok() ? Verify(extents[i], std::string_view(bytes_).substr(at.value, extents[i].extent.Size().value))
                       : read);
    }
    return absl::OkStatus();
  }

  // Verifies scattered nodes. ReadPiece has read their pieces only to find errors of the device.
  void VerifyScattered() {
    image_.state()->table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
      const auto address = AddressOf(&record);
      if (!address || !address->extent->address().scattered) return;
      const UsedExtent used{address->extent->address(), UsedExtent::Holder::kNode, id.value};
      std::string bytes(used.extent.Size().value, '\0');
      const absl::Status read = layout::ReadExtent(image_.device(), *address->extent, Bytes{0}, bytes);
      Report(used, read.ok() ? Verify(used, bytes) : read);
    });
  }

  void Report(const UsedExtent& used, const absl::Status& status) {
    if (!status.ok()) {
      report_(
          {.kind = "unreadable",
           .what = fmt::format("{}: {}: {}", used.Name(), layout::ToString(used.extent), std::string(status.message())),
           .node = NodeId{used.id}});
    }
  }

  absl::Status Verify(const UsedExtent& used, std::string_view bytes) {
    const dag::NodeRecord* record =
        used.holder == UsedExtent::Holder::kNode ? image_.state()->table.Find(NodeId{used.id}) : nullptr;
    const auto address = AddressOf(record);
    // A dead leaf is never read again.
    if (!address || (record->Dead() && record->height == 0)) return absl::OkStatus();
    absl::Status first_error;
    const auto verify_block = [&](const layout::BlockEntry& entry) {
      ++figures_.blocks;
      const std::string_view stored = bytes.substr(entry.offset.value, entry.stored_size.value);
      absl::Status status = layout::CheckStoredBlock(entry, stored);
      if (first_error.ok()) first_error = std::move(status);
      return std::make_shared<NoSlot>();
    };
    const std::string_view header = bytes.substr(0, layout::UnitBytes(address->header_units).value);
    BETR_RETURN_IF_ERROR(
        layout::DecodeNode(NodeId{used.id}, address->version, header, Bytes{bytes.size()}, verify_block).status());
    return first_error;
  }

  Inspection& image_;
  const ReportFinding& report_;
  ScrubFigures figures_;
  std::string bytes_;
};

}  // namespace

absl::StatusOr<ScrubFigures> ScrubStore(Inspection& image, const ReportFinding& report) {
  return Scrub(image, report).Run();
}

}  // namespace betr::store
