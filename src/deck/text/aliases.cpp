// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>

#include <sstream>

namespace apsis::deck {

namespace {

/// A deck key and the alternative names that users type for it.
struct Keys {
  char const* path;
  char const* words;
};

constexpr Keys key_rows[] = {
    {"title", "name description"},
    {"reference", "paper citation"},
    {"units.system", "unit_system system_of_units"},
    {"bodies", "initial_conditions ic ics particles stars planets model"},
    {"bodies.generator", "model type kind ic profile distribution"},
    {"bodies.count",
     "N n_bodies num_bodies number number_of_bodies particles n_particles nparticle size"},
    {"units.velocity", "speed unit_velocity"},
    {"bodies.seed", "random_seed rng rng_seed"},
    {"bodies.mass", "M total_mass m_tot"},
    {"bodies.scale_radius", "a b r_s plummer_radius scale scale_length"},
    {"bodies.W0", "w"},
    {"bodies.virial_radius", "r_v r_vir scale_radius"},
    {"bodies.half_mass_radius", "r_h r_hm r_half"},
    {"bodies.core_radius", "r_c"},
    {"bodies.radius", "R"},
    {"bodies.virial_ratio", "Q"},
    {"bodies.toomre_q", "Q"},
    {"bodies.file", "filename path input input_file snapshot InitCondFile achInFile"},
    {"bodies.columns", "column_names names_of_columns usecols names"},
    {"bodies.list", "bodies particles objects stars planets"},
    {"bodies.masses", "imf mass_function"},
    {"bodies.centre", "move_to_com centre_of_mass com to_com"},
    {"bodies.masses.function", "imf type kind name"},
    {"bodies.masses.minimum", "m_min min lower"},
    {"bodies.masses.maximum", "m_max max upper"},
    {"bodies.masses.exponent", "alpha slope gamma"},
    {"bodies.parts.orbit.pericentre", "r_p r_peri q periapsis pericenter perihelion peri"},
    {"bodies.parts.orbit.eccentricity", "e ecc"},
    {"bodies.parts.orbit.separation", "d distance r r_0 initial_separation"},
    {"bodies.semi_major_axis", "a sma"},
    {"bodies.eccentricity", "e ecc"},
    {"bodies.inclination", "i inc"},
    {"bodies.list.mass", "m"},
    {"bodies.list.radius", "r R"},
    {"collisions.on_collision", "action resolve mode collision_resolve then"},
    {"collisions.restitution", "coefficient_of_restitution cor"},
    {"removal.beyond", "radius distance"},
    {"bodies.list.position", "x y z pos xyz coordinates"},
    {"bodies.list.velocity", "v vx vy vz vel"},
    {"bodies.list.semi_major_axis", "a sma"},
    {"bodies.list.eccentricity", "e ecc"},
    {"bodies.list.inclination", "i inc"},
    {"bodies.list.node", "Omega ascending_node longitude_of_ascending_node raan"},
    {"bodies.list.argument",
     "omega argument_of_pericentre argument_of_pericenter argument_of_perihelion"},
    {"bodies.list.mean_anomaly", "M"},
    {"bodies.list.true_anomaly", "f nu"},
    {"bodies.list.eccentric_anomaly", "E"},
    {"bodies.list.pericentre_time",
     "T Tp t_peri time_of_pericentre pericenter_time perihelion_time"},
    {"bodies.list.period", "P orbital_period"},
    {"bodies.list.pericentre", "q r_p r_peri periapsis pericenter perihelion peri"},
    {"bodies.list.primary", "parent about orbits centre center"},
    {"bodies.list.name", "designation label"},
    {"gravity.G", "G gravitational_constant grav_const"},
    {"gravity.softening",
     "eps epsilon softening_length soft smoothing_length dSoft softening_gas softening_halo "
     "softening_disk softening_bulge softening_stars softening_bndry softening_dm "
     "softening_gas_max_phys softening_halo_max_phys softening_disk_max_phys "
     "softening_bulge_max_phys softening_stars_max_phys softening_bndry_max_phys"},
    {"gravity.softening_by_species", "softenings softening_of_species softening_types"},
    {"gravity.softening_by_species.dark", "halo dm dark_matter"},
    {"gravity.softening_by_species.stars", "star"},
    {"gravity.softening_by_species.other", "bndry boundary"},
    {"gravity.opening_angle",
     "theta ErrTolTheta dTheta opening_criterion bh_theta theta_crit tree_opening_angle"},
    {"gravity.accuracy", "ErrTolForceAcc force_accuracy force_tolerance"},
    {"gravity.solver", "algorithm force_solver type kind method"},
    {"gravity.precision", "dtype float_type"},
    {"integrator.time_step", "dt dt_max MaxSizeTimestep dDelta delta_t deltaTime step step_size h"},
    {"integrator.name", "method scheme type kind integrator"},
    {"integrator.stepping", "adaptive time_stepping"},
    {"integrator.stepping.mode", "name type kind"},
    {"integrator.stepping.eta", "eta accuracy ETAI ErrTolIntAccuracy dEta"},
    {"run.end_time", "time tmax t_end t_final t_stop final_time stop_time duration tcrit TimeMax"},
    {"run.steps", "n_steps num_steps number_of_steps iterations max_steps"},
    {"run.escape_radius",
     "exit_max_distance max_distance escape_distance ejection_distance ejection_radius rmax"},
    {"run.encounter_distance",
     "exit_min_distance min_distance close_encounter_distance encounter_radius rmin"},
    {"run.max_wall_time", "wall_time time_limit max_cpu_time"},
    {"output.snapshot_interval",
     "dt_out dt_snap output_interval time_between_snapshots snapshots TimeBetSnapshot "
     "snapshot_every"},
    {"output.snapshot_times", "times output_times"},
    {"output.conservation_interval", "TimeBetStatistics DELTAT DTADJ"},
    {"output.conservation_interval", "log_interval energy_interval dt_log dt_diag nburst"},
    {"output.render", "pictures images frames movie film"},
    {"output.checkpoint_interval", "restart_interval dump_interval"},
    {"conservation.max_relative_energy_error",
     "tolerance tol energy_tolerance energy_error max_energy_error energy qe"},
    {"conservation.max_momentum_error", "momentum_tolerance momentum_error"},
};

/// A value of a key, or the text to write instead, and other names that users type for it.
struct Choices {
  char const* path;
  char const* value;
  char const* words;
};

constexpr char const* gadget_units =
    R"("units": {"length": "kpc", "mass": "1e10 Msun", "velocity": "km/s"})";
constexpr char const* si_units = R"("units": {"length": 1, "mass": 1, "time": 1})";
constexpr char const* cgs_units = R"("units": {"length": 0.01, "mass": 0.001, "time": 1})";

constexpr Choices value_rows[] = {
    {"units.system", "henon", "nbody heggie_mathieu"},
    {"units.system", "astrophysical", "pc parsec cluster stellar"},
    {"units.system", "solar", "au planetary solar_system"},
    {"units.system", "dimensionless", "none code"},
    {"units.system", si_units, "si mks m"},
    {"units.system", cgs_units, "cgs cm"},
    {"units.system", gadget_units, "gadget kpc galactic"},
    {"bodies.generator", "uniform_sphere", "sphere uniform ball cold_collapse"},
    {"bodies.generator", "disk_galaxy", "disk disc galaxy spiral"},
    {"bodies.generator", "kepler", "two_body binary orbit"},
    {"bodies.generator", "pythagorean", "burrau three_body"},
    {"bodies.generator", "figure_eight", "figure8 eight"},
    {"bodies.generator", "nfw", "halo"},
    {"bodies.generator", "composite", "collision merger galaxies"},
    {"bodies.masses.function", "power_law", "salpeter"},
    {"bodies.masses.function", "kroupa", "kroupa2001 imf"},
    {"bodies.format", "hdf5", "h5 swift"},
    {"bodies.format", "text", "txt csv ascii dat"},
    {"bodies.format", "gadget", "gadget1 gadget2 snapformat"},
    {"bodies.format", "horizons", "jpl"},
    {"bodies.format", "mercury", "mercury6"},
    {"gravity.solver", "direct", "all_pairs brute_force pp particle_particle"},
    {"gravity.solver", "fmm", "fast_multipole multipole tree treecode barnes_hut octree"},
    {"gravity.precision", "single", "float float32 fp32"},
    {"gravity.precision", "double", "float64 fp64"},
    {"gravity.softening_kernel", "spline", "gadget"},
    {"gravity.softening_kernel", "wendland_c2", "swift"},
    {"gravity.softening_kernel", "none", "newton newtonian"},
    {"integrator.name", "leapfrog_kdk", "leapfrog verlet velocity_verlet kdk"},
    {"integrator.name", "leapfrog_dkd", "position_verlet dkd"},
    {"integrator.name", "rk4", "rk runge_kutta"},
    {"integrator.name", "euler", "symplectic_euler semi_implicit_euler"},
    {"integrator.name", "hermite4", "hermite nbody6"},
    {"integrator.name", "gauss_radau15", "ias15 radau radau15 ra15 everhart"},
    {"integrator.name", "wisdom_holman", "whfast whfast512 wh"},
    {"integrator.name", "\"name\": \"wisdom_holman\", which resolves no close encounters",
     "mercurius saba symba"},
    {"integrator.stepping.mode", "\"name\": \"hermite4\", which has block steps", "block"},
    {"integrator.stepping.mode", "adaptive", "shared variable"},
    {"integrator.stepping.mode", "block", "individual hierarchical"},
    {"integrator.stepping.mode", "fixed", "constant"},
};

/// Words that are no deck key, and what to do instead.
constexpr Choices other_rows[] = {
    {"bodies.list.", "give a name; the ids are 0, 1, 2 ... in the order of the list", "id hash"},
    {"bodies.list.", "give node and argument; it is their sum",
     "pomega varpi long_peri longitude_of_pericentre longitude_of_perihelion curly_pi"},
    {"bodies.list.", "give true_anomaly, which is this angle minus node and argument",
     "theta true_longitude"},
    {"bodies.",
     "give scale_radius, which is 0.766 of the half-mass radius for a Plummer sphere and 0.414 for "
     "a Hernquist sphere; king has half_mass_radius",
     "half_mass_radius r_h r_half"},
    {"output.", "give conservation_interval or snapshot_interval",
     "interval dt dt_output every step"},
    {"integrator.", "give the accuracy of steps as stepping.eta, with mode adaptive or block",
     "epsilon tolerance min_dt accuracy"},
    {"integrator.stepping.", "leave it out: block stepping uses the criterion of the integrator",
     "criterion"},
    {"bodies.list.", "give mean_anomaly, which is this angle minus node and argument",
     "l lambda longitude mean_longitude"},
    {"units.",
     "write \"length\": \"kpc\", \"mass\": \"1e10 Msun\", \"velocity\": \"km/s\", with your units, "
     "or numbers in SI (a centimetre is 0.01, a gram 0.001)",
     "UnitLength_in_cm UnitMass_in_g UnitVelocity_in_cm_per_s RBAR ZMBAR"},
    {"gravity.", "give softening, its square root",
     "eps2 epsilon2 softening2 epsSqr softening_squared"},
    {"gravity.",
     "write \"solver\": \"fmm\" beside \"opening_angle\": a sum over all pairs has no cells",
     "theta ErrTolTheta dTheta opening_criterion bh_theta theta_crit tree_opening_angle"},
    {"gravity.", "give opening_angle with the solver 'fmm', its square root",
     "theta2 opening_angle2"},
    {"gravity.",
     "write \"solver\": \"fmm\" beside \"accuracy\": sums over all pairs are exact to rounding",
     "ErrTolForceAcc force_accuracy force_tolerance"},
    {"diagnostics.", "write \"orbital_elements\": {}", "orbits elements orbit"},
    {"diagnostics.", "write \"lagrangian_radii\": {}", "radii lagrange"},
    {"diagnostics.", "write \"transits\": {}", "transit ttv transit_times"},
    {"diagnostics.", "it is always written, to conservation.csv", "energy conservation"},
    {"", "give the option --threads N of the command run",
     "threads n_threads num_threads nthread cores"},
    {"", "give the option --output DIR of the command run",
     "output_dir output_directory directory out"},
};

std::vector<std::string> words_of(char const* line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::vector<DeckAlias> picture_aliases(std::string const& place) {
  constexpr Choices rows[] = {
      {"colour", "", "color colours colour_by"},
      {"field_of_view", "", "fov"},
      {"extent", "", "scale size box radius"},
      {"palette", "", "cmap colormap colourmap"},
      {"",
       "give follow: origin, centre_of_mass, density_centre, or body and its id; species draws "
       "some bodies alone",
       "centre center target"},
  };
  std::vector<DeckAlias> aliases;
  for (auto const& [key, value, line] : rows) {
    for (auto const& word : words_of(line)) aliases.push_back({word, place + key, value});
  }
  return aliases;
}

std::vector<DeckAlias> deck_aliases() {
  std::vector<DeckAlias> aliases;
  for (auto const& [path, line] : key_rows) {
    for (auto const& word : words_of(line)) aliases.push_back({word, path, ""});
  }
  auto const add = [&](Choices const& row) {
    for (auto const& word : words_of(row.words)) aliases.push_back({word, row.path, row.value});
  };
  for (auto const& row : value_rows) add(row);
  for (auto const& row : other_rows) add(row);
  auto const pictures = picture_aliases("output.render.");
  aliases.insert(aliases.end(), pictures.begin(), pictures.end());
  return aliases;
}

}  // namespace apsis::deck
