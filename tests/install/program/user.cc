// SPDX-License-Identifier: Apache-2.0
// What a user of an installed libbetr writes: makes a store, clones a range in it, ends, and finds all of it again.
#include <betr/store.h>
#include <betr/version.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <string>

namespace {

int failures = 0;

void Expect(bool holds, const char* what) {
  if (!holds) {
    std::cerr << "user: not so: " << what << '\n';
    ++failures;
  }
}

void Write(const std::string& image) {
  const auto store = betr::Store::OpenImage(image, {});
  Expect(store.ok(), "the image opens");
  if (!store.ok()) return;
  const betr::TreeId tree = (*store)->CreateTree("mail").value();
  Expect((*store)->Put(tree, "inbox/1", "hello").ok(), "a put succeeds");
  Expect((*store)->ClonePrefix(tree, "inbox/", tree, "archive/").ok(), "a clone succeeds");
  Expect((*store)->Put(tree, "inbox/1", "changed").ok(), "a put after the clone succeeds");
  Expect((*store)->Close().ok(), "the store closes");
}

void Read(const std::string& image) {
  betr::StoreOptions options;
  options.read_only = true;
  const auto store = betr::Store::OpenImage(image, options);
  Expect(store.ok(), "the image opens again");
  if (!store.ok()) return;
  const betr::TreeId tree = (*store)->FindTree("mail").value();
  Expect((*store)->Get(tree, "archive/1").value() == "hello", "the clone has what was there");
  Expect((*store)->Get(tree, "inbox/1").value() == "changed", "its source has what came later");
  int keys = 0;
  const auto cursor = (*store)->NewCursor(tree).value();
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++keys;
  Expect(keys == 2, "there are two keys");
}

}  // namespace

int main() {
  std::cout << "betr " << betr::LibraryVersion() << '\n';
  Expect(betr::LibraryVersion() == std::string(BETR_VERSION_STRING), "header and library are of one version");
  const std::string image = std::filesystem::temp_directory_path() / ("betr-user." + std::to_string(getpid()));
  betr::FormatOptions format;
  format.log_size = betr::MiB(16);
  Expect(betr::Store::CreateImage(image, betr::MiB(256), format).ok(), "an image can be made");
  Expect(betr::Store::CreateImage(image, betr::MiB(256), format).code() == absl::StatusCode::kAlreadyExists,
         "an image is not made over another");
  Write(image);
  Read(image);
  std::filesystem::remove(image);
  return failures == 0 ? 0 : 1;
}
