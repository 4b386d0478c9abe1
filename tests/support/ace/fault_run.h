// SPDX-License-Identifier: Apache-2.0
// Runs a workload on a device that fails. Every read, write and flush fails in turn, from the opening of the image on.
// It fails once or from then on, with an error or half done.
//
// What is demanded:
//   - The first call that fails says that the device failed, or that the store is read-only. The call has not happened.
//     But a write that is larger than what is gathered, or the removal of a tree, may have come some steps far.
//     Everything before the call is still seen.
//   - A write or flush that failed makes the store read-only.
//   - On a healthy device the image is sound. It shows what the oracle says after some prefix of the calls, which
//     includes all up to the last sync that succeeded. That holds with everything that reached storage, with nothing
//     since the last good flush, and with any writes or sectors in between.
//   - A file can be made in every directory, and everything can be deleted.
#pragma once

#include "support/ace/run.h"

namespace betr::ace {

// Runs with all kinds of faults, at every `every`-th operation. Errors: what was found, and with which fault
// (torture/fault_run.h has the form).
absl::Status RunOnFailingDevices(const Ground& ground, const Workload& workload, uint64_t every, uint64_t seed,
                                 Tally& tally);

}  // namespace betr::ace
