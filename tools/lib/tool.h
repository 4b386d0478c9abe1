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
  // Adds --help, --version, -q and -v. `io` outlives this.
  Tool(const ToolDescription& description, ToolIo& io);
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  CLI::App& app() { return app_; }
  ToolIo& io() const { return io_; }
  const std::string& name() const { return name_; }

  // --- options that several tools have -----------------------------------------------------------------------
  // --json
  void AddJson();
  // -i IMAGE. Parse fills it in from BETR_IMAGE if neither it nor any of these options is given.
  void AddImage(std::vector<std::string> instead = {});
  // An option of any kind: what `read` says against a text is the error, with the option's name in front.
  using Reader = std::function<absl::Status(const std::string& text)>;
  CLI::Option* AddParsed(const std::string& names, Reader read, const std::string& help);
  // A number of bytes with an optional suffix, as ParseSize reads it, and more than none.
  CLI::Option* AddSize(const std::string& names, Bytes* size, const std::string& help);

  // Reads the command line. An exit code if there is nothing left to do: after --help and --version, and after a
  // wrong command line, about which it has printed an error: first about what it does not know. An option or operand
  // that is empty, as a variable of the shell is that was never set, is wrong: it would count as one that is not given.
  std::optional<int> Parse(Arguments args);

  // --- what was asked for --------------------------------------------------------------------------------------
  bool quiet() const { return quiet_; }
  int verbosity() const { return verbosity_; }  // 0; 1 for -v; 2 for -vv
  bool json() const { return json_; }
  const std::string& image() const { return image_; }  // empty if neither -i nor BETR_IMAGE said it

  // --- errors: "tool: what: where: why" on stderr ----------------------------------------------------------------
  // Prints the error; the message of a status is "where: why". Returns ExitCodeOf(status). A terminal gets what is no
  // text escaped.
  int Fail(std::string_view what, const absl::Status& status);
  void PrintError(std::string_view text);
  // A wrong command line that the parser could not find: prints, returns the exit code for it.
  int UsageError(std::string_view text);
  // Prints what the stream may not keep until the end. False if nothing more can be printed; Finish says why.
  bool Print(std::string_view bytes);
  // Ends the program: flushes stdout, with -v says what time and memory it took. Returns `exit`; or if that is 0, and
  // stdout could not be written, of which there is a message in any case, `failed_exit`.
  int Finish(int exit);
  // A line on stderr, unless -q: what the user should know but did not ask for.
  void Note(std::string_view text);

 private:
  std::string Explain(const CLI::ParseError& error) const;
  // Its name; nothing if there is none. What the parser does with "--option=" is to take the next argument.
  std::optional<std::string> FindEmptyArgument(Arguments args) const;
  // Flushes stdout. Why something could not be written to it, or nothing.
  std::string OutputError();
  // As Finish, without what -v says.
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

// For options that are numbers from 0: the parser would take what is below it, or does not fit, for the largest one.
CLI::Validator WholeNumber();

}  // namespace betr::tools
