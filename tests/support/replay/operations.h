// SPDX-License-Identifier: Apache-2.0
// Operations for tests, made by hand.
#pragma once

#include <string>
#include <utility>

#include "replay/interpret/operation.h"

namespace betr::replay {

inline Operation MakeOperation(OperationKind kind, Place place, ThreadNumber thread = 0) {
  Operation operation;
  operation.kind = kind;
  operation.place = std::move(place);
  operation.thread = thread;
  return operation;
}

}  // namespace betr::replay
