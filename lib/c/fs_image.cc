// SPDX-License-Identifier: Apache-2.0
// Makes, opens and closes file systems, and tells what concerns a whole one.
#include <memory>
#include <utility>

#include "base/status.h"
#include "c/answer.h"
#include "c/convert_options.h"
#include "c/fs_convert.h"
#include "c/fs_handles.h"
#include "c/handles.h"
#include "c/sized.h"

namespace betr::c {

extern "C" {

betr_code betr_fs_create_image(const char* path, uint64_t size, const betr_format_options* options,
                               const betr_root_options* root) {
  return Answer({FaultOf(path, "path")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const FormatOptions format, FormatOptionsOf(options));
    BETR_ASSIGN_OR_RETURN(const RootOptions top, RootOptionsOf(root));
    return FileSystem::CreateImage(path, Bytes{size}, format, top);
  });
}

betr_code betr_fs_format_image(const char* path, const betr_format_options* options, const betr_root_options* root,
                               int existing) {
  return Answer({FaultOf(path, "path")}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(const FormatOptions format, FormatOptionsOf(options));
    BETR_ASSIGN_OR_RETURN(const RootOptions top, RootOptionsOf(root));
    BETR_ASSIGN_OR_RETURN(const Store::Existing found, ExistingOf(existing));
    return FileSystem::FormatImage(path, format, top, found);
  });
}

betr_code betr_fs_open_image(const char* path, const betr_open_options* options, betr_fs** fs) {
  Clear(fs);
  return Answer({}, [&]() -> absl::Status {
    BETR_ASSIGN_OR_RETURN(StoreOptions to_open, StoreOptionsOf(options));  // first, so that what it names is released
    BETR_RETURN_IF_ERROR(Check({FaultOf(path, "path"), FaultOf(fs, "fs")}));
    BETR_ASSIGN_OR_RETURN(std::shared_ptr<FileSystem> opened, FileSystem::OpenImage(path, std::move(to_open)));
    *fs = new betr_fs{std::move(opened)};
    return absl::OkStatus();
  });
}

betr_code betr_fs_close(betr_fs* fs) {
  return Answer({FaultOfHandle(fs)}, [&] { return fs->fs->Unmount(); });
}

void betr_fs_free(betr_fs* fs) { delete fs; }

betr_code betr_fs_sync(betr_fs* fs) {
  return Answer({FaultOfHandle(fs)}, [&] { return fs->fs->Sync(); });
}

betr_code betr_fs_get_store(betr_fs* fs, betr_store** store) {
  Clear(store);
  return Answer({FaultOfHandle(fs), FaultOf(store, "store")}, [&] {
    Store& below = fs->fs->store();
    *store = new betr_store{std::shared_ptr<Store>(fs->fs, &below), below.Format()};
  });
}

betr_code betr_fs_space(betr_fs* fs, betr_fs_space_stats* space) {
  ClearSized(space);
  return Answer({FaultOfHandle(fs), FaultOf(space, "space")}, [&] {
    const FileSystemSpace found = fs->fs->Space();
    return WriteSized({0, found.total.value, found.free.value, found.available.value}, space, "space");
  });
}

}  // extern "C"

}  // namespace betr::c
