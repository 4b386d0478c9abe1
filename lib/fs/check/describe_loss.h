// SPDX-License-Identifier: Apache-2.0
// Says which names, and which bytes and attributes of which files, are gone with ranges of keys.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "betr/store.h"
#include "store/offline/lost_range.h"

namespace betr::fs {

// One thing that is gone. Names and keys are bytes as they are.
struct Loss {
  enum class Kind : uint8_t {
    kBytes,      // first to last, of a file
    kAttribute,  // an extended attribute of a file
    kName,       // a name, and what it stood for
    kNames,      // all names from one to before another
    kKeys,       // all keys of a tree from one to before another
    kUnknown,    // `why` says all that is known
  };
  Kind kind = Kind::kUnknown;
  std::vector<std::string> names;  // kName; kBytes, kAttribute: all paths of the file, none if it was unlinked but open
  bool has_lost_names = false;     // `names` is empty because they are lost, too
  uint64_t first = 0;
  uint64_t last = 0;
  std::string attribute;
  std::string tree;  // kKeys
  std::string from;  // kNames, kKeys: text of the bounds; "" for the first of all, or after the last
  std::string to;
  bool changes_only = false;  // only changes are lost: older contents show
  bool but_written = false;   // except what was written later
  bool is_partial = false;    // kNames, kKeys, kUnknown: others in it may be lost, too, which are not listed;
                              // with changes_only: what is in it may be older
  std::string why;
};

// One line of printable ASCII, such as "/a/b: bytes 0 to 4095: lost".
std::string ToText(const Loss& loss);
// "bytes", "attribute", "name", "names", "keys", "unknown".
std::string_view KindName(Loss::Kind kind);

// Says what can be said without a store: calls `say` for each range of names or keys. Ranges are joined if they touch,
// or if there is only one key between them, which was written later. Zones (zones.h) have numbers instead of paths.
void DescribeRanges(std::vector<store::LostRange> lost, absl::FunctionRef<void(const Loss&)> say);

// Calls `say` for each range of names, as above, and for each file that had content there, as far as its record is
// still known. Pieces that touch are said once. Where holes were is not known, so bytes that were never written count
// as lost. If the latest changes of names are lost, also says all names of each file with several names whose record is
// among them.
//
// Requires: the store can be read. Errors: those of reading it. Memory: the names of the link groups of one home. Cost:
// a scan of the records in each range of "data", and in those ranges of "meta" whose latest changes are lost.
absl::Status DescribeLosses(const Store& store, std::vector<store::LostRange> lost,
                            absl::FunctionRef<void(const Loss&)> say);

}  // namespace betr::fs
