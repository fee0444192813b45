// SPDX-License-Identifier: Apache-2.0
#include <apsis/cli/application.hpp>

int main(int argc, char** argv) {
  try {
    return apsis::cli::application(argc, argv);
  } catch (...) {
    return apsis::cli::report_exception();
  }
}
