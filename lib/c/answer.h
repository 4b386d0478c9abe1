// SPDX-License-Identifier: Apache-2.0
// What every function of the C interface does around its work. It looks at its pointers first, turns an absl::Status
// into a code and the thread's message, and lets no exception out.
#pragma once

#include <absl/status/status.h>

#include <initializer_list>
#include <type_traits>
#include <utility>

#include "c/given.h"

namespace betr::c {

betr_code CodeOf(const absl::Status& status);

// The same. Also makes an error's message that of this thread.
betr_code Tell(const absl::Status& status);

// Calls `work` and tells what it returns, an absl::Status or nothing. If there is a fault in what was given, tells of
// the first one instead and does not call `work`. noexcept: what is thrown ends the process.
template <class Work>
betr_code Answer(std::initializer_list<Fault> faults, Work&& work) noexcept {
  if (const absl::Status status = Check(faults); !status.ok()) return Tell(status);
  if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
    std::forward<Work>(work)();
    return BETR_OK;
  } else {
    return Tell(std::forward<Work>(work)());
  }
}

// Clears what is returned through pointers until it is known. Null pointers are skipped: others complain about them.
template <class... T>
void Clear(T*... results) {
  ((results != nullptr ? static_cast<void>(*results = T{}) : void()), ...);
}

}  // namespace betr::c
