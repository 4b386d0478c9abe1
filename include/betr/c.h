// SPDX-License-Identifier: Apache-2.0
// The store in C11, for programs in C and for bindings of other languages: named trees of byte-string keys ordered by
// memcmp, with batches, clones, snapshots and differences. betr_x does what Store::X does; betr/store.h says more about
// durability, limits and cost, and docs/embedding.md has examples. The file system is in betr/c_filesystem.h. Devices
// of one's own and experiments are not available in C.
//
// Errors. A function that can fail returns a betr_code; betr_error_message() returns the text. After an error nothing
// has happened, unless the comment says otherwise, and what is returned through pointers is 0 or null. These are
// BETR_INVALID_ARGUMENT: a null handle, a null pointer for a result, null bytes with a size. Exceptions do not get out.
// If memory runs out, the process ends: a store recovers from a crash, but not from a change half made in memory.
//
// Bytes, such as keys and values, are a pointer and a size. The pointer may be null if the size is 0. They are copied.
// Returned bytes are never null, even if there are 0 of them; null means that there is no value, and is not an error.
// Strings, such as paths, end with a zero byte.
//
// Ownership. The caller frees each handle once, with the function named ..._free, and returned bytes with betr_free.
// Freeing null is allowed. Views, cursors and differences keep their store alive, so handles may be freed in any order;
// the image is unlocked with the last one. Any other use of what was freed is undefined.
//
// Threads. Any number of threads may use a store and its views at once. One thread at a time may use a batch, a cursor
// or a difference. Each thread has its own error message. For fork see betr/store.h.
//
// ABI. While the library's soname is the same, functions, codes and flags keep their meaning, and only new ones are
// added. A struct with a `struct_size` may get new fields at its end. Set it to sizeof, and every unused field to 0,
// which is always the default:
//   betr_open_options options = {.struct_size = sizeof options, .cache_size = 64 << 20};
// The library takes missing fields for 0. Fields that it does not know must be 0: BETR_INVALID_ARGUMENT otherwise. In a
// struct that it returns it fills the fields that fit and sets the others to 0. Other structs do not change, except for
// betr_tree_info.
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
  BETR_ALREADY_EXISTS = 3,       // the name is taken, or something is in the way
  BETR_NO_SPACE = 4,             // deletes still work
  BETR_FAILED_PRECONDITION = 5,  // read-only, closed, in use by others, an unknown upsert function: see the message
  BETR_UNAVAILABLE = 6,          // the device failed
  BETR_DATA_LOSS = 7,            // damage: the message names the structure and its place
  BETR_OUT_OF_RANGE = 8,         // clones of long prefixes are in the way
  BETR_UNIMPLEMENTED = 9,        // the image has a feature that this version does not know
  BETR_INTERNAL = 10,            // the library found a mistake of its own
  BETR_UNKNOWN = 11,             // none of these. Later versions may add codes
} betr_code;

// Describes the last error in this thread. Never null. Valid until the next call in this thread that fails.
const char* betr_error_message(void);
// Names a code: "no space" for BETR_NO_SPACE, "unknown" for a number that is not a code. Constant.
const char* betr_code_name(int code);
// Returns the version of the library in use, as "major.minor.patch".
const char* betr_version(void);
// Frees bytes that betr_get or betr_id_of_content returned.
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
  BETR_AT = 0,    // just before the key with these bytes; without bytes: before all keys
  BETR_PAST = 1,  // after all keys that begin with these bytes; without bytes: after all keys
};

typedef struct betr_bound {
  const void* data;
  size_t size;
  int side;
} betr_bound;

// What lies between two bounds. A null range means the whole tree, except for betr_erase_range.
typedef struct betr_range {
  betr_bound lo;
  betr_bound hi;
} betr_range;

// Make ranges that point to the bytes passed in, which are not copied.
static inline betr_range betr_range_prefix(const void* prefix, size_t size) {
  const betr_range range = {{prefix, size, BETR_AT}, {prefix, size, BETR_PAST}};
  return range;
}
static inline betr_range betr_range_all(void) { return betr_range_prefix("", 0); }
// The keys from `lo` up to but not including `hi`.
static inline betr_range betr_range_between(const void* lo, size_t lo_size, const void* hi, size_t hi_size) {
  const betr_range range = {{lo, lo_size, BETR_AT}, {hi, hi_size, BETR_AT}};
  return range;
}

// --- upsert functions ----------------------------------------------------------------------------------------

// Receives what an upsert function makes. If it is set more than once, the last one counts.
typedef struct betr_result betr_result;
betr_code betr_result_set(betr_result* result, const void* data, size_t size);

// Both callbacks must be pure functions of the bytes passed in, cope with any bytes, and allow calls by several threads
// at once, betr's own among them (betr/upsert.h). They must not call betr, except for betr_result_set, and must not
// leave by longjmp or an exception.
typedef struct betr_upsert_function {
  uint16_t number;   // not 0. Number and name are stored in the image and must never change
  const char* name;  // 1 to 64 bytes
  // Sets the new value. If nothing is set, the key becomes absent. `old` is null if it was absent.
  void (*apply)(void* user, const void* old, size_t old_size, const void* delta, size_t delta_size,
                betr_result* result);
  // Sets a delta that does what `older` and then `newer` do, if there is one. May be null.
  void (*compose)(void* user, const void* older, size_t older_size, const void* newer, size_t newer_size,
                  betr_result* result);
  // Called once, when betr no longer needs `user`, even if the store does not open. May be null.
  void (*release)(void* user);
  void* user;
} betr_upsert_function;

// --- images --------------------------------------------------------------------------------------------------

// FormatOptions in betr/options.h says the limits, and what 0, the default of each, stands for.
typedef struct betr_format_options {
  size_t struct_size;
  uint64_t node_size;      // bytes
  uint64_t basement_size;  // bytes
  uint64_t log_size;       // bytes
  uint64_t fanout;
  const char* compression;  // of new trees: "none", "lz4", "lz4:LEVEL", "zstd", "zstd:LEVEL"
  const char* label;
  const char* uuid;  // canonical text; null or empty: random
  uint64_t reserve;  // share of the space for nodes, in ten-thousandths; 0: the default
} betr_format_options;
// What betr_tune_image changes. What is null stays as it is.
typedef struct betr_tune_options {
  size_t struct_size;
  const char* label;
  const char* uuid;         // empty: random
  const uint64_t* reserve;  // in ten-thousandths; 0: the default
} betr_tune_options;

// Flags of betr_open_options.
enum {
  BETR_READ_ONLY = 1 << 0,
  BETR_STALE = 1 << 1,       // with BETR_READ_ONLY: the last checkpoint, even while another process writes
  BETR_BULK = 1 << 2,        // nothing is logged and betr_sync is a checkpoint: for filling an image
  BETR_NO_THREADS = 1 << 3,  // all work happens inside the calls that make it necessary
};

// StoreOptions in betr/options.h. For times, 0 means the default and a negative value means none.
typedef struct betr_open_options {
  size_t struct_size;
  uint64_t flags;
  uint64_t cache_size;          // bytes; 0: an eighth of the machine's memory
  uint64_t log_memory;          // bytes; 0: half of the cache, at most 64 MiB
  int64_t checkpoint_period_s;  // default 60
  int64_t settle_time_ms;       // default 1000
  int64_t read_patience_ms;     // default 10000
  const char* program;          // for the owner record, which others see
  // All that the image uses, and all that will be used.
  const betr_upsert_function* functions;
  size_t function_count;
  // Reports what could not be read when no caller was waiting for it. Called from any thread. Must not call betr.
  void (*on_unreadable)(void* user, betr_code code, const char* message);
  void* on_unreadable_user;
} betr_open_options;

// Creates a sparse file of `size` bytes, a multiple of 4 KiB, that holds an empty store. Durable on return. If there is
// anything at `path`, it stays: BETR_ALREADY_EXISTS. Here and below, null options mean all defaults.
betr_code betr_create_image(const char* path, uint64_t size, const betr_format_options* options);
// What betr_format_image does with what it recognises at `path`.
enum { BETR_KEEP = 0, BETR_OVERWRITE = 1 };
// Writes an empty store over a file, at its size, or a block device. BETR_ALREADY_EXISTS says what would be lost.
betr_code betr_format_image(const char* path, const betr_format_options* options, int existing);
// Grows an image that nobody has open to `size` bytes, a multiple of 4 KiB. Durable on return.
betr_code betr_grow_image(const char* path, uint64_t size);
// Changes an image that nobody has open. The uuid can be changed only if the image was closed. Durable on return.
betr_code betr_tune_image(const char* path, const betr_tune_options* options);
// Which free space is given back to the storage: that in [begin, end) of the device. Null options mean all.
typedef struct betr_trim_options {
  size_t struct_size;
  uint64_t begin;  // bytes
  uint64_t end;    // bytes; 0: the end of the device
  uint64_t least;  // bytes; smaller free ranges are left alone
} betr_trim_options;
// Punches holes in the file, or discards on the device, of an image that nobody has open. `trimmed`: the bytes.
betr_code betr_trim_image(const char* path, const betr_trim_options* options, uint64_t* trimmed);
// Opens and locks an image. BETR_FAILED_PRECONDITION says who has it open, or which upsert function is missing.
betr_code betr_open_image(const char* path, const betr_open_options* options, betr_store** store);
// Makes a checkpoint and ends writing, even after an error. The store can still be read. May be called again.
betr_code betr_close(betr_store* store);
// Frees the handle. Without betr_close, the next open replays what was synced; what was not synced may be lost.
void betr_store_free(betr_store* store);

// --- trees ---------------------------------------------------------------------------------------------------

// Creates an empty tree. Names have 1 to BETR_MAX_TREE_NAME_SIZE bytes of any value. `compression` is as in
// betr_format_options; null: the default of the image. BETR_ALREADY_EXISTS if the name is taken.
betr_code betr_create_tree(betr_store* store, const void* name, size_t name_size, const char* compression,
                           betr_tree* tree);
// BETR_NOT_FOUND if there is none. A null `view`, here and in betr_get and betr_new_..., means the present state.
betr_code betr_find_tree(betr_store* store, const betr_view* view, const void* name, size_t name_size, betr_tree* tree);
// Returns the first id that no tree has had so far, for betr_batch_create_tree. Another writer may take it first.
betr_code betr_unused_tree(betr_store* store, betr_tree* tree);
// Creates a read-only tree that holds what `tree` holds now, until it is dropped. Cost: O(1).
betr_code betr_snapshot(betr_store* store, betr_tree tree, const void* name, size_t name_size, betr_tree* snapshot);
// Drops a tree or a snapshot. Its space is reclaimed in the background.
betr_code betr_drop_tree(betr_store* store, betr_tree tree);

// Valid only during the visit. Only the library makes it; it may add fields at its end.
typedef struct betr_tree_info {
  betr_tree tree;
  const char* name;  // bytes, with a zero byte behind them
  size_t name_size;
  const char* compression;
  bool snapshot;
} betr_tree_info;
// Visits all trees and snapshots that exist when it is called.
betr_code betr_for_each_tree(betr_store* store, void (*visit)(void* user, const betr_tree_info* info), void* user);

// --- writing -------------------------------------------------------------------------------------------------

// Each of these writes a batch of one change: visible to readers when it returns, durable after the next betr_sync.
// BETR_INVALID_ARGUMENT for a key or value that is too large, and for a snapshot. Puts, erases and upserts read
// nothing. The function of an upsert must be one of betr_open_options.
betr_code betr_put(betr_store* store, betr_tree tree, const void* key, size_t key_size, const void* value,
                   size_t value_size);
betr_code betr_erase(betr_store* store, betr_tree tree, const void* key, size_t key_size);
betr_code betr_upsert(betr_store* store, betr_tree tree, const void* key, size_t key_size, uint16_t function,
                      const void* delta, size_t delta_size);
// A null range is an error here. Use betr_range_all to erase the whole tree.
betr_code betr_erase_range(betr_store* store, betr_tree tree, const betr_range* range);
// Replaces what begins with `to` by what begins with `from`. Cost: O(height) nodes, however many keys that is.
betr_code betr_clone_prefix(betr_store* store, betr_tree from_tree, const void* from, size_t from_size,
                            betr_tree to_tree, const void* to, size_t to_size);
// As a clone, after which no key begins with `from` any more.
betr_code betr_rename_prefix(betr_store* store, betr_tree from_tree, const void* from, size_t from_size,
                             betr_tree to_tree, const void* to, size_t to_size);

// Make everything written before this call durable. After a checkpoint, none of it has to be replayed.
betr_code betr_sync(betr_store* store);
betr_code betr_checkpoint(betr_store* store);
// Moves everything that waits in a tree to its leaves, where it is read soonest. What was moved before an error stays
// moved. Cost: reads and writes every node for which something waits.
betr_code betr_compact(betr_store* store, betr_tree tree);
// As betr_trim_image, while other calls go on. What was trimmed before an error stays trimmed.
betr_code betr_trim(betr_store* store, const betr_trim_options* options, uint64_t* trimmed);

// The size of a batch, or the largest allowed: BatchSize in betr/write_batch.h.
typedef struct betr_batch_size {
  size_t struct_size;
  uint64_t bytes;    // in the log
  uint64_t changes;  // their number
  uint64_t ranges;   // the number of those of ranges and prefixes
  uint64_t bounds;   // bytes of the bounds of those
} betr_batch_size;

// A list of changes that take effect as a whole or not at all. Adding a change only checks its bytes; betr_write finds
// out whether the changes can be made.
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
// The changes that follow may use `tree`, an id from betr_unused_tree. With 0 the store chooses the id.
betr_code betr_batch_create_tree(betr_batch* batch, betr_tree tree, const void* name, size_t name_size,
                                 const char* compression);
// `snapshot` is the id of the snapshot, chosen as `tree` above.
betr_code betr_batch_snapshot(betr_batch* batch, betr_tree tree, const void* name, size_t name_size,
                              betr_tree snapshot);
betr_code betr_batch_drop_tree(betr_batch* batch, betr_tree tree);
// WriteBatch::MayUseReserve: for batches that make the store smaller in the end.
betr_code betr_batch_may_use_reserve(betr_batch* batch);
betr_code betr_batch_clear(betr_batch* batch);
// Cost: O(changes).
betr_code betr_batch_measure(const betr_batch* batch, betr_batch_size* size);
// If there are several changes, an error names one that cannot be made. The batch is kept, and may be written again.
betr_code betr_write(betr_store* store, const betr_batch* batch);
// Returns the largest batch that betr_write takes, constant while the store is open.
betr_code betr_max_batch(betr_store* store, betr_batch_size* size);

// --- reading -------------------------------------------------------------------------------------------------

// Pins the present state of all trees, for several reads of one instant. See betr/cursor.h for what it keeps alive.
betr_code betr_pin(betr_store* store, betr_view** view);
void betr_view_free(betr_view* view);

// Reads a value, which the caller frees with betr_free. `value` is null if the key is absent.
betr_code betr_get(betr_store* store, const betr_view* view, betr_tree tree, const void* key, size_t key_size,
                   void** value, size_t* value_size);

// An estimate of what a range holds, made without reading all of it.
typedef struct betr_range_estimate {
  size_t struct_size;
  uint64_t keys;
  uint64_t bytes;   // of keys and values, about
  uint64_t shared;  // the part of `bytes` in nodes that other paths also lead to
  bool exact;       // `keys` is exact: nothing was extrapolated
} betr_range_estimate;
betr_code betr_estimate(betr_store* store, betr_tree tree, const betr_range* range, betr_range_estimate* estimate);

// The space that everything under some prefixes takes together. `view` may be null.
typedef struct betr_tree_prefix {
  betr_tree tree;
  const void* data;
  size_t size;
} betr_tree_prefix;
typedef struct betr_footprint_stats {
  size_t struct_size;
  uint64_t stored;     // bytes of nodes that hold it, whoever else uses them
  uint64_t exclusive;  // those of them that come back when everything is erased
} betr_footprint_stats;
betr_code betr_footprint_of(betr_store* store, const betr_view* view, const betr_tree_prefix* prefixes, size_t count,
                            betr_footprint_stats* footprint);

// Returns an id for what lies under a prefix, to be freed with betr_free. In one view, equal ids mean equal entries.
// `id` is null if what was written there is in memory only. `shared` may be null: whether other prefixes may have it.
betr_code betr_id_of_content(betr_store* store, const betr_view* view, betr_tree tree, const void* prefix,
                             size_t prefix_size, void** id, size_t* id_size, bool* shared);

// Makes a cursor within a range, on no key at first. It shows one instant: that of the view, or of this call.
betr_code betr_new_cursor(betr_store* store, const betr_view* view, betr_tree tree, const betr_range* range,
                          betr_cursor** cursor);
void betr_cursor_free(betr_cursor* cursor);
// Each move ends on a key or on none: after the last one, before the first one, or because of the error that it
// returns. Moving on from no key is BETR_INVALID_ARGUMENT.
//   for (code = betr_cursor_seek_to_first(cursor); betr_cursor_valid(cursor); code = betr_cursor_next(cursor)) ...
betr_code betr_cursor_seek_to_first(betr_cursor* cursor);
betr_code betr_cursor_seek_to_last(betr_cursor* cursor);
// Move to the first key after a bound, or to the last one before it.
betr_code betr_cursor_seek(betr_cursor* cursor, const void* data, size_t size, int side);
betr_code betr_cursor_seek_before(betr_cursor* cursor, const void* data, size_t size, int side);
betr_code betr_cursor_next(betr_cursor* cursor);
betr_code betr_cursor_prev(betr_cursor* cursor);
// Whether it is on a key. False for null.
bool betr_cursor_valid(const betr_cursor* cursor);
// The bytes belong to the cursor and are valid until its next move. On no key: null and size 0.
const void* betr_cursor_key(const betr_cursor* cursor, size_t* size);
const void* betr_cursor_value(const betr_cursor* cursor, size_t* size);

// Iterates over the keys in which two prefixes differ, at one instant. What both share, as clones do, is not read.
betr_code betr_new_difference(betr_store* store, const betr_view* view, betr_tree before_tree, const void* before,
                              size_t before_size, betr_tree after_tree, const void* after, size_t after_size,
                              betr_difference** difference);
void betr_difference_free(betr_difference* difference);
// As for a cursor. Bounds and keys are without the prefixes.
betr_code betr_difference_seek_to_first(betr_difference* difference);
betr_code betr_difference_seek(betr_difference* difference, const void* data, size_t size, int side);
betr_code betr_difference_next(betr_difference* difference);
bool betr_difference_valid(const betr_difference* difference);
const void* betr_difference_key(const betr_difference* difference, size_t* size);
// The two values. Null where the key is missing; at most one of them is null.
const void* betr_difference_before(const betr_difference* difference, size_t* size);
const void* betr_difference_after(const betr_difference* difference, size_t* size);

// --- state ---------------------------------------------------------------------------------------------------

// SpaceStats in betr/stats.h says more.
typedef struct betr_space_stats {
  size_t struct_size;
  uint64_t total;       // bytes
  uint64_t free;        // bytes not in use
  uint64_t available;   // the bytes of `free` for new entries
  uint64_t reserve;     // bytes for deletes, and for batches that may use it
  uint64_t nodes;       // the number of nodes
  uint64_t dead_nodes;  // the number of nodes that wait to be reclaimed
} betr_space_stats;
// Returns the figures. The call itself makes erased space come back sooner.
betr_code betr_space(betr_store* store, betr_space_stats* space);
// Visits every figure of StoreStats in betr/stats.h. `name` is valid only during the visit.
betr_code betr_for_each_stat(betr_store* store, void (*visit)(void* user, const char* name, uint64_t value),
                             void* user);
// Store::Format, as stored in the image. The strings belong to the store.
betr_code betr_get_format(betr_store* store, betr_format_options* options);
// Whether the store was opened read-only, or became so after an error of the device. False for null.
bool betr_read_only(const betr_store* store);

#ifdef __cplusplus
}
#endif
