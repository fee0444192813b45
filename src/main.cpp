// SPDX-License-Identifier: Apache-2.0
#include <apsis/cli/application.hpp>
#include <apsis/cli/last_words.hpp>
#include <apsis/io/snapshot.hpp>

int main(int argc, char** argv) {
  apsis::cli::keep_last_words();
  try {
    apsis::io::end_without_hdf5();
    return apsis::cli::meant(apsis::cli::application(argc, argv));
  } catch (...) {
    return apsis::cli::meant(apsis::cli::report_exception());
  }
}
