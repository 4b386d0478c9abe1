// SPDX-License-Identifier: Apache-2.0
// A store whose nodes can be made unreadable.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "store/offline/check_store.h"
#include "store/slots.h"
#include "support/device/bad_sectors.h"
#include "support/must.h"
#include "support/store/node_place.h"

namespace betr::test {

using Entries = std::map<std::string, std::string>;

enum class Harm : uint8_t { kFailingHeader, kDamagedHeader, kFailingBlocks, kDamagedBlocks };
constexpr Harm kHarms[] = {Harm::kFailingHeader, Harm::kDamagedHeader, Harm::kFailingBlocks, Harm::kDamagedBlocks};

struct Mode {
  Logging logging = Logging::kFull;
  bool background = false;
  std::chrono::milliseconds patience{0};
};

inline bool Names(const absl::Status& status, NodeId node) {
  return status.message().find(fmt::format("node {}", node.value)) != std::string::npos;
}

// A store with a tree of some levels, in which nodes can be spoiled.
class Patient {
 public:
  explicit Patient(Mode mode = {}) : mode_(mode), memory_(MiB(16)), device_(memory_) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = KiB(1);
    format.fanout = 6;
    format.log_size = MiB(1);
    Must(Store::Format(memory_, format));
    Open();
    tree_ = Must(store_->CreateTree("main"));
    for (char letter = 'a'; letter <= 'z'; ++letter) Fill(letter, 0, 50);
    Must(store_->Compact(tree_));
    Close();
  }

  static std::string Key(char letter, int i) { return fmt::format("{}/{:04}", letter, i); }

  void Open() {
    StoreOptions options;
    options.logging = mode_.logging;
    options.background = mode_.background;
    options.cache_size = MiB(1);
    options.checkpoint_period = std::chrono::seconds(0);
    options.read_patience = mode_.patience;
    options.on_unreadable = [this](const absl::Status& status) {
      const std::lock_guard lock(mutex_);
      told_.emplace_back(status.message());
    };
    store_ = Must(Store::Open(std::make_unique<store::BorrowedDevice>(device_), std::move(options)));
  }
  void Close() {
    Must(store_->Close());
    store_.reset();
  }

  // What was synced is in the log.
  void Crash() { store_.reset(); }

  // Puts keys of a letter, with values of their own. Changes those that are there already.
  void Fill(char letter, int from, int to) {
    for (int i = from; i < to; ++i) Must(TryPut(Key(letter, i)));
  }
  absl::Status TryPut(const std::string& key) {
    const std::string value = random_.String(60);
    absl::Status put = store_->Put(tree_, key, value);
    if (put.ok()) expected_[key] = value;
    return put;
  }

  // Returns the node of that height on the way to a key.
  NodeId NodeOf(const std::string& key, int height) { return NodeOnTheWay(memory_, tree_, key, height); }

  // Requires: the store is closed.
  void Spoil(NodeId node, Harm harm) {
    const NodePlace place = PlaceOf(memory_, node);
    const bool is_header = harm == Harm::kFailingHeader || harm == Harm::kDamagedHeader;
    const Bytes from = is_header ? place.begin : place.header_end;
    const Bytes length = (is_header ? place.header_end : place.end) - from;
    REQUIRE(length > Bytes{0});
    if (harm == Harm::kFailingHeader || harm == Harm::kFailingBlocks) {
      device_.Spoil(from, length);
    } else {
      Must(memory_.Patch(from + Bytes{70}, "damage"));
    }
  }

  // Checks that every key is there, except those that only `bad` has. Reading these must be an error that names it.
  // Returns how many they are.
  int CheckAll(NodeId bad) {
    int errors = 0;
    for (const auto& [key, value] : expected_) {
      INFO(key);
      const auto found = store_->Get(tree_, key);
      if (found.ok()) {
        REQUIRE(*found == value);
      } else {
        INFO(found.status());
        REQUIRE(Names(found.status(), bad));
        ++errors;
      }
    }
    return errors;
  }

  std::vector<std::string> told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  Store& store() { return *store_; }
  TreeId tree() const { return tree_; }
  BadSectors& device() { return device_; }
  MemoryDevice& memory() { return memory_; }
  Entries& expected() { return expected_; }

 private:
  const Mode mode_;
  MemoryDevice memory_;
  BadSectors device_;
  Random random_{1};
  TreeId tree_;
  Entries expected_;
  std::unique_ptr<Store> store_;
  mutable std::mutex mutex_;
  std::vector<std::string> told_;
};

}  // namespace betr::test
