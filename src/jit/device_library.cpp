#include "device_library.hpp"

#include "failure.hpp"
#include "lower_math.hpp"
#include "optimize.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Linker/Linker.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#ifdef OXIDE_LIBCLC
// The bitcode file that the build made, in this object file's read-only data.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    "oxide_libclc_begin: .incbin \"" OXIDE_LIBCLC
    "\"\n"
    "oxide_libclc_end:\n"
    ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) const char oxide_libclc_begin[], oxide_libclc_end[];
#endif

namespace oxide::jit {

namespace {

// What the libraries call the functions: libdevice as C would, with __nv_ before it; libclc as OpenCL C++ mangles them; oxide's own,
// which are linked with libclc's, as C would.
std::string function_name(bool libdevice, ir::Math f, ir::Type type) {
  const std::string name(ir::name_of(f));
  const bool single = type == ir::Type::f32;
  if (libdevice || ir::row_of(f).libclc == ir::MathSource::own) return (libdevice ? "__nv_" : "oxide_") + name + (single ? "f" : "");
  std::string mangled = "_Z" + std::to_string(name.size()) + name;
  for (std::size_t i = 0; i != ir::operand_count(f); ++i) mangled += single ? 'f' : 'd';
  return mangled;
}

// Functions of libdevice's that are no good: jn and yn are NaN or any number where a step on the way overflows, for small arguments.
bool is_better_built_in([[maybe_unused]] ir::Math f) {
#ifdef OXIDE_LIBCLC
  return f == ir::Math::jn || f == ir::Math::yn;
#else
  return false;
#endif
}

// Operands of which libdevice makes what C does not, as others that mean the same.
llvm::SmallVector<llvm::Value*, 3> prepared_for_libdevice(Builder& b, ir::Math f, llvm::SmallVector<llvm::Value*, 3> x) {
  llvm::Type* t = x.back()->getType();
  // A subnormal exponent of pow counts as an odd whole number; the least normal one gives the same power.
  if (f == ir::Math::pow && t->isDoubleTy()) {
    llvm::Value* least = llvm::ConstantFP::get(t, 0x1p-1022);
    llvm::Value* magnitude = b.CreateIntrinsic(llvm::Intrinsic::fabs, {t}, {x[1]});
    llvm::Value* subnormal = b.CreateAnd(b.CreateFCmpOLT(magnitude, least), b.CreateFCmpONE(x[1], llvm::ConstantFP::get(t, 0.0)));
    x[1] = b.CreateSelect(subnormal, b.CreateIntrinsic(llvm::Intrinsic::copysign, {t}, {least, x[1]}), x[1]);
  }
  return x;
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace

DeviceLibrary::DeviceLibrary(Kind kind, std::string name, std::unique_ptr<llvm::MemoryBuffer> bytes)
    : kind_(kind), name_(std::move(name)), bytes_(std::move(bytes)) {}

std::unique_ptr<DeviceLibrary> DeviceLibrary::built_in() {
#ifdef OXIDE_LIBCLC
  const llvm::StringRef bitcode(oxide_libclc_begin, static_cast<std::size_t>(oxide_libclc_end - oxide_libclc_begin));
  return std::unique_ptr<DeviceLibrary>(
      new DeviceLibrary(Kind::libclc, "libclc (built in)", llvm::MemoryBuffer::getMemBuffer(bitcode, "libclc", false)));
#else
  return std::unique_ptr<DeviceLibrary>(new DeviceLibrary(Kind::none, "", nullptr));
#endif
}

std::unique_ptr<DeviceLibrary> DeviceLibrary::open(const std::string& path) {
  if (path == "builtin") return built_in();
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file || !(*file)->getBuffer().starts_with("BC\xc0\xde")) return nullptr;
  return std::unique_ptr<DeviceLibrary>(new DeviceLibrary(Kind::libdevice, path, std::move(*file)));
}

std::unique_ptr<DeviceLibrary> DeviceLibrary::find() {
  if (const std::string path = from_environment("OXIDE_LIBDEVICE"); !path.empty()) {
    if (auto library = open(path)) return library;
    throw Failure{OXIDE_JIT_BAD_REQUEST, "OXIDE_LIBDEVICE names '" + path + "', which is no readable LLVM bitcode file"};
  }
  for (const std::string& root : {from_environment("CUDA_HOME"), from_environment("CUDA_PATH"), std::string("/usr/local/cuda"),
                                  std::string("/opt/cuda"), std::string("/usr/lib/cuda"), std::string("/usr/lib/nvidia-cuda-toolkit")})
    if (!root.empty())
      for (const char* folder : {"/nvvm/libdevice/libdevice.10.bc", "/libdevice/libdevice.10.bc"})
        if (auto library = open(root + folder)) return library;
  return built_in();
}

const DeviceLibrary& DeviceLibrary::get(const char* path) {
  static std::mutex& mutex = *new std::mutex;
  static auto& libraries = *new std::map<std::string, std::unique_ptr<DeviceLibrary>>;  // "": the one that is found
  const std::lock_guard lock(mutex);
  // Asked for each time: a process may change its mind.
  const std::string named = path == nullptr ? "" : path, wanted = named.empty() ? from_environment("OXIDE_LIBDEVICE") : named;
  std::unique_ptr<DeviceLibrary>& library = libraries[wanted];
  if (library == nullptr) library = named.empty() ? find() : open(named);
  if (library == nullptr) throw Failure{OXIDE_JIT_BAD_REQUEST, "'" + named + "' is no readable LLVM bitcode file"};
  return *library;
}

MathResults DeviceLibrary::call(Builder& b, ir::Math f, ir::Type type, llvm::ArrayRef<llvm::Value*> operands) const {
  if (kind_ == Kind::none)
    throw Failure{OXIDE_JIT_UNSUPPORTED, "'" + std::string(ir::name_of(f)) +
                                             "' on an NVIDIA GPU needs a device library, and none was found: " +
                                             "set OXIDE_LIBDEVICE to the path of CUDA's libdevice.10.bc"};
  llvm::SmallVector<llvm::Value*, 3> x(operands);
  const bool libdevice = kind_ == Kind::libdevice && !is_better_built_in(f);
  if (libdevice) x = prepared_for_libdevice(b, f, x);
  return call_math_function(b, function_name(libdevice, f, type), f, type, x);
}

void DeviceLibrary::link_into(llvm::Module& module, const llvm::Function* other) const {
  std::vector<llvm::Function*> declared;
  for (llvm::Function& f : module)
    if (f.isDeclaration() && !f.isIntrinsic() && &f != other) declared.push_back(&f);
  if (kind_ == Kind::libdevice) {
    const auto own =
        std::stable_partition(declared.begin(), declared.end(), [](llvm::Function* f) { return f->getName().starts_with("__nv_"); });
    const std::vector<llvm::Function*> built_in_ones(own, declared.end());
    declared.erase(own, declared.end());
    if (!built_in_ones.empty()) get("builtin").link(module, built_in_ones);
  }
  link(module, declared);
}

void DeviceLibrary::link(llvm::Module& module, llvm::ArrayRef<llvm::Function*> declared) const {
  if (declared.empty()) return;
  // Parsed lazily: a function's body is read when the linker asks for it.
  auto library = llvm::getLazyBitcodeModule(bytes_->getMemBufferRef(), module.getContext(), /*ShouldLazyLoadMetadata=*/true);
  if (!library) throw Failure{OXIDE_JIT_BAD_REQUEST, "'" + name_ + "' is no LLVM bitcode: " + llvm::toString(library.takeError())};
  // The library's own idea of the target is a generic one of the same data layout.
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  for (const llvm::Function* f : declared)
    if ((*library)->getFunction(f->getName()) == nullptr)
      throw Failure{OXIDE_JIT_UNSUPPORTED, "the device library '" + name_ + "' has no function " + f->getName().str()};
  std::vector<std::string> own;  // what the module had before is not the library's
  for (const llvm::GlobalValue& g : module.global_values())
    if (!g.isDeclaration()) own.push_back(g.getName().str());
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
    throw Failure{OXIDE_JIT_FAILED, "linking the device library '" + name_ + "' failed"};
  for (llvm::GlobalValue& g : module.global_values())
    if (!g.isDeclaration() && !llvm::is_contained(own, g.getName())) g.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (llvm::Function& f : module)
    if (!f.isDeclaration() && !llvm::is_contained(own, f.getName())) {
      f.removeFnAttr("target-features");
      f.removeFnAttr("target-cpu");
      f.removeFnAttr("frame-pointer");
      f.addFnAttr(library_attribute);
    }
}

}  // namespace oxide::jit
