// Package dl loads C libraries at run time and calls their functions without cgo: the
// program builds without a C compiler and runs without the libraries. It knows nothing
// about RDMA, and keeps no state outside the values it returns.
//
// C libraries report failure in several ways. Each has a function type here
// ([PointerFunc], [ErrnoFunc], [NegErrnoFunc], [CountFunc], [StatusFunc],
// [ValueFunc]), chosen once where a function is bound, never where it is called.
//
// Arguments are machine words. Memory that a word points to must not move as long as C
// uses it: during the call, a conversion in the argument list,
// uintptr(unsafe.Pointer(&x)), is enough; for longer, use [Mem].
//
// Calls work on Linux on amd64 and arm64. Elsewhere the package builds and
// [Open] reports [errors.ErrUnsupported].
package dl
