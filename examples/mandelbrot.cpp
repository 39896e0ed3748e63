// A part of the Mandelbrot set, drawn by a kernel whose loop runs as long as its own pixel needs.
//
// The steps are written with ox::fma, so that nothing is left for a device to contract or not: the counts must equal the host's.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/png.hpp"
#include "support/report.hpp"

namespace ox = oxide;

constexpr std::uint32_t width = 1152;  // of a row, in the picture and in the kernel's index space
constexpr float escaped = 256 * 256;   // |z|^2 far out, where the smooth count below is smooth
constexpr std::uint32_t colours = 256;

// One plane of a colour picked from a table of 0xRRGGBB at a place between two entries.
ox::f32 plane(ox::u32 here, ox::u32 next, ox::f32 between, unsigned shift) {
  ox::f32 a = ox::cast<ox::f32>(here >> shift & 0xff), b = ox::cast<ox::f32>(next >> shift & 0xff);
  return a + (b - a) * between;
}

inline constexpr auto mandelbrot =
    ox::kernel("mandelbrot", [](ox::f32 left, ox::f32 top, ox::f32 pixel, ox::u32 limit, ox::Span<const std::uint32_t> palette,
                                ox::DisjointSpan<std::uint32_t, ox::Grid2D<width>> counts,
                                ox::DisjointSpan<std::uint32_t, ox::Grid2D<width>> picture) {
      auto at = ox::thread::index_2d<width>();
      auto own_count = counts.get_mut(at);
      auto own_colour = picture.get_mut(at);
      if (!own_count || !own_colour) return;

      ox::f32 cx = ox::fma(ox::cast<ox::f32>(at.col()), pixel, left), cy = ox::fma(ox::cast<ox::f32>(at.row()), -pixel, top);
      ox::f32 x, y;  // zero
      ox::u32 count;
      while (count < limit && ox::fma(x, x, y * y) < escaped) {
        ox::f32 next_x = ox::fma(x, x, ox::fma(-y, y, cx));
        y = ox::fma(2 * x, y, cy);
        x = next_x;
        count += 1;
      }
      *own_count = count;
      if (count == limit) {
        *own_colour = 0;
        return;
      }
      ox::f32 smooth = ox::cast<ox::f32>(count) - ox::log2(0.5f * ox::log2(ox::fma(x, x, y * y)));
      ox::f32 place = 44 * ox::log2(ox::max(smooth, 1.0f)) + 54;
      ox::u32 entry = ox::cast<ox::u32>(place);
      ox::f32 between = place - ox::cast<ox::f32>(entry);
      ox::u32 here = palette[entry % colours], next = palette[(entry + 1) % colours];
      *own_colour = ox::cast<ox::u32>(plane(here, next, between, 16) + 0.5f) << 16 |
                    ox::cast<ox::u32>(plane(here, next, between, 8) + 0.5f) << 8 | ox::cast<ox::u32>(plane(here, next, between, 0) + 0.5f);
    });

struct View {
  float left, top, pixel;
  std::uint32_t limit;
};

// Night blue, through white and amber, and back again.
std::vector<std::uint32_t> make_palette() {
  constexpr std::array<std::array<double, 3>, 7> stops{
      {{4, 6, 38}, {18, 66, 145}, {96, 178, 224}, {246, 250, 240}, {255, 178, 30}, {146, 48, 14}, {30, 6, 26}}};
  std::vector<std::uint32_t> palette(colours);
  for (std::size_t i = 0; i < colours; ++i) {
    const double place = static_cast<double>(i * stops.size()) / colours;
    const auto from = static_cast<std::size_t>(place);
    const double t = (1 - std::cos((place - static_cast<double>(from)) * 3.14159265358979)) / 2;
    for (std::size_t k = 0; k < 3; ++k) {
      const double level = stops[from][k] * (1 - t) + stops[(from + 1) % stops.size()][k] * t;
      palette[i] = palette[i] << 8 | static_cast<std::uint32_t>(level + 0.5);
    }
  }
  return palette;
}

// ---- the host model: the same steps for the count, the colour in double precision

struct Pixel {
  std::uint32_t count;
  std::array<double, 3> rgb;
};

Pixel model(const View& view, const std::vector<std::uint32_t>& palette, std::size_t column, std::size_t row) {
  const float cx = std::fma(static_cast<float>(column), view.pixel, view.left),
              cy = std::fma(static_cast<float>(row), -view.pixel, view.top);
  float x = 0, y = 0;
  std::uint32_t count = 0;
  while (count < view.limit && std::fma(x, x, y * y) < escaped) {
    const float next_x = std::fma(x, x, std::fma(-y, y, cx));
    y = std::fma(2 * x, y, cy);
    x = next_x;
    ++count;
  }
  if (count == view.limit) return {count, {0, 0, 0}};
  const double smooth = count - std::log2(0.5 * std::log2(static_cast<double>(x) * x + static_cast<double>(y) * y));
  const double place = 44 * std::log2(std::max(smooth, 1.0)) + 54;
  const auto entry = static_cast<std::size_t>(place);
  const double between = place - static_cast<double>(entry);
  Pixel out{count, {}};
  for (unsigned k = 0; k < 3; ++k) {
    const unsigned shift = 16 - 8 * k;
    const double a = palette[entry % colours] >> shift & 0xff, b = palette[(entry + 1) % colours] >> shift & 0xff;
    out.rgb[k] = a + (b - a) * between;
  }
  return out;
}

int main(int argc, char** argv) {
  return support::run("mandelbrot", [&] {
    const support::CommandLine arguments(argc, argv, "Draws a valley of the Mandelbrot set.",
                                         {{"out", "the PNG file to write; mandelbrot.png when not given"},
                                          {"rows", "the picture's height; 768 when not given"},
                                          {"limit", "steps after which a point counts as in the set; 1000 when not given"}});
    const ox::Device device = arguments.device();
    const std::size_t rows = arguments.number("rows", 768);
    const float pixel = 0.0058f / width;
    const View view{-0.7498f, 0.0994f + 0.5f * pixel * static_cast<float>(rows), pixel,
                    static_cast<std::uint32_t>(arguments.number("limit", 1000))};
    support::say_device(device);

    const std::vector<std::uint32_t> palette_host = make_palette();
    const ox::Stream stream = device.default_stream();
    const auto palette = ox::DeviceBuffer<std::uint32_t>::from_host(stream, palette_host);
    auto counts = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, width * rows);
    auto picture = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, width * rows);
    const auto draw = [&] {
      mandelbrot(stream, ox::LaunchConfig::for_2d(width, rows), view.left, view.top, view.pixel, view.limit, palette, counts, picture);
    };
    draw();
    support::say_build("mandelbrot", *mandelbrot.build(device));
    const double ms = support::best_launch_ms(stream, 3, draw);

    const std::vector<std::uint32_t> counts_host = counts.to_host(stream), picture_host = picture.to_host(stream);
    support::Image image(width, rows);
    std::size_t other_counts = 0;
    std::uint64_t steps = 0;
    double worst = 0;
    for (std::size_t i = 0; i < width * rows; ++i) {
      const Pixel wanted = model(view, palette_host, i % width, i / width);
      other_counts += counts_host[i] != wanted.count;
      steps += counts_host[i];
      for (unsigned k = 0; k < 3; ++k) {
        image.rgb[3 * i + k] = static_cast<std::uint8_t>(picture_host[i] >> (16 - 8 * k));
        worst = support::worse(worst, std::abs(image.rgb[3 * i + k] - wanted.rgb[k]));
      }
    }
    support::say("launch", "{:.3f} ms for {} x {} pixels, {:.2f} billion steps a second", ms, width, rows,
                 1e-6 * static_cast<double>(steps) / ms);
    const std::string out = arguments.text("out", "mandelbrot.png");
    support::write_png(out, image);
    support::say("picture", "{}", std::filesystem::absolute(out).string());

    support::Checks checks;
    checks.expect(other_counts == 0, "{} of {} pixels took another number of steps than on the host", other_counts, width * rows);
    checks.expect(worst <= 1.0, "colours are at most {:.2f} levels from the host's (1 allowed, of which rounding takes 0.5)", worst);
    return checks.exit_status();
  });
}
