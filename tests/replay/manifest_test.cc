// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/manifest.h"

#include <sys/sysmacros.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "replay/compare.h"
#include "replay/interpret/initial_state.h"
#include "replay/interpret/sha256.h"
#include "support/device/temp_dir.h"

namespace betr::replay {
namespace {

std::string Sha(std::string_view text) {
  Sha256 digest;
  digest.Add(text);
  return digest.Hex();
}

TEST_CASE("SHA-256 gives what the standard says") {
  CHECK(Sha("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Sha("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Sha(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  Sha256 parts;
  for (const char c : std::string("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) parts.Add({&c, 1});
  CHECK(parts.Hex() == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("lines of a manifest survive reading and writing") {
  for (const std::string line :
       {"/mnt/w\td\t0755\t0\t-", "/mnt/w/with\\040space\tf\t4644\t12\thl=3", "/w/a\\134b\\012\tl\t0777\t5\t->x\\040y",
        "/w/null\tc\t0666\t0\tdev=1,3", "/w/p\tp\t0600\t0\t-", "/w/s\ts\t0600\t0\t-"}) {
    const absl::StatusOr<ManifestEntry> entry = ParseManifestEntry(line);
    INFO(line);
    REQUIRE(entry.ok());
    CHECK(FormatManifestEntry(*entry) == line);
  }
  CHECK(ParseManifestEntry("/w/a\\134b\tf\t0644\t1\t-")->path == "/w/a\\b");
  CHECK(ParseManifestEntry("/w/n\tb\t0644\t0\tdev=8,1")->device == makedev(8, 1));
}

TEST_CASE("what is no line of a manifest is refused") {
  for (const std::string_view line : {"", "/w", "w\tf\t0644\t1\t-", "/w\tx\t0644\t1\t-", "/w\tf\t0844\t1\t-",
                                      "/w\tf\t10000\t1\t-", "/w\tf\t0644\t-1\t-", "/w\tf\t0644\t1\thl=x",
                                      "/w\tf\t0644\t1\tdev=1", "/w\tf\t0644\t1\t-\tmore", "/w\\000\tf\t0644\t1\t-"}) {
    INFO(line);
    CHECK_FALSE(ParseManifestEntry(line).ok());
  }
}

TEST_CASE("a manifest with its digest") {
  const TempDir dir;
  std::ofstream(dir.File("m")) << "# sha256(path,type,size) " << Sha("/w\td\t0\n/w/a.b\tf\t3\n/w/a/b\tf\t1\n") << "\n"
                               << "/w\td\t0755\t0\t-\n/w/a/b\tf\t0644\t1\t-\n/w/a.b\tf\t0644\t3\t-\n";
  const absl::StatusOr<Manifest> manifest = ReadManifest(dir.File("m"));
  REQUIRE(manifest.ok());
  CHECK(manifest->entries.size() == 3);
  CHECK(DigestOf(*manifest) == manifest->digest);
  std::ofstream(dir.File("m")) << "/w\td\t0755\t0\t-\nnonsense\n";
  CHECK(ReadManifest(dir.File("m")).status().message().find(":2: ") != std::string::npos);
}

TEST_CASE("the names of one inode are of one type") {
  const auto load = [](const std::vector<std::string>& lines) {
    Manifest manifest;
    for (const std::string& line : lines) manifest.entries.push_back(*ParseManifestEntry(line));
    NameSpace space("/w");
    return LoadManifest(manifest, &space);
  };
  CHECK(load({"/w/a\tf\t0644\t0\thl=1", "/w/b\tf\t0644\t0\thl=1"}).ok());
  CHECK(load({"/w/a\tf\t0644\t0\thl=1", "/w/b\tp\t0644\t0\thl=1"}).message() ==
        "manifest: /w/b: of another type than the other names of its inode");
}

TEST_CASE("comparing tells every difference with its path") {
  const auto manifest = [](const std::vector<std::string>& lines) {
    Manifest result;
    for (const std::string& line : lines) result.entries.push_back(*ParseManifestEntry(line));
    Sort(&result);
    return result;
  };
  const Manifest expected = manifest({"/w/a\tf\t0644\t1\thl=1", "/w/b\tf\t0644\t1\thl=1", "/w/c\tf\t0644\t1\t-",
                                      "/w/d\tf\t0644\t1\t-", "/w/e\tl\t0777\t1\t->x", "/w/f\td\t0755\t0\t-"});
  CHECK(Compare(expected, expected, {}).differences.empty());
  const Manifest found = manifest({"/w/a\tf\t0644\t1\thl=7", "/w/b\tf\t0644\t1\thl=8", "/w/c\tf\t0600\t2\t-",
                                   "/w/e\tl\t0777\t1\t->y", "/w/f\tf\t0755\t0\t-", "/w/g\tf\t0755\t0\t-"});
  CHECK(Compare(expected, found, {}).differences ==
        std::vector<std::string>{"/w/b: a link to another inode", "/w/c: mode 0600 instead of 0644",
                                 "/w/c: size 2 instead of 1", "/w/d: missing", "/w/e: leads to y instead of x",
                                 "/w/f: another type", "/w/g: not expected"});
  const Comparison explained = Compare(expected, found, {"/w/c"});
  CHECK(explained.explained.size() == 1);
  CHECK(explained.differences.size() == 6);
  // Without a digest there is none that could be equal.
  CHECK_FALSE(explained.is_digest_equal.has_value());
  Manifest with_digest = expected;
  with_digest.digest = DigestOf(expected);
  CHECK(Compare(with_digest, expected, {}).is_digest_equal == true);
  CHECK(Compare(with_digest, found, {}).is_digest_equal == false);
}

TEST_CASE("comparing tells which names belong to one inode, both ways") {
  const auto differences = [](const std::vector<int>& expected, const std::vector<int>& found) {
    const auto manifest = [](const std::vector<int>& groups) {
      Manifest result;
      for (size_t i = 0; i < groups.size(); ++i) {
        const std::string path = "/w/" + std::string(1, static_cast<char>('a' + i));
        result.entries.push_back({.path = path, .link_group = static_cast<uint64_t>(groups[i])});
      }
      return result;
    };
    return Compare(manifest(expected), manifest(found), {}).differences;
  };
  using Strings = std::vector<std::string>;
  CHECK(differences({1, 1, 2, 2}, {8, 8, 7, 7}) == Strings{});
  CHECK(differences({1, 1, 2, 2}, {7, 7, 7, 7}) ==
        Strings{"/w/c: a link to another inode", "/w/d: a link to another inode"});
  CHECK(differences({1, 1, 1, 1}, {7, 7, 8, 8}) ==
        Strings{"/w/c: a link to another inode", "/w/d: a link to another inode"});
  CHECK(differences({1, 1, 2, 2}, {7, 8, 7, 8}).size() == 3);
}

}  // namespace
}  // namespace betr::replay
