// Package abi mirrors the binary interface of libibverbs and librdmacm: the structs, and the
// functions that a program that uses dlopen can find in the symbol table. It contains data,
// arithmetic on that data and its conversion to package verbs' values; it calls nothing. The
// values of the enumerators are in testdata, for other packages' tests.
//
// Every field of a mirror carries its C name in a `c` tag. testdata/layout.c prints offset and size
// of each from the real headers; the tests compare the mirrors with the printed tables, in both
// directions. The layouts are those of 64-bit little-endian Linux with glibc. They differ between
// architectures where a struct contains a pthread_mutex_t (48 bytes on arm64, 40 elsewhere):
// ibv_context, ibv_cq, ibv_qp and ibv_srq.
//
// Pointers are uintptr: they point to memory of the C library, which Go's collector neither moves
// nor frees. The manual pages define the meaning of the fields; package verbs documents units and
// ranges.
package abi
