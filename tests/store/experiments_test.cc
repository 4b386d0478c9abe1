// SPDX-License-Identifier: Apache-2.0
// Experiments are named, switched on at an open, and seen in the figures of the store.
#include "betr/experiments.h"

#include <catch2/catch.hpp>
#include <string>

#include "betr/store.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "support/docs.h"

namespace betr::test {
namespace {

Experiments Parsed(const std::string& list) {
  const absl::StatusOr<Experiments> experiments = ParseExperiments(list);
  INFO(experiments.status());
  REQUIRE(experiments.ok());
  return *experiments;
}

// A store with three directories of 2000 keys, everything at the leaves.
class Ground {
 public:
  explicit Ground(const std::string& experiments) : device_(MiB(64)) {
    FormatOptions format;
    format.node_size = KiB(4);
    format.basement_size = Bytes{512};
    format.fanout = 8;
    format.log_size = MiB(1);
    REQUIRE(Store::Format(device_, format).ok());
    StoreOptions options;
    options.cache_size = MiB(16);
    options.background = false;
    options.checkpoint_period = std::chrono::seconds(0);
    options.experiments = Parsed(experiments);
    store_ = *Store::Open(std::make_unique<store::BorrowedDevice>(device_), options);
    tree_ = *store_->CreateTree("tree");
    for (const char* directory : {"a/", "b/", "c/"}) {
      for (int i = 0; i < 2000; ++i) {
        REQUIRE(store_->Put(tree_, directory + std::to_string(10000 + i), "the value of " + std::to_string(i)).ok());
      }
    }
    REQUIRE(store_->Compact(tree_).ok());
  }

  Store& store() { return *store_; }
  TreeId tree() const { return tree_; }

 private:
  MemoryDevice device_;
  std::unique_ptr<Store> store_;
  TreeId tree_;
};

TEST_CASE("lists of experiments are read", "[store][ablation]") {
  CHECK(Parsed("") == Experiments{});
  CHECK(Parsed("eager-gotos").eager_gotos);
  const Experiments two = Parsed("rename-by-copy,split-by-size");
  CHECK(two.rename_by_copy);
  CHECK(two.split_by_size);
  CHECK_FALSE(two.eager_gotos);
  std::string all;
  for (const ExperimentName& one : ExperimentNames()) all += (all.empty() ? "" : ",") + std::string(one.name);
  CHECK(Parsed(all) == Experiments{true, true, true, true, true, true, KiB(512)});
  CHECK(Parsed("zones=1.5M,eager-gotos").zone_size == KiB(1536));
  CHECK_FALSE(two.zone_size.has_value());
  for (const char* wrong : {"eager", "eager-gotos;split-by-size", " eager-gotos", ",eager-gotos", "EAGER-GOTOS",
                            "eager-gotos=1", "zones-1"}) {
    const absl::Status status = ParseExperiments(wrong).status();
    INFO(wrong << ": " << status);
    CHECK(absl::IsInvalidArgument(status));
    CHECK(status.message().find("eager-gotos, split-by-size") != std::string::npos);
  }
  CHECK(ParseExperiments("zones=some").status().message().find("\"zones=some\": ") != std::string::npos);
}

TEST_CASE("every experiment is explained", "[store][ablation]") {
  const std::string page = ReadDocument("ablations.md");
  for (const ExperimentName& one : ExperimentNames()) {
    INFO(one.name);
    CHECK(page.find("`" + std::string(one.name) + "`") != std::string::npos);
  }
}

TEST_CASE("a store does as its experiments say", "[store][ablation]") {
  SECTION("eager-gotos: one clone reaches more nodes") {
    const auto touched = [](const std::string& experiments) {
      Ground ground(experiments);
      const uint64_t before = ground.store().Stats().nodes_touched;
      REQUIRE(ground.store().RenamePrefix(ground.tree(), "b/", ground.tree(), "z/").ok());
      return ground.store().Stats().nodes_touched - before;
    };
    CHECK(touched("eager-gotos") > touched(""));
  }
  SECTION("copy-at-once: a change of a clone copies its path") {
    const auto unshares = [](const std::string& experiments) {
      Ground ground(experiments);
      REQUIRE(ground.store().ClonePrefix(ground.tree(), "b/", ground.tree(), "z/").ok());
      const uint64_t before = ground.store().Stats().unshares;
      REQUIRE(ground.store().Put(ground.tree(), "z/11000", "new").ok());
      REQUIRE(ground.store().Checkpoint().ok());
      REQUIRE(ground.store().Put(ground.tree(), "a/11000", "new").ok());  // what is left of background work
      return ground.store().Stats().unshares - before;
    };
    CHECK(unshares("copy-at-once") > unshares(""));
  }
}

}  // namespace
}  // namespace betr::test
