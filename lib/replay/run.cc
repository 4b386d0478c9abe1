// SPDX-License-Identifier: Apache-2.0
#include "replay/run.h"

#include <algorithm>

#include "base/status.h"
#include "betr/fs_error.h"
#include "replay/converted/converted_trace.h"
#include "replay/converted/trace_text_writer.h"
#include "replay/converted/trace_writer.h"
#include "replay/interpret/inference.h"
#include "replay/interpret/initial_state.h"
#include "replay/meter.h"
#include "replay/replayer.h"
#include "replay/threaded_replayer.h"
#include "replay/trace/trace_form.h"

namespace betr::replay {
namespace {

constexpr uint64_t kLinesBetweenProgress = 4096;
constexpr int kMostReadings = 16;  // to infer: links that lead to links that lead to links

class NoSink final : public OperationSink {
 public:
  void Perform(const Operation&) override {}
};

class CountingSink final : public OperationSink {
 public:
  explicit CountingSink(OperationSink* sink) : sink_(*sink) {}

  void Perform(const Operation& operation) override {
    if (operation.kind != OperationKind::kForget) ++operations_;
    sink_.Perform(operation);
  }
  void Follow(const ProcessEvent& event) override { sink_.Follow(event); }

  uint64_t operations() const { return operations_; }

 private:
  OperationSink& sink_;
  uint64_t operations_ = 0;
};

TraceForm FormOfTrace(const RunOptions& options) {
  return options.traces.size() == 1 ? FormOf(options.traces.front()) : TraceForm::kStrace;
}

// Feeds the whole trace to the interpreter.
absl::StatusOr<TraceOutcome> Interpret(const RunOptions& options, NameSpace* space, OperationSink* sink,
                                       Conjurer* conjurer, ProgressFunction progress) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<CallStream> stream, CallStream::Open(options.traces));
  Interpreter interpreter(space, sink, conjurer);
  interpreter.SetInitialDirectory(options.initial_directory);
  interpreter.SetInitialUmask(options.initial_umask);
  std::optional<std::chrono::nanoseconds> first;
  std::chrono::nanoseconds last{0};
  uint64_t next_progress = 0;
  while (true) {
    BETR_ASSIGN_OR_RETURN(const std::optional<CallEvent> event, stream->Next());
    if (!event.has_value()) break;
    if (!first.has_value()) first = event->time;
    last = std::max(last, event->time);
    interpreter.Handle(*event);
    if (stream->counts().lines >= next_progress) {
      progress(stream->counts().lines, stream->source().bytes_read(), stream->source().size());
      next_progress = stream->counts().lines + kLinesBetweenProgress;
    }
  }
  interpreter.Finish();
  return TraceOutcome{.stream = stream->counts(),
                      .interpreter = interpreter.counts(),
                      .traced = std::max(last - first.value_or(last), std::chrono::nanoseconds{0})};
}

absl::StatusOr<TraceOutcome> FeedUncounted(const RunOptions& options, NameSpace* space, OperationSink* sink,
                                           ProgressFunction progress) {
  if (IsConverted(options)) {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<ConvertedTrace> trace, ConvertedTrace::Open(options.traces.front()));
    return trace->Read(space, sink, [&](uint64_t line) { progress(line, trace->bytes_read(), trace->size()); });
  }
  BETR_ASSIGN_OR_RETURN(TraceOutcome outcome, Interpret(options, space, sink, nullptr, progress));
  outcome.expected = ListNameSpace(*space);
  outcome.unknown_modes = PathsOfUnknownMode(*space);
  return outcome;
}

// Hands the operations of the trace to the sink. `space` has the initial state, and the final one afterwards.
absl::StatusOr<TraceOutcome> Feed(const RunOptions& options, NameSpace* space, OperationSink* sink,
                                  ProgressFunction progress) {
  CountingSink counting(sink);
  BETR_ASSIGN_OR_RETURN(TraceOutcome outcome, FeedUncounted(options, space, &counting, progress));
  outcome.operations = counting.operations();
  return outcome;
}

template <class Writer>
absl::StatusOr<TraceOutcome> Write(const RunOptions& options, NameSpace* space, Writer* writer,
                                   ProgressFunction progress) {
  BETR_ASSIGN_OR_RETURN(TraceOutcome outcome, Feed(options, space, writer, progress));
  BETR_RETURN_IF_ERROR(writer->Finish(outcome));
  return outcome;
}

// Keeps what went wrong in populating: there every operation has to succeed.
class PopulatingSink final : public OperationSink {
 public:
  PopulatingSink(Target* target, const NameSpace* space) : target_(*target), space_(*space) {}

  void Perform(const Operation& operation) override {
    if (!status_.ok()) return;
    const Outcome outcome = target_.Perform(operation);
    if (outcome.error == 0) return;
    const bool has_parent = operation.place.parent != NodeNumber{};
    status_ = ErrnoError(outcome.error, has_parent ? space_.PathOf(operation.place) : "initial state");
  }

  const absl::Status& status() const { return status_; }

 private:
  Target& target_;
  const NameSpace& space_;
  absl::Status status_;
};

absl::Status PopulateTarget(NameSpace* space, Target* target) {
  target->BindRoot(space->root());
  PopulatingSink sink(target, space);
  Populate(space, &sink);
  BETR_RETURN_IF_ERROR(sink.status());
  return target->StartCold();
}

}  // namespace

bool IsConverted(const RunOptions& options) { return FormOfTrace(options) != TraceForm::kStrace; }

absl::StatusOr<std::string> RootOf(const RunOptions& options) {
  if (!IsConverted(options)) return options.root;
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<ConvertedTrace> trace, ConvertedTrace::Open(options.traces.front()));
  return trace->root();
}

absl::StatusOr<Manifest> InferManifest(const RunOptions& options, ProgressFunction progress) {
  if (IsConverted(options)) {
    BETR_ASSIGN_OR_RETURN(const std::unique_ptr<ConvertedTrace> trace, ConvertedTrace::Open(options.traces.front()));
    return trace->initial();
  }
  InitialNames names(options.root);
  for (int reading = 1;; ++reading) {
    NameSpace space(options.root);
    // Every name on the way to it is a directory for sure, but its mode is still to be seen.
    space.Get(space.root()).is_mode_known = false;
    NoSink sink;
    Inference inference(&names, &space);
    BETR_RETURN_IF_ERROR(Interpret(options, &space, &sink, &inference, progress).status());
    if (!inference.CollectNames(space) || reading == kMostReadings) return inference.Found(space);
  }
}

absl::StatusOr<RunResult> RunTrace(const RunOptions& options, const Manifest& initial, Target* target, Clock* clock,
                                   ProgressFunction progress) {
  BETR_ASSIGN_OR_RETURN(const std::string root, RootOf(options));
  NameSpace space(root);
  BETR_RETURN_IF_ERROR(LoadManifest(initial, &space));
  if (target != nullptr) BETR_RETURN_IF_ERROR(PopulateTarget(&space, target));
  Meter meter(target, clock);
  meter.SetSpeed(options.speed);
  RunResult result;
  if (options.has_threads) {
    ThreadedReplayer replayer(&meter, &space);
    BETR_ASSIGN_OR_RETURN(static_cast<TraceOutcome&>(result), Feed(options, &space, &replayer, progress));
    replayer.Finish();
  } else {
    Replayer replayer(&meter, &space);
    BETR_ASSIGN_OR_RETURN(static_cast<TraceOutcome&>(result), Feed(options, &space, &replayer, progress));
  }
  if (target != nullptr) BETR_RETURN_IF_ERROR(target->Sync());
  meter.Finish();
  result.elapsed = meter.elapsed();
  result.device = meter.device();
  result.report = meter.report();
  result.series = meter.series();
  result.has_times = meter.has_times();
  return result;
}

absl::StatusOr<TraceOutcome> ConvertTrace(const RunOptions& options, const Manifest& initial, std::ostream* out,
                                          ProgressFunction progress) {
  BETR_ASSIGN_OR_RETURN(const std::string root, RootOf(options));
  NameSpace space(root);
  BETR_RETURN_IF_ERROR(LoadManifest(initial, &space));
  if (FormOfTrace(options) == TraceForm::kCompact) {
    TraceTextWriter writer(out, root, initial, &space);
    return Write(options, &space, &writer, progress);
  }
  TraceWriter writer(out, root, initial);
  return Write(options, &space, &writer, progress);
}

}  // namespace betr::replay
