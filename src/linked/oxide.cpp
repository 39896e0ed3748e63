// oxide's own code, for programs whose files see declarations only (target oxide::linked).
#include <oxide/implementation.hpp>
