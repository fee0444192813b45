// SPDX-License-Identifier: Apache-2.0
#include <apsis/cli/application.hpp>
#include <apsis/io/snapshot.hpp>

int main(int argc, char** argv) {
  try {
    apsis::io::end_without_hdf5();
    return apsis::cli::application(argc, argv);
  } catch (...) {
    return apsis::cli::report_exception();
  }
}
