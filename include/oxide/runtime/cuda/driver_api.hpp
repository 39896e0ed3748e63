// The part of the CUDA driver API that oxide uses, in its own declarations: programs need no CUDA toolkit. The names and values are
// those of the CUDA Driver API reference; a test compares them with cuda.h where there is one.
#pragma once

#include <cstddef>
#include <cstdint>

// The driver's own handle types, at global scope, so that handles pass to and from code that includes cuda.h with no cast.
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUlinkState_st;
struct CUmemPoolHandle_st;

namespace oxide::runtime::cuda {

using Result = int;                        // CUresult
using DeviceOrdinal = int;                 // CUdevice
using DevicePointer = unsigned long long;  // CUdeviceptr
using ContextHandle = ::CUctx_st*;
using ModuleHandle = ::CUmod_st*;
using FunctionHandle = ::CUfunc_st*;
using StreamHandle = ::CUstream_st*;
using EventHandle = ::CUevent_st*;
using LinkHandle = ::CUlinkState_st*;
using PoolHandle = ::CUmemPoolHandle_st*;

// X(name, value): the name is cuda.h's without its prefix.
#define OXIDE_CUDA_RESULTS(X)          \
  X(SUCCESS, 0)                        \
  X(INVALID_VALUE, 1)                  \
  X(OUT_OF_MEMORY, 2)                  \
  X(DEINITIALIZED, 4)                  \
  X(STUB_LIBRARY, 34)                  \
  X(NO_DEVICE, 100)                    \
  X(INVALID_CONTEXT, 201)              \
  X(ECC_UNCORRECTABLE, 214)            \
  X(NVLINK_UNCORRECTABLE, 220)         \
  X(NOT_READY, 600)                    \
  X(ILLEGAL_ADDRESS, 700)              \
  X(LAUNCH_TIMEOUT, 702)               \
  X(CONTEXT_IS_DESTROYED, 709)         \
  X(ASSERT, 710)                       \
  X(HARDWARE_STACK_ERROR, 714)         \
  X(ILLEGAL_INSTRUCTION, 715)          \
  X(MISALIGNED_ADDRESS, 716)           \
  X(INVALID_ADDRESS_SPACE, 717)        \
  X(INVALID_PC, 718)                   \
  X(LAUNCH_FAILED, 719)                \
  X(COOPERATIVE_LAUNCH_TOO_LARGE, 720) \
  X(INVALID_CLUSTER_SIZE, 912)

enum ResultCode : int {
#define OXIDE_CUDA_ENUMERATOR(name, value) name = value,
  OXIDE_CUDA_RESULTS(OXIDE_CUDA_ENUMERATOR)
#undef OXIDE_CUDA_ENUMERATOR
};

// CUdevice_attribute
#define OXIDE_CUDA_DEVICE_ATTRIBUTES(X)    \
  X(MAX_THREADS_PER_BLOCK, 1)              \
  X(MAX_BLOCK_DIM_X, 2)                    \
  X(MAX_BLOCK_DIM_Y, 3)                    \
  X(MAX_BLOCK_DIM_Z, 4)                    \
  X(MAX_GRID_DIM_X, 5)                     \
  X(MAX_GRID_DIM_Y, 6)                     \
  X(MAX_GRID_DIM_Z, 7)                     \
  X(MAX_SHARED_MEMORY_PER_BLOCK, 8)        \
  X(WARP_SIZE, 10)                         \
  X(MULTIPROCESSOR_COUNT, 16)              \
  X(COMPUTE_CAPABILITY_MAJOR, 75)          \
  X(COMPUTE_CAPABILITY_MINOR, 76)          \
  X(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97) \
  X(MEMORY_POOLS_SUPPORTED, 115)

enum class DeviceAttribute : int {
#define OXIDE_CUDA_ENUMERATOR(name, value) name = value,
  OXIDE_CUDA_DEVICE_ATTRIBUTES(OXIDE_CUDA_ENUMERATOR)
#undef OXIDE_CUDA_ENUMERATOR
};

// CUfunction_attribute
#define OXIDE_CUDA_FUNCTION_ATTRIBUTES(X) \
  X(MAX_THREADS_PER_BLOCK, 0)             \
  X(SHARED_SIZE_BYTES, 1)                 \
  X(CONST_SIZE_BYTES, 2)                  \
  X(LOCAL_SIZE_BYTES, 3)                  \
  X(NUM_REGS, 4)                          \
  X(PTX_VERSION, 5)                       \
  X(BINARY_VERSION, 6)                    \
  X(MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)     \
  X(NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14)

enum class FunctionAttribute : int {
#define OXIDE_CUDA_ENUMERATOR(name, value) name = value,
  OXIDE_CUDA_FUNCTION_ATTRIBUTES(OXIDE_CUDA_ENUMERATOR)
#undef OXIDE_CUDA_ENUMERATOR
};

// CUjit_option; option values are passed as pointers that hold them.
#define OXIDE_CUDA_JIT_OPTIONS(X)   \
  X(INFO_LOG_BUFFER, 3)             \
  X(INFO_LOG_BUFFER_SIZE_BYTES, 4)  \
  X(ERROR_LOG_BUFFER, 5)            \
  X(ERROR_LOG_BUFFER_SIZE_BYTES, 6) \
  X(LOG_VERBOSE, 12)                \
  X(GENERATE_LINE_INFO, 13)

enum class JitOption : int {
#define OXIDE_CUDA_ENUMERATOR(name, value) name = value,
  OXIDE_CUDA_JIT_OPTIONS(OXIDE_CUDA_ENUMERATOR)
#undef OXIDE_CUDA_ENUMERATOR
};

enum class JitInput : int { PTX = 1 };                        // CUjitInputType
enum class MemoryAllocationType : int { PINNED = 1 };         // CUmemAllocationType
enum class MemoryHandleType : int { NONE = 0 };               // CUmemAllocationHandleType
enum class MemoryLocationType : int { DEVICE = 1 };           // CUmemLocationType
enum class PoolAttribute : int { RELEASE_THRESHOLD = 4 };     // CUmemPool_attribute
enum class ContextLimit : int { STACK_SIZE = 0 };              // CUlimit

struct MemoryLocation {  // CUmemLocation
  MemoryLocationType type = MemoryLocationType::DEVICE;
  int id = 0;
};

struct PoolProperties {  // CUmemPoolProps
  MemoryAllocationType allocation_type = MemoryAllocationType::PINNED;
  MemoryHandleType handle_types = MemoryHandleType::NONE;
  MemoryLocation location;
  void* win32_security_attributes = nullptr;
  std::size_t max_size = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

inline constexpr unsigned host_alloc_portable = 1, host_alloc_device_map = 2;  // CU_MEMHOSTALLOC_*
inline constexpr unsigned stream_default_flags = 0;                           // CU_STREAM_DEFAULT
inline constexpr unsigned event_disable_timing = 2;                           // CU_EVENT_DISABLE_TIMING

// X(name, exported symbol, parameters): every function returns Result. The name has no `cu`, because cuda.h makes macros of many of
// those that have. The symbol is the ABI version that cuda.h maps the plain name to; drivers of CUDA 12.0 export all of them.
#define OXIDE_CUDA_FUNCTIONS(X)                                                                                                         \
  X(Init, cuInit, (unsigned flags))                                                                                                     \
  X(DriverGetVersion, cuDriverGetVersion, (int* version))                                                                               \
  X(GetErrorName, cuGetErrorName, (Result error, const char** name))                                                                    \
  X(GetErrorString, cuGetErrorString, (Result error, const char** text))                                                                \
  X(DeviceGetCount, cuDeviceGetCount, (int* count))                                                                                     \
  X(DeviceGet, cuDeviceGet, (DeviceOrdinal * device, int ordinal))                                                                      \
  X(DeviceGetName, cuDeviceGetName, (char* name, int length, DeviceOrdinal device))                                                     \
  X(DeviceGetAttribute, cuDeviceGetAttribute, (int* value, DeviceAttribute attribute, DeviceOrdinal device))                            \
  X(DeviceTotalMem, cuDeviceTotalMem_v2, (std::size_t* bytes, DeviceOrdinal device))                                                    \
  X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (ContextHandle * context, DeviceOrdinal device))                                  \
  X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (DeviceOrdinal device))                                                      \
  X(DevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, (DeviceOrdinal device))                                                          \
  X(CtxGetCurrent, cuCtxGetCurrent, (ContextHandle * context))                                                                          \
  X(CtxSetCurrent, cuCtxSetCurrent, (ContextHandle context))                                                                            \
  X(CtxSynchronize, cuCtxSynchronize, (void))                                                                                           \
  X(StreamCreate, cuStreamCreate, (StreamHandle * stream, unsigned flags))                                                              \
  X(StreamDestroy, cuStreamDestroy_v2, (StreamHandle stream))                                                                           \
  X(StreamSynchronize, cuStreamSynchronize, (StreamHandle stream))                                                                      \
  X(StreamWaitEvent, cuStreamWaitEvent, (StreamHandle stream, EventHandle event, unsigned flags))                                       \
  X(EventCreate, cuEventCreate, (EventHandle * event, unsigned flags))                                                                  \
  X(EventRecord, cuEventRecord, (EventHandle event, StreamHandle stream))                                                               \
  X(EventDestroy, cuEventDestroy_v2, (EventHandle event))                                                                               \
  X(MemAlloc, cuMemAlloc_v2, (DevicePointer * pointer, std::size_t bytes))                                                              \
  X(MemFree, cuMemFree_v2, (DevicePointer pointer))                                                                                     \
  X(MemPoolCreate, cuMemPoolCreate, (PoolHandle * pool, const PoolProperties* properties))                                              \
  X(MemPoolSetAttribute, cuMemPoolSetAttribute, (PoolHandle pool, PoolAttribute attribute, void* value))                                \
  X(MemPoolTrimTo, cuMemPoolTrimTo, (PoolHandle pool, std::size_t keep_bytes))                                                          \
  X(MemAllocFromPoolAsync, cuMemAllocFromPoolAsync, (DevicePointer * pointer, std::size_t bytes, PoolHandle pool, StreamHandle stream)) \
  X(MemFreeAsync, cuMemFreeAsync, (DevicePointer pointer, StreamHandle stream))                                                         \
  X(MemHostAlloc, cuMemHostAlloc, (void** pointer, std::size_t bytes, unsigned flags))                                                  \
  X(MemFreeHost, cuMemFreeHost, (void* pointer))                                                                                        \
  X(MemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, (DevicePointer * device_pointer, void* host_pointer, unsigned flags))        \
  X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (DevicePointer to, const void* from, std::size_t bytes, StreamHandle stream))                \
  X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void* to, DevicePointer from, std::size_t bytes, StreamHandle stream))                      \
  X(MemcpyAsync, cuMemcpyAsync, (DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream))                         \
  X(MemsetD8Async, cuMemsetD8Async, (DevicePointer to, unsigned char value, std::size_t bytes, StreamHandle stream))                    \
  X(ModuleLoadData, cuModuleLoadData, (ModuleHandle * module, const void* image))                                                       \
  X(ModuleUnload, cuModuleUnload, (ModuleHandle module))                                                                                \
  X(ModuleGetFunction, cuModuleGetFunction, (FunctionHandle * function, ModuleHandle module, const char* name))                         \
  X(FuncGetAttribute, cuFuncGetAttribute, (int* value, FunctionAttribute attribute, FunctionHandle function))                           \
  X(FuncSetAttribute, cuFuncSetAttribute, (FunctionHandle function, FunctionAttribute attribute, int value))                            \
  X(CtxGetLimit, cuCtxGetLimit, (std::size_t* value, ContextLimit limit))                                                               \
  X(CtxSetLimit, cuCtxSetLimit, (ContextLimit limit, std::size_t value))                                                                \
  X(OccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                             \
    (int* blocks, FunctionHandle function, int block_size, std::size_t shared_bytes))                                                   \
  X(LinkCreate, cuLinkCreate_v2, (unsigned option_count, JitOption* options, void** values, LinkHandle* state))                         \
  X(LinkAddData, cuLinkAddData_v2,                                                                                                      \
    (LinkHandle state, JitInput type, void* data, std::size_t size, const char* name, unsigned option_count, JitOption* options,        \
     void** values))                                                                                                                    \
  X(LinkComplete, cuLinkComplete, (LinkHandle state, void** cubin, std::size_t* size))                                                  \
  X(LinkDestroy, cuLinkDestroy, (LinkHandle state))                                                                                     \
  X(LaunchCooperativeKernel, cuLaunchCooperativeKernel,                                                                                 \
    (FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,  \
     unsigned shared_bytes, StreamHandle stream, void** parameters))                                                                    \
  X(LaunchKernel, cuLaunchKernel,                                                                                                       \
    (FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,  \
     unsigned shared_bytes, StreamHandle stream, void** parameters, void** extra))

struct DriverFunctions {
#define OXIDE_CUDA_MEMBER(name, symbol, parameters) Result(*name) parameters = nullptr;
  OXIDE_CUDA_FUNCTIONS(OXIDE_CUDA_MEMBER)
#undef OXIDE_CUDA_MEMBER
};

}  // namespace oxide::runtime::cuda
