#include "support/shared_kernels.hpp"

const void* address_of_shared_kernel() { return &shared::add_one; }
void launch_shared_kernel(const ox::Stream& stream, ox::DeviceBuffer<int>& data) { shared::add_one(stream, ox::LaunchConfig{1, 8}, data); }
const void* program_of_shared_kernel(const ox::Stream& stream) { return shared::add_one.build(device_of(stream))->program.get(); }
