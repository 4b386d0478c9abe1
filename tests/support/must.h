// SPDX-License-Identifier: Apache-2.0
// For what can only go wrong if the test itself is wrong. Fails the test case, with the error.
#pragma once

#include <absl/status/statusor.h>

#include <catch2/catch.hpp>
#include <utility>

namespace betr::test {

inline void Must(const absl::Status& status) {
  INFO(status);
  REQUIRE(status.ok());
}

template <class T>
T Must(absl::StatusOr<T> result) {
  Must(result.status());
  return *std::move(result);
}

}  // namespace betr::test
