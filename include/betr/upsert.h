// SPDX-License-Identifier: Apache-2.0
// Upserts: blind read-modify-writes. An upsert message names a registered function and carries a delta. The function is
// applied to the old value when the message reaches it, or when the key is read.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "betr/size_limits.h"

namespace betr {

// A pure function of (old value, delta). It must be deterministic, and must cope with any bytes, since both come from
// disk. It must be thread-safe: readers and background work call it at the same time. It must not throw.
class UpsertFunction {
 public:
  virtual ~UpsertFunction() = default;

  // Stored in the image: the number and name of a function never change.
  virtual uint16_t Number() const = 0;
  virtual std::string_view Name() const = 0;

  // Returns the new value, or nothing if the key is to be absent. `old` is nothing if the key is absent. A result of
  // more than kMaxValueSize is rejected: the old value stays. If several upserts together make too large a value, which
  // of them have no effect depends on when they are composed.
  virtual std::optional<std::string> Apply(std::optional<std::string_view> old, std::string_view delta) const = 0;

  // Returns a delta that does what `older` followed by `newer` does, if there is one. This keeps stacks of upserts
  // short. A result of more than kMaxValueSize is rejected.
  virtual std::optional<std::string> Compose(std::string_view older, std::string_view newer) const {
    static_cast<void>(older);
    static_cast<void>(newer);
    return std::nullopt;
  }
};

// The functions that a store knows. Fill it before opening the store; it is constant afterwards. An image lists the
// functions that it uses, each from its first use on. A program that does not know all of them can open it only
// read-only.
class UpsertRegistry {
 public:
  // Registers a function. kAlreadyExists if its number or name is taken. kInvalidArgument for null, for number 0, and
  // for a name of 0 or more than kMaxFunctionNameSize bytes.
  absl::Status Add(std::shared_ptr<const UpsertFunction> function);

  // Returns null if there is none with this number.
  const UpsertFunction* Find(uint16_t number) const;

  const std::map<uint16_t, std::shared_ptr<const UpsertFunction>>& All() const { return functions_; }

 private:
  std::map<uint16_t, std::shared_ptr<const UpsertFunction>> functions_;
};

}  // namespace betr
