// expect: a member of this struct has no place in a kernel
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Node {
  float value;
#ifdef OXIDE_COMPILE_FAIL
  Node* next;
#endif
};
void use(ox::Span<const Node> s) { (void)s[0]; }
