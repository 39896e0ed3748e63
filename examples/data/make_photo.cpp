// Makes photo.png, the picture that image_filter reads: a mountain lake, ray-marched over a height field.
//
//   make_photo OUT.png [WIDTH HEIGHT [SAMPLES]]     photo.png is 768 x 512 with 3 x 3 samples a pixel
//
// Every number comes from an integer hash, so that the picture is the same each time; the last bit of a pixel may differ between
// maths libraries. Lengths are metres; y is up, and the lake is at y = 0.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "../support/png.hpp"

namespace {

struct Vec {
  float x = 0, y = 0, z = 0;
};
Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec operator*(Vec a, Vec b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
Vec operator*(Vec a, float s) { return {a.x * s, a.y * s, a.z * s}; }
float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec normalized(Vec a) { return a * (1 / std::sqrt(dot(a, a))); }
float mix(float a, float b, float t) { return a + (b - a) * t; }
Vec mix(Vec a, Vec b, float t) { return a + (b - a) * t; }
float smooth(float from, float to, float x) {
  const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// ---- noise

std::uint32_t hash(std::int32_t x, std::int32_t y) {
  std::uint32_t h = static_cast<std::uint32_t>(x) * 0x9e3779b1u ^ static_cast<std::uint32_t>(y) * 0x85ebca77u;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return h ^ (h >> 15);
}
float random01(std::int32_t x, std::int32_t y) { return static_cast<float>(hash(x, y) >> 8) * 0x1p-24f; }

struct Noise {
  float value, dx, dy;
};

// Value noise in [-1, 1], with its slopes.
Noise noise(float x, float y) {
  const float fx = std::floor(x), fy = std::floor(y);
  const auto ix = static_cast<std::int32_t>(fx), iy = static_cast<std::int32_t>(fy);
  const float u = x - fx, v = y - fy;
  const float su = u * u * u * (u * (u * 6 - 15) + 10), sv = v * v * v * (v * (v * 6 - 15) + 10);
  const float du = 30 * u * u * (u * (u - 2) + 1), dv = 30 * v * v * (v * (v - 2) + 1);
  const float a = random01(ix, iy), b = random01(ix + 1, iy), c = random01(ix, iy + 1), d = random01(ix + 1, iy + 1);
  const float k = a - b - c + d;
  return {2 * (a + (b - a) * su + (c - a) * sv + k * su * sv) - 1, 2 * du * (b - a + k * sv), 2 * dv * (c - a + k * su)};
}

// Octaves of noise, each turned against the one before.
float fractal(float x, float y, int octaves) {
  float sum = 0, weight = 0.5f;
  for (int i = 0; i < octaves; ++i) {
    sum += weight * noise(x, y).value;
    weight *= 0.5f;
    const float turned = 1.6f * x - 1.2f * y;
    y = 1.2f * x + 1.6f * y + 7.3f;
    x = turned + 3.1f;
  }
  return sum;
}

// Octaves that count less where the ground is steep already: ridges stay sharp and valleys fill, as erosion does.
float eroded(float x, float y, int octaves) {
  float sum = 0, weight = 1, slope_x = 0, slope_y = 0;
  for (int i = 0; i < octaves; ++i) {
    const Noise n = noise(x, y);
    slope_x += n.dx * 0.5f;
    slope_y += n.dy * 0.5f;
    sum += weight * (n.value * 0.5f + 0.5f) / (1 + slope_x * slope_x + slope_y * slope_y);
    weight *= 0.5f;
    const float turned = 1.6f * x - 1.2f * y;
    y = 1.2f * x + 1.6f * y;
    x = turned;
  }
  return sum;
}

// ---- the land

constexpr Vec eye{0, 16, -10};
const Vec to_sun = normalized({-0.72f, 0.42f, 0.10f});
constexpr Vec sunlight{2.65f, 2.15f, 1.55f};
constexpr float far_away = 14000;

float bare_ground(float x, float z, int octaves) {
  // The lake's bed and its shore.
  const float wobble = 0.10f * fractal(x / 130 + 5, z / 130, 4);
  const float lx = (x - 60) / 380, lz = (z - 440) / 420;
  const float rim = std::sqrt(lx * lx + lz * lz) - 1 + wobble;
  float h = rim < 0 ? 30 * rim : 22 * rim / (1 + 0.2f * rim);
  // Hills behind the shore, mountains behind the hills; less of them where the valley opens.
  const float distance = std::sqrt(x * x * 0.55f + z * z);
  const float hills = smooth(820, 2000, distance);
  if (hills > 0) h += hills * (150 * eroded(x / 520 + 11, z / 520 + 4, std::min(octaves, 7)) - 10);
  const float valley = 1 - 0.72f * std::exp(-std::pow((x - 0.10f * z - 150) / (260 + 0.11f * z), 2.0f));
  const float mountains = smooth(1300, 5200, distance) * valley;
  if (mountains > 0) h += mountains * 1750 * eroded(x / 1750 + 1.3f, z / 1750 + 2.9f, octaves);
  h += 0.5f * fractal(x / 9, z / 9, 3) * smooth(-0.02f, 0.05f, rim);
  return h;
}

// How dense the forest is, 0 to 1: from above the shore up to the tree line.
float forest(float x, float z, float ground) {
  const float line = 470 + 160 * fractal(x / 300, z / 300, 3);
  const float stands = smooth(-0.10f, 0.12f, fractal(x / 95 + 40, z / 95, 3) + 0.10f);
  return stands * smooth(2.0f, 6.0f, ground) * smooth(line + 40, line - 40, ground) * smooth(170, 260, std::sqrt(x * x + z * z));
}

struct Tree {
  float height = 0;  // of the crown above the ground, here
  float tone = 0;
};

// Conifers are cones that stand on a jittered grid. The nearest tops of the cells around decide.
Tree trees(float x, float z, float ground) {
  const float density = forest(x, z, ground);
  if (density <= 0) return {};
  constexpr float cell = 5.5f;
  const float fx = std::floor(x / cell), fz = std::floor(z / cell);
  Tree best;
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dx = -1; dx <= 1; ++dx) {
      const auto ix = static_cast<std::int32_t>(fx) + dx, iz = static_cast<std::int32_t>(fz) + dz;
      const float kind = random01(ix + 911, iz - 77);
      if (random01(ix - 5501, iz + 301) > density) continue;
      const float tx = (static_cast<float>(ix) + 0.15f + 0.7f * random01(ix, iz + 50)) * cell;
      const float tz = (static_cast<float>(iz) + 0.15f + 0.7f * random01(ix + 50, iz)) * cell;
      const float r = std::sqrt((x - tx) * (x - tx) + (z - tz) * (z - tz));
      const float tall = 9 + 12 * kind, wide = 2.1f + 1.5f * kind;
      const float h = tall * (1 - r / wide);
      if (h > best.height) best = {h, random01(ix + 17, iz + 19)};
    }
  }
  return best;
}

float ground(float x, float z, int octaves) {
  const float h = bare_ground(x, z, octaves);
  return h + trees(x, z, h).height;
}

int octaves_at(float t) { return t < 600 ? 9 : t < 2500 ? 10 : 9; }

// The distance along a ray to the land, or a negative number.
float march(Vec from, Vec direction, float near, float far) {
  float t = near, last = near, last_gap = 1;
  for (int i = 0; i < 900 && t < far; ++i) {
    const Vec p = from + direction * t;
    if (p.y > 2900 && direction.y >= 0) return -1;
    const float gap = p.y - ground(p.x, p.z, octaves_at(t));
    if (gap < 0.0004f * t) return last + (t - last) * std::clamp(last_gap / (last_gap - std::min(gap, 0.0f) + 1e-4f), 0.0f, 1.0f);
    last = t;
    last_gap = gap;
    t += std::max(0.32f * gap, 0.0011f * t + 0.02f);
  }
  return -1;
}

// How much of the sun's disc is seen, with a soft edge.
float sun_seen(Vec from, float t_eye) {
  float seen = 1, t = 1.0f + 0.002f * t_eye;
  for (int i = 0; i < 60 && seen > 0.01f; ++i) {
    const Vec p = from + to_sun * t;
    if (p.y > 2700) break;
    const float gap = p.y - ground(p.x, p.z, 7);
    seen = std::min(seen, 0.5f + 22 * gap / t);
    t += std::clamp(0.6f * gap, 1.0f + 0.03f * t, 300.0f);
  }
  seen = std::clamp(seen, 0.0f, 1.0f);
  return seen * seen * (3 - 2 * seen);
}

// ---- the sky

Vec sky(Vec d, bool clouds) {
  const float up = std::max(d.y, 0.0f);
  const float to_the_sun = std::max(dot(d, to_sun), 0.0f);
  Vec c = mix({0.66f, 0.76f, 0.86f}, {0.13f, 0.29f, 0.62f}, 1 - std::exp(-3.2f * up));
  c = c + Vec{0.9f, 0.65f, 0.4f} * (0.25f * std::pow(to_the_sun, 6.0f)) + Vec{1, 0.8f, 0.6f} * (0.5f * std::pow(to_the_sun, 60.0f));
  if (!clouds || d.y < 0.01f) return c;
  // Fair-weather clouds in a layer 1900 m up, denser below than above, lit from the sun's side.
  const float t = 1900 / (d.y + 0.03f);
  const float x = d.x * t / 1500 + 2.3f, z = d.z * t / 1500 + 0.7f;
  const float swirl = 0.25f * fractal(3 * x, 3 * z, 3);
  const auto thickness = [&](float px, float pz) {
    return fractal(px + swirl, pz - swirl, 8) + 0.20f * fractal(0.35f * px, 0.35f * pz, 2);
  };
  const float here = thickness(x, z);
  const float cover = smooth(0.02f, 0.34f, here);
  const float towards_sun = thickness(x + 0.22f * to_sun.x, z + 0.22f * to_sun.z);
  const float lit = std::clamp(0.62f + 1.5f * (here - towards_sun) - 0.75f * smooth(0.15f, 0.6f, here), 0.0f, 1.0f);
  const Vec cloud = mix({0.50f, 0.55f, 0.64f}, {1.24f, 1.17f, 1.06f}, lit);
  return mix(c, cloud, cover * 0.93f * smooth(0.015f, 0.11f, d.y));
}

// The air between: bluish, and golden towards the sun.
Vec through_air(Vec c, float t, Vec d) {
  const float glow = std::pow(std::max(dot(d, to_sun), 0.0f), 4.0f);
  const Vec haze = mix({0.55f, 0.66f, 0.80f}, {1.0f, 0.82f, 0.62f}, 0.6f * glow);
  const Vec left{std::exp(-t / 21000), std::exp(-t / 16000), std::exp(-t / 11500)};
  return c * left + haze * (Vec{1, 1, 1} - left);
}

// ---- surfaces

Vec shade_land(Vec p, float t, Vec d) {
  const int octaves = t < 3000 ? 12 : 11;
  const float step = 0.05f + 0.0007f * t;
  const Vec normal = normalized({ground(p.x - step, p.z, octaves) - ground(p.x + step, p.z, octaves), 2 * step,
                                 ground(p.x, p.z - step, octaves) - ground(p.x, p.z + step, octaves)});
  const float bare = bare_ground(p.x, p.z, octaves);
  const Tree tree = trees(p.x, p.z, bare);
  const float fine = fractal(p.x / 3, p.z / 3, 5), patches = fractal(p.x / 60, p.z / 60, 5), strata = fractal(p.x / 400, p.y / 22, 5);

  // Rock in bands, meadow where it is low and flat, gravel at the water, snow where it is high and flat.
  Vec c = mix({0.20f, 0.18f, 0.165f}, {0.33f, 0.30f, 0.27f}, std::clamp(0.5f + 0.9f * strata + 0.4f * fine, 0.0f, 1.0f));
  const Vec meadow = mix(mix({0.105f, 0.125f, 0.035f}, {0.21f, 0.19f, 0.07f}, std::clamp(0.5f + patches, 0.0f, 1.0f)),
                         {0.07f, 0.09f, 0.025f}, std::clamp(0.3f + 0.9f * fine, 0.0f, 1.0f));
  c = mix(c, meadow, smooth(0.62f, 0.82f, normal.y + 0.10f * fine) * smooth(880, 480, bare + 220 * patches));
  c = mix(c, Vec{0.27f, 0.25f, 0.22f} * (1 + 0.6f * fine), smooth(2.0f, 0.3f, bare + 1.2f * fine));
  const float snow = smooth(780, 1150, bare + 420 * patches + 130 * strata) * smooth(0.50f, 0.72f, normal.y + 0.12f * patches);
  c = mix(c, {0.86f, 0.89f, 0.94f}, snow);
  float occlusion = 1;
  if (tree.height > 0.4f) {
    c = mix({0.022f, 0.042f, 0.016f}, {0.060f, 0.080f, 0.024f}, std::clamp(tree.tone + 0.4f * fine, 0.0f, 1.0f));
    if (tree.tone > 0.93f) c = mix(c, {0.17f, 0.12f, 0.025f}, 0.7f);  // a larch in autumn
    occlusion = mix(0.35f, 1.0f, smooth(0, 11, tree.height));
  }

  const float direct = std::max(dot(normal, to_sun), 0.0f);
  const float sun = direct > 0 ? direct * sun_seen(p + normal * (0.3f + 0.0006f * t), t) : 0;
  const Vec from_sky = Vec{0.34f, 0.44f, 0.62f} * (0.55f + 0.45f * normal.y) * occlusion;
  const Vec from_ground = Vec{0.12f, 0.10f, 0.07f} * (0.5f - 0.5f * normal.y + 0.2f);
  return through_air(c * (sunlight * sun + from_sky + from_ground), t, d);
}

Vec look(Vec from, Vec d, float near, bool water);

Vec shade_water(Vec p, float t, Vec d) {
  // Ripples, in patches where the wind reaches the lake, flattened with distance as they become smaller than a pixel.
  const float wind = 0.25f + 0.75f * smooth(-0.1f, 0.25f, fractal(p.x / 160, p.z / 60 + 9, 3));
  const float size = 0.022f * wind / (1 + t / 260);
  const Noise a = noise(p.x * 0.9f, p.z * 1.3f), b = noise(p.x * 2.3f + 9, p.z * 3.1f), c = noise(p.x * 0.21f, p.z * 0.33f + 4);
  const Vec normal = normalized({size * (a.dx + 0.6f * b.dx + 0.7f * c.dx), 1, size * (a.dy + 0.6f * b.dy + 0.7f * c.dy)});
  const float facing = -dot(d, normal);
  const float reflected = 0.02f + 0.98f * std::pow(1 - std::clamp(facing, 0.0f, 1.0f), 5.0f);
  Vec r = d + normal * (2 * facing);
  r.y = std::max(r.y, 0.004f);
  const float depth = std::max(-bare_ground(p.x, p.z, 4), 0.0f);
  const Vec bed = mix({0.22f, 0.20f, 0.14f}, {0.016f, 0.060f, 0.068f}, 1 - std::exp(-depth / 1.6f));
  return through_air(mix(bed, look(p, normalized(r), 0.5f, false), reflected), t, d);
}

Vec look(Vec from, Vec d, float near, bool water) {
  const float t_water = water && d.y < 0 ? -from.y / d.y : far_away;
  const float t = march(from, d, near, std::min(t_water, far_away));
  if (t > 0) return shade_land(from + d * t, t, d);
  if (water && d.y < 0) return shade_water(from + d * t_water, t_water, d);
  return sky(d, true);
}

// ---- the camera

float tone(float c) {
  c = std::max(c, 0.0f) * 0.92f;
  c = c * (2.51f * c + 0.03f) / (c * (2.43f * c + 0.59f) + 0.14f);  // a film's toe and shoulder
  return std::pow(std::clamp(c, 0.0f, 1.0f), 1 / 2.2f);
}

void expose_row(support::Image& image, std::size_t row, int samples) {
  const auto width = static_cast<float>(image.width), height = static_cast<float>(image.height);
  for (std::size_t column = 0; column < image.width; ++column) {
    Vec sum;
    for (int i = 0; i < samples * samples; ++i) {
      const auto n = static_cast<float>(samples);
      const float sx = (static_cast<float>(column) + (static_cast<float>(i % samples) + 0.5f) / n) / width * 2 - 1;
      const float sy = 1 - (static_cast<float>(row) + (static_cast<float>(i / samples) + 0.5f) / n) / height * 2;
      const Vec d = normalized({sx * 0.56f, sy * 0.56f * height / width + 0.085f, 1});
      const Vec c = look(eye, d, 3, true);
      sum = sum + Vec{tone(c.x), tone(c.y), tone(c.z)};
    }
    sum = sum * (1 / static_cast<float>(samples * samples));
    const float u = (static_cast<float>(column) + 0.5f) / width - 0.5f, v = (static_cast<float>(row) + 0.5f) / height - 0.5f;
    const float corner = 1 - 0.38f * (u * u + v * v);
    const auto x = static_cast<std::int32_t>(column), y = static_cast<std::int32_t>(row);
    const float grain = (random01(x, y + 9000) + random01(x + 9000, y) - 1) * 0.010f;
    const std::array<float, 3> channels{sum.x, sum.y, sum.z};
    for (std::size_t k = 0; k < 3; ++k)
      image.pixel(column, row)[k] = static_cast<std::uint8_t>(std::clamp((channels[k] * corner + grain) * 255 + 0.5f, 0.0f, 255.0f));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fputs("usage: make_photo OUT.png [WIDTH HEIGHT [SAMPLES]]\n", stderr);
    return 2;
  }
  support::Image image(argc > 3 ? std::stoul(argv[2]) : 768, argc > 3 ? std::stoul(argv[3]) : 512);
  const int samples = argc > 4 ? std::stoi(argv[4]) : 3;
  const std::size_t workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < workers; ++worker)
    threads.emplace_back([&, worker] {
      for (std::size_t row = worker; row < image.height; row += workers) expose_row(image, row, samples);
    });
  for (std::thread& thread : threads) thread.join();
  support::write_png(argv[1], image);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "make_photo: %s\n", error.what());
  return 1;
}
