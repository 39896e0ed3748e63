// Runs the probe: `probe("FAKE_CUDA_SM=70", "gpu")`.
#pragma once

#include <stdio.h>
#include <sys/wait.h>

#include <string>

namespace support {

// What a command prints, on both outputs, without the last newline; with its status when that is not 0.
inline std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char part[512];
  for (std::size_t n; (n = fread(part, 1, sizeof part, pipe)) != 0;) out.append(part, n);
  const int status = pclose(pipe);
  if (!out.empty() && out.back() == '\n') out.pop_back();
  if (status != 0) out += " [status " + std::to_string(status) + ']';
  return out;
}

// The probe with the fakes, and with more environment variables.
inline std::string probe(const std::string& environment, const std::string& command) {
  return output_of("env -u OXIDE_DEVICE -u OXIDE_DUMP -u OXIDE_CPU_THREADS OXIDE_JIT=" FAKE_JIT " OXIDE_LIBCUDA=" FAKE_CUDA " " +
                   environment + " " RUNTIME_PROBE " " + command);
}

}  // namespace support
