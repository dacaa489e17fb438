// Package native is the provider over the host's own RDMA: libibverbs, loaded
// at run time, and through it whatever drivers the host has. It needs neither
// cgo nor headers, and starts where the library is missing.
//
// # Locks
//
// The C library trusts its caller: it neither checks a pointer nor waits for a
// call on an object to end before it frees the object. So each open device has
// one lock. Whoever calls C with an object's pointer holds it for reading;
// Close holds it for writing. Events are read, found and acknowledged within one
// hold, so a destroy, which in C waits for outstanding acknowledgements, never
// finds one.
//
// Posting and polling take the lock of their own queue instead, which also
// guards the memory in which requests are laid out for C; Close takes it as
// well. Order: the device's lock, then a queue's.
package native
