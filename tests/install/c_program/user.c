// SPDX-License-Identifier: Apache-2.0
// What a user of an installed libbetr writes in C: makes a store, clones a range in it, ends, and finds all of it
// again.
#include <betr/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void Must(betr_code code, const char* what) {
  if (code == BETR_OK) return;
  fprintf(stderr, "user: %s: %s: %s\n", what, betr_code_name(code), betr_error_message());
  exit(1);
}

static void Write(const char* image) {
  betr_store* store = NULL;
  betr_tree tree = 0;
  Must(betr_open_image(image, NULL, &store), "open");
  Must(betr_create_tree(store, "mail", 4, NULL, &tree), "create a tree");
  Must(betr_put(store, tree, "inbox/1", 7, "hello", 5), "put");
  Must(betr_clone_prefix(store, tree, "inbox/", 6, tree, "archive/", 8), "clone");
  Must(betr_put(store, tree, "inbox/1", 7, "changed", 7), "put after the clone");
  Must(betr_close(store), "close");
  betr_store_free(store);
}

static int Read(const char* image) {
  const betr_open_options options = {.struct_size = sizeof options, .flags = BETR_READ_ONLY};
  betr_store* store = NULL;
  betr_tree tree = 0;
  void* value = NULL;
  size_t size = 0;
  Must(betr_open_image(image, &options, &store), "open again");
  Must(betr_find_tree(store, NULL, "mail", 4, &tree), "find the tree");
  Must(betr_get(store, NULL, tree, "archive/1", 9, &value, &size), "get");
  const int same = value != NULL && size == 5 && memcmp(value, "hello", 5) == 0;
  betr_free(value);
  betr_store_free(store);
  return same;
}

int main(int count, char** arguments) {
  const betr_format_options format = {.struct_size = sizeof format, .log_size = 16 << 20};
  if (count != 2) return 2;
  printf("betr %s, from C\n", betr_version());
  Must(betr_create_image(arguments[1], 256 << 20, &format), "make an image");
  Write(arguments[1]);
  if (Read(arguments[1])) return 0;
  fprintf(stderr, "user: the clone does not have what was there\n");
  return 1;
}
