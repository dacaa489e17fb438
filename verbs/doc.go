// Package verbs defines the provider-independent RDMA verbs API: value types, specs as
// plain data, the interfaces that a provider implements, and errors.
//
// Three packages build on its values alone: fields describes each field of the structs,
// transition holds the queue pair state machine, and choice picks a default device,
// port and GID.
//
// There are two providers: verbs/native calls the host's libibverbs, verbs/soft is a
// software RoCEv2 device. Code above this package imports neither.
//
// Names follow the C headers (infiniband/verbs.h) without their prefixes, so
// that IBV_QPS_RTR is [RTR] and prints as "RTR". Values are the C values.
// Clauses cited as "IBA" are those of the InfiniBand Architecture
// Specification, volume 1.
package verbs
