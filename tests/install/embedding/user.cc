// SPDX-License-Identifier: Apache-2.0
// The examples in C++ of docs/embedding.md: fragments.awk makes the files without a folder that are included here.
// Prints what the examples come upon.
#include <betr/filesystem.h>
#include <betr/fs_error.h>
#include <betr/path_filesystem.h>
#include <betr/store.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace betr;  // NOLINT: as in the document, where names stand alone

namespace {

void Must(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << "embedding: " << status << '\n';
  std::exit(1);
}

template <typename T>
void Must(const absl::StatusOr<T>& result) {
  Must(result.status());
}

void Use(std::string_view key, std::string_view value) { std::cout << key << '=' << value << '\n'; }

void Use(std::string_view key, std::optional<std::string_view> before, std::optional<std::string_view> after) {
  std::cout << key << ": " << before.value_or("nothing") << ", " << after.value_or("nothing") << '\n';
}

absl::Status Entries(Store* store, TreeId tree) {
#include "block1.cpp"
}

void Changes(Store* store, TreeId tree) {
#include "block2.cpp"
}

void UseStore(const std::string& path) {
#include "store.cpp"
  Must(store->Put(tree, "in/1", "hi"));
  Must(store->Put(tree, "in/2", "new"));
  Must(Entries(store.get(), tree));
  Changes(store.get(), tree);
#include "store_end.cpp"
}

void UseFileSystem(const std::string& path) {
  std::vector<char> space(16);
  const std::span<char> buffer(space);
  const absl::Status status;
  const auto visit = [](const EntryDifference& difference) {
    std::cout << difference.path << '\n';
    return absl::OkStatus();
  };
#include "files.cpp"
  Must(paths.WriteFile("copy/added", ""));
  Must(paths.FindDifferences("a", "copy", visit));
  std::cout << std::string_view(space.data()) << '\n';
#include "files_end.cpp"
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::string image = arguments[1];
  UseStore(image + ".store");
  UseFileSystem(image + ".files");
  return 0;
}
