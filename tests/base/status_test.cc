// SPDX-License-Identifier: Apache-2.0
// The error macros and Annotate, and that a broken invariant ends the process with its text.
#include "base/status.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <memory>

#include "base/check.h"

namespace betr {
namespace {

absl::StatusOr<std::unique_ptr<int>> Half(int n) {
  if (n % 2 != 0) return absl::InvalidArgumentError("odd");
  return std::make_unique<int>(n / 2);
}

absl::StatusOr<int> Quarter(int n) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<int> half, Half(n));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<int> quarter, Half(*half));
  BETR_RETURN_IF_ERROR(*quarter == 0 ? absl::NotFoundError("nothing left") : absl::OkStatus());
  return *quarter;
}

TEST_CASE("the macros hand errors to the caller", "[base]") {
  CHECK(Quarter(12).value() == 3);
  CHECK(Quarter(5).status().message() == "odd");
  CHECK(Quarter(6).status().message() == "odd");
  CHECK(absl::IsNotFound(Quarter(0).status()));
}

TEST_CASE("Annotate keeps the code and the payload", "[base]") {
  absl::Status status = absl::DataLossError("checksum");
  status.SetPayload("key", absl::Cord("value"));
  const absl::Status annotated = Annotate(status, "node 7");
  CHECK(annotated.message() == "node 7: checksum");
  CHECK(annotated.code() == absl::StatusCode::kDataLoss);
  CHECK(annotated.GetPayload("key") == absl::Cord("value"));
  CHECK(Annotate(absl::OkStatus(), "node 7").ok());
  CHECK(Annotate(status, "a\nb").message() == "a\\x0ab: checksum");
}

TEST_CASE("a broken invariant aborts and says which", "[base]") {
  Check(true, "fine");
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    dup2(pipe_ends[1], STDERR_FILENO);
    Check(false, "the sky is up");
    _exit(0);
  }
  close(pipe_ends[1]);
  char text[512] = {};
  const ssize_t size = read(pipe_ends[0], text, sizeof text - 1);
  close(pipe_ends[0]);
  int result = 0;
  REQUIRE(waitpid(child, &result, 0) == child);
  CHECK(size > 0);
  CHECK((WIFSIGNALED(result) && WTERMSIG(result) == SIGABRT));
  CHECK_THAT(text, Catch::Matchers::Contains("broken invariant: the sky is up"));
  CHECK_THAT(text, Catch::Matchers::Contains("status_test.cc"));
}

}  // namespace
}  // namespace betr
