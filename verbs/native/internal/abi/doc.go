// Package abi mirrors the binary interface of libibverbs and librdmacm: the structs, and
// which of its functions a program that uses dlopen can find in the symbol table. It
// holds data and the arithmetic on that data; it calls nothing. The values of the
// enumerators are in testdata, for the tests of who uses them.
//
// Every field of a mirror carries its C name in a `c` tag. testdata/layout.c
// prints offset and size of each from the real headers; the tests hold the
// mirrors against the printed tables, in both directions. The layouts hold for
// 64-bit little-endian Linux with glibc. They differ between architectures where
// a struct holds a pthread_mutex_t (48 bytes on arm64, 40 elsewhere): ibv_context,
// ibv_cq, ibv_qp and ibv_srq.
//
// Pointers are uintptr: they lead into memory of the C library, which Go's
// collector neither moves nor frees. The fields mean what the manual pages say;
// package verbs documents units and ranges.
package abi
