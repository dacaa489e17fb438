// Package mmsg passes many datagrams to the kernel, or takes many from it, in one call: recvmmsg(2) and sendmmsg(2), the latter with
// UDP segmentation offload (UDP_SEGMENT, udp(7)). Neither the standard library nor x/sys wraps these calls; their arguments are arrays
// of pointers, which is why this package is allowed the unsafe package. It is empty on other systems than Linux.
package mmsg
