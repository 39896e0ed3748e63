# Prints each store of PTX that takes a part of a register which a floating-point instruction wrote: the assembler converts the number
# to an integer there, where the low bits were meant (src/jit/nvptx_stores.hpp).
function width(name) { return name ~ /^%rs[0-9]/ ? 16 : name ~ /^%r[0-9]/ ? 32 : name ~ /^%rd[0-9]/ ? 64 : 0 }
FNR == 1 || /^\.(visible|func|entry)/ { delete written }
/^[ \t]*(@!?%p[0-9]+[ \t]+)?[a-z]/ {
  line = $0
  gsub(/[,;{}()\[\]]/, " ", line)
  count = split(line, word, /[ \t]+/)
  at = word[1] == "" ? 2 : 1
  if (word[at] ~ /^@/) ++at
  op = word[at]
  if (op ~ /^st\./) {
    if (!match(op, /\.[bus](8|16|32)$/)) next
    bits = substr(op, RSTART + 2)
    for (i = at + 2; i <= count; ++i)
      if (width(word[i]) > bits + 0 && written[word[i]]) print FILENAME ": " written[word[i]] " | " $0
    next
  }
  if (op ~ /^(red|bra|call|ret|bar)/ || width(word[at + 1]) == 0) next
  type = op
  if (op ~ /^(cvt|set)\./) sub(/\.[busf]+[0-9x]+$/, "", type)  # the source's type
  if (type ~ /\.b?f(16|16x2|32|64)(\.|$)/) written[word[at + 1]] = $0
  else delete written[word[at + 1]]
}
