package transport

import (
	"math/bits"
	"reflect"
	"sync"
	"sync/atomic"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// sendWQE is a send request as the engine sees it. Each slot has its own room for the SGE list and inline data.
type sendWQE struct {
	wrID   uint64
	op     verbs.WROpcode
	flags  verbs.SendFlags
	imm    uint32
	remote uint64
	rkey   uint32
	// For SENDs that invalidate, and for atomics.
	invalidate       uint32
	compareAdd, swap uint64
	bind             *mem.Binding // for BIND_MW
	flush            verbs.FlushWR
	length           uint32
	list             []verbs.SGE
	inline           []byte
	// For datagrams.
	path    *link.Path
	foreign bool // the address handle is in another protection domain
	destQP  uint32
	qkey    uint32

	// Used by the requester.
	status      verbs.WCStatus // set if sending failed locally
	first, last wire.PSN
	done        bool     // a local request that was executed and waits for earlier ones
	split       bool     // a READ that was requested in parts
	part        wire.PSN // one past the last requested part
}

// brings reports whether the response carries data: for READs and atomics.
func (w *sendWQE) brings() bool { return w.op.Traits().Receives }

// fetches reports whether the request has a response of its own, for which the peer keeps state: READs, atomics, FLUSH
// and ATOMIC_WRITE.
func (w *sendWQE) fetches() bool { return w.brings() || w.op.Traits().Placement() }

// answer returns the operation of the response to a request that fetches.
func (w *sendWQE) answer() wire.Operation {
	if w.op.Traits().Atomic {
		return wire.OpAtomicAcknowledge
	}
	return wire.OpReadResponse
}

// localRight returns the access that the request needs to its local memory.
func (w *sendWQE) localRight() verbs.Access {
	if w.brings() {
		return verbs.LocalWrite
	}
	return 0
}

// packets returns how many PSNs a request takes.
func (w *sendWQE) packets(mtu int) int {
	if w.op.Traits().Placement() {
		return 1
	}
	return packetsOf(w.length, mtu)
}

// packetsOf returns the number of packets for n bytes; an empty message takes one.
func packetsOf(n uint32, mtu int) int { return max((int(n)+mtu-1)/mtu, 1) }

// sendQueue is a ring of send requests. Positions count up and wrap; posters write tail, the engine writes head.
type sendQueue struct {
	mu    sync.Mutex // taken by posters
	slots []sendWQE
	depth uint32
	tail  atomic.Uint32
	head  atomic.Uint32 // the oldest incomplete request
}

// ringSize returns the number of slots for n requests: a power of two, so that positions may wrap.
func ringSize(n uint32) int { return 1 << bits.Len32(max(n, 1)-1) }

func (s *sendQueue) init(c verbs.QPCap) {
	s.depth = c.MaxSendWR
	s.slots = make([]sendWQE, ringSize(c.MaxSendWR))
	lists := make([]verbs.SGE, len(s.slots)*int(c.MaxSendSGE))
	inline := make([]byte, len(s.slots)*int(c.MaxInlineData))
	for i := range s.slots {
		w := &s.slots[i]
		w.list, lists = lists[:0:c.MaxSendSGE], lists[c.MaxSendSGE:]
		w.inline, inline = inline[:0:c.MaxInlineData], inline[c.MaxInlineData:]
	}
}

func (s *sendQueue) at(i uint32) *sendWQE { return &s.slots[i&uint32(len(s.slots)-1)] }

// Sizes of a request and of one of its SGEs, in bytes.
var (
	sendBytes = uint64(reflect.TypeFor[sendWQE]().Size())
	sgeBytes  = uint64(reflect.TypeFor[verbs.SGE]().Size())
)

// sendQueueBytes returns the size of a send queue in bytes; the capacities are within the device's limits.
func sendQueueBytes(c verbs.QPCap) uint64 {
	return uint64(ringSize(c.MaxSendWR)) * (sendBytes + uint64(c.MaxSendSGE)*sgeBytes + uint64(c.MaxInlineData))
}
