// Where the kernels of a GPU stream print: records in host memory, made text when the host waits for the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>

#include <oxide/jit/abi.h>
#include <oxide/runtime/cuda/driver.hpp>
#include <oxide/runtime/print_implementation.hpp>

namespace oxide::runtime::cuda {

// Threads reserve places by an atomic addition in device memory, which is fast, and write to host memory, which is there even after the
// GPU's context was lost. Kernels that print are launched with the mutex held, and it is held while records are taken out; so that nobody
// writes then, as soon as the stream is done.
class PrintBuffer {
 public:
  std::mutex mutex;
  StreamHandle stream = nullptr;  // whose kernels print here; nullptr when it is free. Guarded by mutex
  bool pending = false;           // a kernel that prints was launched since records were taken out. Guarded by mutex
  DevicePointer control = 0;      // of an oxide_print_buffer

  // Both need the context to be current.
  Result create(const Driver& driver, std::size_t bytes) {
    capacity_ = rounded(bytes);
    void* host = nullptr;
    DevicePointer data = 0;
    Result result = driver.MemHostAlloc(&host, capacity_, host_alloc_portable | host_alloc_device_map);
    if (result == SUCCESS) result = driver.MemHostGetDevicePointer(&data, host, 0);
    if (result == SUCCESS) result = driver.MemAlloc(&control, sizeof(oxide_print_buffer));
    if (result != SUCCESS) return result;
    std::memset(host, 0, capacity_);
    records_ = static_cast<std::uint64_t*>(host);
    const oxide_print_buffer initial{0, 0, data, capacity_};
    result = driver.MemcpyHtoDAsync(control, &initial, sizeof initial, stream);
    return result == SUCCESS ? driver.StreamSynchronize(stream) : result;
  }
  // With nothing pending: makes it the buffer of no bytes that it was.
  void free(const Driver& driver) {
    if (records_ != nullptr) driver.MemFreeHost(records_);
    if (control != 0) driver.MemFree(control);
    capacity_ = 0, records_ = nullptr, control = 0;
  }
  // How many bytes `create` makes of so many.
  static std::size_t rounded(std::size_t bytes) { return bytes / 8 * 8; }
  std::size_t capacity() const { return capacity_; }

  // Waits for the stream, and appends to `text` what was printed. With the mutex held.
  Result drain(const Driver& driver, std::string& text) {
    if (!pending) return SUCCESS;
    if (const Result result = driver.StreamSynchronize(stream); result != SUCCESS) return take(text), result;
    pending = false;
    if (take(text) == 0 && capacity_ >= largest_record) return SUCCESS;
    oxide_print_buffer now{};
    Result result = driver.MemcpyDtoHAsync(&now, control, sizeof now, stream);
    if (result == SUCCESS) result = driver.MemsetD8Async(control, 0, offsetof(oxide_print_buffer, data), stream);
    if (result == SUCCESS) result = driver.StreamSynchronize(stream);
    if (result == SUCCESS && now.lost != 0)
      text += "oxide: " + std::to_string(now.lost) + " calls of ox::print were lost: a stream holds " + std::to_string(capacity_) +
              " bytes of output until the host waits for it (ox::set_print_buffer_size)\n";
    return result;
  }

 private:
  static constexpr std::size_t largest_record = std::size_t{8} * (2 + 2 * 64);  // one always fits in a larger buffer

  // The records from the start on, as text. Returns how many bytes they took.
  std::size_t take(std::string& text) {
    const std::size_t words = capacity_ / 8;
    std::size_t at = 0;
    while (at + 2 <= words) {
      const std::uint64_t size = __atomic_load_n(records_ + at, __ATOMIC_ACQUIRE);
      if (size < 2 || size > words - at) break;
      Printer::get().append(text, {records_ + at, static_cast<std::size_t>(size)});
      at += static_cast<std::size_t>(size);
    }
    std::memset(records_, 0, 8 * at);
    return 8 * at;
  }

  std::size_t capacity_ = 0;
  std::uint64_t* records_ = nullptr;
};

}  // namespace oxide::runtime::cuda
