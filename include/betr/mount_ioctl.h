/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ioctls of a mounted image, for programs in C or C++; no library is needed. They clone and remove trees, say how
 * much space trees take and how they differ, and return the figures of the mount, its image and its server.
 *
 * ENOTTY from any of them means that this is no mount of betr. From BETR_IOC_FOOTPRINT, BETR_IOC_COMPARE and
 * BETR_IOC_DIFFERENCES it may also mean a mount of an earlier version.
 *
 *   int source = open("project", O_RDONLY);             a directory or a regular file
 *   int target = open(".", O_RDONLY | O_DIRECTORY);     the directory that gets the clone
 *   struct betr_clone clone = {0};
 *   ioctl(source, BETR_IOC_SOURCE, &clone.source);
 *   strcpy(clone.name, "project-copy");
 *   ioctl(target, BETR_IOC_CLONE, &clone);
 *
 * The clone is the source with everything below it at one instant, including data still in the kernel's caches. Both
 * descriptors must be of one mount; otherwise the second call returns EBADF.
 *
 * Permissions: the caller must be allowed to create a name in the target directory. Unless it is root, it must also own
 * everything in the source, be allowed to read it, and have no device nodes there. To check this, the tree is walked.
 * It is walked again if directories, or files of others, came into directories of the caller meanwhile.
 *
 * What is better not opened (a fifo, a socket, a device, a symbolic link) is named by its directory and its name there.
 * Anything else may be named like that, too:
 *
 *   int parent = open("run", O_RDONLY | O_DIRECTORY);
 *   struct betr_clone_entry clone = {0};
 *   ioctl(parent, BETR_IOC_SOURCE, &clone.directory);
 *   strcpy(clone.entry, "fifo");
 *   strcpy(clone.name, "fifo-copy");
 *   ioctl(target, BETR_IOC_CLONE_ENTRY, &clone);
 *
 * Errors of BETR_IOC_CLONE: EBADF (the source's descriptor has been closed), ENOENT (the source or the target directory
 * was removed), ENOTDIR (the target is no directory), EEXIST (also for "." and ".."), EINVAL (flags, name), EACCES,
 * EPERM, EBUSY (the tree changes too often to be walked), ENAMETOOLONG (also for paths below the source), ENOSPC,
 * EROFS. BETR_IOC_CLONE_ENTRY: also ENOENT for the entry, ENOTDIR for the directory of the source, and EACCES if that
 * may not be searched.
 *
 * Scripts can clone a directory or regular file with an extended attribute. Its value is a path from the root of the
 * mount, or a name beside the source (EINVAL for a file with several links):
 *   setfattr -n user.betr.clone -v /backup/project project
 *   setfattr -n user.betr.clone -v project-copy project
 */
#pragma once

#include <linux/ioctl.h>
#include <linux/types.h>

#define BETR_CLONE_XATTR "user.betr.clone"

struct betr_clone {
  __u64 source;   /* from BETR_IOC_SOURCE; valid while that descriptor is open */
  __u32 flags;    /* 0 */
  __u32 reserved; /* 0 */
  char name[256]; /* of the clone; ends with NUL */
};

struct betr_clone_entry {
  __u64 directory; /* of the source, from BETR_IOC_SOURCE */
  __u32 flags;     /* 0 */
  __u32 reserved;  /* 0 */
  char entry[256]; /* name of the source in it; ends with NUL */
  char name[256];  /* of the clone; ends with NUL */
};

/*
 * Removes a name and everything below it at once. The descriptor is of the directory that the name is in. Open files
 * live on as after unlink(2) and rmdir(2). A process whose working directory is in the tree stays in a removed
 * directory.
 *
 *   int parent = open(".", O_RDONLY | O_DIRECTORY);
 *   struct betr_remove removal = {0};
 *   strcpy(removal.name, "project-copy");
 *   ioctl(parent, BETR_IOC_REMOVE, &removal);
 *
 * Permissions: the caller must be allowed to remove names from the directory (permission to write and search, and the
 * sticky bit). Unless it is root, it must also own the directory that is removed and all directories below, each with
 * permission to read, write and search. To check this, the tree is walked.
 *
 * Errors: ENOENT, ENOTDIR (the descriptor), EINVAL (flags; a name that is empty, ".", "..", or contains '/'), EACCES,
 * EPERM (the sticky bit, a directory of another user), ENOSPC, EROFS. EBUSY: something is mounted in the tree, visibly
 * to the server, or directories are moved too often for the tree to be walked. What is mounted in other namespaces only
 * is unmounted, as by rmdir(2). After an error all directories are still there. ENOSPC, EIO and EUCLEAN may come after
 * names of files were removed that have several names, or that somebody has open.
 */
struct betr_remove {
  __u32 flags;    /* 0 */
  __u32 reserved; /* 0 */
  char name[256]; /* ends with NUL */
};

/*
 * Returns the space that files and directories take together, with everything below. The descriptor is of anything on
 * the mount.
 *
 *   int directory = open("project", O_RDONLY);
 *   struct betr_footprint footprint = {.count = 1};
 *   ioctl(directory, BETR_IOC_SOURCE, &footprint.sources[0]);
 *   ioctl(directory, BETR_IOC_FOOTPRINT, &footprint);
 *
 * Below a directory, files that also have names elsewhere are left out. Anyone who could open them may ask. A
 * checkpoint is made first, so that everything has its size. Errors: EBADF (a descriptor has been closed), ENOENT (a
 * directory that was removed), EINVAL (flags, count), EIO (something cannot be read).
 */
#define BETR_FOOTPRINT_SOURCES 256
struct betr_footprint {
  __u32 flags;                           /* 0 */
  __u32 reserved;                        /* 0 */
  __u64 count;                           /* of sources: 1 to BETR_FOOTPRINT_SOURCES */
  __u64 stored;                          /* answer: bytes stored for them, whoever else uses them */
  __u64 exclusive;                       /* answer: of these, what comes back when all of the sources are removed */
  __u64 sources[BETR_FOOTPRINT_SOURCES]; /* from BETR_IOC_SOURCE; valid while these descriptors are open */
};

/*
 * Returns how a file or directory differs from another one, with everything below. The descriptor is of the one before.
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
 * What is reported, and in which order, is said in betrcp(1) under --diff, with -l. Both are compared as they were at
 * BETR_IOC_COMPARE, including data still in the kernel's caches. What clones share is skipped.
 *
 * A comparison belongs to the open file on which it was begun, including all descriptors that are copies of it. It
 * lasts until the file is closed or the next comparison begins there. Each record is returned once, whoever asks.
 * Meanwhile, what is compared keeps its space, so do not abandon a comparison. One that nobody has read from for ten
 * seconds is given up if the image is short of space, or if somebody begins one and there are BETR_COMPARISONS.
 *
 * Permissions: root may compare. So may the user whose process serves the mount, who could read the image itself. So
 * may a user who owns both with everything that was in them, and may read it (as for a clone, but devices do not
 * matter); to check that, all names are read. Differing extended attributes are reported even if only root can read
 * them (trusted.). BETR_IOC_DIFFERENCES must be called by the user who began the comparison.
 *
 * Errors of BETR_IOC_COMPARE: EBADF (the other descriptor has been closed, or is of another mount), ENOENT (a directory
 * that was removed), ESTALE (any other file that is gone), EPERM, EACCES, EBUSY (BETR_COMPARISONS are in use),
 * ENOTSUP (an image with zones). Errors of BETR_IOC_DIFFERENCES: EINVAL (none was begun), EPERM (another user began
 * it), ETIMEDOUT (given up), ENAMETOOLONG (a path in a damaged image). What was found before an error is returned
 * first. The error stays until the next comparison begins. Errors of both: EIO, EUCLEAN (something cannot be read),
 * ENOTCONN (the mount ends).
 */
#define BETR_COMPARISONS 32
struct betr_compare {
  __u64 after;    /* from BETR_IOC_SOURCE; valid while that descriptor is open */
  __u32 flags;    /* 0 */
  __u32 reserved; /* 0 */
};

/* A name in one of the two, as stat(2) shows it. */
struct betr_difference_side {
  __u32 mode; /* with the type; 0: the name is not there */
  __u32 uid;
  __u32 gid;
  __u32 modified_nanoseconds;
  __s64 modified_seconds;
  __u64 size;
  __u64 device; /* st_rdev */
};

/* If only one of the two has a directory, nothing below it is reported. */
struct betr_difference {
  __u32 size;    /* of the whole record, a multiple of 8: where the next one begins */
  __u32 differs; /* if both have one type: BETR_DIFFERS_...; the sides show what else differs */
  struct betr_difference_side before;
  struct betr_difference_side after;
  /* The path relative to the two follows, without a leading slash; "" for the two themselves. It ends with NUL. */
};
#define BETR_DIFFERS_CONTENT 1 /* bytes of a file, target of a symbolic link */
#define BETR_DIFFERS_XATTRS 2

struct betr_differences {
  __u32 size;    /* of all records; may be 0 even before the end */
  __u32 is_last; /* 1 if there are no more, else 0 */
  char records[16360] __attribute__((aligned(8)));
};

/*
 * Returns live figures of a mount: a JSON document as `betrdump --mounted DIR --json stat` prints it, ended by NUL. The
 * descriptor is of anything on the mount. Anyone may ask.
 */
struct betr_stats {
  char json[8192];
};

/*
 * Returns the path of the mounted image, without symbolic links, as it was for the server at the time of mounting. It
 * is ended by NUL. The descriptor is of anything on the mount. Anyone may ask.
 */
struct betr_image {
  char path[4096];
};

/*
 * Returns the process that serves the mount. The descriptor is of anything on the mount. Anyone may ask.
 */
struct betr_server {
  __u64 pid;           /* as seen in the server's own namespace */
  __u64 pid_namespace; /* the number (st_ino) of /proc/self/ns/pid there; 0 if the server does not know it */
};

/* Returns what identifies the file or directory behind a descriptor, for betr_clone and the others. */
#define BETR_IOC_SOURCE _IOR(0xbe, 1, __u64)
/* The descriptor is of the directory that gets the clone. */
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
