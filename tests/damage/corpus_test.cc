// SPDX-License-Identifier: Apache-2.0
// fsck.betr on the corpus: what it finds, what it does about it with -y, that a second run is clean, that --undo-apply
// brings the damage back. All that it prints is kept in expected/; BETR_UPDATE_EXPECTED=1 writes it anew.
#include "support/damage/corpus.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/random.h"
#include "fsck.h"
#include "support/damage/scattered.h"
#include "support/device/temp_dir.h"
#include "support/expected.h"
#include "support/seed.h"
#include "support/tools/run_tool.h"

namespace betr::test {
namespace {

int Fsck(tools::Arguments args, tools::ToolIo& io) {
  const std::atomic<bool> is_cancelled = false;
  return tools::FsckMain(args, io, is_cancelled);
}

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content(std::istreambuf_iterator<char>(file), {});
  // The note about the owner is no part of the image.
  content.replace(layout::kOwnerOffset.value, layout::kUnit.value, layout::kUnit.value, '\0');
  return content;
}

void CheckUndo(tools::ToolRun& run, const std::string& image, const std::string& undo, const std::string& before) {
  CHECK(run.Run(Fsck, {"--undo-apply", undo, image}) == 0);
  CHECK(ContentOf(image) == before);
}

void ReplaceAll(std::string* text, const std::string& from, std::string_view to) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

// What a repair prints but for its last line, as a dry run of it must print it.
std::string AsDryRun(std::string text) {
  for (const auto& [said, would] : {std::pair("\nrepaired: ", "\nwould repair: "),
                                    {"\nlost: ", "\nwould be lost: "},
                                    {"\ngiving up: ", "\nwould give up: "}}) {
    ReplaceAll(&text, said, would);
  }
  return text;
}

std::string WithoutLastLine(const std::string& text) { return text.substr(0, text.rfind('\n', text.size() - 2) + 1); }

// Checksums are of bytes that tell when and by what version an image was made, and what the compressor made of it.
void HideChecksums(std::string* text) {
  constexpr size_t kDigits = 16;
  constexpr std::string_view kHex = "0123456789abcdef";
  for (size_t at = 0; (at = text->find_first_of(kHex, at)) != std::string::npos;) {
    const size_t end = std::min(text->find_first_not_of(kHex, at), text->size());
    const bool is_checksum = end - at == kDigits;
    if (is_checksum) text->replace(at, kDigits, "#");
    at = is_checksum ? at + 1 : end;
  }
}

// What a run has printed, wherever the image is.
std::string Report(std::string_view command, const tools::ToolRun& run, const std::string& image) {
  std::string text = "$ fsck.betr " + std::string(command) + "image\n" + run.out + run.err;
  ReplaceAll(&text, image, "image");
  HideChecksums(&text);
  return text + "exit " + std::to_string(run.exit) + "\n";
}

// Returns what was printed of it.
std::string RunCase(const Subject& subject, const DamageCase& test) {
  const TempDir dir;
  const std::string image = dir.File("image");
  Bench bench(subject);
  test.damage(bench);
  bench.Save(image);
  const std::string before = ContentOf(image);

  tools::ToolRun look;
  const int exit = look.Run(Fsck, {image});
  INFO(test.name << "\nlook:\n" << look.out << look.err);
  CHECK(exit == test.exit);
  CHECK((look.out + look.err).find(test.finds) != std::string::npos);
  CHECK(ContentOf(image) == before);

  tools::ToolRun dry;
  const int exit_dry = dry.Run(Fsck, {"-y", "--dry-run", image});
  INFO("dry run:\n" << dry.out << dry.err);
  CHECK(ContentOf(image) == before);

  tools::ToolRun repair;
  const std::string undo = dir.File("undo");
  const int exit_repair = repair.Run(Fsck, {"-y", "--undo", undo, image});
  INFO("repair:\n" << repair.out << repair.err);
  CHECK(exit_repair == test.exit_repair);
  CHECK((repair.out + repair.err).find(test.does) != std::string::npos);
  CHECK((repair.out.find("lost: ") != std::string::npos) == test.is_lossy);
  CHECK(WithoutLastLine(dry.out) == WithoutLastLine(AsDryRun("\n" + repair.out)).substr(1));
  CHECK(exit_dry == (test.exit_repair == 0 ? 0 : 4));

  tools::ToolRun again;
  const int exit_again = again.Run(Fsck, {"-f", image});
  INFO("again:\n" << again.out << again.err);
  std::string report = Report("", look, image) + Report("-y ", repair, image) + Report("-f ", again, image);
  if (test.exit_repair == 4) {
    CHECK(exit_again == 4);
    CHECK(ContentOf(image) == before);
    return report;
  }
  CHECK(exit_again == 0);
  CHECK(again.out.find(": clean, ") != std::string::npos);
  CheckUndo(again, image, undo, before);
  return report;
}

void RunCases(const std::string& group, const Subject& subject, const std::vector<DamageCase>& cases) {
  ExpectedTexts expected("damage/expected/" + group + ".txt");
  for (const DamageCase& test : cases) expected.Check(test.name, RunCase(subject, test));
  expected.Finish();
}

TEST_CASE("damaged superblocks: found, repaired, clean", "[damage][corpus]") {
  RunCases("superblocks", ClosedStore(), SuperblockCases());
}

TEST_CASE("states that may be older: found, gone on with, clean", "[damage][corpus]") {
  RunCases("older_states", CrashedStore(), OlderStateCases());
}

TEST_CASE("damaged node tables and catalogs: found, repaired, clean", "[damage][corpus]") {
  RunCases("tables", ClosedStore(), TableCases());
}

TEST_CASE("damaged nodes: found, repaired, clean", "[damage][corpus]") {
  RunCases("nodes", ClosedStore(), NodeCases());
}

TEST_CASE("damaged logs: found, repaired, clean", "[damage][corpus]") { RunCases("logs", CrashedStore(), LogCases()); }

TEST_CASE("damaged records of a file system: found, repaired, clean", "[damage][corpus]") {
  RunCases("files", FileSystemImage(), FileCases());
  RunCases("lost_and_found", FileSystemImage(), LostAndFoundCases());
}

TEST_CASE("damaged nodes of a file system: found, repaired, clean", "[damage][corpus]") {
  RunCases("file_nodes", FileSystemImage(), FileStoreCases());
}

// Some structures overwritten, some bytes flipped.
std::string DamageAtRandom(Bench& bench, Random& random, const std::vector<Structure>& structures) {
  std::string what;
  for (uint64_t n = 1 + random.Uniform(5); n > 0; --n) {
    const Structure& structure = random.Pick(structures);
    what += structure.name + ", ";
    if (random.OneIn(2)) {
      bench.Flip(structure, random.Uniform(structure.size.value));
    } else {
      bench.Put(structure, random.String(1 + random.Uniform(structure.extent.value)));
    }
  }
  return what;
}

void RepairAtRandom(const Subject& subject, int rounds) {
  const TempDir dir;
  const std::string image = dir.File("image");
  Random random(TestSeed());
  MemoryDevice sound(subject.size, subject.image);
  const std::vector<Structure> structures = StructuresOf(sound);
  for (int i = 0; i < rounds; ++i) {
    Bench bench(subject);
    const std::string what = DamageAtRandom(bench, random, structures);
    bench.Save(image);
    tools::ToolRun repair;
    const int exit = repair.Run(Fsck, {"-y", image});
    INFO(subject.name << ", round " << i << ": " << what << "\n" << repair.out << repair.err);
    REQUIRE((exit == 0 || exit == 1));
    tools::ToolRun again;
    REQUIRE(again.Run(Fsck, {"-f", image}) == 0);
    REQUIRE(again.out.find(": clean, ") != std::string::npos);
  }
}

TEST_CASE("whatever is damaged, fsck -y leaves nothing to find", "[damage][repair]") {
  const int rounds = static_cast<int>(30 * TestScale());
  for (const Subject& subject : {ClosedStore(), CrashedStore(), BulkStore(), FileSystemImage(), ScatteredStore()}) {
    RepairAtRandom(subject, rounds);
  }
}

TEST_CASE("the corpus has the size that it should have", "[damage][corpus]") {
  const size_t cases = SuperblockCases().size() + OlderStateCases().size() + TableCases().size() + NodeCases().size() +
                       LogCases().size() + FileCases().size() + LostAndFoundCases().size() + FileStoreCases().size();
  CHECK(cases >= 60);
}

}  // namespace
}  // namespace betr::test
