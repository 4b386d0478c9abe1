// SPDX-License-Identifier: Apache-2.0
// A workload on a device that fails: every read, write and flush of it in turn, from the opening of the image on, once
// or from then on, with an error or half done.
//
// What is demanded. The first call that fails says that the device does, or that the store is read-only. It has not
// happened (a write that is larger than what is gathered, or the removal of a tree, may have come some steps far), and
// everything before it is still seen. A write or flush that failed makes the store read-only. On a healthy device the
// image is sound and shows what the oracle says after some prefix of the calls, which includes all up to the last sync
// that succeeded: with all that reached storage, with nothing since the last good flush, and with any writes or sectors
// in between. A file can be made in every directory, and everything can be deleted.
#pragma once

#include "support/ace/run.h"

namespace betr::ace {

// All kinds of faults; of the n-th operations only every so many-th. Errors: what was found, and with which fault
// (torture/fault_run.h has the form).
absl::Status RunOnFailingDevices(const Ground& ground, const Workload& workload, uint64_t every, uint64_t seed,
                                 Tally& tally);

}  // namespace betr::ace
