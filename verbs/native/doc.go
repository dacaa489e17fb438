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
// Order: the device's lock, then a queue's. Those of the connection manager come
// before both; see package cm.
//
// # Layers
//
// Below are cm, the connection manager, and internal packages: abi, the layouts of
// C's structs; dl, calling C; convert, failure and eventfile, which both halves
// need. Packet formats and choices among devices are not here.
package native
