// SPDX-License-Identifier: Apache-2.0
#include "mount_stats.h"

#include <string>

#include "betr/store.h"

namespace betr::fuse {

tools::Json MountStatsJson(Server& server) {
  const Store& store = server.fs().store();
  tools::Json json = tools::NewDocument("mount");
  json["read_only"] = store.ReadOnly();
  json["options"] = server.settings().options;
  tools::Json& space = json["space"];
  const SpaceStats figures = store.Space();
  space["total"] = figures.total.value;
  space["free"] = figures.free.value;
  space["available"] = figures.available.value;
  space["nodes"] = figures.nodes;
  space["dead_nodes"] = figures.dead_nodes;
  tools::Json& counters = json["counters"];
  store.Stats().ForEach([&](std::string_view name, uint64_t value) { counters[std::string(name)] = value; });
  return json;
}

}  // namespace betr::fuse
