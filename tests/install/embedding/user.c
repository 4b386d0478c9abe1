// SPDX-License-Identifier: Apache-2.0
// The examples in C of docs/embedding.md: fragments.awk makes the files without a folder that are included here.
// Prints what the examples come upon.
#include <betr/c.h>
#include <betr/c_filesystem.h>
#include <stdio.h>
#include <stdlib.h>

static void Must(betr_code code) {
  if (code == BETR_OK) return;
  fprintf(stderr, "embedding: %s: %s\n", betr_code_name(code), betr_error_message());
  exit(1);
}

static void use(const void* key, size_t key_size, const void* value, size_t value_size) {
  printf("%.*s=%.*s\n", (int)key_size, (const char*)key, (int)value_size, (const char*)value);
}

static void Print(const void* value, size_t size) {
  if (value == NULL) {
    printf("nothing");
  } else {
    printf("%.*s", (int)size, (const char*)value);
  }
}

static void use_change(const void* key, size_t key_size, const void* before, size_t before_size, const void* after,
                       size_t after_size) {
  printf("%.*s: ", (int)key_size, (const char*)key);
  Print(before, before_size);
  printf(", ");
  Print(after, after_size);
  printf("\n");
}

static betr_code Entries(betr_store* store, betr_tree tree) {
#include "block1.c"
}

static betr_code Changes(betr_store* store, betr_tree tree) {
  betr_code code;
#include "block2.c"
  return code;
}

static void UseStore(const char* path) {
  betr_store* store;
  betr_tree tree;
  void* value;
  size_t size;
#include "store.c"
  Must(betr_put(store, tree, "in/1", 4, "hi", 2));
  Must(betr_put(store, tree, "in/2", 4, "new", 3));
  Must(Entries(store, tree));
  Must(Changes(store, tree));
  betr_free(value);
#include "store_end.c"
}

static bool visit(void* user, const betr_name_difference* difference) {
  (void)user;
  printf("%s\n", difference->path);
  return true;
}

static void UseFileSystem(const char* path) {
  betr_fs* fs;
  betr_file* file;
  char buffer[16] = "";
  size_t done;
  void* user = NULL;
#include "files.c"
  betr_file_free(file);
  Must(betr_fs_open(fs, "copy/added", BETR_OPEN_CREATE, NULL, &file));
  betr_file_free(file);
  Must(betr_fs_for_each_difference(fs, "a", "copy", visit, user));
  printf("%s\n", buffer);
#include "files_end.c"
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  char path[4096];
  snprintf(path, sizeof path, "%s.store", arguments[1]);
  UseStore(path);
  snprintf(path, sizeof path, "%s.files", arguments[1]);
  UseFileSystem(path);
  return 0;
}
