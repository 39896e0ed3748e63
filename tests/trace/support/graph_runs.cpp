#include "graph_runs.hpp"

#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/device.hpp>
#include <oxide/runtime/launch.hpp>
#include <oxide/runtime/program.hpp>

namespace graph_runs {
namespace {

namespace ox = oxide;

class OnDevice final : public Runner {
 public:
  explicit OnDevice(const ox::Device& device) : device_(device) {}
  std::string name() const override { return device_.name(); }
  void run(const std::shared_ptr<const ox::ir::Graph>& graph, std::uint32_t threads, const std::vector<Array>& arrays) const override {
    const ox::Stream stream = device_.default_stream();
    const auto program = ox::runtime::load_program(device_, graph);
    std::vector<ox::DeviceBuffer<unsigned char>> buffers;
    std::vector<ox::runtime::Argument> arguments;
    for (const Array& array : arrays) {
      buffers.push_back(ox::DeviceBuffer<unsigned char>::from_host(stream, *array.bytes));
      arguments.push_back(ox::runtime::Argument::of_span(buffers.back().data(), array.bytes->size() / ox::ir::size_of(array.element),
                                                         buffers.back().device_id()));
    }
    ox::runtime::launch(*program, stream, {.grid = {threads / 32}, .block = {32}}, arguments);
    for (std::size_t k = 0; k < arrays.size(); ++k) *arrays[k].bytes = buffers[k].to_host(stream);
  }

 private:
  ox::Device device_;
};

}  // namespace

const std::vector<std::unique_ptr<Runner>>& all() {
  static const std::vector<std::unique_ptr<Runner>> runners = [] {
    std::vector<std::unique_ptr<Runner>> out;
    for (const ox::Device& device : ox::Device::all()) out.push_back(std::make_unique<OnDevice>(device));
    return out;
  }();
  return runners;
}

}  // namespace graph_runs
