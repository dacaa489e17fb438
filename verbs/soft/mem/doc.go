// Package mem is the memory of a software device: regions, memory windows, device memory, the table of their keys, and
// all access checks.
//
// A protection domain embeds a [Domain], which registers memory. A queue pair has a [View], through which the transport
// reads and writes: by scatter/gather list for the program's memory, by remote key for the peer's requests. Nothing
// else accesses the bytes.
//
// Locks are taken in this order: the context's (see package object), a region's own, which changes its registration,
// the table's, a registration's. A view takes only the last two.
//
// Packets, queue pairs and their states are not part of this package: a view handles only addresses, keys and rights.
// Package verbs/memory allocates and maps the bytes for any provider, within the process's budget, and knows neither
// keys nor rights.
package mem
