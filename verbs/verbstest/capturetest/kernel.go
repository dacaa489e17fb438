package capturetest

import (
	_ "embed"
	"encoding/binary"
	"slices"
	"time"
)

// kernel was captured by tcpdump on the interface of Linux's Soft-RoCE (rxe of 7.3), while both directions of the wire
// lost packets.
//
//go:embed testdata/rxe.pcap
var kernel []byte

// KernelPackets returns Ethernet frames between two hosts' Soft-RoCE, 10.9.0.2 and 10.9.0.1, which both have queue pair
// 0x11: requests of each kind of a reliable connection, of which some are repeated after a timeout, an RNR NAK or a
// NAK. The capture lacks what was lost on the way to it. [KernelRequests] are what the programs posted.
func KernelPackets() (all []Packet) {
	const fileHeader, recordHeader = 24, 16
	order := binary.LittleEndian
	for b := kernel[fileHeader:]; len(b) >= recordHeader; {
		at := time.Unix(int64(order.Uint32(b)), int64(order.Uint32(b[4:]))).UTC()
		kept, sent := int(order.Uint32(b[8:])), int(order.Uint32(b[12:]))
		all = append(all, Packet{at, slices.Clone(b[recordHeader:][:kept]), sent - kept})
		b = b[recordHeader+kept:]
	}
	return all
}

// Posted is a request as a program posted it.
type Posted struct {
	From, Operation string
	Bytes           uint64
}

// KernelRequests are the requests of [Kernel], of each end in their order. The last one names a wrong key.
var KernelRequests = []Posted{
	{"10.9.0.1", "SEND", 700},
	{"10.9.0.2", "SEND", 5}, {"10.9.0.2", "SEND", 600}, {"10.9.0.2", "RDMA WRITE", 1500},
	{"10.9.0.2", "RDMA READ", 1100}, {"10.9.0.2", "ATOMIC FETCH_AND_ADD", 0}, {"10.9.0.2", "ATOMIC CMP_AND_SWP", 0},
	{"10.9.0.2", "RDMA WRITE", 513}, {"10.9.0.2", "RDMA READ", 3}, {"10.9.0.2", "RDMA READ", 512},
	{"10.9.0.2", "SEND", 0}, {"10.9.0.2", "SEND", 1024}, {"10.9.0.2", "RDMA WRITE", 255},
	{"10.9.0.2", "RDMA WRITE", 3000}, {"10.9.0.2", "RDMA WRITE", 300},
}
