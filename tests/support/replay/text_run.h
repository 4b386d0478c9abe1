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
  // Lines without the number of a process get one. `root` is what is replayed.
  explicit TextRun(const std::vector<std::string>& lines, const std::string& root = "/w");

  // One more file, as -ff makes them; the first one is then that of thread 100.
  void AddFile(const std::string& suffix, const std::vector<std::string>& lines);
  // What was there before: lines of a manifest with blanks for tabs. Without any, the root alone.
  void SetManifest(const std::vector<std::string>& lines);
  // What the trace itself says of it.
  void TakeInferred() { initial_ = Infer(); }
  void SetSpeed(double speed) { options_.speed = speed; }
  void SetInitialUmask(uint32_t mask) { options_.initial_umask = mask; }
  void SetInitialDirectory(const std::string& path) { options_.initial_directory = path; }

  // Replays on the name space alone.
  void OnNothing();
  // Replays there and wants every outcome, and the final state, to be as the name space has it.
  void InImage();
  void InDirectory();
  // In a directory, whatever comes of it: only the replay as such must not fail.
  void InDirectorySomehow();
  // Converted, then replayed from that on the name space alone and in an image, and from its text: everything but the
  // times is as it was with the trace itself.
  void Converted();
  // By threads as in the trace, in a directory and in an image: everything but the times is as one after the other.
  void WithThreads();
  // All of these, as the trace says.
  void Everywhere();

  Manifest Infer() const;
  // The operations of a kind.
  std::vector<Operation> Operations(OperationKind kind) const;

  const RunResult& result() const { return result_; }
  // The objects at the end below the root: "f 0644 12 /w/a", with "->target" or "=n" (of n names) behind.
  std::vector<std::string> Final() const;

 private:
  void Run(Target* target);
  void RunOn(Target* target);
  std::unique_ptr<Target> NewDirectory(const std::string& name) const;
  void RunInImage(const std::string& name);
  std::string Convert(const std::vector<std::string>& traces) const;
  // Converted to text and back it is the same file.
  void ConvertedBack();

  TempDir dir_;
  RunOptions options_;
  Manifest initial_;
  RunResult result_;
};

// All that a replay tells, without times and what depends on them.
std::string Summary(const RunResult& result);

// As Final.
std::vector<std::string> Lines(const Manifest& manifest);

// What is inferred from the lines of a trace. Their replay must not doubt any of them, nor differ anywhere.
std::vector<std::string> InferredFully(const std::vector<std::string>& lines);

}  // namespace betr::replay
