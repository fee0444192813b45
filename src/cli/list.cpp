// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/driver/configuration.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/integrators/stepping.hpp>
#include <apsis/io/bodies_formats.hpp>
#include <apsis/verification/verify.hpp>

#include <iomanip>
#include <iostream>

namespace apsis::cli {

namespace {

void print_line(std::string const& name, std::string const& doc) {
  std::cout << "  " << std::left << std::setw(18) << name << ' ' << doc << "\n";
}

template <class Table>
void print_table(char const* title, Table const& table) {
  std::cout << title << "\n";
  for (auto const& entry : table) print_line(entry.name, entry.doc);
}

ExitStatus list() {
  print_table("solvers (gravity.solver)", forces::solvers());
  print_table("softening kernels (gravity.softening_kernel)", forces::softening_kernels());
  print_table("precisions (gravity.precision)", forces::precisions());
  std::cout << "kernels (gravity.kernel)\n";
  for (auto const& kernel : forces::kernels()) {
    print_line(kernel.name,
               kernel.doc + (kernel.available() ? "" : "; not here: " + kernel.unavailable));
  }
  print_table("integrators (integrator.name)", integrators::integrators());
  print_table("time step criteria (integrator.stepping.criterion)", integrators::criteria());
  print_table("initial conditions (bodies.generator)", initial_conditions::models());
  std::cout << "units (units.system)\n";
  for (auto const& units : unit_systems()) print_line(units.system, units.doc);
  std::cout << "initial conditions (bodies)\n";
  print_line(initial_conditions::listed().name, initial_conditions::listed().doc);
  print_line(driver::file_model().name, driver::file_model().doc);
  print_table("file formats (bodies.format, convert)", io::body_formats());
  print_table("known answers (verify --problem)", verification::known_answers());
  print_table("diagnostics (diagnostics)", driver::diagnostic_entries());
  return ExitStatus::conserved;
}

}  // namespace

Command list_command() {
  return {"list", "List solvers, integrators, initial conditions and diagnostics", {}, list};
}

}  // namespace apsis::cli
