// The umbrella header, and nothing done with it.
#include <oxide/oxide.hpp>
