// SPDX-License-Identifier: Apache-2.0
#include "benchmark/timing.hpp"
#include "measures.hpp"
#include "render/photographer.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/simulation/simulation.hpp>

namespace apsis::benchmark {

void picture_costs(std::size_t count, int repeats,
                   std::function<void(PictureCost const&)> const& report) {
  auto const deck = deck::configure(
      R"({"bodies": {"generator": "plummer"}, "gravity": {"softening": 0.01},
          "integrator": {"time_step": 0.001}, "run": {"steps": 1}})",
      "bench", {"bodies.count=" + std::to_string(count)});
  ExecutionSpace const space;
  auto const bodies = to_device<float>(space, simulation::make_bodies(deck.configuration));
  for (auto const& size : {render::Size{1920, 1080}, render::Size{3840, 2160}}) {
    for (auto const colour : {render::ColourBy::density, render::ColourBy::speed}) {
      render::Shot shot;
      shot.size = size;
      shot.colour = colour;
      render::Photographer photographer(shot);
      render::Image image({0, 0});
      auto const take = [&](int repeat) {
        image = photographer.take(Context(space), bodies, {}, repeat);
      };
      auto const timing = measure_time(space, repeats, take);
      auto const begin = std::chrono::steady_clock::now();
      auto const bytes = render::png_of(image, {}).size();
      report({count, size.width, size.height, colour == render::ColourBy::speed, timing.median,
              timing.spread(), seconds_since(begin), static_cast<double>(bytes)});
    }
  }
}

std::string picture_cost_heading() {
  return "     bodies       pixels  colour   ms picture  spread    ms PNG      MB\n";
}

std::string picture_cost_line(PictureCost const& cost) {
  return formatted("%11zu  %5dx%-5d  %-7s  %10.2f  %5.1f%%  %8.1f  %6.2f\n", cost.bodies,
                   cost.width, cost.height, cost.coloured ? "speed" : "density",
                   cost.seconds_picture * 1e3, cost.spread * 100.0, cost.seconds_png * 1e3,
                   cost.bytes * 1e-6);
}

files::Record picture_cost_record(PictureCost const& cost) {
  return {{"bodies", static_cast<std::int64_t>(cost.bodies)},
          {"kernel", "picture"},
          {"width", std::int64_t{cost.width}},
          {"height", std::int64_t{cost.height}},
          {"colour", std::string(cost.coloured ? "speed" : "density")},
          {"milliseconds_picture", cost.seconds_picture * 1e3},
          {"spread", cost.spread},
          {"milliseconds_png", cost.seconds_png * 1e3},
          {"megabytes", cost.bytes * 1e-6}};
}

}  // namespace apsis::benchmark
