// One generic kernel, `map`, and functions that the host hands to it: a lambda with a bound factor, and one without captures.
//
// Each function makes a kernel of its own, with the function compiled into it. The bound factor is a parameter of that kernel:
// another factor is another launch, not another compile.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/report.hpp"

namespace ox = oxide;

inline constexpr auto map = ox::kernel("map", [](auto function, ox::Span<const float> in, ox::DisjointSpan<float> out) {
  auto idx = ox::thread::index_1d();
  if (auto element = out.get_mut(idx)) *element = function(in[idx]);
});

// The function that `map` computes below, for one number on the host.
double softsign_model(double x) { return x < 0 ? x / (1 - x) : x / (1 + x); }

int main(int argc, char** argv) {
  return support::run("host_closure", [&] {
    const support::CommandLine arguments(argc, argv, "Hands functions of the host to a generic map kernel.",
                                         {{"n", "elements; 2^20 when not given"}});
    const ox::Device device = arguments.device();
    const std::size_t n = arguments.number("n", std::size_t{1} << 20);
    support::say_device(device);

    std::mt19937 random(std::random_device{}());
    std::uniform_real_distribution<float> numbers(-8, 8);
    std::vector<float> in_host(n);
    for (float& x : in_host) x = numbers(random);
    const ox::Stream stream = device.default_stream();
    const auto in = ox::DeviceBuffer<float>::from_host(stream, in_host);
    auto out = ox::DeviceBuffer<float>::zeroed(stream, n);
    const ox::LaunchConfig config = ox::LaunchConfig::for_num_elems(n);
    support::Checks checks;

    // The largest distance of the device's results from a host model, in units of the model's last place or of 2^-126.
    const auto distance = [&](auto model) {
      const std::vector<float> results = out.to_host(stream);
      double worst = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double wanted = model(in_host[i]);
        const double place = std::ldexp(1.0, std::max(std::ilogb(wanted == 0 ? 0x1p-126 : wanted), -126) - 23);
        worst = support::worse(worst, std::abs(results[i] - wanted) / place);
      }
      return worst;
    };

    // A value of the host goes with the lambda.
    const auto scale_by = [](float factor) { return ox::bind(factor, [](ox::f32 f, ox::f32 x) { return f * x; }); };
    for (const float factor : {2.5f, numbers(random), numbers(random)}) {
      const double start = support::now_ms();
      map(stream, config, scale_by(factor), in, out);
      stream.synchronize();
      const double ms = support::now_ms() - start;
      const double worst = distance([factor](float x) { return static_cast<double>(factor) * x; });
      support::say("map", "x -> {:.4f} * x took {:.3f} ms", factor, ms);
      checks.expect(worst <= 0.5, "{} products, at most {:.2f} units in the last place from the host's (0.5 allowed)", n, worst);
    }
    support::say_build("  scale", *map.build<decltype(scale_by(1.0f)), decltype((in)), decltype((out))>(device));

    // A lambda without captures; its branch is a branch of the kernel.
    const auto softsign = [](ox::f32 x) -> ox::f32 {
      if (x < 0) return x / (1 - x);
      return x / (1 + x);
    };
    map(stream, config, softsign, in, out);
    support::say_build("  softsign", *map.build<decltype(softsign), decltype((in)), decltype((out))>(device));
    const double worst = distance([](float x) { return softsign_model(x); });
    checks.expect(worst <= 2, "{} softsigns, at most {:.2f} units in the last place from the host's (2 allowed)", n, worst);
    return checks.exit_status();
  });
}
