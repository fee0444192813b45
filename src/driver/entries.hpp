// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/observer_entry.hpp>

/// The lines of the table of observers; each in the file of its observer.
namespace apsis::driver {

ObserverEntry conservation_log();
ObserverEntry diagnostic_tables();
ObserverEntry snapshots();
ObserverEntry progress();

}  // namespace apsis::driver
