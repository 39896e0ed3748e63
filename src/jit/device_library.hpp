// The mathematics library for NVPTX: NVIDIA's libdevice where it is found, else libclc's, which is built in.
#pragma once

#include "body.hpp"
#include "llvm.hpp"

namespace oxide::jit {

class DeviceLibrary {
 public:
  // The library at `path`, or for nullptr the one that is found: OXIDE_LIBDEVICE, CUDA_HOME, CUDA_PATH, common places, the built-in one.
  // "builtin", as the path or in OXIDE_LIBDEVICE, is the built-in one. Throws Failure when either names no bitcode file.
  static const DeviceLibrary& get(const char* path);

  // The file's path, "libclc (built in)", or "" when there is none.
  const std::string& name() const { return name_; }

  // A call of the function, which the module then declares. Throws Failure when there is no library.
  MathResults call(Builder& b, ir::Math f, ir::Type type, llvm::ArrayRef<llvm::Value*> operands) const;
  // Moves what is declared and used into the module; nothing else of the library. `other` is no function of the library's.
  void link_into(llvm::Module& module, const llvm::Function* other) const;

 private:
  enum class Kind { none, libdevice, libclc };
  DeviceLibrary(Kind kind, std::string name, std::unique_ptr<llvm::MemoryBuffer> bytes);
  static std::unique_ptr<DeviceLibrary> built_in();
  static std::unique_ptr<DeviceLibrary> open(const std::string& path);
  static std::unique_ptr<DeviceLibrary> find();
  void link(llvm::Module& module, llvm::ArrayRef<llvm::Function*> declared) const;

  Kind kind_;
  std::string name_;
  std::unique_ptr<llvm::MemoryBuffer> bytes_;
};

}  // namespace oxide::jit
