// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>

#include <string>
#include <utility>
#include <vector>

namespace apsis {

/// A work that users of a method cite, as an entry of BibTeX. Empty fields are left out.
struct Citation {
  std::string key;   ///< "Plummer1911"
  std::string type;  ///< of the BibTeX entry: article, inproceedings, incollection, misc
  std::string author, title;
  std::string place;  ///< journal of an article, book of a part of a book
  std::string volume, pages, year, doi;

  std::string bibtex() const;
};

/// All works. Entries of the other registries name them by their keys, in the member `cite`.
Registry<Citation, &Citation::key> const& citations();

/// Returns an entry of a registry with these keys of works.
template <class Entry>
Entry cited(Entry entry, std::vector<std::string> keys) {
  entry.cite = std::move(keys);
  return entry;
}

}  // namespace apsis
