// OXIDE_DUMP.
#include <oxide/jit/dump.hpp>

#include <catch2/catch.hpp>

#include "support/fakes.hpp"
#include "support/probe.hpp"

using Catch::Matchers::Contains;
using oxide::jit::Dump;
using support::output_of;
using support::probe;

static const fakes::Use use_fakes;

TEST_CASE("the list of stages is read with its folder") {
  CHECK_FALSE(Dump("").any());
  CHECK(Dump("graph,ptx").wants(Dump::graph));
  CHECK(Dump("graph,ptx").wants(Dump::ptx));
  CHECK_FALSE(Dump("graph,ptx").wants(Dump::llvm));
  CHECK(Dump("graph,ptx").folder().empty());
  CHECK(Dump("sass:some/folder").folder() == "some/folder");
  CHECK(Dump("llvm").compile_flags() == OXIDE_JIT_KEEP_LLVM);
  CHECK(Dump("asm").compile_flags() == OXIDE_JIT_KEEP_ASM);
  CHECK(Dump("ptx").compile_flags() == 0);
}

TEST_CASE("stages are shown on stderr") {
  const std::string text = probe("OXIDE_DUMP=graph,ptx", "compile_gpu");
  CHECK_THAT(text, Contains("---- vecadd ") && Contains("kernel vecadd(span f32 read, span f32 read, span f32 disjoint)") &&
                       Contains("vecadd for sm_90 in PTX 87") && Contains("vecadd compiled"));
}

TEST_CASE("notes say what lies in local memory") {
  CHECK_THAT(probe("OXIDE_DUMP=notes", "compile_gpu"), Contains(" notes\nlocal memory: none\n"));
  oxide::ir::Graph graph;
  graph.files = {"some.cpp"};
  graph.blocks.resize(1);
  graph.blocks[0].operations.resize(3);
  graph.blocks[0].operations[2].location = {0, 12, 3};
  const oxide_local_array arrays[] = {{0, 0, 2, 0, 48}, {0, 0, 9, 0, 4}, {1, 0, 0, 0, 4}};  // the others are not there
  CHECK(oxide::jit::local_memory_text(graph, arrays, ".local .align 8 .b8 \t__local_depot0[48];\n mov.b64 %SPL, __local_depot0;\n") ==
        "local memory: 48 bytes a thread, without spilled registers\n"
        "  an array of 48 bytes (some.cpp:12): not all of its indices are known to the compiler\n");
}

TEST_CASE("an unknown stage is said and the others are shown") {
  CHECK_THAT(probe("OXIDE_DUMP=grahp,ptx", "compile_gpu"),
             Contains("OXIDE_DUMP: 'grahp' is none of graph, llvm, ptx, sass, asm, notes") && Contains("vecadd for sm_90 in PTX 87"));
}

TEST_CASE("with a folder each stage is a file") {
  const std::string folder = output_of("mktemp -d");
  CHECK(probe("OXIDE_DUMP=graph,ptx:" + folder + "/a/b", "compile_gpu") == "vecadd compiled");
  CHECK(output_of("cat " + folder + "/a/b/vecadd.*.ptx") == "vecadd for sm_90 in PTX 87");
  CHECK_THAT(output_of("cat " + folder + "/a/b/vecadd.*.graph"), Contains("kernel vecadd("));
  CHECK(output_of("ls " + folder + "/a/b | wc -l") == "2");
  output_of("rm -r " + folder);
}

TEST_CASE("a folder that cannot be written is said and the kernel runs") {
  CHECK_THAT(probe("OXIDE_DUMP=ptx:/dev/null/x", "compile_gpu"),
             Contains("cannot write /dev/null/x/vecadd.") && Contains("vecadd compiled"));
}

TEST_CASE("sass comes from a disassembler in PATH, or a line says why not") {
  const std::string folder = output_of("mktemp -d");
  output_of("printf '#!/bin/sh\\necho disassembled $1; cat $2\\n' > " + folder + "/cuobjdump; chmod +x " + folder + "/cuobjdump");
  CHECK_THAT(probe("PATH=" + folder + ":$PATH OXIDE_DUMP=sass", "compile_gpu"),
             Contains("disassembled -sass") && Contains("cubin of vecadd for sm_90"));
  CHECK_THAT(probe("OXIDE_DUMP=sass", "compile"), Contains("no sass of vecadd: it was compiled for the CPU"));
  if (output_of("ls /usr/local/cuda/bin").find("cuobjdump") == std::string::npos)
    CHECK_THAT(probe("PATH=/usr/bin:/bin OXIDE_DUMP=sass", "compile_gpu"), Contains("no sass of vecadd: neither cuobjdump nor nvdisasm"));
  output_of("rm -r " + folder);
}
