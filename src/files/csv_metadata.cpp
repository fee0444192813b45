// SPDX-License-Identifier: Apache-2.0
#include "csv_metadata.hpp"

#include <nlohmann/json.hpp>

namespace apsis::files {

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

}  // namespace apsis::files
