// SPDX-License-Identifier: Apache-2.0
// Point messages: what can be said about one key. Range messages (gotos) are in partition.h.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "betr/upsert.h"

namespace betr::dag {

enum class MessageKind : uint8_t { kPut = 1, kErase = 2, kUpsert = 3 };

// What a message says, without its key. A view: the bytes live in a block or a buffer.
struct Message {
  MessageKind kind = MessageKind::kPut;
  uint16_t function = 0;   // of an upsert
  std::string_view value;  // of a put; the delta of an upsert

  // Whether nothing older matters.
  bool Terminal() const { return kind != MessageKind::kUpsert; }
};

// What a function makes of a value, and of two deltas, if that is not too large.
std::optional<std::string> Apply(const UpsertFunction& function, std::optional<std::string_view> old,
                                 std::string_view delta);
std::optional<std::string> Compose(const UpsertFunction& function, std::string_view older, std::string_view newer);

// Collects the messages for one key from newest to oldest until one is terminal, then computes the value.
// Holds copies, so the sources may go away.
class ValueBuilder {
 public:
  // Adds the next older message. Requires: !Done().
  void Add(const Message& message);
  // Nothing older can matter: a terminal message came, or a range erase.
  void EndHere() { done_ = true; }
  bool Done() const { return done_; }
  bool Empty() const { return !done_ && upserts_.empty(); }

  // The value: nothing if absent. kFailedPrecondition, naming the function and the key, if it depends on an upsert of a
  // function that is not known.
  absl::StatusOr<std::optional<std::string>> Resolve(const UpsertRegistry& functions, std::string_view key) const;

 private:
  struct Upsert {
    uint16_t function;
    std::string delta;
  };
  std::vector<Upsert> upserts_;  // newest first
  std::optional<std::string> base_;
  bool done_ = false;
};

}  // namespace betr::dag
