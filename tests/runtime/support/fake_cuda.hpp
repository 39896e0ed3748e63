// What the fake driver exports besides the driver API.
//
// It is configured by the environment before it is loaded: FAKE_CUDA_VERSION (12080), FAKE_CUDA_DEVICES (2), FAKE_CUDA_SM (90),
// FAKE_CUDA_POOLS (1).
#pragma once

extern "C" {
__attribute__((visibility("default"))) void fake_cuda_fail_next(const char* function, int code);  // the next call of it returns code
__attribute__((visibility("default"))) const char* fake_cuda_calls();                             // since the last clear, one a line
__attribute__((visibility("default"))) void fake_cuda_clear_calls();
__attribute__((visibility("default"))) void fake_cuda_reject_ptx(const char* error_log);  // the next cuLinkComplete fails with this log
__attribute__((visibility("default"))) long fake_cuda_allocations();                        // device allocations that are alive
__attribute__((visibility("default"))) long fake_cuda_errors();  // calls that a real driver would answer with corruption
__attribute__((visibility("default"))) void fake_cuda_block_limit(int threads);  // the kernels' largest block
__attribute__((visibility("default"))) void fake_cuda_leave_record_open();       // the next fault stops before its record is ready
}
