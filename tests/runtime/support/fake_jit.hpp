// What the fake compiler library exports besides the ABI.
#pragma once

#include <oxide/jit/abi.h>

extern "C" {
__attribute__((visibility("default"))) void fake_jit_fail_next(int status);  // the next compile gives this oxide_jit_status
__attribute__((visibility("default"))) void fake_jit_delay(unsigned us);     // every compile takes about this long
__attribute__((visibility("default"))) int fake_jit_compiles();
__attribute__((visibility("default"))) int fake_jit_alive();  // results that were not released
__attribute__((visibility("default"))) oxide_jit_request fake_jit_last_request();
}
