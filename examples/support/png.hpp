// Pictures of 8-bit RGB pixels, read from and written to PNG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <png.h>

namespace support {

struct Image {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // three bytes a pixel, rows from the top, no padding

  Image() = default;
  Image(std::size_t w, std::size_t h) : width(w), height(h), rgb(3 * w * h) {}
  std::uint8_t* pixel(std::size_t x, std::size_t y) { return &rgb[3 * (y * width + x)]; }
  const std::uint8_t* pixel(std::size_t x, std::size_t y) const { return &rgb[3 * (y * width + x)]; }
};

// Any PNG is converted to 8-bit RGB; what is transparent becomes white. Throws std::runtime_error with the file's name.
inline Image read_png(const std::string& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0)
    throw std::runtime_error("cannot read the picture '" + path + "': " + png.message);
  png.format = PNG_FORMAT_RGB;
  Image image(png.width, png.height);
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&png, &white, image.rgb.data(), 0, nullptr) == 0)
    throw std::runtime_error("cannot read the picture '" + path + "': " + png.message);
  return image;
}

// Throws std::runtime_error with the file's name.
inline void write_png(const std::string& path, const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&png, path.c_str(), 0, image.rgb.data(), 0, nullptr) == 0)
    throw std::runtime_error("cannot write the picture '" + path + "': " + png.message);
}

}  // namespace support
