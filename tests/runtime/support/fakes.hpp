// Points oxide at the fake compiler library and the fake driver, before anything is loaded, and finds their controls.
#pragma once

#include <dlfcn.h>
#include <stdlib.h>

#include <stdexcept>
#include <string>

#include "fake_cuda.hpp"
#include "fake_jit.hpp"

namespace fakes {

// A function that a fake exports.
template <class Function>
Function* control(const char* library, const char* name) {
  void* handle = dlopen(library, RTLD_NOW);
  void* symbol = handle == nullptr ? nullptr : dlsym(handle, name);
  if (symbol == nullptr) throw std::runtime_error(std::string(library) + " has no " + name);
  return reinterpret_cast<Function*>(symbol);
}

#define FAKE_JIT_CONTROL(name) fakes::control<decltype(name)>(FAKE_JIT, #name)
#define FAKE_CUDA_CONTROL(name) fakes::control<decltype(name)>(FAKE_CUDA, #name)

// One object of this in each executable that uses the fakes.
struct Use {
  Use() {
    setenv("OXIDE_JIT", FAKE_JIT, 1);
    setenv("OXIDE_LIBCUDA", FAKE_CUDA, 1);
    unsetenv("OXIDE_DEVICE");
    unsetenv("OXIDE_DUMP");
  }
};

}  // namespace fakes
