// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/call_stream.h"

#include <fmt/format.h>

#include <utility>

#include "base/escape.h"
#include "base/status.h"
#include "replay/trace/fork_lines.h"

namespace betr::replay {
namespace {

constexpr size_t kMostSamples = 20;
constexpr size_t kSampleSize = 160;

// The text of a line is there once more in its parts.
Bytes MemoryFor(const SourceLine& line) { return Bytes{sizeof(SourceLine) + 2 * line.text.size()}; }

// Whether the line ends a call that was interrupted, or a thread, and says of which thread.
bool EndsSomething(const SourceLine& line) {
  using Kind = TraceLine::Kind;
  return line.parsed.ok() && line.parsed->pid.has_value() &&
         (line.parsed->kind == Kind::kResumed || line.parsed->kind == Kind::kExit);
}

// Takes the first of the lines of a thread.
template <class Lines>
void ForgetFirst(ThreadNumber thread, absl::flat_hash_map<ThreadNumber, std::deque<Lines>>* lines) {
  const auto found = lines->find(thread);
  found->second.pop_front();
  if (found->second.empty()) lines->erase(found);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CallStream>> CallStream::Open(const std::vector<std::string>& paths) {
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<TraceSource> source, TraceSource::Open(paths));
  return std::make_unique<CallStream>(std::move(source));
}

void CallStream::Unparsed(const SourceLine& line, const absl::Status& why) {
  ++counts_.unparsed;
  if (counts_.samples.size() >= kMostSamples) return;
  counts_.samples.push_back(fmt::format("{}:{}: {}: {}", line.file, line.number, std::string(why.message()),
                                        Escape(std::string_view(line.text).substr(0, kSampleSize))));
}

// The rest of a broken line does not come any more.
void CallStream::DropBroken() {
  if (broken_.has_value()) Unparsed(*broken_, absl::InvalidArgumentError("the rest of the line is missing"));
  broken_.reset();
}

absl::StatusOr<std::optional<SourceLine>> CallStream::Take() {
  if (held_.has_value()) return std::exchange(held_, std::nullopt);
  if (!ahead_.empty()) {
    ForgetAhead(ahead_.front());
    std::optional<SourceLine> line = std::move(ahead_.front());
    ahead_.pop_front();
    ++first_ahead_;
    ahead_size_ = ahead_size_ - MemoryFor(*line);
    return line;
  }
  if (is_at_end_) return std::nullopt;
  BETR_ASSIGN_OR_RETURN(std::optional<SourceLine> line, source_->Next());
  is_at_end_ = !line.has_value();
  return line;
}

void CallStream::ForgetAhead(const SourceLine& line) {
  if (EndsSomething(line)) ForgetFirst(*line.parsed->pid, &ends_ahead_);
  std::optional<ThreadNumber> child = ChildOfWhole(line);
  if (!child.has_value() && ahead_.size() > 1) child = ChildOfDivided(line, ahead_[1]);
  if (child.has_value()) ForgetFirst(*child, &forks_ahead_);
}

ThreadNumber CallStream::ThreadOf(const TraceLine& line) {
  if (line.pid.has_value()) {
    // The first number that nobody announced belongs to who had none.
    if (began_without_number_ && !first_.has_value() && !known_.contains(*line.pid)) first_ = *line.pid;
    known_.insert(*line.pid);
    last_ = first_ == line.pid ? 0 : *line.pid;
    return last_;
  }
  if (known_.empty()) began_without_number_ = true;
  // Without a number there is one process only: the first one, or, when that has ended, the last that is left.
  const bool has_first = began_without_number_ && (!first_.has_value() || known_.contains(*first_));
  last_ = has_first || known_.empty() ? 0 : *known_.begin();
  return last_;
}

// Gives the last of ahead_ its position, and returns that of its thread's line before.
uint64_t CallStream::NotePosition(const SourceLine& line) {
  if (!line.parsed.ok()) return 0;
  return std::exchange(last_of_thread_[line.parsed->pid], first_ahead_ + ahead_.size() - 1);
}

// Adds a line to ahead_; false if there is none, or no room.
absl::StatusOr<bool> CallStream::LookFurther() {
  if (is_at_end_ || ahead_size_ >= kMostAhead) return false;
  BETR_ASSIGN_OR_RETURN(std::optional<SourceLine> next, source_->Next());
  is_at_end_ = !next.has_value();
  if (is_at_end_) return false;
  ahead_size_ += MemoryFor(*next);
  ahead_.push_back(*std::move(next));
  const SourceLine& line = ahead_.back();
  if (EndsSomething(line)) ends_ahead_[*line.parsed->pid].push_back(&line);
  const uint64_t of_line_before = std::exchange(before_last_, NotePosition(line));
  if (const std::optional<ThreadNumber> child = ChildOfWhole(line)) {
    forks_ahead_[*child].push_back({&line, before_last_});
  }
  if (ahead_.size() == 1) return true;
  const SourceLine& before = ahead_[ahead_.size() - 2];
  if (const std::optional<ThreadNumber> child = ChildOfDivided(before, line)) {
    forks_ahead_[*child].push_back({&before, of_line_before});
  }
  return true;
}

absl::StatusOr<std::optional<ThreadNumber>> CallStream::FindChild(const SourceLine& fork) {
  if (ahead_.empty()) BETR_RETURN_IF_ERROR(LookFurther().status());
  if (!ahead_.empty()) {
    if (const std::optional<ThreadNumber> child = ChildOfDivided(fork, ahead_.front())) return child;
  }
  const TraceLine& line = *fork.parsed;
  if (!line.pid.has_value()) return FindChildOfFirst(line);
  while (!ends_ahead_.contains(*line.pid)) {
    BETR_ASSIGN_OR_RETURN(const bool is_there, LookFurther());
    if (!is_there) return std::nullopt;
  }
  return ChildOf(line, *ends_ahead_[*line.pid].front()->parsed);
}

// Where nobody has had a number so far: the end may have one.
absl::StatusOr<std::optional<ThreadNumber>> CallStream::FindChildOfFirst(const TraceLine& line) {
  for (size_t i = 0;; ++i) {
    if (i == ahead_.size()) {
      BETR_ASSIGN_OR_RETURN(const bool is_there, LookFurther());
      if (!is_there) return std::nullopt;
    }
    if (!ahead_[i].parsed.ok()) continue;
    const TraceLine& next = *ahead_[i].parsed;
    if (next.pid.has_value() && known_.contains(*next.pid)) continue;
    if (next.kind == TraceLine::Kind::kExit) return std::nullopt;
    if (next.kind == TraceLine::Kind::kResumed && next.name == line.name) return ChildOf(line, next);
    if (!next.pid.has_value() && next.kind == TraceLine::Kind::kUnfinished) return std::nullopt;
  }
}

// Whether it is the first of a thread that no fork has made, and that did not begin the trace. Several files have their
// forks in time.
bool CallStream::IsUnannounced(const SourceLine& line) const {
  const bool is_first = known_.empty() && !began_without_number_;
  const bool has_number = line.parsed.ok() && line.parsed->pid.has_value();
  return has_number && !is_first && !source_->are_several() && !known_.contains(*line.parsed->pid);
}

// The begin of the fork that made a thread which has a line already. The parent is in that fork, so it has no line in
// between: else the thread was there before the trace, and the fork makes another one of its number.
absl::StatusOr<std::optional<CallEvent>> CallStream::BeginLateFork(ThreadNumber child) {
  while (!forks_ahead_.contains(child)) {
    BETR_ASSIGN_OR_RETURN(const bool is_there, LookFurther());
    if (!is_there) return std::nullopt;
  }
  const auto [fork, before] = forks_ahead_[child].front();
  if (fork->parsed->pid == child || before >= first_ahead_) return std::nullopt;
  known_.insert(child);
  begun_late_.insert(child);
  return CallEvent{.kind = CallEvent::Kind::kBegin,
                   .thread = ThreadOf(*fork->parsed),
                   .time = fork->parsed->time,
                   .name = fork->parsed->name,
                   .arguments = fork->parsed->arguments,
                   .child = child,
                   .line = fork->number};
}

CallEvent CallStream::Begin(const SourceLine& line, std::optional<ThreadNumber> child) {
  const ThreadNumber thread = ThreadOf(*line.parsed);
  CallEvent event{.kind = CallEvent::Kind::kBegin,
                  .thread = thread,
                  .time = line.parsed->time,
                  .name = line.parsed->name,
                  .arguments = line.parsed->arguments,
                  .child = child,
                  .line = line.number};
  counts_.unfinished += begun_.contains(thread) ? 1 : 0;
  begun_[thread] = {event.name, event.arguments, event.time, child};
  return event;
}

std::optional<CallEvent> CallStream::Resume(SourceLine* line) {
  const ThreadNumber thread = ThreadOf(*line->parsed);
  const auto found = begun_.find(thread);
  if (found == begun_.end() || found->second.name != line->parsed->name) {
    Unparsed(*line, absl::InvalidArgumentError("resumes a call that has not begun"));
    return std::nullopt;
  }
  const Begun begun = std::move(found->second);
  begun_.erase(found);
  absl::StatusOr<TraceLine> whole = ParseCall(begun.name, begun.arguments + line->parsed->arguments);
  if (!whole.ok()) {
    Unparsed(*line, whole.status());
    return std::nullopt;
  }
  line->parsed = *std::move(whole);
  line->parsed->time = begun.time;
  ++counts_.calls;
  return CallEvent{.kind = CallEvent::Kind::kCall,
                   .thread = thread,
                   .time = begun.time,
                   .name = begun.name,
                   .arguments = std::move(line->parsed->arguments),
                   .result = line->parsed->result,
                   .has_begun = true,
                   .child = begun.child,
                   .line = line->number};
}

// The rest of a broken line, or, with -z, of a call that a line of another thread interrupted.
std::optional<CallEvent> CallStream::Continue(SourceLine* line) {
  if (broken_.has_value()) {
    SourceLine whole = *std::exchange(broken_, std::nullopt);
    const std::optional<ThreadNumber> child = Attached(whole.text);
    const TraceLine& first = *whole.parsed;
    if (line->parsed->arguments.starts_with(" <unfinished")) {
      whole.parsed->kind = TraceLine::Kind::kUnfinished;
      return Begin(whole, child);
    }
    absl::StatusOr<TraceLine> call = ParseCall(first.name, first.arguments + line->parsed->arguments);
    if (!call.ok()) {
      broken_ = std::move(whole);
      DropBroken();
      Unparsed(*line, call.status());
      return std::nullopt;
    }
    call->pid = first.pid;
    call->time = first.time;
    whole.parsed = *std::move(call);
    return Whole(whole);
  }
  const auto found = begun_.find(last_);
  if (found == begun_.end()) {
    Unparsed(*line, absl::InvalidArgumentError("continues nothing"));
    return std::nullopt;
  }
  line->parsed->name = found->second.name;
  if (last_ != 0) line->parsed->pid = last_;
  return Resume(line);
}

CallEvent CallStream::Whole(const SourceLine& line) {
  ++counts_.calls;
  CallEvent event{.kind = CallEvent::Kind::kCall,
                  .thread = ThreadOf(*line.parsed),
                  .time = line.parsed->time,
                  .name = line.parsed->name,
                  .arguments = line.parsed->arguments,
                  .result = line.parsed->result,
                  .line = line.number};
  if (IsFork(event.name)) {
    event.child = ChildOf(event.result);
    event.has_begun = event.child.has_value() && begun_late_.erase(*event.child) > 0;
    if (event.child.has_value() && !event.has_begun) known_.insert(*event.child);
  }
  return event;
}

CallEvent CallStream::Exit(const SourceLine& line) {
  ++counts_.exits;
  const std::optional<ThreadNumber> superseding = Superseding(line.parsed->arguments);
  if (superseding.has_value()) known_.erase(*superseding);
  const ThreadNumber thread = ThreadOf(*line.parsed);
  counts_.unfinished += begun_.erase(thread);
  CallEvent event{.kind = CallEvent::Kind::kExit, .thread = thread, .time = line.parsed->time, .line = line.number};
  if (superseding.has_value() && superseding != line.parsed->pid) {
    event.successor = superseding == first_ ? 0 : *superseding;
    TakeOver(thread, *event.successor);
  } else if (line.parsed->pid.has_value()) {
    known_.erase(*line.parsed->pid);
  }
  return event;
}

// The execve that has begun ends under the number of `thread`.
void CallStream::TakeOver(ThreadNumber thread, ThreadNumber successor) {
  const auto found = begun_.find(successor);
  if (found == begun_.end()) return;
  Begun begun = std::move(found->second);
  begun_.erase(found);
  begun_.insert_or_assign(thread, std::move(begun));
}

std::optional<CallEvent> CallStream::Handle(SourceLine* line) {
  switch (line->parsed->kind) {
    case TraceLine::Kind::kCall:
      return Whole(*line);
    case TraceLine::Kind::kResumed:
      return Resume(line);
    case TraceLine::Kind::kContinuation:
      return Continue(line);
    case TraceLine::Kind::kBroken:
      if (const std::optional<ThreadNumber> child = Attached(line->text)) known_.insert(*child);
      ThreadOf(*line->parsed);
      DropBroken();
      broken_ = std::move(*line);
      return std::nullopt;
    case TraceLine::Kind::kExit:
      return Exit(*line);
    case TraceLine::Kind::kSignal:
      ++counts_.signals;
      return std::nullopt;
    default:
      if (const std::optional<ThreadNumber> child = Attached(line->text)) known_.insert(*child);
      ++counts_.notes;
      return std::nullopt;
  }
}

// With -z, strace says of a call that was interrupted and succeeded the rest alone, without `<... read resumed>`.
bool CallStream::GoesOn(const SourceLine& line) const {
  if (!is_behind_unfinished_ || broken_.has_value() || line.parsed.ok()) return false;
  const auto found = begun_.find(last_);
  return found != begun_.end() && ParseCall(found->second.name, found->second.arguments + line.text).ok();
}

absl::StatusOr<std::optional<CallEvent>> CallStream::Next() {
  while (true) {
    BETR_ASSIGN_OR_RETURN(std::optional<SourceLine> line, Take());
    if (!line.has_value()) {
      DropBroken();
      counts_.unfinished += begun_.size();
      begun_.clear();
      return std::nullopt;
    }
    if (IsUnannounced(*line)) {
      BETR_ASSIGN_OR_RETURN(std::optional<CallEvent> fork, BeginLateFork(*line->parsed->pid));
      if (fork.has_value()) {
        held_ = std::move(line);
        return fork;
      }
    }
    ++counts_.lines;
    const bool goes_on = GoesOn(*line);
    is_behind_unfinished_ = false;
    if (!line->parsed.ok() && (broken_.has_value() || goes_on)) {
      TraceLine rest;
      rest.kind = TraceLine::Kind::kContinuation;
      rest.arguments = line->text;
      line->parsed = std::move(rest);
    }
    if (!line->parsed.ok()) {
      if (!line->text.empty()) Unparsed(*line, line->parsed.status());
      continue;
    }
    if (line->parsed->kind == TraceLine::Kind::kUnfinished) {
      std::optional<ThreadNumber> child;
      if (IsFork(line->parsed->name)) {
        BETR_ASSIGN_OR_RETURN(child, FindChild(*line));
      }
      is_behind_unfinished_ = true;
      CallEvent begin = Begin(*line, child);
      if (child.has_value() && begun_late_.erase(*child) > 0) continue;
      if (child.has_value()) known_.insert(*child);
      return begin;
    }
    if (std::optional<CallEvent> event = Handle(&*line)) return event;
  }
}

}  // namespace betr::replay
