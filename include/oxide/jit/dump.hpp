// OXIDE_DUMP: shows what a kernel becomes on its way. A list of stages, and after a colon the folder that files go to; without one,
// everything goes to stderr.
//
//   OXIDE_DUMP=graph,ptx             the graph and the PTX of every kernel, on stderr
//   OXIDE_DUMP=graph,llvm,ptx,sass:out   files out/KERNEL.HASH.graph, .ll, .ptx and .sass
//   OXIDE_DUMP=asm                   the CPU's assembly
//   OXIDE_DUMP=notes                 what lies in a GPU's local memory
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <oxide/ir/graph.hpp>
#include <oxide/ir/print.hpp>
#include <oxide/jit/abi.h>
#include <oxide/jit/compile.hpp>
#include <oxide/jit/local_memory.hpp>

namespace oxide::jit {

// What OXIDE_DUMP asks for. A dump never fails a launch: what cannot be written is said on stderr.
class Dump {
 public:
  enum Stage : unsigned { graph = 1, llvm = 2, ptx = 4, sass = 8, assembly = 16, notes = 32 };

  // Read once in a process.
  static const Dump& from_environment() {
    static const Dump dump(detail::environment("OXIDE_DUMP"));
    return dump;
  }
  explicit Dump(const std::string& text);

  bool any() const { return stages_ != 0; }
  bool wants(Stage stage) const { return (stages_ & stage) != 0; }
  const std::string& folder() const { return folder_; }
  // What the compiler has to keep for it.
  std::uint32_t compile_flags() const {
    return (wants(llvm) ? std::uint32_t{OXIDE_JIT_KEEP_LLVM} : 0) | (wants(assembly) ? std::uint32_t{OXIDE_JIT_KEEP_ASM} : 0);
  }

  // Everything that is text already. `hash` tells apart kernels of one name.
  void text(const ir::Graph& kernel, const std::string& hash, const CompiledCode& code) const;
  // The GPU's machine code, disassembled by NVIDIA's cuobjdump or nvdisasm.
  void machine_code(const ir::Graph& kernel, const std::string& hash, std::string_view cubin) const;

 private:
  void write(const ir::Graph& kernel, const std::string& hash, const char* extension, std::string_view text) const;

  unsigned stages_ = 0;
  std::string folder_;
};

namespace detail {

struct DumpRow {
  std::string_view name;
  Dump::Stage stage;
};
inline constexpr DumpRow dump_rows[] = {{"graph", Dump::graph}, {"llvm", Dump::llvm},    {"ptx", Dump::ptx},
                                        {"sass", Dump::sass},   {"asm", Dump::assembly}, {"notes", Dump::notes}};

inline void complain_about_dump(const std::string& text) { fprintf(stderr, "oxide: OXIDE_DUMP: %s\n", text.c_str()); }

// Makes a folder and those above it.
inline bool make_folder(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    if (mkdir(path.substr(0, slash).c_str(), 0777) != 0 && errno != EEXIST) return false;
    if (slash == std::string::npos) return true;
  }
}

// The first of the two disassemblers that PATH or the toolkit's usual folder has, as the start of a command line; empty when none is there.
inline std::string find_disassembler() {
  for (const char* tool : {"cuobjdump", "nvdisasm"}) {
    std::string folders = environment("PATH") + ":/usr/local/cuda/bin";
    for (std::size_t begin = 0; begin < folders.size();) {
      std::size_t end = folders.find(':', begin);
      if (end == std::string::npos) end = folders.size();
      const std::string file = folders.substr(begin, end - begin) + '/' + tool;
      if (end != begin && access(file.c_str(), X_OK) == 0) return '\'' + file + '\'' + (tool[0] == 'c' ? " -sass" : "");
      begin = end + 1;
    }
  }
  return {};
}

// Runs a command on a file that holds the bytes; its output, and its complaints with it.
inline std::string run_on_file(const std::string& command, std::string_view bytes) {
  std::string folder = environment("TMPDIR");
  if (folder.empty()) folder = "/tmp";
  std::string file = folder + "/oxide-XXXXXX";
  const int handle = mkstemp(file.data());
  if (handle < 0) return std::string("cannot make a file in ") + folder + ": " + strerror(errno) + '\n';
  FILE* out = fdopen(handle, "wb");
  fwrite(bytes.data(), 1, bytes.size(), out);
  fclose(out);
  std::string output;
  if (FILE* pipe = popen((command + " '" + file + "' 2>&1").c_str(), "r"); pipe != nullptr) {
    char part[4096];
    for (std::size_t n; (n = fread(part, 1, sizeof part, pipe)) != 0;) output.append(part, n);
    pclose(pipe);
  }
  unlink(file.c_str());
  return output;
}

}  // namespace detail

inline Dump::Dump(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) folder_ = text.substr(colon + 1);
  const std::string list = text.substr(0, colon) + ',';
  for (std::size_t begin = 0, end; (end = list.find(',', begin)) != std::string::npos; begin = end + 1) {
    const std::string name = list.substr(begin, end - begin);
    unsigned stage = 0;
    for (const detail::DumpRow& row : detail::dump_rows)
      if (row.name == name) stage = row.stage;
    if (stage == 0 && !name.empty()) detail::complain_about_dump("'" + name + "' is none of graph, llvm, ptx, sass, asm, notes");
    stages_ |= stage;
  }
}

inline void Dump::write(const ir::Graph& kernel, const std::string& hash, const char* extension, std::string_view text) const {
  if (folder_.empty()) {
    const std::string title = "---- " + kernel.name + ' ' + hash.substr(0, 16) + ' ' + extension + '\n';
    const std::string end = text.empty() || text.back() != '\n' ? "\n" : "";
    const std::string all = title + std::string(text) + end;  // one write, so that threads do not mix their lines
    fwrite(all.data(), 1, all.size(), stderr);
    return;
  }
  const std::string file = folder_ + '/' + kernel.name + '.' + hash.substr(0, 16) + '.' + extension;
  FILE* out = detail::make_folder(folder_) ? fopen(file.c_str(), "wb") : nullptr;
  if (out == nullptr) return detail::complain_about_dump("cannot write " + file + ": " + strerror(errno));
  const bool written = fwrite(text.data(), 1, text.size(), out) == text.size();
  if (fclose(out) != 0 || !written) detail::complain_about_dump("cannot write " + file);
}

inline void Dump::text(const ir::Graph& kernel, const std::string& hash, const CompiledCode& code) const {
  if (wants(graph)) write(kernel, hash, "graph", ir::print(kernel));
  if (wants(llvm)) write(kernel, hash, "ll", code.llvm_ir());
  if (wants(ptx) && !code.ptx().empty()) write(kernel, hash, "ptx", code.ptx());
  if (wants(notes) && !code.ptx().empty()) write(kernel, hash, "notes", local_memory_text(kernel, code.local_arrays(), code.ptx()));
  if (wants(assembly) && !code.assembly().empty()) write(kernel, hash, "s", code.assembly());
}

inline void Dump::machine_code(const ir::Graph& kernel, const std::string& hash, std::string_view cubin) const {
  if (!wants(sass)) return;
  if (cubin.empty()) return detail::complain_about_dump("no sass of " + kernel.name + ": it was compiled for the CPU (asm shows its code)");
  const std::string tool = detail::find_disassembler();
  if (tool.empty())
    return detail::complain_about_dump("no sass of " + kernel.name + ": neither cuobjdump nor nvdisasm is in PATH or /usr/local/cuda/bin");
  write(kernel, hash, "sass", detail::run_on_file(tool, cubin));
}

}  // namespace oxide::jit
