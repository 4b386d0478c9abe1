// SPDX-License-Identifier: Apache-2.0
// Upserts: blind read-modify-writes. An upsert message names a registered function and carries a delta; the
// function is applied to the old value when the message reaches it, or when somebody reads.
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

// A pure function of (old value, delta). It must be deterministic and must cope with any bytes, since both come
// from disk. Thread-safe: called from readers and background work at once. Nothing in it throws.
class UpsertFunction {
 public:
  virtual ~UpsertFunction() = default;

  // Stored in the image: number and name of a function never change.
  virtual uint16_t Number() const = 0;
  virtual std::string_view Name() const = 0;

  // The new value, or nothing if the key is to be absent. `old` is nothing if the key is absent. A value of more than
  // kMaxValueSize is not taken: the old one stays. Which of several upserts that make too much together have no effect
  // depends on when they are composed.
  virtual std::optional<std::string> Apply(std::optional<std::string_view> old, std::string_view delta) const = 0;

  // A delta that does what `older` and then `newer` do, if there is one: keeps stacks of upserts short. One of more
  // than kMaxValueSize is not taken.
  virtual std::optional<std::string> Compose(std::string_view older, std::string_view newer) const {
    static_cast<void>(older);
    static_cast<void>(newer);
    return std::nullopt;
  }
};

// The functions that a store knows. Fill it before opening the store; constant afterwards. What an image uses is listed
// in it from the first use on: who does not know all of that can only read.
class UpsertRegistry {
 public:
  // Errors: kAlreadyExists if the number or the name is taken, kInvalidArgument for null, number 0, or a name of 0
  // or more than kMaxFunctionNameSize bytes.
  absl::Status Add(std::shared_ptr<const UpsertFunction> function);

  // Null if unknown.
  const UpsertFunction* Find(uint16_t number) const;

  const std::map<uint16_t, std::shared_ptr<const UpsertFunction>>& All() const { return functions_; }

 private:
  std::map<uint16_t, std::shared_ptr<const UpsertFunction>> functions_;
};

}  // namespace betr
