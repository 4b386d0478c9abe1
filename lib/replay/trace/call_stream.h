// SPDX-License-Identifier: Apache-2.0
// Puts system calls together from the lines of a trace. Joins the halves of calls, repairs lines that strace's own
// messages broke, finds the numbers of threads printed without one, and tells the child of a fork in time.
//
// 1. A call whose line is divided comes twice. kBegin comes when it begins, with what was printed of its arguments;
//    kCall comes when it ends. A whole line comes once, as kCall.
// 2. A fork names its child when it begins, since the stream looks ahead for the end of the call. With -z that end is
//    its only line, and may be behind lines of the child. Then the first line of the child makes the stream look for
//    it. The kBegin comes before that line, the kCall in its own place.
// 3. What cannot be parsed is counted, and the first of it is kept. Nothing is dropped silently.
//
// Memory: what lies between the begin of a fork and its end, at most kMostAhead. Threads that no fork announces may
// take as much. One thread.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/status/statusor.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "replay/trace/process_event.h"
#include "replay/trace/trace_source.h"

namespace betr::replay {

struct CallEvent {
  enum class Kind : uint8_t {
    kBegin,
    kCall,
    kExit,  // the thread has ended
  };
  Kind kind = Kind::kCall;
  ThreadNumber thread = 0;
  std::chrono::nanoseconds time{0};  // when it began
  std::string name{};
  std::string arguments{};
  CallResult result{};                  // of kCall
  bool has_begun = false;               // kCall: there was a kBegin
  std::optional<ThreadNumber> child{};  // of fork, vfork, clone, clone3
  // kExit: the thread whose execve ended this one. It goes on with this one's number.
  std::optional<ThreadNumber> successor{};
  uint64_t line = 0;
};

// What the stream has met.
struct StreamCounts {
  uint64_t lines = 0;
  uint64_t calls = 0;  // that ended
  uint64_t signals = 0;
  uint64_t exits = 0;
  uint64_t notes = 0;                  // of strace itself
  uint64_t unparsed = 0;               // lines that make no sense
  uint64_t unfinished = 0;             // calls that never ended
  std::vector<std::string> samples{};  // the first of the unparsed: "FILE:12: why: text"
};

// How far the stream looks for the end of a fork, in memory for the lines. That is some hundred thousand usual lines. A
// fork whose end is further away, or missing, has no child.
inline constexpr Bytes kMostAhead = MiB(128);

class CallStream {
 public:
  static absl::StatusOr<std::unique_ptr<CallStream>> Open(const std::vector<std::string>& paths);
  explicit CallStream(std::unique_ptr<TraceSource> source) : source_(std::move(source)) {}

  // Returns the next event; nothing at the end.
  absl::StatusOr<std::optional<CallEvent>> Next();

  const StreamCounts& counts() const { return counts_; }
  const TraceSource& source() const { return *source_; }

 private:
  struct Begun {
    std::string name;
    std::string arguments;
    std::chrono::nanoseconds time{0};
    std::optional<ThreadNumber> child{};
  };

  absl::StatusOr<std::optional<SourceLine>> Take();
  absl::StatusOr<bool> LookFurther();
  uint64_t NotePosition(const SourceLine& line);
  void ForgetAhead(const SourceLine& line);
  absl::StatusOr<std::optional<ThreadNumber>> FindChild(const SourceLine& fork);
  absl::StatusOr<std::optional<ThreadNumber>> FindChildOfFirst(const TraceLine& line);
  bool IsUnannounced(const SourceLine& line) const;
  absl::StatusOr<std::optional<CallEvent>> BeginLateFork(ThreadNumber child);
  std::optional<CallEvent> Handle(SourceLine* line);
  CallEvent Begin(const SourceLine& line, std::optional<ThreadNumber> child);
  std::optional<CallEvent> Resume(SourceLine* line);
  std::optional<CallEvent> Continue(SourceLine* line);
  CallEvent Whole(const SourceLine& line);
  CallEvent Exit(const SourceLine& line);
  void TakeOver(ThreadNumber thread, ThreadNumber successor);
  ThreadNumber ThreadOf(const TraceLine& line);
  void Unparsed(const SourceLine& line, const absl::Status& why);
  void DropBroken();
  bool GoesOn(const SourceLine& line) const;

  std::unique_ptr<TraceSource> source_;
  StreamCounts counts_;
  std::deque<SourceLine> ahead_;
  // Those of ahead_ that end a call or the thread, by thread, if there are any. Forks look for their ends here, not
  // among all lines.
  absl::flat_hash_map<ThreadNumber, std::deque<const SourceLine*>> ends_ahead_;
  // A line that is a fork, or divided only by its end.
  struct ForkAhead {
    const SourceLine* line;
    uint64_t before;  // the position of its thread's line before it
  };
  // Those of ahead_, by child.
  absl::flat_hash_map<ThreadNumber, std::deque<ForkAhead>> forks_ahead_;
  // Lines that were read ahead have positions, counted from 1. 0 is none.
  uint64_t first_ahead_ = 1;  // of the first of ahead_
  uint64_t before_last_ = 0;  // of the line before the last of ahead_, of that one's thread
  absl::flat_hash_map<std::optional<ThreadNumber>, uint64_t> last_of_thread_;  // the last one, in ahead_ or before it
  Bytes ahead_size_{0};                                                        // in memory
  std::optional<SourceLine> held_;                                             // comes before ahead_
  absl::flat_hash_set<ThreadNumber> begun_late_;  // children of forks that have begun and whose line is still to come
  bool is_at_end_ = false;
  absl::flat_hash_map<ThreadNumber, Begun> begun_;
  std::optional<SourceLine> broken_;   // waits for the rest of its line
  ThreadNumber last_ = 0;              // the thread of the line before
  bool is_behind_unfinished_ = false;  // the line before began a call
  // Without -o, and with one process only, lines have no number.
  absl::flat_hash_set<ThreadNumber> known_;
  std::optional<ThreadNumber> first_;  // the number, once it is seen, of the thread that began without one
  bool began_without_number_ = false;
};

}  // namespace betr::replay
