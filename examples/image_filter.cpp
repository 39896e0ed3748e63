// Filters a photograph: a Gaussian blur in two passes, then Sobel's edges of the blurred picture.
//
// A pixel is one 32-bit number, and each thread of a 2-D launch makes one pixel. A picture is as wide as it comes, but the rows of a
// safe 2-D index space have a length that the compiler knows; so rows start every Stride pixels, a few strides are built, and the
// host takes the smallest that fits. Which elements a thread may write then follows from its place in the launch, with no check of
// the host's arithmetic needed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <oxide/oxide.hpp>

#include "support/command_line.hpp"
#include "support/png.hpp"
#include "support/report.hpp"

namespace ox = oxide;

constexpr int radius = 5;
constexpr double sigma = 2;           // pixels
constexpr float edge_brightness = 2;  // levels of the edges' picture for each of the slope
using Weights = std::array<float, 2 * radius + 1>;

// Of a Gaussian; their sum is 1. The kernels contain them as constants.
Weights gaussian_weights() {
  Weights all{};
  double sum = 0;
  const auto gaussian = [](int i) { return std::exp(-i * i / (2 * sigma * sigma)); };
  for (int i = -radius; i <= radius; ++i) sum += gaussian(i);
  for (int i = -radius; i <= radius; ++i) all[static_cast<std::size_t>(i + radius)] = static_cast<float>(gaussian(i) / sum);
  return all;
}
const Weights weights = gaussian_weights();

// Levels 0 to 255 as device values.
struct Colour {
  ox::f32 red, green, blue;
};

Colour unpack(ox::u32 pixel) {
  return {ox::cast<ox::f32>(pixel & 0xff), ox::cast<ox::f32>(pixel >> 8 & 0xff), ox::cast<ox::f32>(pixel >> 16 & 0xff)};
}

// To the nearest level.
ox::u32 level(ox::f32 x) { return ox::cast<ox::u32>(ox::clamp(x, 0.0f, 255.0f) + 0.5f); }
ox::u32 pack(Colour c) { return level(c.red) | level(c.green) << 8 | level(c.blue) << 16; }

// Of how bright a pixel looks (ITU-R BT.601).
ox::f32 brightness(ox::u32 pixel) {
  Colour c = unpack(pixel);
  return 0.299f * c.red + 0.587f * c.green + 0.114f * c.blue;
}

// Where a pixel beside this one is; beyond an edge, the edge counts.
ox::u64 beside(ox::u32 place, int step, ox::u32 size) {
  return ox::cast<ox::u64>(ox::clamp(ox::cast<ox::i32>(place) + step, 0, ox::cast<ox::i32>(size) - 1));
}

template <std::uint32_t Stride>
using PictureOut = ox::DisjointSpan<std::uint32_t, ox::Grid2D<Stride>>;
template <std::uint32_t Stride>
using PlaneOut = ox::DisjointSpan<float, ox::Grid2D<Stride>>;

// Along the rows, into planes of floats, so that nothing is rounded between the passes. The loop over the weights is the host's:
// it is unrolled.
template <std::uint32_t Stride>
inline constexpr auto blur_rows = ox::kernel("blur_rows", [](ox::u32 width, ox::Span<const std::uint32_t> picture, PlaneOut<Stride> red,
                                                             PlaneOut<Stride> green, PlaneOut<Stride> blue) {
  auto at = ox::thread::index_2d<Stride>();
  auto r = red.get_mut(at), g = green.get_mut(at), b = blue.get_mut(at);
  if (at.col() >= width || !r || !g || !b) return;

  ox::u64 row = ox::cast<ox::u64>(at.row()) * Stride;
  Colour sum;
  for (int i = -radius; i <= radius; ++i) {
    Colour c = unpack(picture[row + beside(at.col(), i, width)]);
    const float weight = weights[static_cast<std::size_t>(i + radius)];
    sum.red += weight * c.red;
    sum.green += weight * c.green;
    sum.blue += weight * c.blue;
  }
  *r = sum.red;
  *g = sum.green;
  *b = sum.blue;
});

// Down the columns, and back to pixels.
template <std::uint32_t Stride>
inline constexpr auto blur_columns =
    ox::kernel("blur_columns", [](ox::u32 width, ox::u32 height, ox::Span<const float> red, ox::Span<const float> green,
                                  ox::Span<const float> blue, PictureOut<Stride> picture) {
      auto at = ox::thread::index_2d<Stride>();
      auto pixel = picture.get_mut(at);
      if (at.col() >= width || !pixel) return;

      Colour sum;
      for (int i = -radius; i <= radius; ++i) {
        ox::u64 place = beside(at.row(), i, height) * Stride + at.col();
        const float weight = weights[static_cast<std::size_t>(i + radius)];
        sum.red += weight * red[place];
        sum.green += weight * green[place];
        sum.blue += weight * blue[place];
      }
      *pixel = pack(sum);
    });

// How steep the brightness is, white on black.
template <std::uint32_t Stride>
inline constexpr auto sobel =
    ox::kernel("sobel", [](ox::u32 width, ox::u32 height, ox::Span<const std::uint32_t> picture, PictureOut<Stride> edges) {
      auto at = ox::thread::index_2d<Stride>();
      auto edge = edges.get_mut(at);
      if (at.col() >= width || !edge) return;

      const auto bright = [&](int dx, int dy) {
        return brightness(picture[beside(at.row(), dy, height) * Stride + beside(at.col(), dx, width)]);
      };
      ox::f32 north_west = bright(-1, -1), north = bright(0, -1), north_east = bright(1, -1), west = bright(-1, 0), east = bright(1, 0),
              south_west = bright(-1, 1), south = bright(0, 1), south_east = bright(1, 1);
      ox::f32 across = north_east + 2 * east + south_east - north_west - 2 * west - south_west;
      ox::f32 down = south_west + 2 * south + south_east - north_west - 2 * north - north_east;
      ox::f32 slope = edge_brightness * ox::sqrt(across * across + down * down);
      *edge = pack({slope, slope, slope});
    });

struct Filtered {
  support::Image blurred, edges;
};

// Pixels as the kernels read them: red in the lowest byte, rows every `stride` pixels.
std::vector<std::uint32_t> to_pixels(const support::Image& image, std::size_t stride) {
  std::vector<std::uint32_t> pixels(stride * image.height);
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x) {
      const std::uint8_t* p = image.pixel(x, y);
      pixels[y * stride + x] = std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16;
    }
  return pixels;
}
support::Image to_image(const std::vector<std::uint32_t>& pixels, std::size_t stride, std::size_t width, std::size_t height) {
  support::Image image(width, height);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      for (unsigned k = 0; k < 3; ++k) image.pixel(x, y)[k] = static_cast<std::uint8_t>(pixels[y * stride + x] >> (8 * k));
  return image;
}

template <std::uint32_t Stride>
Filtered filter(const ox::Device& device, const support::Image& image) {
  const auto width = static_cast<std::uint32_t>(image.width), height = static_cast<std::uint32_t>(image.height);
  const std::size_t size = std::size_t{Stride} * height;
  const ox::Stream stream = device.default_stream();
  const auto picture = ox::DeviceBuffer<std::uint32_t>::from_host(stream, to_pixels(image, Stride));
  auto red = ox::DeviceBuffer<float>::zeroed(stream, size), green = ox::DeviceBuffer<float>::zeroed(stream, size),
       blue = ox::DeviceBuffer<float>::zeroed(stream, size);
  auto blurred = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, size), edges = ox::DeviceBuffer<std::uint32_t>::zeroed(stream, size);

  const ox::LaunchConfig config = ox::LaunchConfig::for_2d(width, height);
  const auto rows = [&] { blur_rows<Stride>(stream, config, width, picture, red, green, blue); };
  const auto columns = [&] { blur_columns<Stride>(stream, config, width, height, red, green, blue, blurred); };
  const auto slopes = [&] { sobel<Stride>(stream, config, width, height, blurred, edges); };
  rows();
  columns();
  slopes();
  support::say_build("blur_rows", *blur_rows<Stride>.build(device));
  support::say_build("blur_columns", *blur_columns<Stride>.build(device));
  support::say_build("sobel", *sobel<Stride>.build(device));
  support::say("launch", "blur_rows {:.3f} ms, blur_columns {:.3f} ms, sobel {:.3f} ms for {} x {} pixels in rows of {}",
               support::best_launch_ms(stream, 5, rows), support::best_launch_ms(stream, 5, columns),
               support::best_launch_ms(stream, 5, slopes), width, height, Stride);
  return {to_image(blurred.to_host(stream), Stride, width, height), to_image(edges.to_host(stream), Stride, width, height)};
}

Filtered filter_any(const ox::Device& device, const support::Image& image) {
  if (image.width <= 1024) return filter<1024>(device, image);
  if (image.width <= 4096) return filter<4096>(device, image);
  if (image.width <= 16384) return filter<16384>(device, image);
  throw std::runtime_error(fmt::format("takes pictures of up to 16384 columns, and this one has {}", image.width));
}

// ---- the host model, in double precision

std::size_t clamped(std::size_t place, int step, std::size_t size) {
  const auto moved = static_cast<std::ptrdiff_t>(place) + step;
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(moved, 0, static_cast<std::ptrdiff_t>(size) - 1));
}

// How far a picture is from a model of it.
struct Distance {
  double worst = 0;       // levels, over all pixels and channels; 0.5 is what rounding to a level takes
  std::size_t above = 0;  // channels more than half a level away: rounded to the other side
  void add(std::uint8_t level, double wanted) {
    const double d = std::abs(level - wanted);
    worst = support::worse(worst, d);
    above += d > 0.5 + 1e-9;
  }
};

Distance blur_distance(const support::Image& image, const support::Image& blurred) {
  std::vector<double> rows(image.rgb.size());
  Distance distance;
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x)
      for (std::size_t k = 0; k < 3; ++k)
        for (int i = -radius; i <= radius; ++i)
          rows[3 * (y * image.width + x) + k] +=
              static_cast<double>(weights[static_cast<std::size_t>(i + radius)]) * image.pixel(clamped(x, i, image.width), y)[k];
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x)
      for (std::size_t k = 0; k < 3; ++k) {
        double sum = 0;
        for (int i = -radius; i <= radius; ++i)
          sum += static_cast<double>(weights[static_cast<std::size_t>(i + radius)]) *
                 rows[3 * (clamped(y, i, image.height) * image.width + x) + k];
        distance.add(blurred.pixel(x, y)[k], sum);
      }
  return distance;
}

Distance sobel_distance(const support::Image& image, const support::Image& edges) {
  Distance distance;
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x) {
      double across = 0, down = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const std::uint8_t* p = image.pixel(clamped(x, dx, image.width), clamped(y, dy, image.height));
          const double bright = 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
          across += dx * (dy == 0 ? 2 : 1) * bright;
          down += dy * (dx == 0 ? 2 : 1) * bright;
        }
      for (std::size_t k = 0; k < 3; ++k)
        distance.add(edges.pixel(x, y)[k], std::min(static_cast<double>(edge_brightness) * std::hypot(across, down), 255.0));
    }
  return distance;
}

// The picture of `kind` beside OUT: filtered.png becomes filtered_blur.png.
std::string named(const std::filesystem::path& out, const std::string& kind) {
  std::filesystem::path path = out;
  path.replace_filename(out.stem().string() + '_' + kind + ".png");
  return std::filesystem::absolute(path).string();
}

int main(int argc, char** argv) {
  return support::run("image_filter", [&] {
    const support::CommandLine arguments(
        argc, argv, "Blurs a picture and finds its edges.",
        {{"in", "the PNG file to read; the photograph that comes with oxide when not given"},
         {"out", "names the pictures to write: OUT_blur.png and OUT_edges.png; filtered.png when not given"}});
    const ox::Device device = arguments.device();
    const std::string in = arguments.text("in", OXIDE_EXAMPLE_PHOTO), out = arguments.text("out", "filtered.png");
    const support::Image image = support::read_png(in);
    support::say_device(device);
    support::say("picture", "{}, {} x {} pixels", in, image.width, image.height);

    const Filtered filtered = filter_any(device, image);
    for (const auto& [kind, picture] : {std::pair("blur", &filtered.blurred), std::pair("edges", &filtered.edges)}) {
      support::write_png(named(out, kind), *picture);
      support::say("written", "{}", named(out, kind));
    }

    // Rounding takes half a level; beyond that, floats may only tip what is almost between two levels.
    support::Checks checks;
    const Distance blur = blur_distance(image, filtered.blurred), edges = sobel_distance(filtered.blurred, filtered.edges);
    const double channels = static_cast<double>(image.rgb.size());
    checks.expect(
        blur.worst <= 0.501 && static_cast<double>(blur.above) <= 0.001 * channels,
        "blur: at most {:.5f} levels from the host's in double precision (0.501 allowed), {} of {:.0f} channels rounded the other way",
        blur.worst, blur.above, channels);
    checks.expect(
        edges.worst <= 0.501 && static_cast<double>(edges.above) <= 0.001 * channels,
        "edges: at most {:.5f} levels from the host's in double precision (0.501 allowed), {} of {:.0f} channels rounded the other way",
        edges.worst, edges.above, channels);
    return checks.exit_status();
  });
}
