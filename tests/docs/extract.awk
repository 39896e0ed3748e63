# Turns the ```cpp blocks of one Markdown page into C++.
#   awk -v folder=OUT -v page=NAME -f extract.awk PAGE.md
# A block with `int main` is a program of its own: OUT/NAME_LINE.cpp.
# All other blocks go into OUT/NAME.cpp, in order, each seeing the declarations of those before it:
#   - a block that declares something at namespace scope (a line that starts with inline, struct, class, enum, template, namespace,
#     constexpr, OXIDE_, or a function definition) opens a namespace of its own, so that a later block may declare the same name;
#   - any other block is the body of a function, with `device`, `stream` and `n` there to use (prelude.hpp).
# "```cpp fails" is left alone: such a block shows what does not compile, and tests/compile_fail has its test.

function flush_block(    declares, program, i, line) {
  declares = 0; program = 0
  for (i = 1; i <= lines; ++i) {
    line = text[i]
    if (line ~ /^namespace ox = oxide;/) continue
    if (line ~ /^int main *\(/) program = 1
    if (line ~ /^(inline|struct|class|enum|template|namespace|constexpr|static|using|OXIDE_)[ (<A-Z]/) declares = 1
    if (line ~ /^[A-Za-z_][A-Za-z0-9_:<>]* [A-Za-z_][A-Za-z0-9_]*\(.*\) *\{/) declares = 1
  }
  if (program) {
    out = folder "/" page "_" first_line ".cpp"
    printf "#line %d \"%s\"\n", first_line + 1, FILENAME > out
    for (i = 1; i <= lines; ++i) print text[i] > out
    close(out)
    return
  }
  for (i = 1; i <= lines; ++i) if (text[i] ~ /^ *#include/) { includes = includes text[i] "\n"; text[i] = "" }
  if (declares) {
    depth += 1
    body = body "namespace block_" first_line " {\n" line_mark()
    for (i = 1; i <= lines; ++i) body = body (text[i] ~ /^namespace ox = oxide;/ ? "" : text[i]) "\n"
  } else {
    body = body "static void run_" first_line "() {\n  OXIDE_DOCS_PRELUDE\n  {\n" line_mark()
    for (i = 1; i <= lines; ++i) body = body text[i] "\n"
    body = body "  }\n}\nstatic const docs::Block registered_" first_line "{" first_line ", run_" first_line "};\n"
  }
}
function line_mark() { return "#line " (first_line + 1) " \"" FILENAME "\"\n" }

/^ *```/ {
  if (inside) {
    inside = 0
    if (wanted) flush_block()
  } else {
    inside = 1; first_line = NR; lines = 0
    wanted = ($0 ~ /^ *```cpp *$/)
    match($0, /^ */); indent = RLENGTH
  }
  next
}
inside && wanted {
  line = $0
  # A block in a list is indented as its fence is.
  for (i = 0; i < indent && substr(line, 1, 1) == " "; ++i) line = substr(line, 2)
  text[++lines] = line
}
END {
  if (body == "") exit
  out = folder "/" page ".cpp"
  printf "#include \"docs/prelude.hpp\"\n%s%s", includes, body > out
  for (i = 0; i < depth; ++i) print "}" > out
  close(out)
}
