/* SPDX-License-Identifier: Apache-2.0 */
/* As betr/mount_ioctl.h shows it, in C and without a library: differences BEFORE AFTER prints the paths. */
#include <betr/mount_ioctl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  return 1;
}

int main(int argc, char** argv) {
  struct betr_compare compare = {0};
  struct betr_differences answer;
  int before = argc == 3 ? open(argv[1], O_RDONLY) : -1;
  int after = argc == 3 ? open(argv[2], O_RDONLY) : -1;
  if (before < 0 || after < 0) return fail("open");
  if (ioctl(after, BETR_IOC_SOURCE, &compare.after) != 0) return fail("source");
  if (ioctl(before, BETR_IOC_COMPARE, &compare) != 0) return fail("compare");
  do {
    __u32 at = 0;
    if (ioctl(before, BETR_IOC_DIFFERENCES, &answer) != 0) return fail("differences");
    while (at < answer.size) {
      const struct betr_difference* one = (const struct betr_difference*)(answer.records + at);
      puts((const char*)(one + 1));
      at += one->size;
    }
  } while (!answer.is_last);
  return 0;
}
