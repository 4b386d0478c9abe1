// SPDX-License-Identifier: Apache-2.0
#include "layout/catalog_codec.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <limits>

#include "base/check.h"
#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"
#include "betr/size_limits.h"
#include "layout/codec_bytes.h"
#include "layout/seal.h"

namespace betr::layout {
namespace {

constexpr uint16_t kCatalogVersion = 1;
constexpr uint8_t kSnapshot = 1;
constexpr uint64_t kMinTreeSize = 7;
constexpr uint64_t kMinFunctionSize = 3;

absl::Status Bad(std::string_view what) { return absl::DataLossError(fmt::format("catalog: {}", what)); }

absl::Status CheckTree(const CatalogTree& tree) {
  if (tree.name.empty() || tree.name.size() > kMaxTreeNameSize.value) {
    return Bad(fmt::format("tree {}: a name of {} bytes, must be 1 to {}", tree.id.value, tree.name.size(),
                           kMaxTreeNameSize.value));
  }
  if (tree.root == kNoNode) return Bad(fmt::format("tree {}: no root", tree.id.value));
  return IsCodec(tree.codec) ? absl::OkStatus()
                             : Bad(fmt::format("tree {}: unknown compression or level", tree.id.value));
}

std::string EncodeBody(const Catalog& catalog) {
  std::string body;
  PutVarint64(&body, catalog.trees.size());
  for (const CatalogTree& tree : catalog.trees) {
    PutVarint64(&body, tree.id.value);
    PutLengthPrefixed(&body, tree.name);
    PutVarint64(&body, tree.root.value);
    PutCodec(&body, tree.codec);
    PutFixed8(&body, tree.snapshot ? kSnapshot : 0);
  }
  PutVarint64(&body, catalog.functions.size());
  for (const auto& [number, name] : catalog.functions) {
    PutVarint64(&body, number);
    PutLengthPrefixed(&body, name);
  }
  return body;
}

CatalogTree ReadTree(Decoder& in) {
  CatalogTree tree;
  tree.id.value = in.Varint64();
  tree.name = in.LengthPrefixed(kMaxTreeNameSize.value);
  tree.root.value = in.Varint64();
  tree.codec = ReadCodec(in);
  const uint8_t flags = in.Fixed8();
  if ((flags & ~kSnapshot) != 0) in.Fail(fmt::format("unknown flags {:#x}", flags));
  tree.snapshot = (flags & kSnapshot) != 0;
  return tree;
}

void ReadFunctions(Decoder& in, std::map<uint16_t, std::string>& functions) {
  const size_t count = in.Count(std::numeric_limits<uint16_t>::max(), kMinFunctionSize);
  for (size_t i = 0; i < count && in.ok(); ++i) {
    const auto number = static_cast<uint16_t>(in.Varint64AtMost(std::numeric_limits<uint16_t>::max()));
    if (!functions.empty() && number <= functions.rbegin()->first) {
      in.Fail(fmt::format("function {} after {}", number, functions.rbegin()->first));
    }
    functions[number] = in.LengthPrefixed(kMaxFunctionNameSize.value);
  }
}

// Reads the fixed part behind the seal. Returns the size of the body.
uint32_t ReadFixed(Decoder& in, size_t size) {
  const uint16_t version = in.Fixed16();
  if (version != kCatalogVersion) in.Fail(fmt::format("format version is {}, must be {}", version, kCatalogVersion));
  in.Zeros(6);
  const uint32_t units = in.Fixed32();
  if (UnitBytes(units).value != size) in.Fail(fmt::format("{} units, must be {}", units, UnitsFor({size})));
  const uint32_t body_size = in.Fixed32();
  in.Fixed64();  // the generation, which is not needed here
  in.Zeros(kFixedSize - in.position());
  return body_size;
}

}  // namespace

absl::Status CheckCatalog(const Catalog& catalog) {
  TreeId previous;
  absl::flat_hash_set<std::string_view> names;
  for (const CatalogTree& tree : catalog.trees) {
    if (tree.id <= previous) return Bad(fmt::format("tree {} after {}", tree.id.value, previous.value));
    previous = tree.id;
    BETR_RETURN_IF_ERROR(CheckTree(tree));
    if (!names.insert(tree.name).second) return Bad(fmt::format("tree {}: another tree has its name", tree.id.value));
  }
  for (const auto& [number, name] : catalog.functions) {
    if (number == 0 || name.empty() || name.size() > kMaxFunctionNameSize.value) {
      return Bad(fmt::format("function {}: a name of {} bytes", number, name.size()));
    }
  }
  return absl::OkStatus();
}

std::string EncodeCatalog(const Catalog& catalog, Generation generation) {
  Check(CheckCatalog(catalog).ok(), "a catalog that is written is sound");
  const std::string body = EncodeBody(catalog);
  const uint64_t units = UnitsFor({kFixedSize + body.size()});
  std::string bytes(kCatalogMagic);
  bytes.reserve(UnitBytes(units).value);
  PutFixed64(&bytes, 0);
  PutFixed16(&bytes, kCatalogVersion);
  bytes.append(6, '\0');
  PutFixed32(&bytes, static_cast<uint32_t>(units));
  PutFixed32(&bytes, static_cast<uint32_t>(body.size()));
  PutFixed64(&bytes, generation.value);
  bytes.resize(kFixedSize, '\0');
  bytes += body;
  bytes.resize(UnitBytes(units).value, '\0');
  Seal(&bytes);
  return bytes;
}

absl::StatusOr<Catalog> DecodeCatalog(std::string_view bytes) {
  BETR_RETURN_IF_ERROR(CheckSeal("catalog", kCatalogMagic, bytes));
  Decoder in(bytes);
  in.Raw(kSealSize);
  const uint32_t body_size = ReadFixed(in, bytes.size());
  Catalog catalog;
  const size_t count = in.Count(std::numeric_limits<uint32_t>::max(), kMinTreeSize);
  for (size_t i = 0; i < count && in.ok(); ++i) catalog.trees.push_back(ReadTree(in));
  ReadFunctions(in, catalog.functions);
  if (in.position() != kFixedSize + body_size || UnitsFor({in.position()}) != UnitsFor({bytes.size()})) {
    in.Fail(fmt::format("the body has {} bytes, must have {}", in.position() - kFixedSize, body_size));
  }
  in.Zeros(in.remaining());
  BETR_RETURN_IF_ERROR(in.Finish("catalog"));
  BETR_RETURN_IF_ERROR(CheckCatalog(catalog));
  return catalog;
}

}  // namespace betr::layout
