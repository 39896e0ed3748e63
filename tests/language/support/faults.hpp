// Kernels that are to fail.
#pragma once

#include <catch2/catch.hpp>

#include <oxide/oxide.hpp>

// The fault of what is put into a stream: the CPU throws at the launch, a GPU when it is waited for.
template <class Launch>
oxide::KernelFault fault_of(const oxide::Stream& stream, Launch launch) {
  try {
    launch();
    stream.synchronize();
  } catch (const oxide::KernelFault& fault) {
    return fault;
  }
  FAIL("no fault");
  throw 0;
}
