// expect: an ox::Constant or ox::Global holds a bool, an integer, a floating-point number, an enumeration, a struct, tuple or std::array
// room: language
#include <oxide/oxide.hpp>
namespace ox = oxide;

struct Node {
  int value;
};
#ifdef OXIDE_COMPILE_FAIL
ox::Global<const Node*> last;
#else
ox::Global<Node> last;
#endif
int use(const ox::Stream& s) { return sizeof(last.get(s)) == 4; }
