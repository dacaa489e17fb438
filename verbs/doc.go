// Package verbs is the neutral vocabulary of RDMA verbs: value types, specs as
// plain data, the small interfaces that a provider implements, and errors.
//
// Packages over it, which need its values alone: fields describes each field of
// the structs, transition holds the queue pair state machine, and choice picks
// device, port and GID where none is named.
//
// Two providers stand behind it: verbs/native drives the host's libibverbs,
// verbs/soft is a software RoCEv2 device. Code above this package names neither.
//
// Names follow the C headers (infiniband/verbs.h) without their prefixes, so
// that IBV_QPS_RTR is [RTR] and prints as "RTR". Values are the C values.
// Clauses cited as "IBA" are those of the InfiniBand Architecture
// Specification, volume 1.
package verbs
