// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  // Programs started by tests call themselves `apsis` in their messages, wherever they were built.
  setenv("APSIS_STARTED_AS", "apsis", 1);
  return doctest::Context(argc, argv).run();
}
