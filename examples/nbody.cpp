// Bodies that attract each other: every thread moves one body, and loops over all of them.
//
// Positions and velocities are arrays of their own (x, y and z apart), so that neighbouring threads read neighbouring numbers. A step
// reads the positions from one set of arrays and writes them to another, since every thread needs the old ones of all bodies.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

constexpr float softening = 0.05f;  // a length that keeps near bodies from flinging each other away
constexpr float time_step = 1.0f / 256;

struct Vector {
  ox::f32 x, y, z;
};

// What a body of mass 1 at `offset` adds to an acceleration, per unit of offset.
ox::f32 pull(Vector offset) {
  ox::f32 distance2 = offset.x * offset.x + offset.y * offset.y + offset.z * offset.z + softening * softening;
  ox::f32 inverse = ox::rsqrt(distance2);
  return inverse * inverse * inverse;
}

inline constexpr auto nbody_step = ox::kernel(
    "nbody_step", [](ox::f32 dt, ox::Span<const float> mass, ox::Span<const float> x, ox::Span<const float> y, ox::Span<const float> z,
                     ox::DisjointSpan<float> new_x, ox::DisjointSpan<float> new_y, ox::DisjointSpan<float> new_z,
                     ox::DisjointSpan<float> vx, ox::DisjointSpan<float> vy, ox::DisjointSpan<float> vz) {
      auto own = ox::thread::index_1d();
      auto to_x = new_x.get_mut(own), to_y = new_y.get_mut(own), to_z = new_z.get_mut(own);
      auto speed_x = vx.get_mut(own), speed_y = vy.get_mut(own), speed_z = vz.get_mut(own);
      if (!to_x || !to_y || !to_z || !speed_x || !speed_y || !speed_z) return;

      Vector here{x[own], y[own], z[own]}, acceleration;
      for (auto other : ox::range(mass.size())) {
        Vector offset{x[other] - here.x, y[other] - here.y, z[other] - here.z};
        ox::f32 strength = mass[other] * pull(offset);
        acceleration.x += strength * offset.x;
        acceleration.y += strength * offset.y;
        acceleration.z += strength * offset.z;
      }
      // First the velocity, then the position with it: over many steps this neither gains nor loses energy.
      Vector v{*speed_x + dt * acceleration.x, *speed_y + dt * acceleration.y, *speed_z + dt * acceleration.z};
      *speed_x = v.x;
      *speed_y = v.y;
      *speed_z = v.z;
      *to_x = here.x + dt * v.x;
      *to_y = here.y + dt * v.y;
      *to_z = here.z + dt * v.z;
    });

using Arrays = std::array<std::vector<float>, 3>;  // x, y, z
struct State {
  Arrays position, velocity;
};

// Two spheres of bodies, each in balance with itself, on their way past each other. The whole mass is 1.
State two_clusters(std::size_t n) {
  State state;
  std::mt19937 random(20260801);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < n; ++i) {
    // Plummer's sphere of radius 0.4 and mass 1/2, cut off far out; the speeds have its dispersion.
    double r;
    do r = 0.4 / std::sqrt(std::pow(uniform(random) * 0.98 + 0.01, -2.0 / 3) - 1);
    while (r > 3);
    const double dispersion = std::sqrt(0.5 / (6 * std::sqrt(r * r + 0.4 * 0.4)));
    std::array<double, 3> direction{normal(random), normal(random), normal(random)};
    const double length = std::hypot(direction[0], direction[1], direction[2]);
    const std::array<double, 3> centre{i % 2 == 0 ? -1.2 : 1.2, i % 2 == 0 ? -0.3 : 0.3, 0};
    const std::array<double, 3> drift{i % 2 == 0 ? 0.35 : -0.35, 0, 0};
    for (std::size_t k = 0; k < 3; ++k) {
      state.position[k].push_back(static_cast<float>(centre[k] + r * direction[k] / length));
      state.velocity[k].push_back(static_cast<float>(drift[k] + dispersion * normal(random)));
    }
  }
  return state;
}

// Bodies on a device, with a second set of positions to write to.
struct Bodies {
  using Buffer = ox::DeviceBuffer<float>;
  Buffer mass;
  std::array<Buffer, 3> position, velocity, next;

  Bodies(const ox::Stream& stream, const std::vector<float>& masses, const State& state) : mass(Buffer::from_host(stream, masses)) {
    for (std::size_t k = 0; k < 3; ++k) {
      position[k] = Buffer::from_host(stream, state.position[k]);
      velocity[k] = Buffer::from_host(stream, state.velocity[k]);
      next[k] = Buffer::zeroed(stream, masses.size());
    }
  }
  void step(const ox::Stream& stream) {
    nbody_step(stream, ox::LaunchConfig::for_num_elems(mass.size()), time_step, mass, position[0], position[1], position[2], next[0],
               next[1], next[2], velocity[0], velocity[1], velocity[2]);
    std::swap(position, next);
  }
  State to_host(const ox::Stream& stream) const {
    State state;
    for (std::size_t k = 0; k < 3; ++k) {
      state.position[k] = position[k].to_host(stream);
      state.velocity[k] = velocity[k].to_host(stream);
    }
    return state;
  }
};

// ---- the host model, in double precision

double softened_distance(const Arrays& at, std::size_t i, std::size_t j) {
  double sum = static_cast<double>(softening) * static_cast<double>(softening);
  for (const std::vector<float>& axis : at) sum += (static_cast<double>(axis[j]) - axis[i]) * (static_cast<double>(axis[j]) - axis[i]);
  return std::sqrt(sum);
}

double energy(const std::vector<float>& mass, const State& state) {
  double sum = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    for (const std::vector<float>& v : state.velocity) sum += 0.5 * static_cast<double>(mass[i]) * v[i] * static_cast<double>(v[i]);
    double potential = 0;
    for (std::size_t j = 0; j < i; ++j) potential += mass[j] / softened_distance(state.position, i, j);
    sum -= mass[i] * potential;
  }
  return sum;
}

// The largest difference of `after` from one step of the model from `before`, over every stride-th body: of the changes of velocity,
// in parts of what the pulls on the body add up to without regard to direction, and of the positions, in parts of their size or 1.
struct StepError {
  double kick = 0, position = 0;
};
StepError step_error(const std::vector<float>& mass, const State& before, const State& after, std::size_t stride) {
  StepError worst;
  for (std::size_t i = 0; i < mass.size(); i += stride) {
    std::array<double, 3> acceleration{};
    double pulls = 0;
    for (std::size_t j = 0; j < mass.size(); ++j) {
      const double distance = softened_distance(before.position, i, j);
      const double strength = mass[j] / (distance * distance * distance);
      for (std::size_t k = 0; k < 3; ++k)
        acceleration[k] += strength * (static_cast<double>(before.position[k][j]) - before.position[k][i]);
      pulls += strength * distance;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const double v = before.velocity[k][i] + static_cast<double>(time_step) * acceleration[k];
      const double x = before.position[k][i] + static_cast<double>(time_step) * v;
      worst.kick = support::worse(worst.kick, std::abs(after.velocity[k][i] - v) / (static_cast<double>(time_step) * pulls));
      worst.position = support::worse(worst.position, std::abs(after.position[k][i] - x) / std::max(std::abs(x), 1.0));
    }
  }
  return worst;
}

int main(int argc, char** argv) {
  return support::run("nbody", [&] {
    const support::CommandLine arguments(
        argc, argv, "Moves bodies that attract each other.",
        {{"n", "bodies; 4096 when not given, 16384 on a GPU"}, {"steps", "at least 2; 20 when not given, 200 on a GPU"}});
    const ox::Device device = arguments.device();
    const std::size_t n = arguments.number("n", device.is_gpu() ? 16384 : 4096);
    const std::size_t steps = std::max<std::size_t>(arguments.number("steps", device.is_gpu() ? 200 : 20), 2);
    support::say_device(device);

    const ox::Stream stream = device.default_stream();
    const std::vector<float> mass(n, 1.0f / static_cast<float>(n));
    const State start = two_clusters(n);
    Bodies bodies(stream, mass, start);

    bodies.step(stream);
    support::say_build("nbody_step", *nbody_step.build(device));
    const State first = bodies.to_host(stream);
    const double from = support::now_ms();
    for (std::size_t i = 2; i < steps; ++i) bodies.step(stream);
    stream.synchronize();
    const double ms = (support::now_ms() - from) / static_cast<double>(steps - 2);
    const State before_last = bodies.to_host(stream);
    bodies.step(stream);
    const State end = bodies.to_host(stream);
    if (steps > 2)
      support::say("launch", "{:.3f} ms a step of {} bodies, {:.2f} billion pairs a second", ms, n,
                   1e-6 * static_cast<double>(n) * static_cast<double>(n) / ms);

    support::Checks checks;
    const std::size_t stride = std::max<std::size_t>(n / 512, 1);
    const std::pair<const char*, StepError> compared[] = {{"first", step_error(mass, start, first, stride)},
                                                          {"last", step_error(mass, before_last, end, stride)}};
    for (const auto& [which, error] : compared)
      checks.expect(error.kick <= 2e-4 && error.position <= 1e-6,
                    "{} step of {} bodies against the host in double precision: kicks within {:.1e} of the pulls (2e-4 allowed), positions "
                    "within {:.1e} (1e-6 allowed)",
                    which, (n + stride - 1) / stride, error.kick, error.position);
    const double energy_at_start = energy(mass, start), energy_at_end = energy(mass, end);
    const double drift = std::abs(energy_at_end - energy_at_start) / std::abs(energy_at_start);
    checks.expect(drift <= 2e-3, "the energy drifted from {:.6f} to {:.6f} in {} steps, by {:.1e} of it (2e-3 allowed)", energy_at_start,
                  energy_at_end, steps, drift);
    return checks.exit_status();
  });
}
