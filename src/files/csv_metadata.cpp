// SPDX-License-Identifier: Apache-2.0
#include "csv_metadata.hpp"

#include "files/file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace apsis::files {

namespace {

/// Enough for a hundred columns and a hundred thousand rows.
constexpr ReadLimit table_limit{std::uint64_t{1} << 28, "a table"};

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    auto const end = line.find(',');
    cells.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

bool read(std::string_view cell, double& number) {
  auto const parsed = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == cell.data() + cell.size();
}

}  // namespace

std::string csv_metadata(std::string const& file, std::vector<TableColumn> const& columns,
                         Units const& units) {
  using OrderedJson = nlohmann::ordered_json;
  auto list = OrderedJson::array();
  for (auto const& column : columns) {
    OrderedJson entry;
    entry["name"] = column.name;
    entry["titles"] = column.name;
    entry["dc:description"] = column.doc;
    entry["datatype"] = column.text ? "string" : column.whole ? "integer" : "double";
    auto const unit = column.fixed_unit.empty() ? units.name(column.dimension) : column.fixed_unit;
    if (!unit.empty()) entry["schema:unitText"] = unit;
    list.push_back(std::move(entry));
  }
  OrderedJson metadata;
  metadata["@context"] = "http://www.w3.org/ns/csvw";
  metadata["url"] = file;
  metadata["dc:description"] =
      "in the run's units, but for columns that name another: " + units.words();
  metadata["tableSchema"]["columns"] = std::move(list);
  return metadata.dump(2) + "\n";
}

std::vector<std::vector<double>> read_columns(std::filesystem::path const& file,
                                              std::vector<std::string> const& names) {
  std::vector<std::vector<double>> columns(names.size());
  auto const text = read_file(file, table_limit);
  std::string_view rest = text;
  std::vector<std::size_t> places;
  std::size_t width = 0;
  while (true) {
    auto const end = rest.find('\n');
    if (end == std::string_view::npos) return columns;
    auto const cells = cells_of(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (width == 0) {
      width = cells.size();
      for (auto const& name : names) {
        auto const cell = std::find(cells.begin(), cells.end(), name);
        if (cell == cells.end()) return columns;
        places.push_back(static_cast<std::size_t>(cell - cells.begin()));
      }
      continue;
    }
    std::vector<double> row(names.size());
    bool whole = cells.size() == width;
    for (std::size_t k = 0; whole && k < row.size(); ++k) whole = read(cells[places[k]], row[k]);
    if (!whole) return columns;
    for (std::size_t k = 0; k < row.size(); ++k) columns[k].push_back(row[k]);
  }
}

}  // namespace apsis::files
