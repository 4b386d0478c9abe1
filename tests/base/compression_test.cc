// SPDX-License-Identifier: Apache-2.0
// Every codec on compressible and random bytes, and on stored bytes that were damaged.
#include "base/compression.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "base/random.h"
#include "support/seed.h"

namespace betr {
namespace {

const std::vector<Codec>& Codecs() {
  static const std::vector<Codec> codecs = {
      {Compression::kNone, 0}, {Compression::kLz4, 1},  {Compression::kLz4, 9},
      {Compression::kZstd, 1}, {Compression::kZstd, 3}, {Compression::kZstd, 19},
  };
  return codecs;
}

// Words drawn from a small vocabulary.
std::string Text(Random& random, size_t size) {
  std::string text;
  while (text.size() < size) text += "usr/share/doc/" + std::to_string(random.Uniform(50)) + "/";
  text.resize(size);
  return text;
}

void CheckRoundTrip(const Codec& codec, std::string_view raw) {
  std::string stored = "before";
  const Compression kind = Compress(codec, raw, &stored);
  REQUIRE((kind == codec.kind || kind == Compression::kNone));
  REQUIRE(stored.substr(0, 6) == "before");
  stored.erase(0, 6);
  REQUIRE(stored.size() <= raw.size());
  if (kind == Compression::kNone) REQUIRE(stored == raw);
  const absl::StatusOr<std::string> back = Decompress(kind, stored, Bytes{raw.size()});
  REQUIRE(back.ok());
  REQUIRE(*back == raw);
}

TEST_CASE("what was compressed comes back", "[base]") {
  Random random(TestSeed() + 6);
  for (const Codec& codec : Codecs()) {
    for (const size_t size : {0, 1, 15, 16, 17, 100, 4096, 65536, 300000}) {
      CheckRoundTrip(codec, Text(random, size));
      CheckRoundTrip(codec, random.String(size));
    }
  }
}

TEST_CASE("text shrinks, noise is stored as it is", "[base]") {
  Random random(TestSeed() + 7);
  for (const Codec& codec : Codecs()) {
    std::string text, noise;
    CHECK(Compress(codec, Text(random, 65536), &text) == codec.kind);
    CHECK((text.size() < 32768 || codec.kind == Compression::kNone));
    CHECK(Compress(codec, random.String(65536), &noise) == Compression::kNone);
  }
}

TEST_CASE("a wrong raw size is an error", "[base]") {
  Random random(TestSeed() + 8);
  const std::string raw = Text(random, 10000);
  for (const Codec& codec : Codecs()) {
    std::string stored;
    const Compression kind = Compress(codec, raw, &stored);
    for (const uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{9999}, uint64_t{10001}, UINT64_MAX}) {
      CHECK(Decompress(kind, stored, Bytes{size}).status().code() == absl::StatusCode::kDataLoss);
    }
  }
}

TEST_CASE("damaged bytes are an error or other bytes, never more", "[base]") {
  Random random(TestSeed() + 9);
  const std::string raw = Text(random, 3000);
  for (const Codec& codec : Codecs()) {
    std::string stored;
    const Compression kind = Compress(codec, raw, &stored);
    for (int round = 0; round < 3000; ++round) {
      std::string damaged = stored.substr(0, random.OneIn(4) ? random.Uniform(stored.size() + 1) : stored.size());
      for (uint64_t n = random.Uniform(4); n > 0 && !damaged.empty(); --n) {
        damaged[random.Uniform(damaged.size())] = static_cast<char>(random.Next());
      }
      const absl::StatusOr<std::string> back = Decompress(kind, damaged, Bytes{raw.size()});
      if (back.ok()) REQUIRE(back->size() == raw.size());
    }
  }
  CHECK_FALSE(Decompress(static_cast<Compression>(77), "x", Bytes{1}).ok());
}

TEST_CASE("threads compress side by side", "[base]") {
  std::vector<std::thread> threads;
  std::vector<std::string> stored(4);
  const std::string raw(100000, 'a');
  for (size_t i = 0; i < stored.size(); ++i) {
    threads.emplace_back([&, i] { Compress({Compression::kZstd, 3}, raw, &stored[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& bytes : stored) {
    CHECK(Decompress(Compression::kZstd, bytes, Bytes{raw.size()}).value() == raw);
  }
}

TEST_CASE("codecs have the levels that their names take", "[base]") {
  for (const Codec codec : {Codec{Compression::kNone, 0}, Codec{Compression::kLz4, 1}, Codec{Compression::kLz4, 12},
                            Codec{Compression::kZstd, 1}, Codec{Compression::kZstd, 22}}) {
    CHECK(IsCodec(codec));
    CHECK(ParseCodec(FormatCodec(codec)).value() == codec);
  }
  for (const Codec codec :
       {Codec{Compression::kNone, 1}, Codec{Compression::kLz4, 0}, Codec{Compression::kLz4, 13},
        Codec{Compression::kZstd, 0}, Codec{Compression::kZstd, 23}, Codec{static_cast<Compression>(3), 1}}) {
    CHECK_FALSE(IsCodec(codec));
    CHECK_FALSE(ParseCodec(FormatCodec(codec)).ok());
  }
}

TEST_CASE("codecs have names", "[base]") {
  for (const char* text : {"none", "lz4", "lz4:12", "zstd", "zstd:1", "zstd:22"}) {
    const absl::StatusOr<Codec> codec = ParseCodec(text);
    REQUIRE(codec.ok());
    CHECK(FormatCodec(*codec) == text);
  }
  CHECK(ParseCodec("zstd:3").value() == Codec{Compression::kZstd, 3});
  CHECK(FormatCodec({Compression::kZstd, 3}) == "zstd");
  for (const char* text : {"", "gzip", "zstd:", "zstd:0", "zstd:23", "zstd:3x", "zstd: 3", "zstd:3 ", "zstd:+3",
                           "lz4:-1", "none:1", "ZSTD", ":3"}) {
    CHECK(ParseCodec(text).status().code() == absl::StatusCode::kInvalidArgument);
  }
  CHECK(CompressionFromByte(2).value() == Compression::kZstd);
  CHECK(CompressionFromByte(3).status().code() == absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace betr
