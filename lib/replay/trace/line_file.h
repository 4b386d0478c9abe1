// SPDX-License-Identifier: Apache-2.0
// Reads the lines of a text file, plain or compressed by zstd, one after the other. Neither the file nor its content is
// ever in memory as a whole, however small that is when it is compressed. One thread.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace betr::replay {

// Longer lines are cut. No line of a trace comes near this, and a hostile one must not take all memory.
inline constexpr Bytes kLongestLine = MiB(4);

// Data compressed by zstd begins so.
inline constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

class LineFile {
 public:
  // Opens a file; "-" is stdin. Errors: kNotFound, kFailedPrecondition, kUnavailable.
  static absl::StatusOr<std::unique_ptr<LineFile>> Open(const std::string& path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // Returns the next line without its newline; nothing at the end. kUnavailable if reading fails; kInvalidArgument if
  // compressed data is damaged.
  absl::StatusOr<std::optional<std::string>> Next();

  // Whether the line that Next returned last had no newline.
  bool IsCut() const { return is_cut_; }

  const std::string& path() const { return path_; }
  uint64_t lines() const { return lines_; }   // that Next has returned
  Bytes bytes_read() const { return read_; }  // of the file as it is stored
  Bytes size() const { return size_; }        // the same, all of it; 0 if unknown
 private:
  class Decompressor;

  LineFile(std::string path, int descriptor);
  absl::Status Fill();
  absl::StatusOr<std::string> ReadSome();

  const std::string path_;
  const int descriptor_;
  Bytes size_{0};
  Bytes read_{0};
  uint64_t lines_ = 0;
  bool is_at_end_ = false;
  bool has_begun_ = false;
  bool is_cut_ = false;
  std::unique_ptr<Decompressor> decompressor_;
  std::string buffer_;
  size_t position_ = 0;
};

}  // namespace betr::replay
