# Writes C++: a family of structs with members of many kinds, kernels that copy them whole and member by member, and a table of what the
# compiler says about their layout.
#   awk -v first=0 -v count=100 -f structs.awk
# Structs are numbered, and a number always gives the same struct.

function chance(n) { state = (state * 69069 + 12345) % 4294967296; return int(state / 65536) % n }

function scalar(  t) {
  t = chance(13)
  return t == 0 ? "bool" : t == 1 ? "std::int8_t" : t == 2 ? "std::uint8_t" : t == 3 ? "std::int16_t" : t == 4 ? "std::uint16_t" : \
         t == 5 ? "std::int32_t" : t == 6 ? "std::uint32_t" : t == 7 ? "std::int64_t" : t == 8 ? "std::uint64_t" : t == 9 ? "float" : \
         t == 10 ? "double" : t == 11 ? "Small" : "Large"
}

function one_struct(s,    members, m, kind, type, leaves, form, size) {
  state = s * 7919 + 17
  for (m = 0; m != 11; ++m) chance(2)
  members = 1 + chance(7)
  names = ""; rows = ""; copies = ""; total = 0
  printf "struct S%d {\n", s
  for (m = 0; m != members; ++m) {
    kind = chance(10)
    type = scalar(); leaves = 1
    if (kind >= 8 && s > first + 2) {
      other = s - 1 - chance(2)
      if (leaf_count[other] <= 12) { type = "S" other; leaves = leaf_count[other] }
    }
    form = chance(8); size = 1 + chance(4)
    if (total + leaves * size > 40) form = 7
    if (form == 0) { printf "  %s m%d[%d];\n", type, m, size; leaves *= size }
    else if (form == 1) { printf "  std::array<%s, %d> m%d;\n", type, size, m; leaves *= size }
    else if (form == 2) printf "  alignas(%d) %s m%d;\n", type ~ /^S[0-9]/ ? 64 : 16, type, m
    else printf "  %s m%d;\n", type, m
    total += leaves
    names = names ", m" m
    rows = rows (m ? ", " : "") "offsetof(S" s ", m" m ")"
    copies = copies "    e->m" m " = v.m" m ";\n"
  }
  leaf_count[s] = total
  print "};"
  printf "OXIDE_STRUCT(S%d%s)\n", s, names
  printf "inline const std::vector<std::size_t> offsets_%d{%s};\n", s, rows
  printf "inline void copy_members(ox::Span<const S%d> in, ox::DisjointSpan<S%d> out, const ox::ThreadIndex<ox::Linear>& i) {\n", s, s
  printf "  auto e = out.get_mut(i);\n  if (!e) return;\n  const ox::Value<S%d> v = in[i];\n  if (i %% 2 == 0) {\n    *e = v;\n  } else {\n%s  }\n}\n", s, copies
}

BEGIN {
  print "#include \"language/support/generated_structs.hpp\""
  print "namespace {"
  for (s = first; s != first + count; ++s) one_struct(s)
  for (g = 0; g != count / 10; ++g) {
    parameters = ""; body = ""; types = ""
    for (k = 0; k != 10; ++k) {
      s = first + 10 * g + k
      parameters = parameters (k ? ", " : "") "ox::Span<const S" s "> i" k ", ox::DisjointSpan<S" s "> o" k
      body = body "  copy_members(i" k ", o" k ", i);\n"
      types = types (k ? ", " : "") "S" s
    }
    printf "inline constexpr auto kernel_%d = ox::kernel(\"copy_structs\", [](%s) {\n  auto i = ox::thread::index_1d();\n%s});\n", g, parameters, body
    run = run "  check_structs<" types ">(kernel_" g ");\n"
    for (k = 0; k != 10; ++k) { s = first + 10 * g + k; run = run "  check_offsets<S" s ">(" s ", offsets_" s ");\n" }
  }
  print "}  // namespace"
  printf "TEST_CASE(\"structs %d to %d lie on the device as on the host, and come back as they went\") {\n%s}\n", first, first + count - 1, run
}
