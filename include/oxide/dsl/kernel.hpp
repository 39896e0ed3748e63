// ox::kernel: a lambda as a kernel that is traced, compiled and cached behind its first call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <oxide/counted.hpp>
#include <oxide/dsl/argument.hpp>
#include <oxide/dsl/bind.hpp>
#include <oxide/dsl/kernel_build.hpp>
#include <oxide/dsl/parameter.hpp>
#include <oxide/dsl/signature.hpp>
#include <oxide/jit/target.hpp>
#include <oxide/runtime/buffer.hpp>
#include <oxide/runtime/device.hpp>
#include <oxide/runtime/launch_config.hpp>
#include <oxide/runtime/stream.hpp>

namespace oxide {
namespace detail {

// The values that a kernel made by ox::bind holds itself come before its arguments, as one parameter.
template <class F>
inline constexpr bool is_bound = false;
template <class F, class... Ts>
inline constexpr bool is_bound<Bound<F, Ts...>> = true;

// A lambda with parameters P: how many kernel parameters that makes, and one run of it.
template <class F, class... P>
struct TypedKernel {
  static constexpr std::size_t bound_parameters = [] {
    if constexpr (is_bound<F>) return F::count;
    else return std::size_t{0};
  }();
  static constexpr std::size_t parameters = (bound_parameters + ... + Parameter<P>::parameters);

  static void describe(ParameterTable& table) {
    if constexpr (is_bound<F>) Parameter<F>::describe(table);
    (Parameter<P>::describe(table), ...);
  }

  static void run(const void* lambda, ParameterTable& table) {
    call_with(*static_cast<const F*>(lambda), table, std::index_sequence_for<P...>());
  }

 private:
  static constexpr std::array<ParameterPlace, sizeof...(P) + 1> places = [] {
    constexpr std::size_t counts[] = {Parameter<P>::parameters..., 0};
    constexpr std::uint32_t memories[] = {Parameter<P>::memories..., 0};
    std::array<ParameterPlace, sizeof...(P) + 1> all{};
    all[0].parameter = bound_parameters;
    for (std::size_t i = 0; i != sizeof...(P); ++i) all[i + 1] = {all[i].parameter + counts[i], all[i].memory + memories[i]};
    return all;
  }();

  template <std::size_t... I>
  static void call_with(const F& lambda, ParameterTable& table, std::index_sequence<I...>) {
    if constexpr (is_bound<F>) call(Parameter<F>::make(table, {}), Parameter<P>::make(table, places[I])...);
    else
      call(F(lambda), Parameter<P>::make(table, places[I])...);  // a copy, so that what a mutable lambda keeps does not reach the next run
  }
  template <class Fresh>
  static void call(Fresh&& lambda, P&&... made) {
    static_assert(std::is_void_v<decltype(lambda(std::forward<P>(made)...))>,
                  "oxide: a kernel lambda returns nothing; it writes its results through an ox::DisjointSpan");
    lambda(std::forward<P>(made)...);
  }
};

template <class F, class List>
struct TypedKernelFor;
template <class F, class... P>
struct TypedKernelFor<F, TypeList<P...>> {
  using type = TypedKernel<F, P...>;
};

// The parameters of a lambda, without const and references; for a lambda with `auto`, what the argument types A make them.
template <class F, class... A>
struct ParametersOf {
  using S = typename Signature<F>::type;
  static auto list() {
    if constexpr (S::known) return bare(typename S::parameters());
    else return TypeList<typename ParameterForArgument<A>::type...>();
  }
  template <class... P>
  static TypeList<std::remove_cvref_t<P>...> bare(TypeList<P...>) {
    return {};
  }
  using type = decltype(list());
};

template <class... Written>
constexpr bool check_parameters(TypeList<Written...>) {
  return (check_parameter<Written>() & ... & true);
}
template <class F, class... A>
constexpr bool check_kernel() {
  using S = typename Signature<F>::type;
  if constexpr (S::known) {
    static_assert(std::is_void_v<typename S::result>,
                  "oxide: a kernel lambda returns nothing; it writes its results through an ox::DisjointSpan");
    return check_parameters(typename S::parameters()) && std::is_void_v<typename S::result>;
  } else {
    return check_parameters(typename ParametersOf<F, A...>::type());
  }
}
template <class... A, class... P>
constexpr bool check_arguments(TypeList<P...>) {
  static_assert(sizeof...(A) == sizeof...(P), "oxide: the launch passes another number of arguments than the kernel lambda has parameters");
  if constexpr (sizeof...(A) == sizeof...(P)) return (check_argument<P, A>() & ... & true);
  else return false;
}

// Whether arguments of a call start as those of a launch do.
template <class... A>
inline constexpr bool starts_a_launch = false;
template <class S, class C, class... A>
inline constexpr bool starts_a_launch<S, C, A...> = std::is_convertible_v<S, LaunchStream> && std::is_convertible_v<C, const LaunchConfig&>;

}  // namespace detail

// A kernel: a name and a lambda. Launching it traces, compiles and loads it when that was not done for its argument types and device,
// then checks the arguments and starts it. Make one with ox::kernel.
template <class F>
class Kernel {
 public:
  constexpr Kernel(std::string_view name, F lambda, detail::KernelOptions options = {}) : name_(name), lambda_(lambda), options_(options) {}

  constexpr std::string_view name() const { return name_; }

  // Launches. An ox::DeviceBuffer<T> goes to an ox::Span or ox::DisjointSpan of T, a host number to an ox::Value, a result of ox::bind
  // or a captureless lambda to a callable parameter.
  // Throws TraceError, CompileError, LaunchError, DeviceError; KernelFault when a check fails while it runs, on a GPU at a later call.
  template <class... A>
  void operator()(detail::LaunchStream on, const LaunchConfig& config, A&&... arguments) const {
    if constexpr (detail::check_kernel<F, A...>()) {
      using List = typename detail::ParametersOf<F, A...>::type;
      if constexpr (detail::check_arguments<A...>(List())) launch(List(), on, config, arguments...);
    }
  }

  template <class... A>
    requires(!detail::starts_a_launch<A...>)
  void operator()(A&&...) const {
    static_assert(sizeof...(A) + 1 == 0,
                  "oxide: a launch names the stream, then the configuration, then the kernel's arguments: k(stream, ox::LaunchConfig{grid, "
                  "block}, a, b)");
  }

  // The same kernel with a*b + c never contracted to one rounding.
  constexpr Kernel fp(FpMode mode) const {
    return with([&](detail::KernelOptions& o) { o.fp_mode = mode; });
  }
  constexpr Kernel strict_fp() const { return fp(FpMode::strict); }
  // The same kernel with source lines in its machine code, for profilers and debuggers.
  constexpr Kernel line_info(bool on = true) const {
    return with([&](detail::KernelOptions& o) { o.line_info = on; });
  }

  // The same kernel with more asked of it. What makes no sense throws Error; in a constant expression it does not compile.
  // A block has at most `threads`, which the compiler then plans registers for; `blocks` of them shall fit on a multiprocessor at once.
  constexpr Kernel launch_bounds(std::uint32_t threads, std::uint32_t blocks = 0) const {
    if (threads == 0) detail::wrong_attributes(name_, "launch_bounds takes 1 to 1024 threads a block");
    return with([&](detail::KernelOptions& o) { o.attributes.max_threads = threads, o.attributes.min_blocks = blocks; });
  }
  // It is launched with this block and no other one.
  constexpr Kernel block(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) const {
    if (x == 0) detail::wrong_attributes(name_, "a block has 1 to 1024 threads, at most 1024 x 1024 x 64");
    return with([&](detail::KernelOptions& o) { o.attributes.block = {x, y, z}; });
  }
  // Its blocks run in clusters of so many, on one part of the GPU (compute capability 9.0 and newer); see <oxide/dsl/cluster.hpp>.
  constexpr Kernel cluster(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) const {
    if (x == 0) detail::wrong_attributes(name_, "a cluster has 1 to 16 blocks");
    return with([&](detail::KernelOptions& o) { o.attributes.cluster = {x, y, z}; });
  }
  // All of its blocks run at once, so that they may wait for each other: ox::this_grid().sync(). A launch of more than fit is refused.
  constexpr Kernel cooperative(bool on = true) const {
    return with([&](detail::KernelOptions& o) { o.attributes.cooperative = on; });
  }
  // A thread takes at most so many registers; what does not fit is spilled to memory.
  constexpr Kernel max_registers(std::uint32_t registers) const {
    if (registers == 0) detail::wrong_attributes(name_, "max_registers takes 16 to 255 registers");
    return with([&](detail::KernelOptions& o) { o.attributes.max_registers = registers; });
  }
  // The bytes of stack that a thread has for calls of functions that call themselves (ox::function); 4096 unless said. A GPU sets memory
  // aside for every thread that may be resident, for as long as the process lives. The CPU gives at least a mebibyte.
  constexpr Kernel stack_size(std::uint32_t bytes) const {
    if (bytes == 0) detail::wrong_attributes(name_, "stack_size takes 1 byte to 512 KiB");
    return with([&](detail::KernelOptions& o) { o.attributes.stack_size = bytes; });
  }

  // What the kernel takes of a device; built there if it was not.
  template <class... A>
  KernelResources resources(const Device& device) const {
    return detail::kernel_resources(*build<A...>(device));
  }
  // What is known of it without such a device.
  template <class... A>
  KernelResources resources(const jit::Target& target) const {
    return detail::kernel_resources(target, *graph<A...>(), options_);
  }

  // What the lambda was traced to. A... are needed when the lambda has `auto` parameters: the types of the arguments, as in
  // graph<ox::DeviceBuffer<float>, float>().
  template <class... A>
  Counted<const ir::Graph> graph() const {
    Counted<const ir::Graph> graph;
    with_traced<A...>([&](const detail::TracedLambda& traced) { graph = detail::trace_graph(traced); });
    return graph;
  }
  template <class... A>
  std::string graph_text() const {
    return detail::graph_text(*graph<A...>());
  }
  // The PTX for an architecture, 10 * major + minor: the machine need not have one. Throws CompileError.
  template <class... A>
  std::string ptx(std::uint32_t sm = 80) const {
    return ptx<A...>(jit::Target::nvptx(sm));
  }
  template <class... A>
  std::string ptx(const jit::Target& target) const {
    return detail::kernel_text(target, *graph<A...>(), options_).ptx;
  }
  // The LLVM IR after optimization.
  template <class... A>
  std::string llvm_ir(const jit::Target& target = jit::Target::host()) const {
    return detail::kernel_text(target, *graph<A...>(), options_).llvm_ir;
  }
  // The CPU's machine code.
  template <class... A>
  std::string assembly() const {
    return detail::kernel_text(jit::Target::host(), *graph<A...>(), options_).assembly;
  }

  // The program for a device, made now if it was not there, and what making it took. Example: vecadd.build(device)->trace_ms
  template <class... A>
  Counted<const KernelBuild> build(const Device& device) const {
    if constexpr (fast) {
      if (const KernelBuild* known = cache<A...>().find(device.id(), options_)) return make_counted<const KernelBuild>(*known);
    }
    Counted<const KernelBuild> result;
    with_traced<A...>([&](const detail::TracedLambda& traced) { result = detail::build_kernel(traced, device.id(), kept<A...>()); });
    return result;
  }

 private:
  template <class Change>
  constexpr Kernel with(Change change) const {
    detail::KernelOptions options = options_;
    change(options);
    if (const std::string_view wrong = ir::defect_of(options.attributes); !wrong.empty()) detail::wrong_attributes(name_, wrong);
    return Kernel(name_, lambda_, options);
  }

  static constexpr bool fast = detail::captureless<F> || detail::is_bound<F>;

  // The cache's key is the lambda's type; a lambda with `auto` parameters is another kernel for each list of parameter types.
  template <class... A>
  static detail::CallSiteCache& cache() {
    if constexpr (detail::Signature<F>::type::known) return detail::call_site_cache<F>;
    else return detail::call_site_cache<F, typename detail::ParameterForArgument<A>::type...>;
  }
  template <class... A>
  static detail::CallSiteCache* kept() {
    if constexpr (fast) return &cache<A...>();
    else return nullptr;
  }

  template <class... A, class Use>
  void with_traced(Use use) const {
    if constexpr (detail::check_kernel<F, A...>()) {
      using Typed = typename detail::TypedKernelFor<F, typename detail::ParametersOf<F, A...>::type>::type;
      use(detail::TracedLambda{name_, options_, &lambda_, &Typed::describe, &Typed::run});
    }
  }

  template <class... P, class... A>
  void launch(detail::TypeList<P...>, const detail::LaunchStream& on, const LaunchConfig& config, A&... arguments) const {
    detail::LaunchArguments<detail::TypedKernel<F, P...>::parameters> list(name_);
    if constexpr (detail::is_bound<F>) list.template add<F>(lambda_);
    (list.template add<P>(arguments), ...);
    const detail::Launch launch{name_, on, config, list.list(), list.size()};
    if constexpr (fast) {
      if (const KernelBuild* known = cache<A&...>().find(on.stream.device_id(), options_)) [[likely]]
        return detail::launch_kernel(*known, launch);
    }
    bool* said = nullptr;
    if constexpr (!fast) said = &detail::traced_again_said<F>;
    const detail::TracedLambda traced{name_, options_, &lambda_, &detail::TypedKernel<F, P...>::describe,
                                      &detail::TypedKernel<F, P...>::run};
    detail::build_and_launch(traced, launch, kept<A&...>(), said);
  }

  std::string_view name_;
  [[no_unique_address]] F lambda_;
  detail::KernelOptions options_;
};

// Makes a kernel of a lambda (or a result of ox::bind, a function object or a function pointer; of a plain function see below). The name
// appears in errors, profilers and PTX; letters, digits and underscores. A lambda without captures is traced once for each device; one that
// captures, at every launch. The lambda runs several times while it is traced and must change nothing on the host.
// Example: inline constexpr auto fill = ox::kernel("fill", [](ox::f32 x, ox::DisjointSpan<float> out) { ... });
template <class F>
constexpr Kernel<F> kernel(std::string_view name, F lambda) {
  if (!detail::is_kernel_name(name)) detail::not_a_kernel_name(name);
  return Kernel<F>(name, lambda);
}

namespace detail {
// A plain function as a type.
template <auto function, class Type = decltype(function)>
struct FunctionObject;
template <auto function, class R, class... P>
struct FunctionObject<function, R (*)(P...)> {
  R operator()(P... parameters) const { return function(std::forward<P>(parameters)...); }
};
template <auto function, class R, class... P>
struct FunctionObject<function, R (*)(P...) noexcept> : FunctionObject<function, R (*)(P...)> {};
}  // namespace detail

// Makes a kernel of a plain function, which is traced once for each device, as a lambda without captures is.
// Example: void fill(ox::f32 x, ox::DisjointSpan<float> out);   inline constexpr auto fill_kernel = ox::kernel<fill>("fill");
template <auto function>
  requires std::is_pointer_v<decltype(function)>
constexpr auto kernel(std::string_view name) {
  return kernel(name, detail::FunctionObject<function>{});
}

}  // namespace oxide

#ifndef OXIDE_LINKED
#include <oxide/dsl/kernel_implementation.hpp>
#endif
