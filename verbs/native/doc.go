// Package native is the provider over the host's own RDMA: libibverbs and
// librdmacm, loaded at run time, and through them whatever drivers the host has.
// It needs neither cgo nor headers, and starts where the libraries are missing.
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
// well.
//
// The connection manager's identifiers have a lock each, used as the device's is,
// and so has an event channel, held while an event is taken, converted and
// acknowledged and while an identifier of the channel or its queue pair is
// destroyed: to take an event C may do work on either. The manager's own lock
// guards which of its devices are in use.
//
// Order: the identifier's, the channels' by age, the manager's, the device's, a
// queue's.
package native
