// SPDX-License-Identifier: Apache-2.0
#include "lib/ratio_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/size_text.h"

namespace betr::bench {
namespace {

constexpr char kSelf[] = "betr";

template <class Get>
double MedianOf(const std::vector<Outcome>& outcomes, Get get) {
  std::vector<double> values;
  values.reserve(outcomes.size());
  for (const Outcome& outcome : outcomes) values.push_back(get(outcome));
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double Quotient(double a, double b) { return b == 0 ? 0 : a / b; }

std::string TableHead(std::string_view first, const std::vector<std::string>& columns) {
  std::string head = fmt::format("| {} |", first);
  std::string line = "|---|";
  for (const std::string& column : columns) {
    head += fmt::format(" {} |", column);
    line += "---:|";
  }
  return head + "\n" + line + "\n";
}

}  // namespace

void RatioTable::Add(const std::string& workload, const std::string& engine, const Outcome& outcome) {
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.workload == workload; });
  if (row == rows_.end()) row = rows_.insert(row, Row{workload, {}});
  row->outcomes[engine].push_back(outcome);
  if (std::find(engines_.begin(), engines_.end(), engine) == engines_.end()) engines_.push_back(engine);
}

std::vector<std::string> RatioTable::Peers() const {
  std::vector<std::string> peers;
  std::copy_if(engines_.begin(), engines_.end(), std::back_inserter(peers),
               [](const std::string& engine) { return engine != kSelf; });
  return peers;
}

RatioTable::Figures RatioTable::Median(const std::vector<Outcome>& outcomes) {
  const auto operations = [](const Outcome& o) { return static_cast<double>(o.operations); };
  const auto written = [](const Outcome& o) { return static_cast<double>(o.written.value); };
  Figures figures;
  figures.rate = MedianOf(outcomes, [&](const Outcome& o) { return Quotient(operations(o), o.seconds); });
  figures.seconds = MedianOf(outcomes, [](const Outcome& o) { return o.seconds; });
  figures.processor_us =
      MedianOf(outcomes, [&](const Outcome& o) { return Quotient(o.processor_seconds * 1e6, operations(o)); });
  figures.written_per_operation =
      MedianOf(outcomes, [&](const Outcome& o) { return Quotient(written(o), operations(o)); });
  figures.amplification =
      MedianOf(outcomes, [&](const Outcome& o) { return Quotient(written(o), static_cast<double>(o.bytes_put)); });
  figures.on_disk = MedianOf(outcomes, [](const Outcome& o) { return static_cast<double>(o.on_disk.value); });
  return figures;
}

std::string RatioTable::RatioCell(const Row& row, const std::string& peer, double Figures::*figure) {
  const auto self = row.outcomes.find(kSelf);
  const auto other = row.outcomes.find(peer);
  if (other == row.outcomes.end()) return "-";
  const double of_peer = Median(other->second).*figure;
  return self == row.outcomes.end() ? fmt::format("({:.4g})", of_peer)
                                    : fmt::format("{:.3g}", Quotient(Median(self->second).*figure, of_peer));
}

std::string RatioTable::WrittenCell(const Row& row, const std::string& engine) {
  const auto found = row.outcomes.find(engine);
  if (found == row.outcomes.end()) return "-";
  const Figures figures = Median(found->second);
  return figures.amplification > 0 ? fmt::format("{:.2f} B/B", figures.amplification)
                                   : FormatSize(Bytes{static_cast<uint64_t>(figures.written_per_operation)}) + "/op";
}

std::string RatioTable::RatioTableOf(std::string_view title, std::string_view unit, double Figures::*figure) const {
  std::vector<std::string> columns = {fmt::format("{}, {}", kSelf, unit)};
  for (const std::string& peer : Peers()) columns.push_back(fmt::format("{} / {}", kSelf, peer));
  std::string text = TableHead(title, columns);
  for (const Row& row : rows_) {
    const auto self = row.outcomes.find(kSelf);
    text += fmt::format("| {} | {} |", row.workload,
                        self == row.outcomes.end() ? "-" : fmt::format("{:.4g}", Median(self->second).*figure));
    for (const std::string& peer : Peers()) text += fmt::format(" {} |", RatioCell(row, peer, figure));
    text += "\n";
  }
  return text;
}

std::string RatioTable::Markdown() const {
  std::string text = RatioTableOf("rate (more is better)", "ops/s", &Figures::rate);
  text += "\n" + RatioTableOf("processor time (less is better)", "us/op", &Figures::processor_us);
  text += "\n" + TableHead("written (less is better)", engines_);
  for (const Row& row : rows_) {
    text += fmt::format("| {} |", row.workload);
    for (const std::string& engine : engines_) text += fmt::format(" {} |", WrittenCell(row, engine));
    text += "\n";
  }
  return text;
}

std::string RatioTable::Json(const Settings& settings) const {
  nlohmann::ordered_json root = {{"schema", "betr.bench.ratios"}, {"version", 1}};
  root["settings"] = {{"keys", settings.keys},
                      {"value_size", settings.value_size},
                      {"cache_bytes", settings.cache_size.value},
                      {"compression", settings.compression},
                      {"clone_keys", settings.max_clone_keys},
                      {"durable_puts", settings.durable_puts},
                      {"experiments", settings.experiment_names}};
  for (const Row& row : rows_) {
    nlohmann::ordered_json entry = {{"name", row.workload}};
    const auto self = row.outcomes.find(kSelf);
    for (const auto& [engine, outcomes] : row.outcomes) {
      const Figures figures = Median(outcomes);
      nlohmann::ordered_json& of = entry["engines"][engine];
      of = {{"runs", outcomes.size()},
            {"ops_per_s", figures.rate},
            {"seconds", figures.seconds},
            {"processor_us_per_op", figures.processor_us},
            {"written_bytes_per_op", figures.written_per_operation},
            {"disk_bytes", figures.on_disk}};
      if (figures.amplification > 0) of["written_bytes_per_byte_put"] = figures.amplification;
      if (self != row.outcomes.end() && engine != kSelf) {
        of["betr_ratio"] = Quotient(Median(self->second).rate, figures.rate);
      }
    }
    root["workloads"].push_back(std::move(entry));
  }
  return root.dump(2) + "\n";
}

}  // namespace betr::bench
