// SPDX-License-Identifier: Apache-2.0
// RatioTable: the results of a run, as ratios of betr to its peers. Absolute figures belong to a machine, ratios less
// so. Where a benchmark ran more than once, the median counts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/workload.h"

namespace betr::bench {

class RatioTable {
 public:
  void Add(const std::string& workload, const std::string& engine, const Outcome& outcome);
  bool Empty() const { return rows_.empty(); }

  // Tables in Markdown: rates, processor time, bytes written.
  std::string Markdown() const;
  // {"schema": "betr.bench.ratios", "version": 1, "settings": {...}, "workloads": [{"name", "engines": {...}}]}
  std::string Json(const Settings& settings) const;

 private:
  struct Row {
    std::string workload;
    std::map<std::string, std::vector<Outcome>> outcomes;  // by engine
  };
  struct Figures {
    double rate = 0;  // operations a second
    double written_per_operation = 0;
    double amplification = 0;  // bytes written per byte put; 0: does not put
    double seconds = 0;
    double processor_us = 0;  // an operation
    double on_disk = 0;
  };

  std::vector<std::string> Peers() const;
  static Figures Median(const std::vector<Outcome>& outcomes);
  // betr / peer; the peer's own figure in brackets if betr did not run.
  static std::string RatioCell(const Row& row, const std::string& peer, double Figures::*figure);
  std::string RatioTableOf(std::string_view title, std::string_view unit, double Figures::*figure) const;
  static std::string WrittenCell(const Row& row, const std::string& engine);

  std::vector<Row> rows_;
  std::vector<std::string> engines_;
};

}  // namespace betr::bench
