// SPDX-License-Identifier: Apache-2.0
#include "integrators/planetary/kepler_step.hpp"

#include "experiment.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apsis::verification {

namespace {

struct OrbitalState {
  double position[3], velocity[3], mu, time;
};

/// Advances orbit_lanes states per call. Lanes beyond the last state repeat it.
struct AdvanceStates {
  Kokkos::View<OrbitalState*, MemorySpace> states;

  static std::size_t calls(std::size_t count) {
    return (count + integrators::orbit_lanes - 1) / integrators::orbit_lanes;
  }

  KOKKOS_FUNCTION void operator()(std::size_t call) const {
    std::size_t const count = states.extent(0), first = call * integrators::orbit_lanes;
    integrators::OrbitLanes x[3]{}, v[3]{}, mu{}, time{};
    for (int lane = 0; lane < integrators::orbit_lanes; ++lane) {
      std::size_t const i = first + static_cast<std::size_t>(lane);
      auto const& state = states(i < count ? i : count - 1);
      for (int axis = 0; axis < 3; ++axis) {
        simd::set_lane<double>(x[axis], lane, state.position[axis]);
        simd::set_lane<double>(v[axis], lane, state.velocity[axis]);
      }
      simd::set_lane<double>(mu, lane, state.mu);
      simd::set_lane<double>(time, lane, state.time);
    }
    integrators::kepler_step(x, v, mu, time);
    for (int lane = 0; lane < integrators::orbit_lanes; ++lane) {
      std::size_t const i = first + static_cast<std::size_t>(lane);
      if (i >= count) break;
      for (int axis = 0; axis < 3; ++axis) {
        states(i).position[axis] = simd::lane<double>(x[axis], lane);
        states(i).velocity[axis] = simd::lane<double>(v[axis], lane);
      }
    }
  }
};

/// Advances states in a kernel, like massless bodies in a run.
std::vector<OrbitalState> advance_states(std::vector<OrbitalState> states) {
  ExecutionSpace const space;
  auto const view = copy_to_device(space, states, "apsis::verification::kepler_states");
  for_each(space, "apsis::verification::kepler_step", AdvanceStates::calls(states.size()),
           AdvanceStates{view});
  Kokkos::deep_copy(space, unmanaged(states), view);
  space.fence("apsis::verification::kepler_step: the host reads the states");
  return states;
}

/// Returns the distance of two vectors, relative to the second.
double relative_distance(double const (&a)[3], double const (&b)[3]) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / std::hypot(b[0], b[1], b[2]);
}

struct KeplerOrbit {
  char const* name;
  struct {
    double mu;    ///< G times the mass of the centre
    double time;  ///< negative: backwards
    /// Relative error of the end state if each number at the start has a relative error of 2^-53:
    /// the sum of the magnitudes of their effects.
    double condition;
  } problem;
  double position[3], velocity[3];  ///< at the start
  double end_position[3], end_velocity[3];
};

/// Kepler orbits and their states after a time, as computed with 72 digits: the universal Kepler
/// equation by bisection, which agrees with Taylor series of the equations of motion to 50 digits.
/// The initial numbers are exactly the doubles below.
constexpr KeplerOrbit kepler_orbits[] = {
    {"circle, 0.3 periods",
     {0.7, 3.3393899171019665, 1.6e-15},
     {0.14718922234492587, 1.2686327363303043, 0.2427062280547849},
     {-0.6582238142796064, 0.014376933352317767, 0.32403125244970993},
     {-1.1545206886622109, -0.36780548033287267, 0.47095764999417993},
     {0.12438611053852406, -0.68548837877545427, -0.23042420994859805}},
    {"e = 0.1, 0.7 periods",
     {1.9, 3.1908112007792773, 6.1e-15},
     {-0.9296178564941101, -0.009204820343966913, 0.45032096919748277},
     {-0.22884968972128422, -1.2969921740159527, -0.20997578255592217},
     {0.46928861951047743, 0.76738611702340129, -0.038323177233624067},
     {-1.1317711032576499, 0.71404913351628489, 0.7279659070052339}},
    {"e = 0.5, -0.4 periods",
     {1.0, -7.108612701053386, 3.8e-15},
     {-0.37841601831803146, 0.9907661343472942, 0.42975148488512604},
     {-1.006359976461952, -0.20545472309140622, 0.43905345162296894},
     {-0.40136763945557419, -2.7414695419974066, -0.48392466465406671},
     {0.40966787558161416, 0.12028189768696126, -0.16964856958452481}},
    {"e = 0.9, 0.6 periods",
     {1.0, 3.7699111843077526, 1.5e-15},
     {-0.8618326307085973, -1.6932939841167276, 1.115541207434153e-16},
     {0.17942788955390968, -0.09132307297329782, -0.10998776177517255},
     {-0.72918498430369932, -0.59013857140590945, 0.20878067262142606},
     {-0.48691385908965473, -0.91866403424357385, 0.0094175841258475925}},
    {"e = 0.99, 0.49 periods",
     {1.0, 3.078760800517993, 1.2e-14},
     {-0.9026562816368984, -1.773502646522255, 1.168382633049454e-16},
     {0.05544216885788696, -0.02821829563394396, -0.03398557535175182},
     {-0.031573699400088996, -0.23837851063947464, -0.043698110410002566},
     {0.85463301412659271, 2.5314705454228185, 0.21120599935196124}},
    {"e = 0.9999, 0.02 periods",
     {1.0, 0.1256637061436125, 6.3e-16},
     {-0.08720527612460682, -0.18801362738670055, -0.004132378572987757},
     {1.2913953843737478, 2.6419198414353233, 0.02592944018476433},
     {-0.14209573895830466, -0.25975134635737396, 0.0048154188884625799},
     {-1.1142590940171975, -2.124207829241032, 0.016117820845219984}},
    {"e = 1 - 1e-8, outwards",
     {2.0, 40.0, 1.5e-14},
     {0.13607883642767318, 0.26736220801843064, 0.0},
     {-2.8558547591154246, 1.453538985584942, 1.7506145432073692},
     {-14.802685563806769, -18.758928573390608, 2.5584902999344039},
     {-0.21954558875833628, -0.34316634804285917, 0.021853039285621372}},
    {"parabola, past pericentre",
     {1.2, 12.0, 1.2e-15},
     {0.8879482481680423, -2.0566595597294315, -0.9419559569042443},
     {0.049179185810223014, 0.9687486737875352, 0.21611277913419458},
     {-5.9724972334868928, -4.4194536697148434, 1.8126788886206053},
     {-0.35768240977173325, -0.42563508521125798, 0.068671737519774284}},
    {"parabola, backwards",
     {1.2, -300.0, 1.7e-14},
     {-0.5928642718762284, 0.464758365881028, 0.4038145604635737},
     {-1.4920366491752644, -0.45188591764506203, 0.614448450166902},
     {-25.206289344072354, -73.61798187516794, -5.9704309036583622},
     {0.068311109875447644, 0.16137172999637899, 0.0067294780473068369}},
    {"e = 1.0001, past pericentre",
     {1.0, 25.0, 9.6e-16},
     {0.42129564660882113, -3.832511131274943, -1.1548146105611263},
     {0.12953134766499438, 0.6848468512475154, 0.10664075086832896},
     {-8.4825430934787872, -8.3066668771348409, 2.0714877868487379},
     {-0.2400274201846729, -0.3275882148819137, 0.035685276123494172}},
    {"e = 1.5, backwards past pericentre",
     {1.5, -8.0, 9.5e-16},
     {-0.7315552834559732, 0.8991699471674012, 0.5789863766220081},
     {-1.6275512323428545, -0.07733172148708245, 0.773241061069325},
     {3.995834793851503, -7.5075171525041028, -3.8058152246247285},
     {-0.32668228211482971, 0.99418284948606552, 0.40541060720301584}},
    {"e = 10, past pericentre",
     {1.0, 5.0, 7.8e-16},
     {5.237770907643014, -0.869016535580043, -2.765450132855968},
     {-1.618881459428813, 1.0544680043499233, 1.0494807727272077},
     {-3.5821219051199906, 3.6458669433670476, 2.6474717386749669},
     {-1.8072922358526841, 0.69035058168394822, 1.050983552541817}},
    {"e = 100, backwards",
     {1.0, -20.0, 3.1e-16},
     {-0.7580789836171291, 1.4985380486766753, 0.7404237681135225},
     {-7.862292982736699, 3.9077057328209013, 4.79623732686994},
     {154.04078209611096, -79.484847904493138, -94.694050891035136},
     {-7.7367516020274172, 4.0494089387774152, 4.7702292978073875}},
    {"e = 1e4, past pericentre",
     {1.0, 0.05, 7.2e-16},
     {2.4648628811677997, -0.132660668945065, -1.2329382379177254},
     {-78.20549998056075, 39.81456278341268, 47.941894061257685},
     {-1.4457333475602444, 1.8577230142750553, 1.1642275054412608},
     {-78.214065232540287, 39.798089410778119, 47.941982102094671}},
    {"e = 2, far outwards",
     {1.0, 1000000.0, 8.2e-16},
     {0.37449679525880997, 0.9295915857890638, 0.04802263163364068},
     {-1.3785397473947136, 0.6369577475604995, 0.8290065619239343},
     {-904135.12637808532, -100866.25644464988, 415200.45581141837},
     {-0.90412439442521917, -0.10086674036089461, 0.41519511084362766}},
    {"radial fall",
     {1.1, 0.9, 4.4e-16},
     {0.816, 1.088, -1.02},
     {-0.19111561022215906, -0.25482081362954545, 0.23889451277769883},
     {0.55347039411432141, 0.73796052548576198, -0.69183799264290183},
     {-0.42184679154055509, -0.5624623887207402, 0.52730848942569389}},
    {"radial rise and fall",
     {1.3, 2.0, 2.4e-15},
     {0.432, 0.5760000000000001, -0.54},
     {0.6526744977398765, 0.8702326636531688, -0.8158431221748457},
     {1.0917818722174161, 1.4557091629565549, -1.3647273402717702},
     {0.15411324874907048, 0.20548433166542731, -0.19264156093633809}},
    {"radial escape, backwards",
     {0.8, -0.9, 1.6e-15},
     {0.96, 1.28, -1.2},
     {0.6869200826879354, 0.9158934435839139, -0.8586501033599192},
     {0.26357999980796312, 0.35143999974395083, -0.3294749997599539},
     {0.97921486871119681, 1.3056198249482625, -1.224018585888996}},
    {"radial parabola",
     {1.0, 50.0, 5.7e-15},
     {0.33599999999999997, 0.44799999999999995, -0.42},
     {0.8113480845393759, 1.0817974460525013, -1.01418510567422},
     {10.794926818430053, 14.393235757906739, -13.493658523037567},
     {0.14314197419539371, 0.19085596559385831, -0.17892746774424215}},
    {"e = 0.3, 1000 periods",
     {1.0, 6285.510085743243, 7e-12},
     {-0.32344153197253506, 0.639365359886974, 0.3159087681402694},
     {-1.0890580462682595, -0.43548649339500956, 0.4223145300903768},
     {-0.72980497782418198, -1.0645500881310822, 0.091523026688285876},
     {0.49478523278372944, -0.42536945421609614, -0.34630233690881029}},
    {"e = 0.9, -1e5 periods",
     {1.0, -628319.8501868733, 2e-09},
     {-0.27337451500466414, -0.002706879261901274, 0.13242675545741536},
     {-1.8144013998218211, -1.4172525763957857, 0.5321792647601654},
     {-0.29579034864854399, -1.3423444050637714, -0.18862277845847721},
     {0.40086501277240524, 0.52594527712713088, -0.064839064790824195}},
    {"e = 0.05, 1e6 periods",
     {1.0, 6283187.820453709, 6.4e-09},
     {0.1925072180539979, 0.9225501695955192, 0.13488281086276893},
     {-0.9214811410384721, 0.13699389841457998, 0.4825875997707927},
     {-0.71090070514789462, -0.752057389936223, 0.15975503253448837},
     {0.55869999731208305, -0.64187647048042763, -0.43107102973458086}},
    {"e = 0.5, 1e-9 periods",
     {1.0, 1.7771531752633466e-08, 1.8e-16},
     {-2.080646661400662, -1.1905157005634739, 0.7179913301063565},
     {-0.029343091617604428, -0.533366944882746, -0.11788246144420411},
     {-2.0806466619221337, -1.1905157100422215, 0.7179913280114046},
     {-0.029343089257882046, -0.53336694353254729, -0.11788246225849913}},
};

}  // namespace

void kepler_step(Setting const& /*setting*/, Report const& report) {
  // Allowed error over the condition: a step has about a dozen rounding errors.
  constexpr double allowed_conditions = 5.0;
  std::vector<OrbitalState> states;
  for (auto const& orbit : kepler_orbits) {
    auto const &x = orbit.position, &v = orbit.velocity;
    states.push_back(
        {{x[0], x[1], x[2]}, {v[0], v[1], v[2]}, orbit.problem.mu, orbit.problem.time});
  }
  states = advance_states(std::move(states));
  for (std::size_t i = 0; i < std::size(kepler_orbits); ++i) {
    auto const& known = kepler_orbits[i];
    double const error = worse(relative_distance(states[i].position, known.end_position),
                               relative_distance(states[i].velocity, known.end_velocity));
    report({std::string("Kepler step, ") + known.name, "wisdom_holman", error, std::nullopt,
            allowed_conditions * known.problem.condition});
  }
}

}  // namespace apsis::verification
