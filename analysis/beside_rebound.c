// SPDX-License-Identifier: Apache-2.0
// Runs the problems of `apsis bench --few --beside PROGRAM` with REBOUND 5. To build it beside a
// copy of REBOUND in DIR:
//
//   gcc -O3 -march=native -D_GNU_SOURCE -I DIR/src beside_rebound.c DIR/src/*.c -lm -lpthread
//
// Reads the file that docs/commands.md describes, and prints a line for each run.

#include "rebound.h"

#include "integrator_ias15.h"
#include "integrator_saba.h"
#include "integrator_whfast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { most_bodies = 64, lazy_kernel = 3 };

/// An integrator of REBOUND with its options.
struct scheme {
  char const* label;
  char const* integrator;
  double epsilon;      ///< of ias15; 0: the default
  unsigned corrector;  ///< order, of whfast
  int is_lazy;         ///< kernel of whfast
  unsigned safe_mode;  ///< of whfast and saba: 1 ends each step with positions and velocities
};

/// The bodies of a problem, and the length of its runs.
struct problem {
  double end;           ///< time of the end; 0 if there is a number of steps
  unsigned long steps;  ///< number of steps of 0.01; 0 if there is an end
  int repeats;
  int count;
  double bodies[most_bodies][7];  ///< m x y z vx vy vz
};

static double processor_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct reb_simulation* make(struct problem const* problem, struct scheme const* scheme,
                                   double dt) {
  struct reb_simulation* simulation = reb_simulation_create();
  simulation->dt = dt;
  void* state = reb_simulation_set_integrator(simulation, scheme->integrator);
  if (!strcmp(scheme->integrator, "ias15") && scheme->epsilon > 0.0) {
    ((struct reb_integrator_ias15_state*)state)->epsilon = scheme->epsilon;
  } else if (!strcmp(scheme->integrator, "whfast")) {
    struct reb_integrator_whfast_state* whfast = state;
    whfast->corrector = scheme->corrector;
    whfast->kernel = scheme->is_lazy ? lazy_kernel : 0;
    whfast->safe_mode = scheme->safe_mode;
  } else if (!strcmp(scheme->integrator, "saba")) {
    ((struct reb_integrator_saba_state*)state)->safe_mode = scheme->safe_mode;
  }
  for (int i = 0; i < problem->count; ++i) {
    double const* b = problem->bodies[i];
    struct reb_particle particle = {0};
    particle.m = b[0];
    particle.x = b[1], particle.y = b[2], particle.z = b[3];
    particle.vx = b[4], particle.vy = b[5], particle.vz = b[6];
    reb_simulation_add(simulation, particle);
  }
  return simulation;
}

/// Makes so many steps to the end, or of 0.01; with 0 steps the scheme chooses them.
static void run(struct problem const* problem, struct scheme const* scheme, unsigned long steps) {
  int const to_end = problem->steps == 0;
  double const dt = to_end && steps > 0 ? problem->end / (double)steps : 0.01;
  double least = INFINITY;
  struct reb_simulation* simulation = NULL;
  for (int k = 0; k < problem->repeats; ++k) {
    if (simulation != NULL) reb_simulation_free(simulation);
    simulation = make(problem, scheme, dt);
    double const begin = processor_seconds();
    if (steps == 0) {
      reb_simulation_integrate(simulation, problem->end);
    } else {
      reb_simulation_steps(simulation, steps);
      reb_simulation_synchronize(simulation);
    }
    least = fmin(least, processor_seconds() - begin);
  }
  printf("%s %lu %.9g", scheme->label, (unsigned long)simulation->steps_done, least);
  for (int i = 0; i < problem->count; ++i) {
    struct reb_particle const* p = &simulation->particles[i];
    printf(" %.17g %.17g %.17g", p->x, p->y, p->z);
  }
  printf("\n");
  reb_simulation_free(simulation);
}

/// Runs with `count` numbers of steps, each `factor` times the one before.
static void run_all(struct problem const* problem, struct scheme const* scheme, unsigned long steps,
                    unsigned long factor, int count) {
  for (int k = 0; k < count; ++k, steps *= factor) run(problem, scheme, steps);
}

static int read_problem(char const* name, struct problem* problem) {
  FILE* file = fopen(name, "r");
  if (file == NULL) return 0;
  int const is_read =
      fscanf(file, "%lf %lu %d", &problem->end, &problem->steps, &problem->repeats) == 3;
  for (problem->count = 0; problem->count < most_bodies; ++problem->count) {
    double* b = problem->bodies[problem->count];
    if (fscanf(file, "%lf %lf %lf %lf %lf %lf %lf", b, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6) !=
        7) {
      break;
    }
  }
  fclose(file);
  return is_read && problem->count > 0;
}

int main(int argc, char** argv) {
  static struct problem problem;
  if (argc != 2 || !read_problem(argv[1], &problem)) {
    fprintf(stderr, "usage: beside_rebound FILE\n");
    return 64;
  }
  struct scheme const leapfrog = {"leapfrog", "leapfrog", 0.0, 0, 0, 1};
  struct scheme const whfast_safe = {"whfast_safe", "whfast", 0.0, 0, 0, 1};
  struct scheme const whfast = {"whfast", "whfast", 0.0, 0, 0, 0};
  struct scheme const whfast_lazy = {"whfast_c17_lazy", "whfast", 0.0, 17, 1, 0};
  struct scheme const saba = {"saba(10,6,4)", "saba", 0.0, 0, 0, 0};
  struct scheme ias15 = {"ias15", "ias15", 0.0, 0, 0, 1};
  if (problem.steps > 0) {
    run(&problem, &leapfrog, problem.steps);
    run(&problem, &whfast_safe, problem.steps);
    run(&problem, &whfast, problem.steps);
    run(&problem, &saba, problem.steps);
    run(&problem, &ias15, problem.steps / 8);
    return 0;
  }
  double const epsilons[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-10, 1e-11};
  for (int k = 0; k < 6; ++k) {
    ias15.epsilon = epsilons[k];
    run(&problem, &ias15, 0);
  }
  double total = 0.0, largest = 0.0;
  for (int i = 0; i < problem.count; ++i) {
    total += problem.bodies[i][0];
    largest = fmax(largest, problem.bodies[i][0]);
  }
  if (largest < 0.99 * total) return 0;  // the other schemes are for planets about a star
  int const is_long = problem.end > 1000.0;
  run_all(&problem, &leapfrog, is_long ? 16000 : 64000, 4, 4);
  if (!is_long) return 0;  // the planets meet, which needs short steps
  run_all(&problem, &whfast, 1000, 4, 8);
  run_all(&problem, &whfast_lazy, 1000, 2, 8);
  run_all(&problem, &saba, 500, 2, 7);
  return 0;
}
