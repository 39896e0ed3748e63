#include "nvptx_fault.hpp"

#include "failure.hpp"

#include <oxide/jit/abi.h>

#include <algorithm>
#include <cstddef>

namespace oxide::jit {

// What a failed check calls, given the record, the site and two values:
//   if (this is the first failure) { fill the record in; fence; ready = 1 }; exit
// The thread leaves the kernel and does not trap: a trap is an unspecified launch failure to the driver, after which a process can use no
// GPU any more (CUDA Driver API, CUDA_ERROR_LAUNCH_FAILED). The host finds the record when it next waits.
// The record is in the host's memory, with which a GPU is atomic only to its own threads; the host sees it filled in by the store behind
// the fence.
// Written in PTX, of which every instruction is older than the oldest architecture and PTX version here: it is the same in every kernel,
// and LLVM would take as long for it as for a small kernel. `[@` is `[` and the function's name.
static constexpr llvm::StringLiteral fault_body = R"(
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;

  ld.param.b64 %rd1, [@_param_0];
  atom.relaxed.gpu.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.b32 %p1, %r1, 0;
  @%p1 bra $L__later;
  ld.param.b32 %r2, [@_param_1];
  ld.param.b64 %rd2, [@_param_2];
  ld.param.b64 %rd3, [@_param_3];
  st.global.b32 [%rd1+8], %r2;
  st.global.b64 [%rd1+16], %rd2;
  st.global.b64 [%rd1+24], %rd3;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ctaid.y;
  st.global.v2.b32 [%rd1+32], {%r3, %r4};
  mov.u32 %r5, %ctaid.z;
  mov.u32 %r6, %tid.x;
  st.global.v2.b32 [%rd1+40], {%r5, %r6};
  mov.u32 %r7, %tid.y;
  mov.u32 %r8, %tid.z;
  st.global.v2.b32 [%rd1+48], {%r7, %r8};
  fence.sc.sys;
  st.relaxed.sys.global.b32 [%rd1+4], 1;
  exit;
$L__later:
  exit;
}
)";
static_assert(offsetof(oxide_fault_record, claimed) == 0 && offsetof(oxide_fault_record, ready) == 4 &&
              offsetof(oxide_fault_record, site) == 8 && offsetof(oxide_fault_record, values) == 16 &&
              offsetof(oxide_fault_record, block) == 32 && offsetof(oxide_fault_record, thread) == 44);

std::string with_fault_function(llvm::StringRef text, llvm::StringRef fault) {
  constexpr llvm::StringLiteral comment = " // callseq ";
  std::string out;
  out.reserve(text.size() + 2 * fault_body.size());
  std::string definition;
  if (text.contains(".func " + fault.str()) && !fault.empty()) {  // else the optimizer has proved all checks
    constexpr llvm::StringLiteral external = ".extern ";
    const std::string head = ".func " + fault.str();
    const std::size_t at = text.find(external.str() + head), end = text.find(';', at);
    if (end == llvm::StringRef::npos) throw Failure{OXIDE_JIT_FAILED, "LLVM's PTX does not declare " + fault.str()};
    out += text.take_front(at);
    text = text.drop_front(at + external.size());
    // The definition repeats the declaration, as PTX asks for.
    const llvm::StringRef parameters = text.slice(head.size(), end - at - external.size()).trim();
    definition = head + parameters.str();
    for (const char c : fault_body) {
      if (c == '@' && definition.back() == '[') definition += fault;
      else definition += c;
    }
  }
  for (std::size_t at = text.find(comment); at != llvm::StringRef::npos; at = text.find(comment)) {
    out += text.take_front(at);
    text = text.drop_front(std::min(text.find('\n', at), text.size()));
  }
  out += text;
  out += definition;
  return out;
}

}  // namespace oxide::jit
