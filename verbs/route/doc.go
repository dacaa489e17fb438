// Package route tells how packets to a peer leave this host, and picks by it the default device, port and GID for a
// command that names none. It says why.
//
// Choosing needs no host: it asks a [Network], and takes tables as arguments. [Host] is the network of this process. It
// asks the kernel's routing table through sockets, on every platform and without any right, and sends no packets.
package route
