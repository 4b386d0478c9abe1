// SPDX-License-Identifier: Apache-2.0
// betrdump log: the frames and records of the redo log from where a replay begins.
#include <fmt/format.h>

#include <map>

#include "base/status.h"
#include "dump_command.h"
#include "dump_text.h"
#include "store/batch_codec.h"
#include "store/log/log_scan.h"

namespace betr::tools {
namespace {

std::string OpText(const Op& op) {
  std::string head = fmt::format("{} tree {} ", store::OpKindName(op.kind), op.tree.value);
  switch (op.kind) {
    case OpKind::kPut:
      return head + fmt::format("{}: {} bytes", KeyText(op.key), op.value.size());
    case OpKind::kErase:
      return head + KeyText(op.key);
    case OpKind::kUpsert:
      return head + fmt::format("{}: function {}, {} bytes", KeyText(op.key), op.function, op.value.size());
    case OpKind::kEraseRange:
      return head + ToString(op.range);
    case OpKind::kClonePrefix:
    case OpKind::kRenamePrefix:
      return head + fmt::format("{} to tree {} {}", KeyText(op.key), op.to_tree.value, KeyText(op.value));
    case OpKind::kCreateTree:
    case OpKind::kSnapshot:
      return head + fmt::format("new tree {} {}", op.to_tree.value, KeyText(op.key));
    case OpKind::kDropTree:
      break;
  }
  return head;
}

Json OpJson(const Op& op) {
  Json json = Json::object();
  json["kind"] = store::OpKindName(op.kind);
  json["tree"] = op.tree.value;
  if (op.kind == OpKind::kEraseRange) {
    json["range"] = RangeJson(op.range);
    return json;
  }
  if (op.kind == OpKind::kDropTree) return json;
  json["key"] = JsonText(op.key);
  if (op.kind == OpKind::kClonePrefix || op.kind == OpKind::kRenamePrefix) {
    json["to_key"] = JsonText(op.value);
  } else {
    json["value_size"] = op.value.size();
  }
  if (op.to_tree != TreeId{}) json["to_tree"] = op.to_tree.value;
  if (op.kind == OpKind::kUpsert) json["function"] = op.function;
  return json;
}

// One record, decoded. If that has failed, `ops` is empty and `error` says why.
struct Record {
  Lsn lsn;
  size_t size = 0;
  bool is_in_checkpoint = false;
  std::vector<Op> ops;
  std::string error;

  // "put 3, erase 1".
  std::map<std::string_view, size_t> Counts() const {
    std::map<std::string_view, size_t> counts;
    for (const Op& op : ops) ++counts[store::OpKindName(op.kind)];
    return counts;
  }
};

Record Decode(const store::LogRecord& stored, Lsn checkpoint) {
  Record record{stored.lsn, stored.payload.size(), stored.lsn <= checkpoint, {}, {}};
  absl::StatusOr<std::vector<Op>> ops = store::DecodeBatch(stored.payload);
  if (ops.ok()) {
    record.ops = *std::move(ops);
  } else {
    record.error = std::string(ops.status().message());
  }
  return record;
}

class DumpLog final : public DumpCommand {
 public:
  CLI::App* AddTo(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("log", "What a replay of the redo log would do");
    command->add_flag("--keys", with_ops_, "Show every change of every record");
    return command;
  }

  absl::Status Run(DumpContext& context) override {
    store::Inspection& image = context.image.inspection();
    const store::Log::Checkpoint start = image.log_start();
    BETR_RETURN_IF_ERROR(store::CheckLogArea(image.device(), image.log_area()));
    store::LogScanner scanner(image.device(), image.log_area(), image.log_salt(), start.position);
    return context.json ? RunJson(context, scanner, start) : RunText(context, scanner, start);
  }

 private:
  absl::Status RunText(DumpContext& context, store::LogScanner& scanner, const store::Log::Checkpoint& start) {
    context.out << fmt::format("begins at frame {}, after LSN {}\n", start.position.sequence, start.lsn.value);
    while (true) {
      BETR_ASSIGN_OR_RETURN(const bool has_frame, scanner.Next());
      if (!has_frame) break;
      const store::FrameHeader& header = scanner.header();
      context.out << fmt::format("frame {}: {} blocks, {} records of {} bytes from LSN {}, durable before {}\n",
                                 header.position.sequence, header.Blocks(), header.record_count, header.record_bytes,
                                 header.first_lsn.value, header.durable);
      BETR_RETURN_IF_ERROR(scanner.ForEachRecord([&](const store::LogRecord& stored) {
        PrintRecord(Decode(stored, start.lsn), context.out);
        return absl::OkStatus();
      }));
    }
    context.out << fmt::format("ends before frame {}\n", scanner.position().sequence);
    return absl::OkStatus();
  }

  void PrintRecord(const Record& record, std::ostream& out) const {
    std::string counts = record.error;
    for (const auto& [kind, count] : record.Counts()) {
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", kind, count);
    }
    out << fmt::format("  LSN {}: {} bytes: {}{}\n", record.lsn.value, record.size, counts,
                       record.is_in_checkpoint ? " (in the checkpoint)" : "");
    for (size_t i = 0; with_ops_ && i < record.ops.size(); ++i) out << "    " << OpText(record.ops[i]) << '\n';
  }

  absl::Status RunJson(DumpContext& context, store::LogScanner& scanner, const store::Log::Checkpoint& start) {
    Json head = NewDocument("log");
    head["begin"] = start.position.sequence;
    head["checkpoint_lsn"] = start.lsn.value;
    JsonArrayPrinter printer(context.out, head, "records");
    absl::Status status;
    while (status.ok()) {
      const absl::StatusOr<bool> has_frame = scanner.Next();
      if (!has_frame.ok() || !*has_frame) {
        status = has_frame.status();
        break;
      }
      status = scanner.ForEachRecord([&](const store::LogRecord& stored) {
        printer.Add(RecordJson(scanner.header(), Decode(stored, start.lsn)));
        return absl::OkStatus();
      });
    }
    printer.Finish();
    return status;
  }

  Json RecordJson(const store::FrameHeader& header, const Record& record) const {
    Json json = Json::object();
    json["lsn"] = record.lsn.value;
    json["frame"] = header.position.sequence;
    json["size"] = record.size;
    json["in_checkpoint"] = record.is_in_checkpoint;
    if (!record.error.empty()) json["error"] = record.error;
    json["counts"] = Json::object();
    for (const auto& [kind, count] : record.Counts()) json["counts"][std::string(kind)] = count;
    if (with_ops_) {
      json["changes"] = Json::array();
      for (const Op& op : record.ops) json["changes"].push_back(OpJson(op));
    }
    return json;
  }

  bool with_ops_ = false;
};

}  // namespace

std::unique_ptr<DumpCommand> MakeDumpLog() { return std::make_unique<DumpLog>(); }

}  // namespace betr::tools
