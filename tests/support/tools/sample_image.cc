// SPDX-License-Identifier: Apache-2.0
#include "support/tools/sample_image.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <memory>

#include "betr/store.h"
#include "device/file_device.h"
#include "store/checkpoint.h"
#include "support/must.h"

namespace betr::tools {
namespace {

constexpr Bytes kSize = MiB(8);

using test::Must;

StoreOptions Options() {
  StoreOptions options;
  options.cache_size = MiB(16);
  options.background = false;
  options.checkpoint_period = std::chrono::seconds(0);
  return options;
}

void MakeEmpty(const std::string& path) {
  const auto device = Must(FileDevice::Create(path, kSize));
  FormatOptions format;
  format.node_size = Bytes{2048};
  format.basement_size = Bytes{512};
  format.fanout = 4;
  format.log_size = KiB(256);
  format.label = "sample";
  format.uuid = "8c6f1f0e-5a0b-4c57-9f0e-2b1f7f3f9a10";
  Must(Store::Format(*device, format));
}

// Batches, so that the log does not grow with every key.
void PutMany(Store& store, TreeId tree, std::string_view prefix, int count) {
  WriteBatch batch;
  for (int i = 0; i < count; ++i) {
    batch.Put(tree, fmt::format("{}{:05}", prefix, i), std::string(static_cast<size_t>(20 + i % 60), 'v'));
    if (i % 50 == 49) {
      Must(store.Write(batch));
      batch.Clear();
    }
  }
  Must(store.Write(batch));
}

void Fill(Store& store) {
  const TreeId tree = Must(store.CreateTree("main"));
  const TreeId other = Must(store.CreateTree("other", "none"));
  PutMany(store, tree, "usr/lib/", 400);
  PutMany(store, tree, "usr/share/", 200);
  PutMany(store, tree, "var/", 200);
  Must(store.Checkpoint());
  Must(store.ClonePrefix(tree, "usr/", tree, "copy/"));
  Must(store.ClonePrefix(tree, "usr/lib/", other, "lib/"));
  static_cast<void>(Must(store.Snapshot(tree, "before")));
  PutMany(store, tree, "copy/lib/", 30);
  Must(store.EraseRange(tree, Range::Prefix("var/0001")));
  Must(store.RenamePrefix(tree, "usr/share/", tree, "usr/\xff\x01"));
  Must(store.Erase(tree, "usr/lib/00007"));
}

}  // namespace

SampleImage::SampleImage() : path_(dir_.File("sample.img")) {
  MakeEmpty(path_);
  const auto store = Must(Store::OpenImage(path_, Options()));
  Fill(*store);
  Must(store->Close());
}

void SampleImage::AddLogRecords() const {
  const auto store = Must(Store::OpenImage(path_, Options()));
  const TreeId tree = Must(store->FindTree("main"));
  Must(store->Put(tree, "new\n", "value"));
  Must(store->EraseRange(tree, Range::Prefix("usr/lib/001")));
  Must(store->ClonePrefix(tree, "usr/lib/", tree, "third/"));
  Must(store->Sync());
}

void SampleImage::Flip(Bytes offset) const {
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  const auto place = static_cast<std::streamoff>(offset.value);
  char byte = 0;
  file.seekg(place).get(byte);
  file.seekp(place).put(static_cast<char>(byte ^ 0x10));
  REQUIRE(file.good());
}

void SampleImage::FlipExtent(store::UsedExtent::Holder holder, size_t index) const {
  Bytes offset{0};
  Inspect([&](store::Inspection& image) {
    for (const store::UsedExtent& used : image.extents()) {
      if (used.holder == holder && index-- == 0) offset = used.extent.Offset() + Bytes{80};
    }
  });
  REQUIRE(offset.value > 0);
  Flip(offset);
}

void SampleImage::Inspect(const std::function<void(store::Inspection&)>& look) const {
  const auto device = Must(FileDevice::Open(path_, FileDevice::Access::kReadWrite));
  const auto image = Must(store::Inspection::Open(*device, MiB(16)));
  look(*image);
}

void SampleImage::Forge(const std::function<void(store::Inspection&, store::State&)>& change) const {
  Inspect([&](store::Inspection& image) {
    auto state = std::make_shared<store::State>(*image.state());
    state->table.StartChanging();
    change(image, *state);
    store::Checkpointer checkpointer(image.core(), image.state(), image.catalog());
    const store::Log::Checkpoint log = image.log_start();
    Must(checkpointer.Write({.state = state, .lsn = log.lsn, .log = log.position, .order = 1}).status());
  });
}

std::string SampleImage::Content() const {
  std::ifstream file(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace betr::tools
