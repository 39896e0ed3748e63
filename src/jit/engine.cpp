#include "engine.hpp"

#include "failure.hpp"
#include "host_runtime.hpp"
#include "mathematics/mathematics.hpp"
#include "rounding.hpp"
#include "simt_runtime.hpp"

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>

#include <oxide/ir/math.hpp>
#include <oxide/ir/type.hpp>

#include <atomic>
#include <cmath>
#include <cstring>

namespace oxide::jit {

namespace orc = llvm::orc;

namespace {

struct Symbol {
  const char* name;
  void* address;
};

template <class F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

// The signatures of ir/math.hpp, as C has them.
template <class T>
using f_f = T(T);
template <class T>
using f_ff = T(T, T);
template <class T>
using f_fff = T(T, T, T);
template <class T>
using f_fi = T(T, int);
template <class T>
using f_if = T(int, T);
template <class T>
using ff_f = void(T, T*, T*);
template <class T>
using fi_ff = T(T, T, int*);

// What generated code may call.
const Symbol runtime_symbols[] = {
// clang-format off
#define OXIDE_JIT_SYMBOL(name, function, signature) \
  {name, address_of<signature<double>>(::function)}, {name "f", address_of<signature<float>>(::function##f)},
#define OXIDE_JIT_code(name, signature)
#define OXIDE_JIT_own(name, signature) OXIDE_JIT_SYMBOL("oxide_" #name, oxide_##name, signature)
#define OXIDE_JIT_libm(name, signature) OXIDE_JIT_SYMBOL(#name, name, signature)
#define OXIDE_JIT_MATH(name, signature, libclc, host) OXIDE_JIT_##host(name, signature)
    OXIDE_IR_MATH(OXIDE_JIT_MATH)
    // What LLVM makes calls of on a processor that lacks an instruction.
    OXIDE_JIT_SYMBOL("sqrt", sqrt, f_f)
    OXIDE_JIT_SYMBOL("floor", floor, f_f)
    OXIDE_JIT_SYMBOL("ceil", ceil, f_f)
    OXIDE_JIT_SYMBOL("trunc", trunc, f_f)
    OXIDE_JIT_SYMBOL("rint", rint, f_f)
    OXIDE_JIT_SYMBOL("round", round, f_f)
    OXIDE_JIT_SYMBOL("fma", fma, f_fff)
    // clang-format on
    // roundeven and rint differ in what they do to the flags and in nothing else, in the default rounding mode.
    {"roundeven", address_of<f_f<double>>(::rint)},
    {"roundevenf", address_of<f_f<float>>(::rintf)},
    {"__divti3", address_of<int128(int128, int128)>([](int128 a, int128 b) { return a / b; })},
    {"__modti3", address_of<int128(int128, int128)>([](int128 a, int128 b) { return a % b; })},
    {"__udivti3", address_of<uint128(uint128, uint128)>([](uint128 a, uint128 b) { return a / b; })},
    {"__umodti3", address_of<uint128(uint128, uint128)>([](uint128 a, uint128 b) { return a % b; })},
#define OXIDE_JIT_ROUNDED(name) \
  {"oxide_" #name "_f32", address_of(&name##_rounded<float>)}, { "oxide_" #name "_f64", address_of(&name##_rounded<double>) }
    OXIDE_JIT_ROUNDED(add),
    OXIDE_JIT_ROUNDED(sub),
    OXIDE_JIT_ROUNDED(mul),
    OXIDE_JIT_ROUNDED(div),
    OXIDE_JIT_ROUNDED(fma),
    OXIDE_JIT_ROUNDED(sqrt),
    OXIDE_JIT_ROUNDED(from_double),
    OXIDE_JIT_ROUNDED(from_signed),
    OXIDE_JIT_ROUNDED(from_unsigned),
#undef OXIDE_JIT_ROUNDED
    {"memcpy", address_of<void*(void*, const void*, std::size_t)>(std::memcpy)},
    {"memmove", address_of<void*(void*, const void*, std::size_t)>(std::memmove)},
    {"oxide_simt_run", address_of(oxide_simt_run)},
    {"memset", address_of<void*(void*, int, std::size_t)>(std::memset)},
};

[[noreturn]] void fail(const char* doing, llvm::Error error) {
  throw Failure{OXIDE_JIT_FAILED, std::string(doing) + ": " + llvm::toString(std::move(error))};
}

// One session for the process; each object has a library of its own in it, which sees the runtime symbols and nothing else.
class Engine {
 public:
  static Engine& get() {
    static Engine& engine = *new Engine;  // never destroyed: code may be called, and released, until the process is gone
    return engine;
  }

  orc::JITDylib& add(std::unique_ptr<llvm::MemoryBuffer> object) {
    orc::JITDylib& library = session_.createBareJITDylib("kernel" + std::to_string(count_.fetch_add(1)));
    library.addToLinkOrder(*runtime_);
    if (llvm::Error error = layer_->add(library, std::move(object))) fail("loading machine code", std::move(error));
    return library;
  }
  void* look_up(orc::JITDylib& library, const std::string& name) {
    auto symbol = session_.lookup({&library}, session_.intern(name));
    if (!symbol) fail("linking machine code", symbol.takeError());
    return symbol->getAddress().toPtr<void*>();
  }
  void remove(orc::JITDylib& library) { llvm::consumeError(session_.removeJITDylib(library)); }

 private:
  static std::unique_ptr<orc::ExecutorProcessControl> make_control() {
    auto control = orc::SelfExecutorProcessControl::Create(nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
    if (!control) fail("starting the in-process linker", control.takeError());
    return std::move(*control);
  }
  Engine() : session_(make_control()) {
    session_.setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });  // look_up reports them
    layer_ = std::make_unique<orc::ObjectLinkingLayer>(session_);
    runtime_ = &session_.createBareJITDylib("runtime");
    orc::SymbolMap symbols;
    for (const Symbol& s : runtime_symbols)
      symbols[session_.intern(s.name)] = {orc::ExecutorAddr::fromPtr(s.address),
                                          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    for (const RuntimeFunction& f : runtime_functions)
      symbols[session_.intern(f.name)] = {orc::ExecutorAddr::fromPtr(f.address),
                                          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    if (llvm::Error error = runtime_->define(orc::absoluteSymbols(std::move(symbols))))
      fail("defining the runtime's symbols", std::move(error));
  }

  orc::ExecutionSession session_;
  std::unique_ptr<orc::ObjectLinkingLayer> layer_;
  orc::JITDylib* runtime_ = nullptr;
  std::atomic<std::uint64_t> count_{0};
};

class LoadedObject final : public LoadedCode {
 public:
  LoadedObject(std::unique_ptr<llvm::MemoryBuffer> object, const std::string& name) : library_(Engine::get().add(std::move(object))) {
    try {
      entry = reinterpret_cast<oxide_host_kernel>(Engine::get().look_up(library_, name));
    } catch (...) {
      Engine::get().remove(library_);
      throw;
    }
  }
  ~LoadedObject() override { Engine::get().remove(library_); }

 private:
  orc::JITDylib& library_;
};

}  // namespace

std::unique_ptr<LoadedCode> load_object(llvm::SmallString<0> object, const std::string& entry) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object.str(), "kernel");
  return std::make_unique<LoadedObject>(std::move(buffer), entry);
}

}  // namespace oxide::jit
