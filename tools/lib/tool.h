// SPDX-License-Identifier: Apache-2.0
// The frame of every tool: a parser that knows the options which all tools share, and one way to print errors.
//
//   int FooMain(Arguments args, ToolIo& io) {
//     Tool tool({.name = "foo", .summary = "...", .examples = "  foo -i disk.img\n"}, io);
//     FooOptions options;
//     AddFooOptions(tool, &options);          // separate, so that a test can compare them with the manual page
//     if (const auto exit = tool.Parse(args)) return *exit;
//     ...
//     return tool.Fail("clone a b", status);  // "foo: clone a b: a: No such file or directory"
//   }
//
// One thread.
#pragma once

#include <absl/status/status.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "exit_code.h"
#include "tool_io.h"

namespace betr::tools {

struct ToolDescription {
  std::string name;      // as it is called: "mkfs.betr"
  std::string summary;   // one sentence
  std::string examples;  // lines of the shell, indented by two
  int usage_exit = kExitUsage;
  int failed_exit = kExitFailed;  // when the output could not be written
  std::string may_be_empty{};     // the operand that may be: no option and no other operand
};

class Tool {
 public:
  // Adds --help, --version, -q and -v. `io` must outlive this.
  Tool(const ToolDescription& description, ToolIo& io);
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  CLI::App& app() { return app_; }
  ToolIo& io() const { return io_; }
  const std::string& name() const { return name_; }

  // --- options that several tools have -----------------------------------------------------------------------
  // Adds --json.
  void AddJson();
  // Adds -i IMAGE. Parse takes it from BETR_IMAGE if neither it nor any of `instead` is given.
  void AddImage(std::vector<std::string> instead = {});
  // Adds an option of any kind. If `read` returns an error for its text, that is printed with the option's name in
  // front.
  using Reader = std::function<absl::Status(const std::string& text)>;
  CLI::Option* AddParsed(const std::string& names, Reader read, const std::string& help);
  // Adds a number of bytes with an optional suffix, as ParseSize reads it. It must be more than 0.
  CLI::Option* AddSize(const std::string& names, Bytes* size, const std::string& help);

  // Reads the command line. Returns an exit code if there is nothing left to do: after --help, after --version, and
  // after a wrong command line. For a wrong one it has printed an error, first of all about what it does not know.
  //
  // An option or operand that is empty makes a wrong command line. It may come from a shell variable that was never
  // set, and would count as not given.
  std::optional<int> Parse(Arguments args);

  // --- what was asked for --------------------------------------------------------------------------------------
  bool quiet() const { return quiet_; }
  int verbosity() const { return verbosity_; }  // 0; 1 for -v; 2 for -vv
  bool json() const { return json_; }
  const std::string& image() const { return image_; }                // empty if neither -i nor BETR_IMAGE said it
  bool is_image_given() const { return app_.count("--image") > 0; }  // by -i

  // --- errors: "tool: what: where: why" on stderr ----------------------------------------------------------------
  // Prints the error; the message of a status is "where: why". On a terminal, what is not text is escaped. Returns
  // ExitCodeOf(status).
  int Fail(std::string_view what, const absl::Status& status);
  void PrintError(std::string_view text);
  // Prints an error of the command line that the parser could not find. Returns the exit code for it.
  int UsageError(std::string_view text);
  // Prints a part of the output; the stream may write it out before the end. Returns false if nothing more can be
  // printed; Finish says why.
  bool Print(std::string_view bytes);
  // Ends the program: flushes stdout and, with -v, says how much time and memory it took. Returns `exit`. If stdout
  // could not be written, prints an error in any case, and returns `failed_exit` if `exit` is 0.
  int Finish(int exit);
  // Prints a line on stderr, unless -q: what the user should know but did not ask for.
  void Note(std::string_view text);

 private:
  std::string Explain(const CLI::ParseError& error) const;
  // Returns the name of the first empty argument; nothing if there is none. The parser cannot tell, as it lets
  // "--option=" take the next argument.
  std::optional<std::string> FindEmptyArgument(Arguments args) const;
  // Flushes stdout. Returns why something could not be written to it, or nothing.
  std::string OutputError();
  // As Finish, but without what -v says.
  int FinishOutput(int exit);

  ToolIo& io_;
  const std::string name_;
  const std::string may_be_empty_;
  const int usage_exit_;
  const int failed_exit_;
  const std::chrono::nanoseconds begun_;  // of the monotonic clock
  CLI::App app_;
  bool quiet_ = false;
  int verbosity_ = 0;
  int output_error_ = 0;  // of Print
  bool json_ = false;
  bool has_image_ = false;
  std::vector<std::string> instead_of_image_;
  std::string image_;
};

// Accepts whole numbers from 0. Without it the parser would take numbers below 0, and those that do not fit, for the
// largest one.
CLI::Validator WholeNumber();

}  // namespace betr::tools
