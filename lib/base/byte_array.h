// SPDX-License-Identifier: Apache-2.0
// A fixed number of bytes of its own that are not set to anything before somebody writes them: to set what is read into
// at once takes about as long as to copy it. For what grows, or is small, std::string.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace betr {

class ByteArray {
 public:
  ByteArray() = default;
  explicit ByteArray(size_t size) : bytes_(std::make_unique_for_overwrite<char[]>(size)), size_(size) {}
  explicit ByteArray(std::string_view bytes) : ByteArray(bytes.size()) { std::ranges::copy(bytes, bytes_.get()); }
  ByteArray(ByteArray&& other) noexcept : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  ByteArray& operator=(ByteArray&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  size_t size() const { return size_; }
  std::string_view View() const { return {bytes_.get(), size_}; }
  std::span<char> Mutable() { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
};

}  // namespace betr
