// SPDX-License-Identifier: Apache-2.0
// A trace given as text, replayed on a name space alone, in an image, or in a directory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "replay/run.h"
#include "support/device/temp_dir.h"

namespace betr::replay {

class TextRun {
 public:
  // Lines without the number of a process get one. `root` is the directory that is replayed.
  explicit TextRun(const std::vector<std::string>& lines, const std::string& root = "/w");

  // Adds a file, as -ff makes them. The first file is then that of thread 100.
  void AddFile(const std::string& suffix, const std::vector<std::string>& lines);
  // Sets what was there before: lines of a manifest with blanks for tabs. Without any, only the root was there.
  void SetManifest(const std::vector<std::string>& lines);
  // Takes what the trace itself says was there before.
  void TakeInferred() { initial_ = Infer(); }
  void SetSpeed(double speed) { options_.speed = speed; }
  void SetInitialUmask(uint32_t mask) { options_.initial_umask = mask; }
  void SetInitialDirectory(const std::string& path) { options_.initial_directory = path; }

  // Replays only on the name space.
  void OnNothing();
  // Replays there. Every outcome, and the final state, must be as the name space has it.
  void InImage();
  void InDirectory();
  // Replays in a directory, with any outcome. Only the replay as such must not fail.
  void InDirectorySomehow();
  // Converts the trace, then replays the result on the name space alone and in an image, and also its text form.
  // Everything but the times must be as with the trace itself.
  void Converted();
  // Replays in threads as in the trace, in a directory and in an image. Everything but the times must be as when done
  // one after the other.
  void WithThreads();
  // Does all of these, as the trace says.
  void Everywhere();

  Manifest Infer() const;
  // Returns the operations of a kind.
  std::vector<Operation> Operations(OperationKind kind) const;

  const RunResult& result() const { return result_; }
  // Returns the objects below the root at the end: "f 0644 12 /w/a", followed by "->target" or "=n" (of n names).
  std::vector<std::string> Final() const;

 private:
  void Run(Target* target);
  void RunOn(Target* target);
  std::unique_ptr<Target> NewDirectory(const std::string& name) const;
  void RunInImage(const std::string& name);
  std::string Convert(const std::vector<std::string>& traces) const;
  // Checks that the file is the same after conversion to text and back.
  void ConvertedBack();

  TempDir dir_;
  RunOptions options_;
  Manifest initial_;
  RunResult result_;
};

// Returns everything that a replay tells, without times and what depends on them.
std::string Summary(const RunResult& result);

// As Final.
std::vector<std::string> Lines(const Manifest& manifest);

// Returns what is inferred from the lines of a trace. Their replay must not doubt any of them, nor differ anywhere.
std::vector<std::string> InferredFully(const std::vector<std::string>& lines);

}  // namespace betr::replay
