// SPDX-License-Identifier: Apache-2.0
// Permissions: what calls, umask and ACLs make of them.
#include <catch2/catch.hpp>

#include "support/replay/text_run.h"

namespace betr::replay {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("modes: umask, ACLs, set-id bits, and what -s has cut") {
  TextRun run({
      "1 umask(027) = 022",
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0666) = 3",
      R"(1 fsetxattr(3, "system.posix_acl_access", "\2\0\0\0\1\0\7\0\377\377\377\377)"
      R"(\4\0\4\0\377\377\377\377 \0\1\0\377\377\377\377", 28, 0) = 0)",
      "1 open(\"/w/b\", O_WRONLY|O_CREAT, 0666) = 4",
      "1 fsetxattr(4, \"\"..., \"\"..., 28, 0) = 0",
      "1 open(\"/w/c\", O_WRONLY|O_CREAT, 0666) = 5",
      "1 fsetxattr(5, \"\"..., \"\"..., 28, 0) = 0",
      "1 fstat(5, {st_mode=S_IFREG|0751, st_size=0, ...}) = 0",
      "1 mkdir(\"/w/d\", 0777) = 0",
      "1 chmod(\"/w/d\", 02775) = 0",
      "1 mkdir(\"/w/d/e\", 0755) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0741 0 /w/a", "f 0640 0 /w/b", "f 0751 0 /w/c", "d 2775 0 /w/d", "d 2750 0 /w/d/e"});
  CHECK(run.result().unknown_modes == std::set<std::string>{"/w/b"});
}

TEST_CASE("an ACL that is cut where strace does not say so is left out") {
  // Four bytes for the version and eight for each entry: an access ACL of three entries in five, a default ACL of none.
  TextRun run({
      "1 mkdir(\"/w/d\", 0755) = 0",
      R"(1 setxattr("/w/d", "system.posix_acl_default", "\2\0\0\0", 28, 0) = 0)",
      R"(1 setxattr("/w/d", "system.posix_acl_access", "\2\0\0\0\1\0\7\0\377\377\377\377)"
      R"(\4\0\7\0\377\377\377\377 \0\0\0\377\377\377\377", 44, 0) = 0)",
  });
  run.Everywhere();
  CHECK(run.result().interpreter.skipped == std::map<std::string, uint64_t>{{"setxattr: the ACL is cut", 2}});
  CHECK(run.result().report.kinds[static_cast<size_t>(OperationKind::kSetXattr)].latency.count() == 0);
}

TEST_CASE("files get the modes that the umask before the trace leaves") {
  TextRun run({"1 mkdir(\"/w/d\", 0777) = 0", "1 umask(022) = 077", "1 mkdir(\"/w/e\", 0777) = 0"});
  run.SetInitialUmask(077);
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0700 0 /w/d", "d 0755 0 /w/e"});
}

// rwx for the owner, r-- for a user, r-x for group, mask, and others.
constexpr std::string_view kDefaultAcl = R"("\2\0\0\0\1\0\7\0\377\377\377\377\2\0\4\0\5\0\0\0\4\0\5\0\377\377\377\377)"
                                         R"(\20\0\5\0\377\377\377\377 \0\5\0\377\377\377\377", 44, 0) = 0)";

TEST_CASE("a default ACL stands for the umask below its directory") {
  TextRun run({
      "1 mkdir(\"/w/d\", 0755) = 0",
      "1 setxattr(\"/w/d\", \"system.posix_acl_default\", " + std::string(kDefaultAcl),
      "1 umask(077) = 022",
      "1 open(\"/w/d/a\", O_WRONLY|O_CREAT, 0666) = 3",
      "1 mkdir(\"/w/d/e\", 0777) = 0",
      "1 mknod(\"/w/d/e/p\", S_IFIFO|0622) = 0",
      "1 stat(\"/w/d/a\", {st_mode=S_IFREG|0644, st_size=0, ...}) = 0",
      "1 symlink(\"x\", \"/w/d/l\") = 0",
      "1 removexattr(\"/w/d\", \"system.posix_acl_default\") = 0",
      "1 open(\"/w/d/b\", O_WRONLY|O_CREAT, 0666) = 3",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0755 0 /w/d", "f 0644 0 /w/d/a", "f 0600 0 /w/d/b", "d 0755 0 /w/d/e",
                               "p 0600 0 /w/d/e/p", "l 0777 1 /w/d/l->x"});
  CHECK(run.result().unknown_modes == std::set<std::string>{});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("below a default ACL that -s has cut the first stat tells the mode") {
  TextRun run({
      "1 mkdir(\"/w/d\", 0755) = 0",
      R"(1 setxattr("/w/d", "system.posix_acl_default", "\2\0\0\0\1\0"..., 44, 0) = 0)",
      "1 mkdir(\"/w/d/e\", 0777) = 0",
      "1 open(\"/w/d/e/a\", O_WRONLY|O_CREAT, 0666) = 3",
      "1 fstat(3, {st_mode=S_IFREG|0660, st_size=0, ...}) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"d 0755 0 /w/d", "d 0755 0 /w/d/e", "f 0660 0 /w/d/e/a"});
  CHECK(run.result().unknown_modes == std::set<std::string>{"/w/d/e"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("what the first stat of something made shows is what the umask, or an ACL, has left of its mode") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0666) = 3",
      "1 fstat(3, {st_mode=S_IFREG|0664, st_size=0, ...}) = 0",
      "1 mkdir(\"/w/d\", 0777) = 0",
      "1 stat(\"/w/d\", {st_mode=S_IFDIR|S_ISGID|0775, st_size=0, ...}) = 0",
  });
  run.Everywhere();
  CHECK(run.Final() == Strings{"f 0664 0 /w/a", "d 2775 0 /w/d"});
  CHECK(run.result().interpreter.conflicts.empty());
}

TEST_CASE("a mode that no call can have given is a conflict") {
  TextRun run({
      "1 open(\"/w/a\", O_WRONLY|O_CREAT, 0644) = 3",
      "1 fstat(3, {st_mode=S_IFREG|0755, st_size=0, ...}) = 0",
      "1 open(\"/w/b\", O_WRONLY|O_CREAT, 0666) = 4",
      "1 fstat(4, {st_mode=S_IFREG|0644, st_size=0, ...}) = 0",
      "1 fstat(4, {st_mode=S_IFREG|0600, st_size=0, ...}) = 0",
      "1 open(\"/w/c\", O_WRONLY|O_CREAT, 0666) = 5",
      "1 fchmod(5, 0666) = 0",
      "1 fstat(5, {st_mode=S_IFREG|0644, st_size=0, ...}) = 0",
  });
  run.OnNothing();
  CHECK(run.result().interpreter.conflicts ==
        std::map<std::string, uint64_t>{{"stat: another mode by the name space", 3}});
}

}  // namespace
}  // namespace betr::replay
