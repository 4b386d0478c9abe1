// SPDX-License-Identifier: Apache-2.0
// Controls how the allocator deals with memory. What it keeps of freed memory counts as used, whatever a cache's budget
// says.
#pragma once

namespace betr {

// Tunes malloc. For programs, to be called as they begin. All threads share one arena of glibc's malloc. Buffers of
// many sizes are made in one thread and freed in another. An arena for each thread would be left full of holes, in all
// as large as what is in use.
//
// The arena's end is not given back each time. Requests and nodes, of a mebibyte or more, do not each get a mapping of
// their own. New pages cost more than copying into them: tuned like this, copying a tree into an image takes half the
// time.
void TuneMalloc();

// Gives freed memory back to the system if the process has become larger by some 32 MiB since it was smallest after the
// last time. To be called again and again while large buffers come and go. Threads: any. Takes up to some 10 ms if
// there is something to give back; meanwhile others may wait for memory. Both functions do nothing with other C
// libraries.
void TrimFreeMemory();

}  // namespace betr
