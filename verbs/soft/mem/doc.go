// Package mem is the memory of a software device as its objects and its packets reach it: regions, memory windows, device memory, the
// table of their keys, and every check of who may touch what.
//
// A protection domain embeds a [Domain], which registers memory. A queue pair has a [View], by which the transport reads and writes: by
// scatter/gather list where the program named the memory, by remote key where the peer did. Nothing else reaches the bytes.
//
// Locks are taken in this order: the context's (see package object), a region's own that changes what it is registered as, the table's, a
// registration's. A view takes the last two alone.
//
// Packets, queue pairs and their states never come here: a view is told addresses, keys and rights. Where the bytes come from, and how
// many the process may take, is the business of package verbs/memory, which maps memory for any provider and knows neither keys nor rights.
package mem
