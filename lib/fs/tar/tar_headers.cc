// SPDX-License-Identifier: Apache-2.0
#include "fs/tar/tar_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

namespace betr::fs {
namespace {

// Fields of a header.
constexpr size_t kHeaderSize = 512;
constexpr size_t kModeAt = 100;
constexpr size_t kModeDigits = 6;
constexpr size_t kSizeAt = 124;
constexpr size_t kSizeDigits = 11;
constexpr size_t kSumAt = 148;
constexpr size_t kSumDigits = 6;
constexpr size_t kSumSize = 8;
constexpr size_t kTypeAt = 156;
constexpr char kExtended = 'x';

constexpr std::string_view kSparseName = "GNU.sparse.name";
constexpr std::string_view kXattr = "SCHILY.xattr.";
constexpr std::string_view kTwin = "LIBARCHIVE.xattr.";
// Of an extended header, for libarchive's reader.
constexpr size_t kLargestExtended = size_t{1} << 20;

// Of `count` digits.
std::string Octal(uint64_t number, size_t count) {
  std::string digits(count, '0');
  for (size_t i = count; i > 0; --i, number >>= 3) digits[i - 1] = static_cast<char>('0' + (number & 7U));
  return digits;
}

void SetField(std::string* header, size_t at, uint64_t number, size_t digits) {
  header->replace(at, digits, Octal(number, digits));
  header->replace(kSumAt, kSumSize, kSumSize, ' ');
  const uint32_t sum = std::accumulate(header->begin(), header->begin() + kHeaderSize, uint32_t{0},
                                       [](uint32_t before, char c) { return before + static_cast<unsigned char>(c); });
  header->replace(kSumAt, kSumDigits + 1, Octal(sum, kSumDigits) + '\0');
}

size_t Padded(size_t size) { return (size + kHeaderSize - 1) / kHeaderSize * kHeaderSize; }

// As in URLs: what libarchive does to names of extended attributes.
std::string UnescapeUrl(std::string_view name) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
  };
  std::string plain;
  for (size_t i = 0; i < name.size(); ++i) {
    const int high = i + 2 < name.size() && name[i] == '%' ? digit(name[i + 1]) : -1;
    const int low = high >= 0 ? digit(name[i + 2]) : -1;
    plain += low >= 0 ? static_cast<char>(high * 16 + low) : name[i];
    if (low >= 0) i += 2;
  }
  return plain;
}

// What tar(1) does to them.
std::string EscapeForTar(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '%' || c == '=') {
      escaped += c == '%' ? "%25" : "%3D";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string UnescapeOfTar(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const bool is_escape = name.starts_with("%25") || name.starts_with("%3D");
    plain += name.starts_with("%3D") ? '=' : name.front();
    name.remove_prefix(is_escape ? 3 : 1);
  }
  return plain;
}

// A line of an extended header. Its length counts itself.
std::string Record(std::string_view key, std::string_view value) {
  const std::string text = fmt::format(" {}={}\n", key, value);
  size_t size = text.size();
  while (size != text.size() + fmt::formatted_size("{}", size)) size = text.size() + fmt::formatted_size("{}", size);
  return fmt::format("{}{}", size, text);
}

struct HeaderRecord {
  std::string text;
  std::string xattr = {};  // the attribute whose value this is, if it is one
  bool is_twin = false;    // libarchive's own form of it
};

HeaderRecord MendRecord(std::string_view record, std::string_view name) {
  const size_t key_at = record.find(' ') + 1;
  const size_t equals = std::min(record.find('=', key_at), record.size() - 1);
  const std::string_view key = record.substr(key_at, equals - key_at);
  if (key == kSparseName) return {Record(key, name)};
  if (key.starts_with(kTwin)) return {std::string(record), UnescapeUrl(key.substr(kTwin.size())), true};
  if (!key.starts_with(kXattr)) return {std::string(record)};
  const std::string plain = UnescapeUrl(key.substr(kXattr.size()));
  std::string_view value = record.substr(equals + 1);
  value.remove_suffix(std::min<size_t>(value.size(), 1));
  return {Record(std::string(kXattr) + EscapeForTar(plain), value), plain};
}

// Empty if these are no records.
std::vector<HeaderRecord> MendRecords(std::string_view rest, std::string_view name) {
  std::vector<HeaderRecord> records;
  while (!rest.empty()) {
    size_t length = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), length);
    if (length == 0 || length > rest.size()) return {};
    records.push_back(MendRecord(rest.substr(0, length), name));
    rest.remove_prefix(length);
  }
  return records;
}

size_t SizeOf(const std::vector<HeaderRecord>& records) {
  return std::accumulate(records.begin(), records.end(), size_t{0},
                         [](size_t before, const HeaderRecord& record) { return before + record.text.size(); });
}

// Takes out what libarchive has written twice. Readers need the second form where tar(1) escapes something in a name:
// see PlainXattrs.
void EraseTwins(std::vector<HeaderRecord>* records, bool only_plain) {
  std::set<std::string> written;
  for (const HeaderRecord& record : *records) {
    if (!record.is_twin) written.insert(record.xattr);
  }
  std::erase_if(*records, [&](const HeaderRecord& record) {
    return record.is_twin && written.contains(record.xattr) &&
           (!only_plain || EscapeForTar(record.xattr) == record.xattr);
  });
}

// Takes out attributes so that the rest fits. Returns their names.
std::vector<std::string> EraseBeyond(size_t largest, std::vector<HeaderRecord>* records) {
  size_t size = 0;
  for (const HeaderRecord& record : *records) size += record.xattr.empty() ? record.text.size() : 0;
  std::vector<std::string> names;
  std::erase_if(*records, [&](const HeaderRecord& record) {
    if (record.xattr.empty()) return false;
    const bool fits = size + record.text.size() <= largest;
    if (fits) {
      size += record.text.size();
    } else {
      names.push_back(record.xattr);
    }
    return !fits;
  });
  return names;
}

}  // namespace

MendedHeaders MendHeaders(std::string headers, std::string_view name) {
  uint64_t size = 0;
  const bool is_extended = headers.size() > 2 * kHeaderSize && headers[kTypeAt] == kExtended;
  for (size_t i = 0; is_extended && i < kSizeDigits; ++i) {
    size = size * 8 + static_cast<uint64_t>(headers[kSizeAt + i] - '0');
  }
  if (!is_extended || kHeaderSize + Padded(size) + kHeaderSize != headers.size()) return {std::move(headers), {}};
  std::vector<HeaderRecord> records = MendRecords(std::string_view(headers).substr(kHeaderSize, size), name);
  if (records.empty()) return {std::move(headers), {}};
  EraseTwins(&records, SizeOf(records) <= kLargestExtended);
  std::vector<std::string> left_out = EraseBeyond(kLargestExtended, &records);
  std::string mended;
  for (const HeaderRecord& record : records) mended += record.text;
  const size_t new_size = mended.size();
  mended.resize(Padded(new_size));
  headers.replace(kHeaderSize, Padded(size), mended);
  SetField(&headers, kSizeAt, new_size, kSizeDigits);
  return {std::move(headers), std::move(left_out)};
}

std::string WithMode(std::string headers, uint32_t mode) {
  std::string own = headers.substr(headers.size() - kHeaderSize);
  SetField(&own, kModeAt, mode, kModeDigits);
  return headers.replace(headers.size() - kHeaderSize, kHeaderSize, own);
}

std::map<std::string, std::string> PlainXattrs(std::map<std::string, std::string> xattrs) {
  std::set<std::string> plain;  // which another header has escaped
  std::erase_if(xattrs, [&](const auto& xattr) {
    const std::string name = UnescapeUrl(xattr.first);
    const auto twin = name == xattr.first ? xattrs.end() : xattrs.find(name);
    const bool is_twin = twin != xattrs.end() && twin->second == xattr.second;
    if (is_twin) plain.insert(name);
    return is_twin;
  });
  std::map<std::string, std::string> named;
  for (auto& [name, value] : xattrs) {
    named.insert_or_assign(plain.contains(name) ? name : UnescapeOfTar(name), std::move(value));
  }
  return named;
}

}  // namespace betr::fs
