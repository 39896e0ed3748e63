// oxide's declarations of the driver API against cuda.h's, where there is one.
#include <oxide/runtime/cuda/driver_api.hpp>

#include "support/skip.hpp"

#if __has_include(<cuda.h>)
#include <cuda.h>

#include <cstddef>
#include <type_traits>

namespace {

namespace cuda = oxide::runtime::cuda;

// Whether two types pass the same way: enumerators and integers by size, structs by size, pointers by what they point to.
template <class A, class B>
constexpr bool same_abi() {
  if constexpr (std::is_same_v<A, B>) return true;
  else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using PointedA = std::remove_pointer_t<A>;
    using PointedB = std::remove_pointer_t<B>;
    if constexpr (std::is_void_v<PointedA> || std::is_void_v<PointedB> || std::is_function_v<PointedA>) return false;
    else
      return std::is_const_v<PointedA> == std::is_const_v<PointedB> && same_abi<std::remove_cv_t<PointedA>, std::remove_cv_t<PointedB>>();
  } else if constexpr ((std::is_enum_v<A> || std::is_integral_v<A>) && (std::is_enum_v<B> || std::is_integral_v<B>)) {
    return sizeof(A) == sizeof(B) && (std::is_enum_v<A> || std::is_enum_v<B> || std::is_signed_v<A> == std::is_signed_v<B>);
  } else if constexpr (std::is_class_v<A> && std::is_class_v<B>) {
    return sizeof(A) == sizeof(B) && alignof(A) == alignof(B);
  } else {
    return false;
  }
}

template <class Ours, class Theirs>
struct SameFunction : std::false_type {};
template <class R1, class... P1, class R2, class... P2>
struct SameFunction<R1 (*)(P1...), R2 (*)(P2...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(P1) != sizeof...(P2)) return false;
    else return same_abi<R1, R2>() && (same_abi<P1, P2>() && ...);
  }();
};

#define OXIDE_TEXT_OF(x) #x
#define OXIDE_EXPANDED_TEXT_OF(x) OXIDE_TEXT_OF(x)
constexpr bool equal_text(const char* a, const char* b) {
  for (; *a != '\0' || *b != '\0'; ++a, ++b)
    if (*a != *b) return false;
  return true;
}

// cuda.h's plain names are macros for the current ABI version: what they expand to is the symbol that has to be loaded.
#define CHECK_FUNCTION(name, symbol, parameters)                                                                    \
  static_assert(equal_text(OXIDE_EXPANDED_TEXT_OF(cu##name), #symbol), "another ABI version is current: " #symbol); \
  static_assert(SameFunction<decltype(cuda::DriverFunctions::name), decltype(&::symbol)>::value, #symbol " differs");
OXIDE_CUDA_FUNCTIONS(CHECK_FUNCTION)

#define CHECK_RESULT(name, value) static_assert(static_cast<int>(::CUDA_ERROR_##name) == value);
#define CUDA_ERROR_SUCCESS CUDA_SUCCESS
OXIDE_CUDA_RESULTS(CHECK_RESULT)
#define CHECK_ENUMERATOR(prefix, name, value) static_assert(static_cast<int>(::prefix##name) == value);
#define CHECK_DEVICE(name, value) CHECK_ENUMERATOR(CU_DEVICE_ATTRIBUTE_, name, value)
OXIDE_CUDA_DEVICE_ATTRIBUTES(CHECK_DEVICE)
#define CHECK_FUNCTION_ATTRIBUTE(name, value) CHECK_ENUMERATOR(CU_FUNC_ATTRIBUTE_, name, value)
OXIDE_CUDA_FUNCTION_ATTRIBUTES(CHECK_FUNCTION_ATTRIBUTE)
#define CHECK_JIT(name, value) CHECK_ENUMERATOR(CU_JIT_, name, value)
OXIDE_CUDA_JIT_OPTIONS(CHECK_JIT)

static_assert(static_cast<int>(cuda::JitInput::PTX) == CU_JIT_INPUT_PTX);
static_assert(static_cast<int>(cuda::MemoryAllocationType::PINNED) == CU_MEM_ALLOCATION_TYPE_PINNED);
static_assert(static_cast<int>(cuda::MemoryHandleType::NONE) == CU_MEM_HANDLE_TYPE_NONE);
static_assert(static_cast<int>(cuda::MemoryLocationType::DEVICE) == CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(static_cast<int>(cuda::ContextLimit::STACK_SIZE) == CU_LIMIT_STACK_SIZE);
static_assert(static_cast<int>(cuda::PoolAttribute::RELEASE_THRESHOLD) == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
static_assert(cuda::host_alloc_portable == CU_MEMHOSTALLOC_PORTABLE && cuda::host_alloc_device_map == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(cuda::stream_default_flags == CU_STREAM_DEFAULT && cuda::event_disable_timing == CU_EVENT_DISABLE_TIMING);

static_assert(sizeof(cuda::PoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(cuda::PoolProperties, allocation_type) == offsetof(CUmemPoolProps, allocType));
static_assert(offsetof(cuda::PoolProperties, handle_types) == offsetof(CUmemPoolProps, handleTypes));
static_assert(offsetof(cuda::PoolProperties, location) == offsetof(CUmemPoolProps, location));
static_assert(offsetof(cuda::PoolProperties, win32_security_attributes) == offsetof(CUmemPoolProps, win32SecurityAttributes));
static_assert(offsetof(cuda::PoolProperties, max_size) == offsetof(CUmemPoolProps, maxSize));
static_assert(offsetof(cuda::PoolProperties, usage) == offsetof(CUmemPoolProps, usage));
static_assert(offsetof(cuda::PoolProperties, reserved) == offsetof(CUmemPoolProps, reserved));
static_assert(offsetof(cuda::MemoryLocation, id) == offsetof(CUmemLocation, id) && sizeof(cuda::MemoryLocation) == sizeof(CUmemLocation));

}  // namespace

TEST_CASE("the driver's declarations agree with cuda.h") { SUCCEED("compared by the compiler"); }

#else

TEST_CASE("the driver's declarations agree with cuda.h") { OXIDE_SKIP("no cuda.h was found when the tests were configured"); }

#endif
