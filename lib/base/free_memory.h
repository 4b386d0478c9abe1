// SPDX-License-Identifier: Apache-2.0
// How the allocator deals with memory: what it keeps of what was freed counts as used, whatever a cache's budget says.
#pragma once

namespace betr {

// For programs, as they begin. All threads share one arena of glibc's malloc: buffers of many sizes that are made in
// one thread and freed in another would leave an arena of each thread full of holes, in all as large as what is in use.
// And neither is the arena's end given back each time, nor do requests and nodes, of a mebibyte or more, get a mapping
// of their own each: new pages cost more than to copy into them. Copying a tree into an image takes half of the time
// so.
void TuneMalloc();

// Gives freed memory back to the system if the process has become larger by some 32 MiB since it was smallest after the
// last time. To be called again and again while large buffers come and go. Any thread; takes up to some 10 ms if there
// is something to give back, during which others may wait for memory. Both do nothing with other C libraries.
void TrimFreeMemory();

}  // namespace betr
