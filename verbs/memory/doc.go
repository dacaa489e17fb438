// Package memory says how much memory the objects of this process may take, and maps the larger pieces.
//
// A Go program whose memory is used up is ended by the runtime, or by the kernel: there is no error that could be handled. So whatever
// takes memory in proportion to a number that a user, a file or a peer gives takes it from a [Budget] first, and fails with ENOMEM where
// nothing is left.
//
// Keys, rights, protection domains and memory regions are no business of this package: each provider has its own, the software device those
// of package verbs/soft/mem.
package memory
