// NVIDIA's assembler, where it is installed.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace oxide::testing {

// Its path, or nothing.
inline std::string ptxas_path() {
  for (const std::string path : {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas", "/opt/cuda/bin/ptxas"})
    if (access(path.c_str(), X_OK) == 0) return path;
  if (std::system("ptxas --version >/dev/null 2>&1") == 0) return "ptxas";
  return {};
}

// What it says about PTX; nothing when it is content.
inline std::string ptxas_complaint(const std::string& ptx, unsigned sm) {
  std::string path = (std::filesystem::temp_directory_path() / "oxide_ptx_XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0 || write(file, ptx.data(), ptx.size()) != static_cast<ssize_t>(ptx.size())) throw std::runtime_error("cannot write " + path);
  close(file);
  const std::string command = ptxas_path() + " -arch=sm_" + std::to_string(sm) + " " + path + " -o /dev/null 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) output.append(buffer, n);
  const bool ok = pclose(pipe) == 0;
  std::remove(path.c_str());
  return ok ? "" : output.empty() ? "it failed" : output;
}

}  // namespace oxide::testing
