// SPDX-License-Identifier: Apache-2.0
#include "lib/engines.h"

#include <absl/status/statusor.h>

#include <map>
#include <vector>

namespace betr::bench {
namespace {

struct Known {
  std::string_view name;
  absl::StatusOr<std::unique_ptr<Engine>> (*open)(const EngineOptions&);
};

constexpr Known kKnown[] = {
    {"betr", OpenBetr},
#ifdef BETR_BENCH_ROCKSDB
    {"rocksdb", OpenRocksdb},
#endif
#ifdef BETR_BENCH_LMDB
    {"lmdb", OpenLmdb},
#endif
#ifdef BETR_BENCH_WIREDTIGER
    {"wiredtiger", OpenWiredtiger},
#endif
};

}  // namespace

std::vector<std::string> EngineNames() {
  std::vector<std::string> names;
  for (const Known& known : kKnown) names.emplace_back(known.name);
  return names;
}

absl::StatusOr<std::unique_ptr<Engine>> OpenEngine(std::string_view name, const EngineOptions& options) {
  for (const Known& known : kKnown) {
    if (known.name == name) return known.open(options);
  }
  return absl::NotFoundError("no engine " + std::string(name) + " in this build");
}

}  // namespace betr::bench
