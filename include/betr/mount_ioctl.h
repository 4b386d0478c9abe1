/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clones on a mounted image, removal of trees, the space that they take, how they differ, its figures, which image it
 * is, and who serves it, for any program: C or C++, no library needed.
 *
 *   int source = open("project", O_RDONLY);             a directory or a regular file
 *   int target = open(".", O_RDONLY | O_DIRECTORY);     the directory that gets the clone
 *   struct betr_clone clone = {0};
 *   ioctl(source, BETR_IOC_SOURCE, &clone.source);
 *   strcpy(clone.name, "project-copy");
 *   ioctl(target, BETR_IOC_CLONE, &clone);
 *
 * The clone is the source with everything below it at one instant, data still in the kernel's caches included. Both
 * descriptors are of one mount, or the second call gives EBADF.
 *
 * Who may: whoever may create a name in the target directory, and is root or owns everything in the source and may
 * read it, and has no device nodes there. For others than root the tree is walked to see that, and walked again if
 * directories, or files of others, came to directories of theirs meanwhile.
 *
 * What is better not opened - a fifo, a socket, a device, a symbolic link - is named by its directory and its name
 * there; so may be anything else:
 *
 *   int parent = open("run", O_RDONLY | O_DIRECTORY);
 *   struct betr_clone_entry clone = {0};
 *   ioctl(parent, BETR_IOC_SOURCE, &clone.directory);
 *   strcpy(clone.entry, "fifo");
 *   strcpy(clone.name, "fifo-copy");
 *   ioctl(target, BETR_IOC_CLONE_ENTRY, &clone);
 *
 * Errors of BETR_IOC_CLONE: EBADF (the source's descriptor has been closed), EEXIST (also of "." and ".."), EINVAL
 * (flags, name), EACCES, EPERM, EBUSY (what is walked changes too often), ENAMETOOLONG (also of paths below the
 * source), ENOSPC, EROFS. ENOTTY: this is no mount of betr. Those of BETR_IOC_CLONE_ENTRY besides: ENOENT, ENOTDIR, and
 * EACCES also for a source's directory that may not be searched.
 *
 * The same by a script, on a directory or regular file as source, with a path from the mount's root, or a name beside
 * the source (of a file with several links: EINVAL):
 *   setfattr -n user.betr.clone -v /backup/project project
 *   setfattr -n user.betr.clone -v project-copy project
 */
#pragma once

#include <linux/ioctl.h>
#include <linux/types.h>

#define BETR_CLONE_XATTR "user.betr.clone"

struct betr_clone {
  __u64 source;   /* from BETR_IOC_SOURCE; good while that descriptor is open */
  __u32 flags;    /* 0 */
  __u32 reserved; /* 0 */
  char name[256]; /* of the clone: ends with NUL */
};

struct betr_clone_entry {
  __u64 directory; /* that the source is in: from BETR_IOC_SOURCE */
  __u32 flags;     /* 0 */
  __u32 reserved;  /* 0 */
  char entry[256]; /* of the source: ends with NUL */
  char name[256];  /* of the clone: ends with NUL */
};

/*
 * Removes a name and everything below it at once, on a descriptor of the directory that the name is in. What is open
 * lives on as after unlink(2) and rmdir(2), and who is in there stays in a directory that is gone.
 *
 *   int parent = open(".", O_RDONLY | O_DIRECTORY);
 *   struct betr_remove removal = {0};
 *   strcpy(removal.name, "project-copy");
 *   ioctl(parent, BETR_IOC_REMOVE, &removal);
 *
 * Who may: whoever may remove names from the directory (permission to write and search; the sticky bit), and is root or
 * owns the directory that is removed and all directories below, each with permission to read, write and search. For
 * others than root the tree is walked to see that.
 *
 * Errors: ENOENT, ENOTDIR (the descriptor), EINVAL (flags; a name that is empty, ".", "..", or contains '/'), EACCES,
 * EPERM (the sticky bit, a directory of somebody else), ENOSPC, EROFS. EBUSY: something is mounted in the tree, where
 * the server sees it (what is mounted in other namespaces only is unmounted, as by rmdir(2)); or directories are
 * moved so often that the walk is never true. ENOTTY: this is no mount of betr. Nothing is removed then; but after
 * ENOSPC names of files with several may be.
 */
struct betr_remove {
  __u32 flags;    /* 0 */
  __u32 reserved; /* 0 */
  char name[256]; /* ends with NUL */
};

/*
 * The space that files and directories, these with everything below, take together, on a descriptor of anything on the
 * mount.
 *
 *   int directory = open("project", O_RDONLY);
 *   struct betr_footprint footprint = {.count = 1};
 *   ioctl(directory, BETR_IOC_SOURCE, &footprint.sources[0]);
 *   ioctl(directory, BETR_IOC_FOOTPRINT, &footprint);
 *
 * Below a directory files that also have names elsewhere are left out. Who may: whoever could open them. A checkpoint
 * is made first, so that all has its size. Errors: EBADF (a descriptor has been closed), ENOENT (a directory that was
 * removed), EINVAL (flags, count), EIO (what cannot be read). ENOTTY: this is no mount of betr, or an earlier version.
 */
#define BETR_FOOTPRINT_SOURCES 256
struct betr_footprint {
  __u32 flags;                           /* 0 */
  __u32 reserved;                        /* 0 */
  __u64 count;                           /* of sources: 1 to BETR_FOOTPRINT_SOURCES */
  __u64 stored;                          /* answer: bytes of what is stored for them, whoever else uses it */
  __u64 exclusive;                       /* answer: of these, what comes back when all of them are removed */
  __u64 sources[BETR_FOOTPRINT_SOURCES]; /* from BETR_IOC_SOURCE; good while these descriptors are open */
};

/*
 * How a file or directory differs from another one, these with everything below: on a descriptor of the one before.
 *
 *   int before = open("project", O_RDONLY);
 *   int after = open("project-copy", O_RDONLY);
 *   struct betr_compare compare = {0};
 *   struct betr_differences answer;
 *   ioctl(after, BETR_IOC_SOURCE, &compare.after);
 *   ioctl(before, BETR_IOC_COMPARE, &compare);
 *   do {
 *     ioctl(before, BETR_IOC_DIFFERENCES, &answer);
 *     for (__u32 at = 0, size; at < answer.size; at += size) {
 *       const struct betr_difference *one = (const struct betr_difference *)(answer.records + at);
 *       puts((const char *)(one + 1));                  its path
 *       size = one->size;
 *     }
 *   } while (!answer.is_last);
 *
 * What is told, and in which order, betrcp(1) says under --diff, with -l. Both are compared as they were at
 * BETR_IOC_COMPARE, data still in the kernel's caches included. What clones share is passed over.
 *
 * A comparison belongs to the open file that it began on, with all descriptors that are copies of that one, until the
 * file is closed or the next one begins there. Each record is given once, whoever asks. What it compares keeps its
 * space meanwhile, so do not leave it: one that nobody has asked for ten seconds is given up when the image is short of
 * space, or when somebody begins one and there are BETR_COMPARISONS.
 *
 * Who may: root; the user whose process serves the mount, and who could read the image itself; and whoever owns both
 * with everything that was in them, and may read it (as for a clone, but devices do not matter): all names are read to
 * see that. That extended attributes differ is also told of those that only root can read (trusted.). Who asks with
 * BETR_IOC_DIFFERENCES has to be the user who began.
 *
 * Errors of BETR_IOC_COMPARE: EBADF (the other descriptor has been closed, or is of another mount), ENOENT (a directory
 * that was removed), ESTALE (another file that is gone), EPERM, EACCES, EBUSY (as many as there may be are going on),
 * ENOTSUP (an image with zones). Those of BETR_IOC_DIFFERENCES: EINVAL (none was begun), EPERM (somebody else did),
 * ETIMEDOUT (given up), ENAMETOOLONG (a path that a damaged image has). What was found before an error comes first, and
 * the error stays until the next comparison begins. Those of both: EIO, EUCLEAN (what cannot be read), ENOTCONN (the
 * mount ends). ENOTTY: this is no mount of betr, or an earlier version.
 */
#define BETR_COMPARISONS 32
struct betr_compare {
  __u64 after;    /* from BETR_IOC_SOURCE; good while that descriptor is open */
  __u32 flags;    /* 0 */
  __u32 reserved; /* 0 */
};

/* What a name is in one of the two, as stat(2) has it. */
struct betr_difference_side {
  __u32 mode; /* with the type; 0: it is not there */
  __u32 uid;
  __u32 gid;
  __u32 modified_nanoseconds;
  __s64 modified_seconds;
  __u64 size;
  __u64 device; /* st_rdev */
};

/* Of a directory that only one has, nothing below is told. */
struct betr_difference {
  __u32 size;    /* of the whole record, a multiple of 8: where the next one begins */
  __u32 differs; /* of two of one type: BETR_DIFFERS_...; what else differs, the sides say */
  struct betr_difference_side before;
  struct betr_difference_side after;
  /* The path below the two follows, without a slash in front, "" for themselves: ends with NUL. */
};
#define BETR_DIFFERS_CONTENT 1 /* bytes of a file, target of a symbolic link */
#define BETR_DIFFERS_XATTRS 2

struct betr_differences {
  __u32 size;    /* of all records; may be 0 before the end, too */
  __u32 is_last; /* 1: there is no more; else 0 */
  char records[16360] __attribute__((aligned(8)));
};

/*
 * Live figures of a mount, on a descriptor of anything on it: a JSON document as `betrdump --mounted DIR --json stat`
 * prints it, ended by NUL. For everyone.
 */
struct betr_stats {
  char json[8192];
};

/*
 * The image that is mounted, on a descriptor of anything on it: its path, without symbolic links, as the server had it
 * when it was mounted. Ended by NUL. For everyone.
 */
struct betr_image {
  char path[4096];
};

/*
 * The process that serves the mount, on a descriptor of anything on it. For everyone.
 */
struct betr_server {
  __u64 pid;           /* as processes of its own namespace have it */
  __u64 pid_namespace; /* the number (st_ino) of /proc/self/ns/pid there; 0: it does not know */
};

/* What names the file or directory behind a descriptor in a betr_clone. */
#define BETR_IOC_SOURCE _IOR(0xbe, 1, __u64)
/* On a descriptor of the directory that is to hold the clone. */
#define BETR_IOC_CLONE _IOW(0xbe, 2, struct betr_clone)
#define BETR_IOC_STATS _IOR(0xbe, 3, struct betr_stats)
/* As BETR_IOC_CLONE. */
#define BETR_IOC_CLONE_ENTRY _IOW(0xbe, 4, struct betr_clone_entry)
#define BETR_IOC_IMAGE _IOR(0xbe, 5, struct betr_image)
#define BETR_IOC_REMOVE _IOW(0xbe, 6, struct betr_remove)
#define BETR_IOC_SERVER _IOR(0xbe, 7, struct betr_server)
#define BETR_IOC_FOOTPRINT _IOWR(0xbe, 8, struct betr_footprint)
#define BETR_IOC_COMPARE _IOW(0xbe, 9, struct betr_compare)
#define BETR_IOC_DIFFERENCES _IOR(0xbe, 10, struct betr_differences)
