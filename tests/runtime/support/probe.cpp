// A process of its own for what a process does only once: finding libraries, reading the environment. Prints what came of a command, or
// "threw: " and why.
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/device.hpp>
#include <oxide/runtime/launch.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "graphs.hpp"

namespace {

oxide::DeviceBuffer<float>* outlives_main = nullptr;

std::string run(const std::string& command) {
  using oxide::Device;
  if (command == "best") return std::to_string(Device::best().id()) + ' ' + Device::best().name();
  if (command == "gpu") return Device::gpu().name();
  if (command == "gpu7") return Device::gpu(7).name();
  if (command == "why") return Device::why_no_gpu();
  if (command == "target") return Device::gpu().target().text();
  if (command == "all") {
    std::string ids;
    for (const Device& device : Device::all()) ids += std::to_string(device.id()) + ' ';
    return ids;
  }
  if (command == "threads") return std::to_string(Device::cpu().properties().multiprocessors);
  if (command == "compile" || command == "compile_gpu") {
    const Device device = command == "compile" ? Device::cpu() : Device::gpu();
    return oxide::runtime::load_program(device, graphs::vecadd())->graph().name + " compiled";
  }
  if (command == "static_buffer") {  // freed after main, when other static objects are gone
    static oxide::DeviceBuffer<float> buffer = oxide::DeviceBuffer<float>::zeroed(Device::best().default_stream(), 10);
    outlives_main = &buffer;
    return "left";
  }
  return "unknown command";
}

}  // namespace

int main(int, char** arguments) {
  std::string text;
  try {
    text = run(arguments[1]);
  } catch (const std::exception& e) {
    text = std::string("threw: ") + e.what();
  }
  std::printf("%s\n", text.c_str());
  return 0;
}
