// SPDX-License-Identifier: Apache-2.0
// Turns a manifest into a name space, a name space into a manifest, and a name space into the files of a target.
#pragma once

#include <absl/status/status.h>

#include <memory>
#include <set>
#include <string>

#include "base/units.h"
#include "replay/interpret/interpreter.h"
#include "replay/interpret/manifest.h"
#include "replay/interpret/name_space.h"

namespace betr::replay {

// Puts the objects of the manifest into the name space. kInvalidArgument for an object outside of the root, one whose
// directory is missing, or one that is there twice; the message names it.
absl::Status LoadManifest(const Manifest& manifest, NameSpace* space);

// Lists what the name space holds now, in order.
Manifest ListNameSpace(const NameSpace& space);

// Returns the paths whose mode the trace changed to a value that it does not tell.
std::set<std::string> PathsOfUnknownMode(const NameSpace& space);

// The most content that an initial file gets; the rest of a larger one is a hole.
inline constexpr Bytes kMostInitialContent = GiB(4);

// Makes all objects of the name space, with contents. Afterwards no node but the root counts as bound.
void Populate(NameSpace* space, OperationSink* sink);

}  // namespace betr::replay
