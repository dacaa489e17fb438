// Package mmsg sends or receives many datagrams in one system call: recvmmsg(2) and sendmmsg(2), the latter with UDP
// segmentation offload (UDP_SEGMENT, udp(7)). Neither the standard library nor x/sys wraps these calls. Their arguments
// are arrays of pointers, which is why this package may import unsafe. It is empty on systems other than Linux.
package mmsg
