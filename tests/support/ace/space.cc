// SPDX-License-Identifier: Apache-2.0
#include "support/ace/space.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/check.h"

namespace betr::ace {
namespace {

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// A/foo -> A/bar, and back; A -> B, and back. Others have none.
std::string SiblingOf(const std::string& path) {
  static const auto& siblings =
      *new std::map<std::string, std::string>{{"foo", "bar"}, {"bar", "foo"}, {"A", "B"}, {"B", "A"}};
  const std::string parent = ParentOf(path);
  const std::string name = parent.empty() ? path : path.substr(parent.size() + 1);
  const auto found = siblings.find(name);
  return found == siblings.end() ? path : parent.empty() ? found->second : parent + "/" + found->second;
}

// What may be synced in a workload of these operations.
std::vector<Persistence> SyncsOf(const Sequence& sequence) {
  std::set<std::string> paths;
  for (const Operation* operation : sequence) {
    for (const std::string& name : operation->Names()) {
      paths.insert(name);
      if (sequence.size() < 3) {
        paths.insert(SiblingOf(name));
        paths.insert(ParentOf(name));
      }
    }
  }
  std::vector<Persistence> syncs{{Persistence::Kind::kSync, {}}};
  for (const std::string& path : paths) syncs.push_back({Persistence::Kind::kFsync, path});
  return syncs;
}

// The choices for each operation of a sequence.
std::vector<std::vector<Persistence>> ChoicesOf(const Sequence& sequence) {
  const std::vector<Persistence> syncs = SyncsOf(sequence);
  std::vector<std::vector<Persistence>> choices(sequence.size());
  for (size_t i = 0; i < sequence.size(); ++i) {
    if (i + 1 < sequence.size()) choices[i].push_back({});
    choices[i].insert(choices[i].end(), syncs.begin(), syncs.end());
  }
  return choices;
}

bool Distinct(const Operation& operation) { return operation.verb != Verb::kMapWrite; }

bool Visit(const Sequence& sequence, const std::vector<std::vector<Persistence>>& choices, Workload* workload,
           absl::FunctionRef<bool(const Workload&)> visit) {
  const size_t at = workload->size();
  if (at == sequence.size()) return visit(*workload);
  const std::vector<Persistence> same{{}};
  for (const Persistence& choice : Distinct(*sequence[at]) ? choices[at] : same) {
    workload->push_back({sequence[at], choice});
    const bool goes_on = Visit(sequence, choices, workload, visit);
    workload->pop_back();
    if (!goes_on) return false;
  }
  return true;
}

bool IsIn(Set set, const Sequence& sequence) {
  return std::ranges::all_of(sequence, &Operation::is_of_ace) == (set == Set::kAce);
}

bool ShareName(const Operation& a, const Operation& b) {
  const std::vector<std::string> names = a.Names();
  return std::ranges::any_of(b.Names(),
                             [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); });
}

Sequence DrawSequence(Set set, size_t length, Random& random) {
  const size_t operations = set == Set::kAce ? CountOfAce() : Operations().size();
  while (true) {
    Sequence sequence;
    for (size_t i = 0; i < length; ++i) sequence.push_back(&Operations()[random.Uniform(operations)]);
    bool is_connected = true;
    for (size_t i = 1; length >= 3 && i < length; ++i) {
      is_connected = is_connected && ShareName(*sequence[i - 1], *sequence[i]);
    }
    if (is_connected && IsIn(set, sequence)) return sequence;
  }
}

}  // namespace

std::vector<Sequence> Sequences(Set set, size_t length) {
  Check(length == 1 || length == 2, "longer sequences are drawn, not listed");
  std::vector<Sequence> all;
  for (const Operation& first : Operations()) {
    if (length == 1) {
      all.push_back({&first});
      continue;
    }
    for (const Operation& second : Operations()) all.push_back({&first, &second});
  }
  std::erase_if(all, [set](const Sequence& sequence) { return !IsIn(set, sequence); });
  return all;
}

bool ForEachWorkload(const Sequence& sequence, absl::FunctionRef<bool(const Workload&)> visit) {
  Workload workload;
  return Visit(sequence, ChoicesOf(sequence), &workload, visit);
}

Totals CountSpace(Set set, size_t length) {
  Totals totals;
  for (const Sequence& sequence : Sequences(set, length)) {
    ++totals.sequences;
    uint64_t documented = 1;
    for (const std::vector<Persistence>& choices : ChoicesOf(sequence)) documented *= choices.size();
    totals.documented += documented;
    ForEachWorkload(sequence, [&](const Workload& workload) {
      ++totals.distinct;
      totals.points += static_cast<uint64_t>(std::ranges::count_if(workload, &Step::IsPersistent));
      return true;
    });
  }
  return totals;
}

Workload DrawWorkload(Set set, size_t length, Random& random) {
  const Sequence sequence = DrawSequence(set, length, random);
  const std::vector<std::vector<Persistence>> choices = ChoicesOf(sequence);
  Workload workload;
  for (size_t i = 0; i < length; ++i) {
    const Persistence choice = choices[i][random.Uniform(choices[i].size())];
    workload.push_back({sequence[i], Distinct(*sequence[i]) ? choice : Persistence{}});
  }
  return workload;
}

}  // namespace betr::ace
