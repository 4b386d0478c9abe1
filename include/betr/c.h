// SPDX-License-Identifier: Apache-2.0
// The store in C11, for programs in C and for bindings of other languages: named trees of byte-string keys ordered by
// memcmp, with batches, clones, snapshots and differences. betr_x is Store::X of betr/store.h, which tells more of
// durability, limits and cost; docs/embedding.md has examples. The file system is in betr/c_filesystem.h. Not in C:
// devices of one's own, experiments.
//
// Errors. A function that can fail returns a betr_code; the text is in betr_error_message(). Nothing has happened then,
// unless its comment says otherwise, and what it would have returned through pointers is 0 or null. A handle or a
// pointer for a result that is null, and bytes that are null with a size, are BETR_INVALID_ARGUMENT. No exception gets
// out: if memory runs out the process ends, as a crash is what a store recovers from, and a change that is half made in
// memory is not.
//
// Bytes, such as keys and values, are a pointer and a size; the pointer may be null if the size is 0. They are copied.
// Bytes that are returned are not null, even if there are 0 of them: null says that there are none, and is no error.
// Strings, such as paths, end with a zero byte.
//
// Ownership. Who is given a handle frees it once with the function named ..._free, and bytes with betr_free; null is
// allowed there. Views, cursors and differences keep their store alive: handles may be freed in any order, and the
// image is unlocked when the last one has gone. Any other use of what was freed is undefined.
//
// Threads. A store and its views may be used by any number of threads at once; a batch, a cursor, a difference by one
// at a time. Each thread has an error message of its own. Of fork see betr/store.h.
//
// ABI. As long as the library's soname is the same, functions, codes and flags keep their meaning, and new ones come
// beside them. A struct with a `struct_size` may get fields at its end: set it to sizeof, and all that is not used to
// 0, which is always the default:
//   betr_open_options options = {.struct_size = sizeof options, .cache_size = 64 << 20};
// The library takes missing fields for 0; fields that it does not know must be 0, or it is BETR_INVALID_ARGUMENT. Of
// what it returns it fills as much as there is place for, and sets the rest to 0. Other structs stay as they are.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum betr_code {
  BETR_OK = 0,
  BETR_INVALID_ARGUMENT = 1,     // the caller's mistake
  BETR_NOT_FOUND = 2,            // no such tree, no such file
  BETR_ALREADY_EXISTS = 3,       // the name is taken, or there is something in the way
  BETR_NO_SPACE = 4,             // deletes still work
  BETR_FAILED_PRECONDITION = 5,  // read-only, closed, in use by others, an unknown upsert function: the message says it
  BETR_UNAVAILABLE = 6,          // the device failed
  BETR_DATA_LOSS = 7,            // damage: the message names the structure and its place
  BETR_OUT_OF_RANGE = 8,         // clones of long prefixes are in the way
  BETR_UNIMPLEMENTED = 9,        // the image has a feature that this version does not know
  BETR_INTERNAL = 10,            // the library found a mistake of its own
  BETR_UNKNOWN = 11,             // none of these. Later versions may have more
} betr_code;

// Of the last call in this thread that failed: valid until the next one that does. Not null.
const char* betr_error_message(void);
// "no space" of BETR_NO_SPACE; "unknown" of what is no code. Constant.
const char* betr_code_name(int code);
// Of the library in use, as "major.minor.patch".
const char* betr_version(void);
// What betr_get and betr_id_of_content return.
void betr_free(void* bytes);

typedef struct betr_store betr_store;
typedef struct betr_batch betr_batch;            // WriteBatch
typedef struct betr_view betr_view;              // ReadView
typedef struct betr_cursor betr_cursor;          // Cursor
typedef struct betr_difference betr_difference;  // DifferenceCursor
typedef uint64_t betr_tree;                      // the id of a tree or snapshot; 0 names none

enum {
  BETR_MAX_KEY_SIZE = 16 << 10,
  BETR_MAX_VALUE_SIZE = 1 << 20,
  BETR_MAX_TREE_NAME_SIZE = 255,
};

// --- bounds and ranges ---------------------------------------------------------------------------------------

// Sides of a bound.
enum {
  BETR_AT = 0,    // just before the key that has these bytes; of no bytes: before all
  BETR_PAST = 1,  // behind all keys that begin with these bytes; of no bytes: behind all
};

typedef struct betr_bound {
  const void* data;
  size_t size;
  int side;
} betr_bound;

// What lies between two bounds. Where a function takes a range, null is the whole tree, except of betr_erase_range.
typedef struct betr_range {
  betr_bound lo;
  betr_bound hi;
} betr_range;

// These point to the bytes that they are given.
static inline betr_range betr_range_prefix(const void* prefix, size_t size) {
  const betr_range range = {{prefix, size, BETR_AT}, {prefix, size, BETR_PAST}};
  return range;
}
static inline betr_range betr_range_all(void) { return betr_range_prefix("", 0); }
// From the key `lo` to before the key `hi`.
static inline betr_range betr_range_between(const void* lo, size_t lo_size, const void* hi, size_t hi_size) {
  const betr_range range = {{lo, lo_size, BETR_AT}, {hi, hi_size, BETR_AT}};
  return range;
}

// --- upsert functions ----------------------------------------------------------------------------------------

// Where a function puts what it makes. If it sets a result more than once, the last one counts.
typedef struct betr_result betr_result;
betr_code betr_result_set(betr_result* result, const void* data, size_t size);

// betr/upsert.h says what both callbacks promise: they depend on nothing but the bytes they are given, cope with any
// bytes, and may be called by several threads at once, also by threads of betr's own. They must not call betr, but for
// betr_result_set, nor leave by longjmp or an exception.
typedef struct betr_upsert_function {
  uint16_t number;   // not 0. Number and name are stored in the image and never change
  const char* name;  // 1 to 64 bytes
  // Sets the new value; the key becomes absent if nothing is set. `old` is null if it was absent.
  void (*apply)(void* user, const void* old, size_t old_size, const void* delta, size_t delta_size,
                betr_result* result);
  // Sets a delta that does what `older` and then `newer` do, if there is one. May be null.
  void (*compose)(void* user, const void* older, size_t older_size, const void* newer, size_t newer_size,
                  betr_result* result);
  // Called once, when betr has no more use for `user`; also if the store does not open. May be null.
  void (*release)(void* user);
  void* user;
} betr_upsert_function;

// --- images --------------------------------------------------------------------------------------------------

// FormatOptions in betr/options.h tells limits, and what 0 stands for, which is the default of each.
typedef struct betr_format_options {
  size_t struct_size;
  uint64_t node_size;      // bytes
  uint64_t basement_size;  // bytes
  uint64_t log_size;       // bytes
  uint64_t fanout;
  const char* compression;  // of new trees: "none", "lz4", "lz4:LEVEL", "zstd", "zstd:LEVEL"
  const char* label;
  const char* uuid;  // canonical text; null or empty: random
  uint64_t reserve;  // of the space for nodes, in ten-thousandths; 0: the default
} betr_format_options;
// What betr_tune_image changes: what is not null.
typedef struct betr_tune_options {
  size_t struct_size;
  const char* label;
  const char* uuid;         // empty: random
  const uint64_t* reserve;  // in ten-thousandths; 0: the default
} betr_tune_options;

// Flags of betr_open_options.
enum {
  BETR_READ_ONLY = 1 << 0,
  BETR_STALE = 1 << 1,       // with BETR_READ_ONLY: what the last checkpoint has, also while another process writes
  BETR_BULK = 1 << 2,        // nothing is logged and betr_sync is a checkpoint: for filling an image
  BETR_NO_THREADS = 1 << 3,  // all work happens inside the calls that make it necessary
};

// StoreOptions in betr/options.h. Of times 0 is the default, and what is below 0 means none.
typedef struct betr_open_options {
  size_t struct_size;
  uint64_t flags;
  uint64_t cache_size;          // bytes; 0: an eighth of the machine's memory
  uint64_t log_memory;          // bytes; 0: half of the cache, at most 64 MiB
  int64_t checkpoint_period_s;  // 60
  int64_t settle_time_ms;       // 1000
  int64_t read_patience_ms;     // 10000
  const char* program;          // for the record of the owner that others see
  // All that the image uses, and that are to be used.
  const betr_upsert_function* functions;
  size_t function_count;
  // Is told what could not be read when nobody waited for it. Called from any thread, and must not call betr.
  void (*on_unreadable)(void* user, betr_code code, const char* message);
  void* on_unreadable_user;
} betr_open_options;

// Makes a sparse file of `size` bytes, a multiple of 4 KiB, with an empty store in it; durable on return. Whatever
// there is at `path` stays: BETR_ALREADY_EXISTS. Here and below options may be null: all defaults.
betr_code betr_create_image(const char* path, uint64_t size, const betr_format_options* options);
// What betr_format_image does with what it recognises at `path`.
enum { BETR_KEEP = 0, BETR_OVERWRITE = 1 };
// An empty store over a file, as large as it is, or a block device. BETR_ALREADY_EXISTS says what is to be kept there.
betr_code betr_format_image(const char* path, const betr_format_options* options, int existing);
// Makes an image that nobody has open as large as `size` bytes, a multiple of 4 KiB; durable on return.
betr_code betr_grow_image(const char* path, uint64_t size);
// Changes an image that nobody has open, to another uuid only if it was closed; durable on return.
betr_code betr_tune_image(const char* path, const betr_tune_options* options);
// Which of the free space is given back to the storage: all, if this is null.
typedef struct betr_trim_options {
  size_t struct_size;
  uint64_t begin;  // bytes of the device, and to where
  uint64_t end;    // 0: to its end
  uint64_t least;  // bytes: smaller free ranges stay
} betr_trim_options;
// Of an image that nobody has open: holes in a file, or discards on a device. `trimmed`: how many bytes it was.
betr_code betr_trim_image(const char* path, const betr_trim_options* options, uint64_t* trimmed);
// Opens and locks an image. BETR_FAILED_PRECONDITION says who has it open, or which upsert function is missing.
betr_code betr_open_image(const char* path, const betr_open_options* options, betr_store** store);
// A checkpoint; then the store takes no more writes, also after an error, and can still be read. May be called again.
betr_code betr_close(betr_store* store);
// Gives the handle back. Without betr_close, what was synced is found again by replay, and what was not may be lost.
void betr_store_free(betr_store* store);

// --- trees ---------------------------------------------------------------------------------------------------

// Names have 1 to BETR_MAX_TREE_NAME_SIZE bytes, of any value. `compression` is one of betr_format_options; null: that
// of the image. BETR_ALREADY_EXISTS if the name is taken.
betr_code betr_create_tree(betr_store* store, const void* name, size_t name_size, const char* compression,
                           betr_tree* tree);
// BETR_NOT_FOUND if there is none. `view` may be null, here and in betr_get and betr_new_...: what there is now.
betr_code betr_find_tree(betr_store* store, const betr_view* view, const void* name, size_t name_size, betr_tree* tree);
// The first id that no tree has had so far, for betr_batch_create_tree. Another writer may take it first.
betr_code betr_unused_tree(betr_store* store, betr_tree* tree);
// A read-only tree with what `tree` holds now, until it is dropped. O(1).
betr_code betr_snapshot(betr_store* store, betr_tree tree, const void* name, size_t name_size, betr_tree* snapshot);
// Of a tree or a snapshot. Its space comes back in the background.
betr_code betr_drop_tree(betr_store* store, betr_tree tree);

// Valid during the visit. It is made by the library alone, which may add fields at its end.
typedef struct betr_tree_info {
  betr_tree tree;
  const char* name;  // bytes, with a zero byte behind them
  size_t name_size;
  const char* compression;
  bool snapshot;
} betr_tree_info;
// Visits all trees and snapshots that there are when it is called.
betr_code betr_for_each_tree(betr_store* store, void (*visit)(void* user, const betr_tree_info* info), void* user);

// --- writing -------------------------------------------------------------------------------------------------

// Each of these is a batch with one change: visible to readers when it returns, durable after the next betr_sync. A key
// or value that is too large, and a tree that is a snapshot, are BETR_INVALID_ARGUMENT. Nothing is read for a put, an
// erase, or an upsert, whose function must be one of betr_open_options.
betr_code betr_put(betr_store* store, betr_tree tree, const void* key, size_t key_size, const void* value,
                   size_t value_size);
betr_code betr_erase(betr_store* store, betr_tree tree, const void* key, size_t key_size);
betr_code betr_upsert(betr_store* store, betr_tree tree, const void* key, size_t key_size, uint16_t function,
                      const void* delta, size_t delta_size);
// A range that is null is a mistake here: betr_range_all erases the whole tree.
betr_code betr_erase_range(betr_store* store, betr_tree tree, const betr_range* range);
// All that begins with `to` becomes what begins with `from`. Cost: O(height) nodes, whatever that is.
betr_code betr_clone_prefix(betr_store* store, betr_tree from_tree, const void* from, size_t from_size,
                            betr_tree to_tree, const void* to, size_t to_size);
// As a clone, and nothing begins with `from` any more.
betr_code betr_rename_prefix(betr_store* store, betr_tree from_tree, const void* from, size_t from_size,
                             betr_tree to_tree, const void* to, size_t to_size);

// What was written before this call is durable when it returns ok; and with a checkpoint, nothing has to be replayed.
betr_code betr_sync(betr_store* store);
betr_code betr_checkpoint(betr_store* store);
// Moves all that waits in a tree to its leaves, where it is read soonest. What was moved before an error stays so.
// Cost: reading and writing every node for which something waits.
betr_code betr_compact(betr_store* store, betr_tree tree);
// As betr_trim_image, while others go on. What was trimmed before an error stays so.
betr_code betr_trim(betr_store* store, const betr_trim_options* options, uint64_t* trimmed);

// How large a batch is, or may be: BatchSize in betr/write_batch.h.
typedef struct betr_batch_size {
  size_t struct_size;
  uint64_t bytes;    // in the log
  uint64_t changes;  // a number, as the next one
  uint64_t ranges;   // those changes that are of ranges and prefixes
  uint64_t bounds;   // bytes of their bounds
} betr_batch_size;

// A list of changes that take effect as a whole or not at all. Adding to it checks bytes only: whether the changes can
// be made is found by betr_write.
betr_batch* betr_batch_new(void);
void betr_batch_free(betr_batch* batch);
betr_code betr_batch_put(betr_batch* batch, betr_tree tree, const void* key, size_t key_size, const void* value,
                         size_t value_size);
betr_code betr_batch_erase(betr_batch* batch, betr_tree tree, const void* key, size_t key_size);
betr_code betr_batch_upsert(betr_batch* batch, betr_tree tree, const void* key, size_t key_size, uint16_t function,
                            const void* delta, size_t delta_size);
betr_code betr_batch_erase_range(betr_batch* batch, betr_tree tree, const betr_range* range);
betr_code betr_batch_clone_prefix(betr_batch* batch, betr_tree from_tree, const void* from, size_t from_size,
                                  betr_tree to_tree, const void* to, size_t to_size);
betr_code betr_batch_rename_prefix(betr_batch* batch, betr_tree from_tree, const void* from, size_t from_size,
                                   betr_tree to_tree, const void* to, size_t to_size);
// The changes that follow may use `tree`, of betr_unused_tree; 0: an id that the store chooses.
betr_code betr_batch_create_tree(betr_batch* batch, betr_tree tree, const void* name, size_t name_size,
                                 const char* compression);
// `snapshot` is its id, as `tree` is above.
betr_code betr_batch_snapshot(betr_batch* batch, betr_tree tree, const void* name, size_t name_size,
                              betr_tree snapshot);
betr_code betr_batch_drop_tree(betr_batch* batch, betr_tree tree);
// WriteBatch::MayUseReserve: for what makes the store smaller in the end.
betr_code betr_batch_may_use_reserve(betr_batch* batch);
betr_code betr_batch_clear(betr_batch* batch);
// Cost: O(changes).
betr_code betr_batch_measure(const betr_batch* batch, betr_batch_size* size);
// An error names, of several changes, one that cannot be made. The batch stays as it is, and may be written again.
betr_code betr_write(betr_store* store, const betr_batch* batch);
// What betr_write takes at most. The same as long as the store is open.
betr_code betr_max_batch(betr_store* store, betr_batch_size* size);

// --- reading -------------------------------------------------------------------------------------------------

// All trees as they are now, for several reads of one instant. See betr/cursor.h about what it keeps.
betr_code betr_pin(betr_store* store, betr_view** view);
void betr_view_free(betr_view* view);

// `value` is null if the key is absent; else the caller's, for betr_free.
betr_code betr_get(betr_store* store, const betr_view* view, betr_tree tree, const void* key, size_t key_size,
                   void** value, size_t* value_size);

// What a range holds, without reading all of it.
typedef struct betr_range_estimate {
  size_t struct_size;
  uint64_t keys;
  uint64_t bytes;   // of keys and values, about
  uint64_t shared;  // those of them in nodes that other paths lead to as well
  bool exact;       // nothing was extrapolated: `keys` is their number
} betr_range_estimate;
betr_code betr_estimate(betr_store* store, betr_tree tree, const betr_range* range, betr_range_estimate* estimate);

// The space that all that lies under some prefixes takes together. `view` may be null.
typedef struct betr_tree_prefix {
  betr_tree tree;
  const void* data;
  size_t size;
} betr_tree_prefix;
typedef struct betr_footprint_stats {
  size_t struct_size;
  uint64_t stored;     // bytes of nodes that hold it, whoever else uses them
  uint64_t exclusive;  // those of them that come back when all of it is erased
} betr_footprint_stats;
betr_code betr_footprint_of(betr_store* store, const betr_view* view, const betr_tree_prefix* prefixes, size_t count,
                            betr_footprint_stats* footprint);

// The name of what lies under a prefix, in this view: where it is equal, entries are equal. Null if there is none
// because what was written there is in memory only; else the caller's, for betr_free. `shared`, whether another prefix
// may have it too, may be null.
betr_code betr_id_of_content(betr_store* store, const betr_view* view, betr_tree tree, const void* prefix,
                             size_t prefix_size, void** id, size_t* id_size, bool* shared);

// A cursor within a range, on no key at first. It shows one instant: that of the view, or of this call.
betr_code betr_new_cursor(betr_store* store, const betr_view* view, betr_tree tree, const betr_range* range,
                          betr_cursor** cursor);
void betr_cursor_free(betr_cursor* cursor);
// Each move ends on a key, or on none: behind the last one, before the first one, or because of the error that it
// returns. To move on from no key is BETR_INVALID_ARGUMENT.
//   for (code = betr_cursor_seek_to_first(cursor); betr_cursor_valid(cursor); code = betr_cursor_next(cursor)) ...
betr_code betr_cursor_seek_to_first(betr_cursor* cursor);
betr_code betr_cursor_seek_to_last(betr_cursor* cursor);
// To the first key after a bound; to the last one before it.
betr_code betr_cursor_seek(betr_cursor* cursor, const void* data, size_t size, int side);
betr_code betr_cursor_seek_before(betr_cursor* cursor, const void* data, size_t size, int side);
betr_code betr_cursor_next(betr_cursor* cursor);
betr_code betr_cursor_prev(betr_cursor* cursor);
// Whether it is on a key; false also of null.
bool betr_cursor_valid(const betr_cursor* cursor);
// The cursor's, until its next move. Null, and size 0, if it is on no key.
const void* betr_cursor_key(const betr_cursor* cursor, size_t* size);
const void* betr_cursor_value(const betr_cursor* cursor, size_t* size);

// The keys in which two prefixes differ, of one instant. What both share, as a clone and its source do, is not read.
betr_code betr_new_difference(betr_store* store, const betr_view* view, betr_tree before_tree, const void* before,
                              size_t before_size, betr_tree after_tree, const void* after, size_t after_size,
                              betr_difference** difference);
void betr_difference_free(betr_difference* difference);
// As of a cursor. Bounds and keys are without the prefixes.
betr_code betr_difference_seek_to_first(betr_difference* difference);
betr_code betr_difference_seek(betr_difference* difference, const void* data, size_t size, int side);
betr_code betr_difference_next(betr_difference* difference);
bool betr_difference_valid(const betr_difference* difference);
const void* betr_difference_key(const betr_difference* difference, size_t* size);
// The two values. Null where there is no such key; not both.
const void* betr_difference_before(const betr_difference* difference, size_t* size);
const void* betr_difference_after(const betr_difference* difference, size_t* size);

// --- state ---------------------------------------------------------------------------------------------------

// SpaceStats in betr/stats.h says more.
typedef struct betr_space_stats {
  size_t struct_size;
  uint64_t total;       // bytes, as the next three
  uint64_t free;        // not in use
  uint64_t available;   // of that, for new entries
  uint64_t reserve;     // for deletes, and batches that may use it
  uint64_t nodes;       // a number, as the next one
  uint64_t dead_nodes;  // that wait to be reclaimed
} betr_space_stats;
// Who asks has what was erased given back sooner.
betr_code betr_space(betr_store* store, betr_space_stats* space);
// Every figure of StoreStats in betr/stats.h; `name` is valid during the visit.
betr_code betr_for_each_stat(betr_store* store, void (*visit)(void* user, const char* name, uint64_t value),
                             void* user);
// Store::Format, as stored in the image. Its strings are the store's.
betr_code betr_get_format(betr_store* store, betr_format_options* options);
// Whether it was opened so, or became so after an error of the device. False of null.
bool betr_read_only(const betr_store* store);

#ifdef __cplusplus
}
#endif
