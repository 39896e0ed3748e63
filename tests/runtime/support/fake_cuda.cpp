// A CUDA driver on host memory, for tests without a GPU: the functions that oxide uses, strict about contexts, handles and sizes. Its
// device addresses are not host addresses, so code that mixes them up crashes. Work happens at once; the one kernel there is is vecadd.
#include <oxide/jit/abi.h>
#include <oxide/runtime/cuda/driver_api.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>

#include "fake_cuda.hpp"

using namespace oxide::runtime::cuda;

struct CUctx_st {
  int device = 0;
  bool alive = false;
  int lost = 0;  // the error of every call
};
struct CUstream_st {
  CUctx_st* context;
};
struct CUevent_st {
  CUctx_st* context;
  bool recorded = false;
};
struct CUmod_st {
  CUctx_st* context;
  CUfunc_st* function;
};
struct CUfunc_st {
  CUmod_st* module;
};
struct CUlinkState_st {
  std::string input, output;
  char* error_log = nullptr;
  std::size_t error_size = 0;
};
struct CUmemPoolHandle_st {
  CUctx_st* context;
};

namespace {

std::recursive_mutex mutex;
thread_local CUctx_st* current = nullptr;
CUctx_st contexts[8];
std::map<std::string, int> failures;
std::string calls, link_log;
bool link_fails = false, open_record = false;
long errors = 0;
int block_limit = 1024;
std::size_t stack_limit = 1024;
std::set<CUstream_st*> streams;

constexpr std::uint64_t device_offset = 0x1000000000000000;
struct Allocation {
  std::size_t bytes;
  CUctx_st* context;
  bool pooled;
};
std::map<DevicePointer, Allocation> allocations;
std::map<char*, std::size_t> pinned;

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}
int device_count() { return setting("FAKE_CUDA_DEVICES", 2); }

char* host_address(DevicePointer pointer) { return reinterpret_cast<char*>(pointer - device_offset); }

bool inside(DevicePointer pointer, std::size_t bytes) {
  auto at = allocations.upper_bound(pointer);
  if (at == allocations.begin()) return false;
  --at;
  return at->second.context == current && pointer + bytes <= at->first + at->second.bytes;
}

int mistake() {
  ++errors;
  return INVALID_VALUE;
}

// Logs the call; what it returns when it has to fail, else 0.
int enter(const char* function, bool needs_context) {
  calls.append(function).append("\n");
  if (const auto f = failures.find(function); f != failures.end()) {
    const int code = f->second;
    failures.erase(f);
    if (code >= 700 && code < 720 && current != nullptr) current->lost = code;
    return code;
  }
  if (!needs_context) return 0;
  if (current == nullptr || !current->alive) return INVALID_CONTEXT;
  return current->lost;
}

bool good(StreamHandle stream) { return streams.count(stream) != 0 && stream->context == current; }

struct FloatSpan {
  float* data;
  std::uint64_t length;
  explicit FloatSpan(void** argument)
      : data(reinterpret_cast<float*>(host_address(*static_cast<DevicePointer*>(argument[0])))),
        length(*static_cast<std::uint64_t*>(argument[1])) {}
};

// As the fake compiler's; the first fault ends it and loses the context.
void vecadd(std::uint64_t threads, void** arguments) {
  const FloatSpan a(arguments), b(arguments + 2), c(arguments + 4);
  auto* fault = reinterpret_cast<oxide_fault_record*>(host_address(*static_cast<DevicePointer*>(arguments[6])));
  for (std::uint64_t i = 0; i != threads && i < c.length; ++i) {
    if (i < a.length && i < b.length) {
      c.data[i] = a.data[i] + b.data[i];
      continue;
    }
    fault->claimed = 1;
    fault->site = i < a.length ? 1 : 0;
    fault->values[0] = i;
    fault->values[1] = i < a.length ? b.length : a.length;
    fault->block[0] = static_cast<std::uint32_t>(i / 256);
    fault->thread[0] = static_cast<std::uint32_t>(i % 256);
    if (!open_record) fault->ready = 1;
    open_record = false;
    current->lost = LAUNCH_FAILED;
    return;
  }
}

}  // namespace

#define FAKE(name) extern "C" __attribute__((visibility("default"))) Result name
#define ENTER(name, needs_context)                         \
  const std::lock_guard<std::recursive_mutex> lock(mutex); \
  if (const int failed = enter(name, needs_context); failed != 0) return failed

FAKE(cuInit)(unsigned) {
  ENTER("cuInit", false);
  return device_count() == 0 ? NO_DEVICE : SUCCESS;
}
FAKE(cuDriverGetVersion)(int* version) {
  ENTER("cuDriverGetVersion", false);
  *version = setting("FAKE_CUDA_VERSION", 12080);
  return SUCCESS;
}
FAKE(cuGetErrorName)(Result error, const char** name) {
  switch (error) {
#define FAKE_NAME(n, value)   \
  case value:                 \
    *name = "CUDA_ERROR_" #n; \
    return SUCCESS;
    OXIDE_CUDA_RESULTS(FAKE_NAME)
#undef FAKE_NAME
    default:
      return INVALID_VALUE;
  }
}
FAKE(cuGetErrorString)(Result, const char** text) {
  *text = "as the fake driver says";
  return SUCCESS;
}
FAKE(cuDeviceGetCount)(int* count) {
  ENTER("cuDeviceGetCount", false);
  *count = device_count();
  return SUCCESS;
}
FAKE(cuDeviceGet)(DeviceOrdinal* device, int ordinal) {
  ENTER("cuDeviceGet", false);
  *device = ordinal;
  return SUCCESS;
}
FAKE(cuDeviceGetName)(char* name, int length, DeviceOrdinal) {
  ENTER("cuDeviceGetName", false);
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length));
  return SUCCESS;
}
FAKE(cuDeviceGetAttribute)(int* value, DeviceAttribute attribute, DeviceOrdinal) {
  ENTER("cuDeviceGetAttribute", false);
  using enum DeviceAttribute;
  const int sm = setting("FAKE_CUDA_SM", 90);
  switch (attribute) {
    case MAX_THREADS_PER_BLOCK:
    case MAX_BLOCK_DIM_X:
    case MAX_BLOCK_DIM_Y:
      *value = 1024;
      break;
    case MAX_BLOCK_DIM_Z:
      *value = 64;
      break;
    case MAX_GRID_DIM_X:
      *value = 0x7fffffff;
      break;
    case MAX_GRID_DIM_Y:
    case MAX_GRID_DIM_Z:
      *value = 65535;
      break;
    case MAX_SHARED_MEMORY_PER_BLOCK:
      *value = 49152;
      break;
    case MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 232448;
      break;
    case WARP_SIZE:
      *value = 32;
      break;
    case MULTIPROCESSOR_COUNT:
      *value = 7;
      break;
    case COMPUTE_CAPABILITY_MAJOR:
      *value = sm / 10;
      break;
    case COMPUTE_CAPABILITY_MINOR:
      *value = sm % 10;
      break;
    case MEMORY_POOLS_SUPPORTED:
      *value = setting("FAKE_CUDA_POOLS", 1);
      break;
  }
  return SUCCESS;
}
FAKE(cuDeviceTotalMem_v2)(std::size_t* bytes, DeviceOrdinal) {
  ENTER("cuDeviceTotalMem", false);
  *bytes = std::size_t{1} << 30;
  return SUCCESS;
}
FAKE(cuDevicePrimaryCtxRetain)(ContextHandle* context, DeviceOrdinal device) {
  ENTER("cuDevicePrimaryCtxRetain", false);
  *context = &contexts[device];
  contexts[device].device = device;
  contexts[device].alive = true;
  return SUCCESS;
}
FAKE(cuDevicePrimaryCtxRelease_v2)(DeviceOrdinal) {
  ENTER("cuDevicePrimaryCtxRelease", false);
  return SUCCESS;
}
FAKE(cuDevicePrimaryCtxReset_v2)(DeviceOrdinal device) {
  ENTER("cuDevicePrimaryCtxReset", false);
  contexts[device].alive = false;
  contexts[device].lost = 0;
  for (auto at = allocations.begin(); at != allocations.end();) {
    if (at->second.context == &contexts[device]) {
      std::free(host_address(at->first));
      at = allocations.erase(at);
    } else {
      ++at;
    }
  }
  for (auto at = streams.begin(); at != streams.end();) {
    if ((*at)->context == &contexts[device]) {
      delete *at;
      at = streams.erase(at);
    } else {
      ++at;
    }
  }
  return SUCCESS;
}
FAKE(cuCtxGetCurrent)(ContextHandle* context) {
  *context = current;
  return SUCCESS;
}
FAKE(cuCtxSetCurrent)(ContextHandle context) {
  ENTER("cuCtxSetCurrent", false);
  current = context;
  return SUCCESS;
}
FAKE(cuCtxSynchronize)() {
  ENTER("cuCtxSynchronize", true);
  return SUCCESS;
}
FAKE(cuStreamCreate)(StreamHandle* stream, unsigned) {
  ENTER("cuStreamCreate", true);
  *stream = new CUstream_st{current};
  streams.insert(*stream);
  return SUCCESS;
}
FAKE(cuStreamDestroy_v2)(StreamHandle stream) {
  ENTER("cuStreamDestroy", true);
  if (streams.erase(stream) == 0) return mistake();
  delete stream;
  return SUCCESS;
}
FAKE(cuStreamSynchronize)(StreamHandle stream) {
  ENTER("cuStreamSynchronize", true);
  return good(stream) ? SUCCESS : mistake();
}
FAKE(cuStreamWaitEvent)(StreamHandle stream, EventHandle event, unsigned) {
  ENTER("cuStreamWaitEvent", true);
  return good(stream) && event->recorded ? SUCCESS : mistake();
}
FAKE(cuEventCreate)(EventHandle* event, unsigned flags) {
  ENTER("cuEventCreate", true);
  if (flags != event_disable_timing) return mistake();
  *event = new CUevent_st{current};
  return SUCCESS;
}
FAKE(cuEventRecord)(EventHandle event, StreamHandle stream) {
  ENTER("cuEventRecord", true);
  if (!good(stream) || event->context != current) return mistake();
  event->recorded = true;
  return SUCCESS;
}
FAKE(cuEventDestroy_v2)(EventHandle event) {
  ENTER("cuEventDestroy", true);
  delete event;
  return SUCCESS;
}

namespace {
DevicePointer allocate(std::size_t bytes, bool pooled) {
  auto* host = static_cast<char*>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  std::memset(host, 0xcd, bytes);
  const DevicePointer pointer = reinterpret_cast<std::uintptr_t>(host) + device_offset;
  allocations[pointer] = {bytes, current, pooled};
  return pointer;
}
Result release(DevicePointer pointer, bool pooled) {
  const auto at = allocations.find(pointer);
  if (at == allocations.end() || at->second.pooled != pooled || at->second.context != current) return mistake();
  std::free(host_address(pointer));
  allocations.erase(at);
  return SUCCESS;
}
}  // namespace

FAKE(cuMemAlloc_v2)(DevicePointer* pointer, std::size_t bytes) {
  ENTER("cuMemAlloc", true);
  if (bytes == 0) return mistake();
  *pointer = allocate(bytes, false);
  return SUCCESS;
}
FAKE(cuMemFree_v2)(DevicePointer pointer) {
  ENTER("cuMemFree", true);
  return release(pointer, false);
}
FAKE(cuMemPoolCreate)(PoolHandle* pool, const PoolProperties* properties) {
  ENTER("cuMemPoolCreate", false);
  if (properties->allocation_type != MemoryAllocationType::PINNED || properties->location.type != MemoryLocationType::DEVICE)
    return mistake();
  static CUmemPoolHandle_st pools[8];
  *pool = &pools[properties->location.id];
  (*pool)->context = &contexts[properties->location.id];
  return SUCCESS;
}
FAKE(cuMemPoolSetAttribute)(PoolHandle, PoolAttribute attribute, void* value) {
  ENTER("cuMemPoolSetAttribute", false);
  return attribute == PoolAttribute::RELEASE_THRESHOLD && *static_cast<std::uint64_t*>(value) != 0 ? SUCCESS : mistake();
}
FAKE(cuMemPoolTrimTo)(PoolHandle, std::size_t) {
  ENTER("cuMemPoolTrimTo", false);
  return SUCCESS;
}
FAKE(cuMemAllocFromPoolAsync)(DevicePointer* pointer, std::size_t bytes, PoolHandle pool, StreamHandle stream) {
  ENTER("cuMemAllocFromPoolAsync", true);
  if (bytes == 0 || !good(stream) || pool->context != current) return mistake();
  if (bytes > std::size_t{1} << 30) return OUT_OF_MEMORY;
  *pointer = allocate(bytes, true);
  return SUCCESS;
}
FAKE(cuMemFreeAsync)(DevicePointer pointer, StreamHandle stream) {
  ENTER("cuMemFreeAsync", true);
  return good(stream) ? release(pointer, true) : mistake();
}
FAKE(cuMemHostAlloc)(void** pointer, std::size_t bytes, unsigned flags) {
  ENTER("cuMemHostAlloc", true);
  if (flags != (host_alloc_portable | host_alloc_device_map)) return mistake();
  *pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  std::memset(*pointer, 0xcd, bytes);
  pinned[static_cast<char*>(*pointer)] = bytes;
  return SUCCESS;
}
FAKE(cuMemFreeHost)(void* pointer) {
  ENTER("cuMemFreeHost", true);
  if (pinned.erase(static_cast<char*>(pointer)) == 0) return mistake();
  std::free(pointer);
  return SUCCESS;
}
FAKE(cuMemHostGetDevicePointer_v2)(DevicePointer* pointer, void* host, unsigned) {
  ENTER("cuMemHostGetDevicePointer", true);
  if (pinned.count(static_cast<char*>(host)) == 0) return mistake();
  *pointer = reinterpret_cast<std::uintptr_t>(host) + device_offset;
  return SUCCESS;
}
FAKE(cuMemcpyHtoDAsync_v2)(DevicePointer to, const void* from, std::size_t bytes, StreamHandle stream) {
  ENTER("cuMemcpyHtoDAsync", true);
  if (!good(stream) || !inside(to, bytes)) return mistake();
  std::memcpy(host_address(to), from, bytes);
  return SUCCESS;
}
FAKE(cuMemcpyDtoHAsync_v2)(void* to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  ENTER("cuMemcpyDtoHAsync", true);
  if (!good(stream) || !inside(from, bytes)) return mistake();
  std::memcpy(to, host_address(from), bytes);
  return SUCCESS;
}
FAKE(cuMemcpyAsync)(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  ENTER("cuMemcpyAsync", true);
  if (!good(stream) || !inside(from, bytes) || !inside(to, bytes)) return mistake();
  std::memmove(host_address(to), host_address(from), bytes);
  return SUCCESS;
}
FAKE(cuMemsetD8Async)(DevicePointer to, unsigned char value, std::size_t bytes, StreamHandle stream) {
  ENTER("cuMemsetD8Async", true);
  if (!good(stream) || !inside(to, bytes)) return mistake();
  std::memset(host_address(to), value, bytes);
  return SUCCESS;
}
FAKE(cuModuleLoadData)(ModuleHandle* module, const void* image) {
  ENTER("cuModuleLoadData", true);
  if (std::strncmp(static_cast<const char*>(image), "cubin of ", 9) != 0) return mistake();
  *module = new CUmod_st{current, nullptr};
  (*module)->function = new CUfunc_st{*module};
  return SUCCESS;
}
FAKE(cuModuleUnload)(ModuleHandle module) {
  ENTER("cuModuleUnload", true);
  if (module->context != current) return mistake();
  delete module->function;
  delete module;
  return SUCCESS;
}
FAKE(cuModuleGetFunction)(FunctionHandle* function, ModuleHandle module, const char* name) {
  ENTER("cuModuleGetFunction", true);
  if (std::strcmp(name, "vecadd_entry") != 0) return mistake();
  *function = module->function;
  return SUCCESS;
}
FAKE(cuFuncGetAttribute)(int* value, FunctionAttribute, FunctionHandle) {
  ENTER("cuFuncGetAttribute", true);
  *value = block_limit;
  return SUCCESS;
}
FAKE(cuFuncSetAttribute)(FunctionHandle, FunctionAttribute attribute, int value) {
  ENTER("cuFuncSetAttribute", true);
  const bool cluster = attribute == FunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
  return cluster || (attribute == FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES && value <= 232448) ? SUCCESS : mistake();
}
FAKE(cuCtxGetLimit)(std::size_t* value, ContextLimit) {
  ENTER("cuCtxGetLimit", true);
  *value = stack_limit;
  return SUCCESS;
}
FAKE(cuCtxSetLimit)(ContextLimit, std::size_t value) {
  ENTER("cuCtxSetLimit", true);
  stack_limit = value;
  return SUCCESS;
}
// As many blocks as have 2048 threads together.
FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, FunctionHandle, int threads, std::size_t) {
  ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor", true);
  *blocks = 2048 / threads;
  return SUCCESS;
}
FAKE(cuLinkCreate_v2)(unsigned count, JitOption* options, void** values, LinkHandle* state) {
  ENTER("cuLinkCreate", true);
  *state = new CUlinkState_st;
  for (unsigned i = 0; i != count; ++i) {
    if (options[i] == JitOption::ERROR_LOG_BUFFER) (*state)->error_log = static_cast<char*>(values[i]);
    if (options[i] == JitOption::ERROR_LOG_BUFFER_SIZE_BYTES) (*state)->error_size = reinterpret_cast<std::uintptr_t>(values[i]);
  }
  return SUCCESS;
}
FAKE(cuLinkAddData_v2)(LinkHandle state, JitInput type, void* data, std::size_t size, const char*, unsigned, JitOption*, void**) {
  ENTER("cuLinkAddData", true);
  const char* text = static_cast<const char*>(data);
  if (type != JitInput::PTX || size == 0 || text[size - 1] != '\0') return mistake();
  state->input = text;
  return SUCCESS;
}
FAKE(cuLinkComplete)(LinkHandle state, void** cubin, std::size_t* size) {
  ENTER("cuLinkComplete", true);
  if (link_fails) {
    link_fails = false;
    std::strncpy(state->error_log, link_log.c_str(), state->error_size);
    return INVALID_VALUE;
  }
  state->output = "cubin of " + state->input;
  *cubin = state->output.data();
  *size = state->output.size() + 1;
  return SUCCESS;
}
FAKE(cuLinkDestroy)(LinkHandle state) {
  ENTER("cuLinkDestroy", true);
  std::memset(state->output.data(), 'x', state->output.size());
  delete state;
  return SUCCESS;
}
FAKE(cuLaunchKernel)(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                     unsigned block_z, unsigned, StreamHandle stream, void** parameters, void**) {
  ENTER("cuLaunchKernel", true);
  if (!good(stream) || function->module->context != current || grid_x * grid_y * grid_z == 0 || block_x * block_y * block_z == 0)
    return mistake();
  vecadd(std::uint64_t{grid_x} * block_x, parameters);
  return SUCCESS;
}

FAKE(cuLaunchCooperativeKernel)(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                unsigned block_y, unsigned block_z, unsigned, StreamHandle stream, void** parameters) {
  ENTER("cuLaunchCooperativeKernel", true);
  if (!good(stream) || function->module->context != current || grid_x * grid_y * grid_z == 0 || block_x * block_y * block_z == 0)
    return mistake();
  vecadd(std::uint64_t{grid_x} * block_x, parameters);
  return SUCCESS;
}

// A function that oxide uses and that is missing or different here does not compile.
#define FAKE_CHECK(name, symbol, parameters) static_assert(std::is_same_v<decltype(&symbol), decltype(DriverFunctions::name)>);
OXIDE_CUDA_FUNCTIONS(FAKE_CHECK)

extern "C" {
void fake_cuda_fail_next(const char* function, int code) {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  failures[function] = code;
}
const char* fake_cuda_calls() {
  thread_local std::string copy;
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  copy = calls;
  return copy.c_str();
}
void fake_cuda_clear_calls() {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  calls.clear();
}
void fake_cuda_reject_ptx(const char* error_log) {
  link_fails = true;
  link_log = error_log;
}
long fake_cuda_allocations() { return static_cast<long>(allocations.size()); }
long fake_cuda_errors() { return errors; }
void fake_cuda_block_limit(int threads) { block_limit = threads; }
void fake_cuda_leave_record_open() { open_record = true; }
}
