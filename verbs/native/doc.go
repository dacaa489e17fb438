// Package native is the provider for the host's RDMA devices: it loads libibverbs and
// librdmacm at run time and, through them, the host's drivers. It needs neither cgo nor
// headers, and works without the libraries installed.
//
// # Locks
//
// The C library trusts its caller: it neither checks a pointer nor waits for calls on
// an object before it frees the object. So each open device has one lock. A call to C
// with an object's pointer holds it for reading; Close holds it for writing. An event
// is read, matched to its object and acknowledged while the lock is held, so a destroy,
// which in C waits for outstanding acknowledgements, never finds one.
//
// Posting and polling instead take the lock of their queue, which also guards the
// memory in which requests are laid out for C; Close takes both.
//
// Order: the device's lock, then a queue's. The connection manager's locks come before
// both; see package cm.
//
// # Layers
//
// The packages below are cm, the connection manager, and internal ones: abi has the
// layouts of C's structs; dl calls C; convert, failure and eventfile are shared by
// native and cm. Packet formats and the choice of devices are elsewhere.
package native
