// For code of oxide that calls the user's in one of several ways.
#pragma once

#include <cstdint>

#include <oxide/linkage.hpp>

namespace oxide::detail {

// While it lives, the user's branches are known to be reached another way than without it. A function that both arms of an `if` call looks
// as if host state kept two worlds apart, which the tracer would have to look for by many more runs.
class OtherWay {
 public:
  OXIDE_INLINE OtherWay();
  OXIDE_INLINE ~OtherWay();
  OtherWay(const OtherWay&) = delete;
  OtherWay& operator=(const OtherWay&) = delete;
};

}  // namespace oxide::detail
