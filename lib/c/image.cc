// SPDX-License-Identifier: Apache-2.0
// Makes, opens and closes images.
#include <memory>
#include <utility>

#include "base/status.h"
#include "c/answer.h"
#include "c/convert_options.h"
#include "c/handles.h"

namespace betr::c {
extern "C" {

betr_code betr_create_image(const char* path, uint64_t size, const betr_format_options* options) {
  return Answer({FaultOf(path, "path")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const FormatOptions format, FormatOptionsOf(options));
    return Store::CreateImage(path, Bytes{size}, format);
  });
}

betr_code betr_format_image(const char* path, const betr_format_options* options, int existing) {
  return Answer({FaultOf(path, "path")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const FormatOptions format, FormatOptionsOf(options));
    BETR_ASSIGN_OR_RETURN(const Store::Existing found, ExistingOf(existing));
    return Store::FormatImage(path, format, found);
  });
}

betr_code betr_grow_image(const char* path, uint64_t size) {
  return Answer({FaultOf(path, "path")}, [&] { return Store::GrowImage(path, Bytes{size}); });
}

betr_code betr_tune_image(const char* path, const betr_tune_options* options) {
  return Answer({FaultOf(path, "path")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const TuneOptions change, TuneOptionsOf(options));
    return Store::TuneImage(path, change);
  });
}

betr_code betr_trim_image(const char* path, const betr_trim_options* options, uint64_t* trimmed) {
  Clear(trimmed);
  return Answer({FaultOf(path, "path"), FaultOf(trimmed, "trimmed")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const TrimOptions what, TrimOptionsOf(options));
    BETR_ASSIGN_OR_RETURN(const Bytes bytes, Store::TrimImage(path, what));
    *trimmed = bytes.value;
    return absl::OkStatus();
  });
}

betr_code betr_open_image(const char* path, const betr_open_options* options, betr_store** store) {
  Clear(store);
  return Answer({}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(StoreOptions to_open, StoreOptionsOf(options));  // first, so that what it names is released
    BETR_RETURN_IF_ERROR(Check({FaultOf(path, "path"), FaultOf(store, "store")}));
    BETR_ASSIGN_OR_RETURN(const std::shared_ptr<Store> opened, Store::OpenImage(path, std::move(to_open)));
    *store = new betr_store{opened, opened->Format()};
    return absl::OkStatus();
  });
}

betr_code betr_close(betr_store* store) {
  return Answer({FaultOfHandle(store)}, [&] { return store->store->Close(); });
}

void betr_store_free(betr_store* store) { delete store; }

}  // extern "C"

}  // namespace betr::c
