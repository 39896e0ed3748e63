// The end of the process destroys nothing in here: threads may be compiling until it is gone, and what LLVM keeps in static storage has no
// effect outside. Every object that asks for its destructor at exit, in this library and in the LLVM and C++ runtime inside it, asks here.
extern "C" int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
