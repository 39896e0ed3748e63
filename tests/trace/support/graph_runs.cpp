#include "graph_runs.hpp"

#include <stdexcept>

#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/device.hpp>
#include <oxide/runtime/launch.hpp>
#include <oxide/runtime/program.hpp>

#include "support/interpreter.hpp"

namespace graph_runs {
namespace {

namespace ox = oxide;

constexpr std::uint32_t block_size = 32;

class Interpreted final : public Runner {
 public:
  std::string name() const override { return "the interpreter"; }
  void run(const ox::Counted<const ox::ir::Graph>& graph, std::uint32_t threads, const std::vector<Array>& arrays) const override {
    std::vector<ox::testing::Argument> arguments;
    for (const Array& array : arrays) arguments.push_back({0, array.bytes->data(), array.bytes->size() / ox::ir::size_of(array.element)});
    const ox::testing::Fault fault =
        ox::testing::Interpreter(*graph).run({.grid = {threads / block_size, 1, 1}, .block = {block_size, 1, 1}}, arguments);
    if (fault.happened) throw std::runtime_error("a check failed in the interpreter, at site " + std::to_string(fault.site));
  }
};

class OnDevice final : public Runner {
 public:
  explicit OnDevice(const ox::Device& device) : device_(device) {}
  std::string name() const override { return device_.name(); }
  void run(const ox::Counted<const ox::ir::Graph>& graph, std::uint32_t threads, const std::vector<Array>& arrays) const override {
    const ox::Stream stream = device_.default_stream();
    const auto program = ox::runtime::load_program(device_, graph);
    std::vector<ox::DeviceBuffer<unsigned char>> buffers;
    std::vector<ox::runtime::Argument> arguments;
    for (const Array& array : arrays) {
      buffers.push_back(ox::DeviceBuffer<unsigned char>::from_host(stream, *array.bytes));
      arguments.push_back(ox::runtime::Argument::of_span(buffers.back().data(), array.bytes->size() / ox::ir::size_of(array.element),
                                                         buffers.back().device_id()));
    }
    ox::runtime::launch(*program, stream, {.grid = {threads / block_size}, .block = {block_size}}, arguments);
    for (std::size_t k = 0; k < arrays.size(); ++k) *arrays[k].bytes = buffers[k].to_host(stream);
  }

 private:
  ox::Device device_;
};

}  // namespace

const std::vector<std::unique_ptr<Runner>>& all() {
  static const std::vector<std::unique_ptr<Runner>> runners = [] {
    std::vector<std::unique_ptr<Runner>> out;
    out.push_back(std::make_unique<Interpreted>());
    for (const ox::Device& device : ox::Device::all()) out.push_back(std::make_unique<OnDevice>(device));
    return out;
  }();
  return runners;
}

}  // namespace graph_runs
