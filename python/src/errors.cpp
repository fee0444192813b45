// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"
#include <apsis/core/error.hpp>
#include <apsis/integrators/collision.hpp>

#include <exception>
#include <nanobind/stl/string.h>

namespace apsis::python {

namespace {

/// Called with the exit status, a list of (where, problem, why, advice), and a dictionary of data;
/// returns the exception. Never destroyed: Python may be gone when static objects are.
nb::object* make_exception = nullptr;

nb::dict data_of(Error const& error) {
  nb::dict data;
  auto const* const collision = dynamic_cast<integrators::Collision const*>(&error);
  if (collision == nullptr || !collision->pair) return data;
  auto const& pair = *collision->pair;
  data["collision"] = nb::make_tuple(pair.first, pair.second);
  data["distance"] = pair.distance;
  data["time"] = pair.time;
  return data;
}

void translate(std::exception_ptr const& exception, void* /*unused*/) {
  try {
    std::rethrow_exception(exception);
  } catch (Error const& error) {
    nb::list problems;
    for (auto const& problem : error.problems()) {
      problems.append(nb::make_tuple(problem.where, problem.problem, problem.why, problem.advice));
    }
    if (make_exception == nullptr) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
      return;
    }
    try {
      auto const exception_object =
          (*make_exception)(static_cast<int>(error.status()), problems, data_of(error));
      PyErr_SetObject(exception_object.type().ptr(), exception_object.ptr());
    } catch (nb::python_error& failed) {
      failed.restore();
    }
  }
}

}  // namespace

void bind_errors(nb::module_& extension) {
  nb::register_exception_translator(translate);
  extension.def(
      "set_error_type",
      [](nb::object function) {
        delete make_exception;
        make_exception = new nb::object(std::move(function));
      },
      nb::arg("function"),
      "Set the function that makes an exception of (exit status, problems, data).");
}

}  // namespace apsis::python
