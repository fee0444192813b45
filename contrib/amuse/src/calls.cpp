// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <apsis/core/error.hpp>

#include <cstdio>
#include <exception>
#include <memory>

namespace apsis::amuse {

namespace {

/// Never destroyed: it would outlive static objects of Kokkos.
std::unique_ptr<Model>& model_pointer() {
  static auto* const pointer = new std::unique_ptr<Model>(std::make_unique<Model>());
  return *pointer;
}

}  // namespace

Model& model() {
  return *model_pointer();
}

void replace_model() {
  model_pointer() = std::make_unique<Model>();
}

void report(std::string const& text) {
  static auto* const last = new std::string;
  if (text == *last) return;
  *last = text;
  std::fprintf(stderr, "apsis: %s\n", text.c_str());
}

int report_exception() noexcept {
  try {
    report(error_from(std::current_exception()).what());
  } catch (...) {
    std::fputs("apsis: out of memory\n", stderr);
  }
  return failure;
}

}  // namespace apsis::amuse
