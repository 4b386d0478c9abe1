// SPDX-License-Identifier: Apache-2.0
// Symlinks that a trace follows before it shows that they are some.
#include <algorithm>
#include <catch2/catch.hpp>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("readlink tells of a link that was followed before") {
  CHECK(InferredFully({
            "1 chdir(\"/w\") = 0",
            "1 open(\"lk/big\", O_RDONLY) = 3",
            "1 fstat(3, {st_mode=S_IFREG|0640, st_size=100, ...}) = 0",
            "1 open(\"lf\", O_RDONLY) = 4",
            "1 fstat(4, {st_mode=S_IFREG|0640, st_size=100, ...}) = 0",
            "1 readlink(\"lk\", \"pd\", 64) = 2",
            "1 lstat(\"lf\", {st_mode=S_IFLNK|0777, st_size=6, ...}) = 0",
            "1 readlink(\"lf\", \"pd/big\", 64) = 6",
            "1 rename(\"lk\", \"moved\") = 0",
            "1 stat(\"moved/big\", {st_mode=S_IFREG|0640, st_size=100, ...}) = 0",
        }) == Strings{"d 0755 0 /w", "l 0777 6 /w/lf->pd/big", "l 0777 2 /w/lk->pd", "d 0755 0 /w/pd",
                      "f 0640 100 /w/pd/big"});
}

TEST_CASE("strace -y tells where a link leads, lstat how long its target is") {
  const std::string open = "1 openat(AT_FDCWD</w>, \"in/lk/big\", O_RDONLY) = 3</w/pd/big>";
  const Strings below{"d 0755 0 /w/pd", "f 0644 0 /w/pd/big"};
  const auto inferred = [&](const std::string& link, const Strings& more) {
    Strings lines{open};
    lines.insert(lines.end(), more.begin(), more.end());
    Strings wanted{"d 0755 0 /w", "d 0755 0 /w/in", link};
    wanted.insert(wanted.end(), below.begin(), below.end());
    CHECK(InferredFully(lines) == wanted);
  };
  // Nothing but -y: the first directory whose place is not shown by another call.
  CHECK(InferredFully({open, "1 stat(\"/w/pd/big\", {st_mode=S_IFREG|0644, st_size=0, ...}) = 0"}) ==
        Strings{"d 0755 0 /w", "d 0755 0 /w/in", "l 0777 5 /w/in/lk->/w/pd", "d 0755 0 /w/pd", "f 0644 0 /w/pd/big"});
  const auto lstat = [](int size) {
    return "1 lstat(\"/w/in/lk\", {st_mode=S_IFLNK|0777, st_size=" + std::to_string(size) + ", ...}) = 0";
  };
  inferred("l 0777 5 /w/in/lk->../pd", {lstat(5)});
  inferred("l 0777 8 /w/in/lk->////w/pd", {lstat(8)});
  inferred("l 0777 5 /w/in/lk->../pd", {lstat(5), "1 readlink(\"/w/in/lk\", \"../pd\", 64) = 5"});
}

TEST_CASE("of the directories on a way that leads elsewhere, the link is one that no other call shows in its place") {
  CHECK(InferredFully({
            "1 open(\"/w/a/b/f\", O_RDONLY) = 3</w/c/b/f>",
            "1 open(\"/w/x/b/f\", O_RDONLY) = 4</w/z/b/f>",
            "1 open(\"/w/x/y\", O_RDONLY) = 5</w/x/y>",
        }) == Strings{"d 0755 0 /w", "l 0777 4 /w/a->/w/c", "d 0755 0 /w/c", "d 0755 0 /w/c/b", "f 0644 0 /w/c/b/f",
                      "d 0755 0 /w/x", "l 0777 6 /w/x/b->/w/z/b", "f 0644 0 /w/x/y", "d 0755 0 /w/z", "d 0755 0 /w/z/b",
                      "f 0644 0 /w/z/b/f"});
}

TEST_CASE("a link whose target nothing tells leads to a place of its own") {
  const std::string made_up = "/w/.betrreplay-link-1";
  CHECK(InferredFully({
            "1 lstat(\"/w/lk\", {st_mode=S_IFLNK|0777, st_size=30, ...}) = 0",
            "1 open(\"/w/lk/x\", O_RDONLY) = 3",
        }) == Strings{"d 0755 0 /w", "d 0755 0 " + made_up, "f 0644 0 " + made_up + "/x",
                      "l 0777 30 /w/lk->/////////" + made_up});
  CHECK(InferredFully({
            "1 open(\"/w/lk/x\", O_RDONLY) = 3",
            "1 unlink(\"/w/lk\") = 0",
            "1 rmdir(\"/w/none\") = -1 ENOENT (No such file or directory)",
        }) ==
        Strings{"d 0755 0 /w", "d 0755 0 " + made_up, "f 0644 0 " + made_up + "/x", "l 0777 21 /w/lk->" + made_up});
  CHECK(InferredFully({
            "1 access(\"/w/lk\", F_OK) = 0",
            "1 open(\"/w/lk\", O_RDONLY|O_NOFOLLOW) = -1 ELOOP (Too many levels of symbolic links)",
        }) == Strings{"d 0755 0 /w", "f 0644 0 " + made_up, "l 0777 21 /w/lk->" + made_up});
}

TEST_CASE("a place that was made up for a link's target gives way to where -y says that it leads") {
  CHECK(InferredFully({
            "1 lstat(\"/w/lk\", {st_mode=S_IFLNK|0777, st_size=2, ...}) = 0",
            "1 open(\"/w/lk/x\", O_RDONLY) = 3</w/pd/x>",
        }) == Strings{"d 0755 0 /w", "l 0777 2 /w/lk->pd", "d 0755 0 /w/pd", "f 0644 0 /w/pd/x"});
}

TEST_CASE("a short target that nothing tells is a short name") {
  CHECK(InferredFully({
            "1 lstat(\"/w/lk\", {st_mode=S_IFLNK|0777, st_size=2, ...}) = 0",
            "1 open(\"/w/lk/x\", O_RDONLY) = 3",
            "1 lstat(\"/w/d/e/f\", {st_mode=S_IFLNK|0777, st_size=8, ...}) = 0",
            "1 open(\"/w/d/e/f\", O_RDONLY) = 4",
            "1 lstat(\"/w/d/e/g\", {st_mode=S_IFLNK|0777, st_size=5, ...}) = 0",
            "1 open(\"/w/d/e/g\", O_RDONLY) = 4",
        }) == Strings{"d 0755 0 /w", "d 0755 0 /w/d", "d 0755 0 /w/d/e", "l 0777 8 /w/d/e/f->../../~2",
                      "l 0777 5 /w/d/e/g->~~~~3", "f 0644 0 /w/d/e/~~~~3", "l 0777 2 /w/lk->~1", "d 0755 0 /w/~1",
                      "f 0644 0 /w/~1/x", "f 0644 0 /w/~2"});
}

TEST_CASE("what an open made may lie behind a link that led nowhere") {
  CHECK(InferredFully({
            "1 open(\"/w/a\", O_RDONLY) = -1 ENOENT (No such file or directory)",
            "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
            "1 open(\"/w/b\", O_WRONLY|O_CREAT, 0644) = 4</w/d/there>",
            "1 open(\"/w/c\", O_WRONLY|O_CREAT, 0644) = 5</w/c>",
            "1 readlink(\"/w/a\", \"nowhere\", 64) = 7",
            "1 unlink(\"/w/nowhere\") = 0",
            "1 unlink(\"/w/d/there\") = 0",
            "1 rmdir(\"/w/d\") = 0",
        }) == Strings{"d 0755 0 /w", "l 0777 7 /w/a->nowhere", "l 0777 10 /w/b->/w/d/there", "d 0755 0 /w/d"});
}

TEST_CASE("links behind links are found one after the other") {
  CHECK(InferredFully({
            "1 chdir(\"/w\") = 0",
            "1 open(\"a/b/c/f\", O_RDONLY) = 3",
            "1 readlink(\"a\", \"p\", 64) = 1",
            "1 readlink(\"a/b\", \"../q\", 64) = 4",
            "1 readlink(\"q/c\", \"/w/r\", 64) = 4",
        }) == Strings{"d 0755 0 /w", "l 0777 1 /w/a->p", "d 0755 0 /w/p", "l 0777 4 /w/p/b->../q", "d 0755 0 /w/q",
                      "l 0777 4 /w/q/c->/w/r", "d 0755 0 /w/r", "f 0644 0 /w/r/f"});
}

TEST_CASE("a root that has another name in what -y prints is no reason to see links") {
  const Strings inferred = InferredFully({
      "1 open(\"/w/a/f\", O_RDONLY) = 3</elsewhere/w/a/f>",
      "1 open(\"/w/f\", O_RDONLY) = 4</elsewhere/w/f>",
  });
  CHECK(inferred == Strings{"d 0755 0 /w", "d 0755 0 /w/a", "f 0644 0 /w/a/f", "f 0644 0 /w/f"});
}

TEST_CASE("what lies behind a link that leads out is outside") {
  const Strings lines{
      "1 open(\"/w/lk/x\", O_RDONLY) = 3",
      "1 readlink(\"/w/lk\", \"/usr/share\", 64) = 10",
  };
  CHECK(InferredFully(lines) == Strings{"d 0755 0 /w", "l 0777 10 /w/lk->/usr/share"});
  TextRun run(lines);
  run.TakeInferred();
  run.OnNothing();
  CHECK(run.result().interpreter.outside == 1);
}

TEST_CASE("a link that keeps its name leads elsewhere, not its directory") {
  CHECK(InferredFully({
            "1 lstat(\"/w/d\", {st_mode=S_IFDIR|0755, st_size=4096, ...}) = 0",
            "1 openat(AT_FDCWD</w>, \"d/s/f\", O_RDONLY) = 3</w/e/s/f>",
            "1 openat(AT_FDCWD</w>, \"nm/dep/x\", O_RDONLY) = 3</w/store/dep/x>",
            "1 openat(AT_FDCWD</w>, \"nm/z\", O_WRONLY|O_CREAT, 0666) = 4</w/nm/z>",
        }) == Strings{"d 0755 0 /w", "d 0755 0 /w/d", "l 0777 6 /w/d/s->/w/e/s", "d 0755 0 /w/e", "d 0755 0 /w/e/s",
                      "f 0644 0 /w/e/s/f", "d 0755 0 /w/nm", "l 0777 12 /w/nm/dep->/w/store/dep", "d 0755 0 /w/store",
                      "d 0755 0 /w/store/dep", "f 0644 0 /w/store/dep/x"});
}

TEST_CASE("a link that a later reading finds to be a directory is none") {
  CHECK(InferredFully({
            "1 openat(AT_FDCWD</w>, \"a/b/f\", O_RDONLY) = 3</w/c/b/f>",
            "1 rename(\"/w/a\", \"/w/z\") = 0",
            "1 lstat(\"/w/z\", {st_mode=S_IFDIR|0755, st_size=4096, ...}) = 0",
        }) == Strings{"d 0755 0 /w", "d 0755 0 /w/a", "l 0777 6 /w/a/b->/w/c/b", "d 0755 0 /w/c", "d 0755 0 /w/c/b",
                      "f 0644 0 /w/c/b/f"});
}

TEST_CASE("what replaces a followed link is not that link") {
  const std::string made_up = "/w/.betrreplay-link-1";
  const Strings behind{"d 0755 0 /w", "d 0755 0 " + made_up, "f 0644 5 " + made_up + "/big"};
  const std::string found = "1 stat(\"/w/lk/big\", {st_mode=S_IFREG|0644, st_size=5, ...}) = 0";
  Strings wanted = behind;
  wanted.push_back("l 0777 21 /w/lk->" + made_up);
  CHECK(InferredFully({
            found,
            "1 symlink(\"q\", \"/w/tmp\") = 0",
            "1 rename(\"/w/tmp\", \"/w/lk\") = 0",
            "1 open(\"/w/lk/big\", O_RDONLY) = -1 ENOENT (No such file or directory)",
            "1 readlink(\"/w/lk\", \"q\", 4095) = 1",
        }) == wanted);
  wanted.insert(wanted.end() - 1, "f 0644 6 /w/f1");
  CHECK(InferredFully({
            found,
            "1 rename(\"/w/f1\", \"/w/lk\") = 0",
            "1 lstat(\"/w/lk\", {st_mode=S_IFREG|0644, st_size=6, ...}) = 0",
        }) == wanted);
}

TEST_CASE("link and an open that wants a directory tell of a followed link, too") {
  const std::string found = "1 stat(\"/w/lk/big\", {st_mode=S_IFREG|0644, st_size=5, ...}) = 0";
  CHECK(InferredFully({
            found,
            "1 linkat(AT_FDCWD, \"/w/lk\", AT_FDCWD, \"/w/lkh\", 0) = 0",
            "1 lstat(\"/w/lkh\", {st_mode=S_IFLNK|0777, st_size=2, ...}) = 0",
        }) == Strings{"d 0755 0 /w", "l 0777 2 /w/lk->~1", "d 0755 0 /w/~1", "f 0644 5 /w/~1/big"});
  const std::string made_up = "/w/.betrreplay-link-1";
  CHECK(InferredFully({
            found,
            "1 open(\"/w/lk\", O_RDONLY|O_NOFOLLOW|O_DIRECTORY) = -1 ENOTDIR (Not a directory)",
        }) ==
        Strings{"d 0755 0 /w", "d 0755 0 " + made_up, "f 0644 5 " + made_up + "/big", "l 0777 21 /w/lk->" + made_up});
}

TEST_CASE("thousands of links, and deep ways to them, are found in time and space") {
  Strings lines;
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "a/";
  constexpr int kLinks = 2000;
  for (int i = 0; i < kLinks; ++i) {
    const std::string number = std::to_string(i);
    lines.push_back("1 open(\"/w/d" + number + "/f\", O_RDONLY) = 3</w/e" + number + "/f>");
    lines.push_back("1 open(\"/w/x/" + deep + "b" + number + "/f\", O_RDONLY) = 3</w/y/" + deep + "b" + number + "/f>");
  }
  const Strings found = Lines(TextRun(lines).Infer());
  CHECK(std::count_if(found.begin(), found.end(), [](const std::string& line) { return line[0] == 'l'; }) >= kLinks);
}

}  // namespace
}  // namespace betr::replay
