// Package memory limits the memory of this process's RDMA objects, and maps their larger blocks.
//
// The runtime or the kernel kills a Go program that runs out of memory: there is no error to handle. So code that
// allocates memory in proportion to a number from a user, a file or a peer takes it from a [Budget] first, and fails
// with ENOMEM if nothing is left.
//
// Keys, access rights, protection domains and memory regions are not part of this package: each provider has its own;
// those of the software device are in package verbs/soft/mem.
package memory
