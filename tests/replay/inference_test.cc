// SPDX-License-Identifier: Apache-2.0
#include "replay/inference.h"

#include <catch2/catch.hpp>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("what a trace finds was there before it") {
  const TextRun run({
      "1 chdir(\"/w\") = 0",
      "1 stat(\"src\", {st_mode=S_IFDIR|0750, st_size=4096, ...}) = 0",
      "1 open(\"src/a\", O_RDONLY) = 3",
      "1 read(3, \"x\"..., 4096) = 4096",
      "1 read(3, \"x\"..., 4096) = 10",
      "1 lstat(\"deep/er/b\", {st_mode=S_IFREG|0600, st_size=77, ...}) = 0",
      "1 open(\"src/none\", O_RDONLY) = -1 ENOENT (No such file or directory)",
      "1 open(\"made\", O_WRONLY|O_CREAT, 0644) = 4",
      "1 stat(\"made\", {st_mode=S_IFREG|0644, st_size=0, ...}) = 0",
      "1 readlink(\"link\", \"src/a\", 100) = 5",
      "1 mkdir(\"old\", 0755) = -1 EEXIST (File exists)",
      "1 rename(\"moved\", \"src/moved\") = 0",
      "1 unlink(\"gone\") = 0",
      "1 open(\"dir\", O_RDONLY) = 5",
      "1 getdents64(5, 0x7f /* 2 entries */, 32768) = 48",
      "1 chmod(\"src\", 0700) = 0",
      "1 stat(\"src\", {st_mode=S_IFDIR|0700, st_size=4096, ...}) = 0",
  });
  CHECK(Lines(run.Infer()) == Strings{"d 0755 0 /w", "d 0755 0 /w/deep", "d 0755 0 /w/deep/er",
                                      "f 0600 77 /w/deep/er/b", "d 0755 0 /w/dir", "f 0644 0 /w/gone",
                                      "l 0777 5 /w/link->src/a", "f 0644 0 /w/moved", "d 0755 0 /w/old",
                                      "d 0750 0 /w/src", "f 0644 4106 /w/src/a"});
}

TEST_CASE("what lies deeper than paths reach is not inferred") {
  Strings lines{"1 chdir(\"/w\") = 0"};
  lines.resize(30000, "1 chdir(\"d\") = 0");
  const Manifest found = TextRun(lines).Infer();
  CHECK(found.entries.size() > 1000);
  CHECK(found.entries.back().path.size() < 4095);
}

TEST_CASE("a replay of what was inferred has no conflicts") {
  const Strings lines{
      "1 open(\"/w/in/a\", O_RDONLY) = 3",   "1 fstat(3, {st_mode=S_IFREG|0640, st_size=100, ...}) = 0",
      "1 read(3, \"x\"..., 4096) = 100",     "1 read(3, \"\", 4096) = 0",
      "1 rename(\"/w/in\", \"/w/out\") = 0", "1 stat(\"/w/out/b\", {st_mode=S_IFREG|0600, st_size=9, ...}) = 0",
      "1 unlink(\"/w/out/b\") = 0",
  };
  TextRun run(lines);
  const Strings manifest = Lines(run.Infer());
  CHECK(manifest == Strings{"d 0755 0 /w", "d 0755 0 /w/in", "f 0640 100 /w/in/a", "f 0600 9 /w/in/b"});
  run.SetManifest({"/w/in d 0755 0 -", "/w/in/a f 0640 100 -", "/w/in/b f 0600 9 -"});
  run.Everywhere();
  CHECK(run.result().interpreter.conflicts.empty());
  CHECK(run.Final() == Strings{"d 0755 0 /w/out", "f 0640 100 /w/out/a"});
}

}  // namespace
}  // namespace betr::replay
