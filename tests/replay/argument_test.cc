// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/argument.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

namespace betr::replay {
namespace {

TEST_CASE("arguments are divided at their own commas") {
  const auto parts =
      SplitArguments(R"(AT_FDCWD</w/a, b>, "x, \"y", {st_mode=S_IFREG|0644, st_size=1, ...}, [1, 2], 0 /* a, b */)");
  REQUIRE(parts.size() == 5);
  CHECK(parts[0] == "AT_FDCWD</w/a, b>");
  CHECK(parts[1] == R"("x, \"y")");
  CHECK(parts[3] == "[1, 2]");
  CHECK(SplitArguments("").empty());
}

TEST_CASE("numbers in every form") {
  CHECK(ParseNumber("-1") == -1);
  CHECK(ParseNumber("022") == 18);
  CHECK(ParseNumber("0") == 0);
  CHECK(ParseNumber("0x26000") == 0x26000);
  CHECK(ParseNumber("8192*1024") == 8192 * 1024);
  CHECK(ParseNumber("21<<26") == int64_t{21} << 26);
  CHECK(ParseNumber("17 /* SIGCHLD */") == 17);
  CHECK(ParseNumber("9223372035781033984") == 9223372035781033984);
  CHECK(ParseNumber("18446744073709551615") == -1);
  for (const std::string_view text : {"", "x", "NULL", "12x", "0x", "99999999999999999999", "1*"}) {
    INFO(text);
    CHECK_FALSE(ParseNumber(text).has_value());
  }
}

TEST_CASE("strings: escapes, hex, cut ones") {
  const auto bytes = [](std::string_view text) { return ParseText(text).value_or(TextArgument{"?"}).bytes; };
  CHECK(bytes(R"("a\n\t\\\"\0b\1777")") == std::string("a\n\t\\\"\0b\1777", 9));
  CHECK(bytes(R"("\x2f\x6d")") == "/m");
  CHECK(bytes(R"("\303\244")") == "\xc3\xa4");
  CHECK(bytes("\"\"") == "");
  CHECK_FALSE(ParseText("\"abc\"")->is_cut);
  CHECK(ParseText("\"abc\"...")->is_cut);
  for (const std::string_view text : {"NULL", "0x7ffe", "[...]", "\"abc", "\""}) {
    INFO(text);
    CHECK_FALSE(ParseText(text).has_value());
  }
}

TEST_CASE("descriptors with what -y, -yy, -xx, -X and --secontext add") {
  CHECK(ParseDescriptor("3")->number == 3);
  CHECK_FALSE(ParseDescriptor("3")->path.has_value());
  CHECK(ParseDescriptor("AT_FDCWD</w>")->number == kCurrentDirectory);
  CHECK(ParseDescriptor("AT_FDCWD</w>")->path == "/w");
  CHECK(ParseDescriptor("-100 /* AT_FDCWD */</w>")->number == kCurrentDirectory);
  CHECK(ParseDescriptor("-100 /* AT_FDCWD */</w>")->path == "/w");
  CHECK(ParseDescriptor("3</w/a\\74b\\76>")->path == "/w/a<b>");
  CHECK(ParseDescriptor("3<\\x2f\\x77>")->path == "/w");
  CHECK(ParseDescriptor("1</dev/null<char 1:3>>")->path == "/dev/null");
  CHECK_FALSE(ParseDescriptor("4<pipe:[1267872]>")->path.has_value());
  CHECK_FALSE(ParseDescriptor("3</w/a\\0b>")->path.has_value());
  CHECK(ParseDescriptor("3</w/x>(deleted)")->is_deleted);
  CHECK_FALSE(ParseDescriptor("3</w/x (deleted)>")->is_deleted);
  CHECK(ParseDescriptor("4294967295")->number == -1);
  CHECK(ParseDescriptor("3 [user_u:object_r:tmp_t:s0]")->number == 3);
  CHECK(ParseDescriptor("AT_FDCWD [tmp_t!!user_t]")->number == kCurrentDirectory);
  CHECK(ParseDescriptor("3</w/a> [tmp_t]")->path == "/w/a");
  for (const std::string_view text : {"", "NULL", "99999999999", "</w>"}) {
    INFO(text);
    CHECK_FALSE(ParseDescriptor(text).has_value());
  }
}

TEST_CASE("flags by name, by number, and both") {
  CHECK(ParseFlags("O_WRONLY|O_CREAT|O_TRUNC") == uint64_t{O_WRONLY | O_CREAT | O_TRUNC});
  CHECK(ParseFlags("0x241 /* O_WRONLY|O_CREAT|O_TRUNC */") == 0x241);
  CHECK(ParseFlags("0100644 /* S_IFREG|0644 */") == uint64_t{S_IFREG | 0644});
  CHECK(ParseFlags("S_IFREG|S_ISUID|0755") == uint64_t{S_IFREG | S_ISUID | 0755});
  CHECK(ParseFlags("0x1200000 /* A|B */|17 /* SIGCHLD */") == (0x1200000 | 17));
  CHECK(ParseFlags("BTRFS_IOC_CLONE or FICLONE") == uint64_t{FICLONE});
  CHECK(ParseFlags("O_RDONLY|O_UNHEARD_OF") == 0);
  CHECK_FALSE(ParseFlags("").has_value());
  CHECK_FALSE(ParseFlags("\"x\"").has_value());
}

TEST_CASE("fields of structures and elements of arrays") {
  CHECK(FindField("{st_mode=S_IFREG|0644, st_size=47, ...}", "st_size") == "47");
  CHECK(FindField("{flags=CLONE_VM, stack=0x1} => {parent_tid=[7]}", "flags") == "CLONE_VM");
  CHECK(FindField("child_stack=NULL, flags=CLONE_FS|SIGCHLD", "flags") == "CLONE_FS|SIGCHLD");
  CHECK(FindField("{val=[...]}", "size").empty());
  REQUIRE(ParseArray("[{a=1, b=2}, {a=3}]").has_value());
  CHECK(ParseArray("[{a=1, b=2}, {a=3}]")->size() == 2);
  CHECK(ParseArray("[]")->empty());
  CHECK_FALSE(ParseArray("[...]").has_value());
  CHECK_FALSE(ParseArray("NULL").has_value());
}

}  // namespace
}  // namespace betr::replay
