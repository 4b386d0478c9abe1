// SPDX-License-Identifier: Apache-2.0
// Compares docs/log.md with what the code writes: the tables of fields, and the example.
#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/escape.h"
#include "device/memory_device.h"
#include "support/docs.h"
#include "support/store/log_harness.h"

namespace betr::store {
namespace {

// All matches of a pattern with two or more groups, in what follows `begin` up to `end`.
std::vector<std::smatch> Matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return {std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator()};
}

std::string Section(const std::string& document, const std::string& begin, const std::string& end) {
  const size_t from = document.find(begin);
  REQUIRE(from != std::string::npos);
  return document.substr(from, document.find(end, from + begin.size()) - from);
}

struct Field {
  std::string name;
  std::string bytes;
};

std::string Little(uint64_t value, size_t size) {
  std::string bytes;
  PutFixed64(&bytes, value);
  return bytes.substr(0, size);
}

// The rows of a table must be these fields, without gaps from the beginning on.
void CompareTable(const std::string& name, const std::vector<Field>& fields) {
  const std::string document = test::ReadDocument("log.md");
  const std::string table = Section(document, "<!-- fields: " + name + " -->", "\n\n#");
  const std::vector<std::smatch> rows = Matches(table, R"(\n\| (\d+) \| (\d+) \| ([a-z ]+) \|)");
  REQUIRE(rows.size() >= fields.size());
  size_t offset = 0;
  for (size_t i = 0; i < fields.size(); ++i) {
    INFO(name << ": " << fields[i].name);
    CHECK(rows[i][1].str() == std::to_string(offset));
    CHECK(rows[i][2].str() == std::to_string(fields[i].bytes.size()));
    CHECK(rows[i][3].str() == fields[i].name);
    offset += fields[i].bytes.size();
  }
}

TEST_CASE("the document has the fields of frames and records", "[log]") {
  FrameHeader header;
  header.salt = 0x1112;
  header.position = {0x2122, 0x3132};
  header.opening = 0x4142;
  header.durable = 0x5152;
  header.first_lsn = Lsn{0x6162};
  header.record_bytes = 0x7172;
  header.record_count = 0x8182;
  header.record_checksum = 0x9192;
  std::string bytes(FrameHeader::kSize, '\0');
  StoreFrameHeader(&header, bytes);
  const std::vector<Field> frame = {{"checksum", Little(header.checksum, 8)},
                                    {"magic", "betrLOG1"},
                                    {"salt", Little(0x1112, 8)},
                                    {"sequence", Little(0x2122, 8)},
                                    {"chain", Little(0x3132, 8)},
                                    {"opening", Little(0x4142, 8)},
                                    {"durable", Little(0x5152, 8)},
                                    {"first lsn", Little(0x6162, 8)},
                                    {"record bytes", Little(0x7172, 4)},
                                    {"record count", Little(0x8182, 4)},
                                    {"record checksum", Little(0x9192, 8)}};
  std::string expected;
  for (const Field& field : frame) expected += field.bytes;
  CHECK(FormatHex(bytes) == FormatHex(expected));
  CompareTable("log frame", frame);
  std::string record;
  AppendRecord(Lsn{0x1112}, "", &record);
  CHECK(FormatHex(record) == FormatHex(Little(0, 4) + Little(0x1112, 8)));
  CompareTable("log record", {{"length", Little(0, 4)}, {"lsn", Little(0x1112, 8)}});
}

TEST_CASE("the example of the document is what a log writes", "[log]") {
  MemoryDevice device(KiB(64));
  LogRecords replayed;
  const auto log = OpenLog(device, {Bytes{0}, KiB(64)}, {}, &replayed);
  REQUIRE(log.ok());
  REQUIRE((*log)->Append(Lsn{1}, "ab").ok());
  REQUIRE((*log)->Append(Lsn{2}, "").ok());
  REQUIRE((*log)->Sync().ok());
  std::string block(kBlockSize.value, '\0');
  REQUIRE(device.Read(Bytes{0}, block).ok());
  const std::string example = Section(test::ReadDocument("log.md"), "## An example", "\n## ");
  std::string bytes;
  for (const std::smatch& row : Matches(example, R"(\n +(\d+)  (([0-9a-f]{2} )+))")) {
    CHECK(row[1].str() == std::to_string(bytes.size()));
    std::string hex = row[2];
    std::erase(hex, ' ');
    bytes += ParseHex(hex).value();
  }
  bytes.resize(kBlockSize.value, '\0');
  CHECK(FormatHex(bytes.substr(0, 128)) == FormatHex(block.substr(0, 128)));
  CHECK((bytes == block));
}

}  // namespace
}  // namespace betr::store
