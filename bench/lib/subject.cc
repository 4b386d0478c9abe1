// SPDX-License-Identifier: Apache-2.0
#include "lib/subject.h"

#include <filesystem>
#include <utility>

#include "base/status.h"
#include "lib/dataset.h"
#include "lib/disk.h"

namespace betr::bench {

Subject::Subject(std::string name, std::string directory, const Settings& settings)
    : name_(std::move(name)), directory_(std::move(directory)), settings_(settings) {}

absl::StatusOr<Engine*> Subject::Open() {
  EngineOptions options;
  options.directory = directory_;
  options.cache_size = settings_.cache_size;
  options.experiments = settings_.experiments;
  options.compression = settings_.compression;
  BETR_ASSIGN_OR_RETURN(engine_, OpenEngine(name_, options));
  return engine_.get();
}

absl::StatusOr<Engine*> Subject::OpenEmpty() {
  BETR_RETURN_IF_ERROR(Remove());
  std::filesystem::create_directories(directory_);
  return Open();
}

absl::StatusOr<Engine*> Subject::OpenFilled() {
  BETR_RETURN_IF_ERROR(Close());
  if (!filled_) {
    BETR_ASSIGN_OR_RETURN(Engine * engine, OpenEmpty());
    BETR_RETURN_IF_ERROR(PutScattered(*engine, settings_.keys, settings_.value_size));
    BETR_RETURN_IF_ERROR(engine->Sync());
    BETR_RETURN_IF_ERROR(Close());
    filled_ = true;
  }
  return Reopen();
}

absl::StatusOr<Engine*> Subject::Reopen() {
  BETR_RETURN_IF_ERROR(Close());
  BETR_RETURN_IF_ERROR(DropFromPageCache(directory_));
  return Open();
}

absl::Status Subject::Close() {
  if (engine_ == nullptr) return absl::OkStatus();
  absl::Status status = engine_->Close();
  engine_ = nullptr;
  return status;
}

absl::Status Subject::Remove() {
  BETR_RETURN_IF_ERROR(Close());
  filled_ = false;
  std::filesystem::remove_all(directory_);
  return absl::OkStatus();
}

absl::Status PutScattered(Engine& engine, uint64_t count, uint64_t value_size) {
  Values values(value_size);
  for (uint64_t i = 0; i < count; ++i) BETR_RETURN_IF_ERROR(engine.Put(ScatteredKey(i), values.At(i)));
  return absl::OkStatus();
}

}  // namespace betr::bench
