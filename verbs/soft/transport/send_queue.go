package transport

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"syscall"

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
	path   *link.Path
	destQP uint32
	qkey   uint32

	// Used by the requester.
	status      verbs.WCStatus // set if sending failed locally
	first, last wire.PSN
	done        bool     // a local request that was executed and waits for earlier ones
	split       bool     // a READ that was requested in parts
	part        wire.PSN // one past the last requested part
}

// isLocal reports whether the operation is executed locally and sends nothing.
func isLocal(op verbs.WROpcode) bool { return op == verbs.WRBindMW || op == verbs.WRLocalInv }

func isAtomic(op verbs.WROpcode) bool {
	return op == verbs.WRAtomicCmpAndSwp || op == verbs.WRAtomicFetchAndAdd
}

// isPlacement reports whether the operation is one of annex A19, Memory Placement Extensions. Each is one packet, answered by a READ
// response of no bytes.
func isPlacement(op verbs.WROpcode) bool {
	return op == verbs.WRFlush || op == verbs.WRAtomicWrite
}

// brings reports whether the response carries data: for READs and atomics.
func (w *sendWQE) brings() bool { return w.op == verbs.WRRDMARead || isAtomic(w.op) }

// fetches reports whether the request has a response of its own, for which the peer keeps state: READs, atomics, FLUSH and ATOMIC_WRITE.
func (w *sendWQE) fetches() bool { return w.brings() || isPlacement(w.op) }

// localRight returns the access that the request needs to its local memory.
func (w *sendWQE) localRight() verbs.Access {
	if w.brings() {
		return verbs.LocalWrite
	}
	return 0
}

// sendQueue is a ring of send requests. Positions count up and wrap; posters write tail, the engine writes head.
type sendQueue struct {
	q     *QP
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

// PostSend posts requests in order and rings the doorbell once.
func (q *QP) PostSend(wrs ...verbs.SendWR) (posted int, err error) {
	s := &q.sq
	s.mu.Lock()
	for posted < len(wrs) {
		if err = s.post(&wrs[posted], verbs.MWType2); err != nil {
			break
		}
		posted++
	}
	s.mu.Unlock()
	if posted > 0 {
		q.eng.post(q)
	}
	return posted, q.fail("ibv_post_send", err)
}

// BindMW posts the binding of a type 1 window.
func (q *QP) BindMW(window verbs.MW, wrID uint64, flags verbs.SendFlags, bind verbs.MWBinding) error {
	err := q.mem.BindNext(window, func(key uint32) error {
		wr := verbs.SendWR{WRID: wrID, Opcode: verbs.WRBindMW, SendFlags: flags, Bind: &verbs.BindWR{MW: window, RKey: key, MWBinding: bind}}
		q.sq.mu.Lock()
		defer q.sq.mu.Unlock()
		return q.sq.post(&wr, verbs.MWType1)
	})
	if err != nil {
		return q.fail("ibv_bind_mw", err)
	}
	q.eng.post(q)
	return nil
}

// post adds one request to the ring; mu is held. A BIND_MW must name a window of the given type.
func (s *sendQueue) post(wr *verbs.SendWR, windows verbs.MWType) (err error) {
	q := s.q
	if q.closed {
		return verbs.ErrClosed
	}
	if q.state < verbs.QPRTS {
		return syscall.EINVAL
	}
	if err := s.check(wr); err != nil {
		return err
	}
	tail := s.tail.Load()
	if tail-s.head.Load() >= s.depth {
		return syscall.ENOMEM
	}
	w := s.at(tail)
	if wr.Opcode == verbs.WRBindMW {
		if w.bind, err = q.mem.NewBinding(wr.Bind, windows); err != nil {
			return err
		}
	}
	w.wrID, w.op, w.flags, w.imm = wr.WRID, wr.Opcode, wr.SendFlags, wr.ImmData
	w.remote, w.rkey, w.status, w.split, w.done = wr.RemoteAddr, wr.RKey, verbs.WCSuccess, false, false
	w.invalidate, w.compareAdd, w.swap = wr.InvalidateKey, wr.CompareAdd, wr.Swap
	if q.typ == verbs.UD {
		s.address(w, wr)
	}
	w.length, w.flush = uint32(mem.ListLength(wr.SGList)), wr.Flush
	switch {
	case isAtomic(w.op):
		w.length = verbs.AtomicLen
	case w.op == verbs.WRFlush:
		w.length = wr.Flush.Length
	}
	w.list = append(w.list[:0], wr.SGList...)
	w.inline = w.inline[:0]
	if wr.SendFlags&verbs.SendInline != 0 || w.op == verbs.WRAtomicWrite {
		var ok bool
		if w.inline, ok = q.mem.AppendInline(w.inline, w.list); !ok {
			return syscall.EFAULT
		}
	}
	if wr.Opcode == verbs.WRBindMW {
		w.bind.Posted()
	}
	s.tail.Store(tail + 1)
	return nil
}

// sendable lists the operations that each type of queue pair supports.
var sendable = map[verbs.QPType]map[verbs.WROpcode]bool{
	verbs.RC: {
		verbs.WRSend: true, verbs.WRSendWithImm: true, verbs.WRRDMAWrite: true, verbs.WRRDMAWriteWithImm: true, verbs.WRRDMARead: true,
		verbs.WRAtomicCmpAndSwp: true, verbs.WRAtomicFetchAndAdd: true, verbs.WRSendWithInv: true, verbs.WRLocalInv: true, verbs.WRBindMW: true,
		verbs.WRFlush: true, verbs.WRAtomicWrite: true,
	},
	verbs.UC: {
		verbs.WRSend: true, verbs.WRSendWithImm: true, verbs.WRRDMAWrite: true, verbs.WRRDMAWriteWithImm: true,
		verbs.WRLocalInv: true, verbs.WRBindMW: true,
	},
	verbs.UD: {verbs.WRSend: true, verbs.WRSendWithImm: true},
}

func (s *sendQueue) check(wr *verbs.SendWR) error {
	q := s.q
	if !q.ops[wr.Opcode] {
		return &verbs.UnsupportedError{Feature: wr.Opcode.String() + " on " + q.typ.String() + " queue pairs of a software device"}
	}
	if err := q.sendOps.Lack(wr.Opcode); err != nil {
		return err
	}
	n := mem.ListLength(wr.SGList)
	if len(wr.SGList) > int(q.cap.MaxSendSGE) || n > MaxMsg {
		return syscall.EINVAL
	}
	if wr.SendFlags&verbs.SendInline != 0 && (n > uint64(q.cap.MaxInlineData) || wr.Opcode.Traits().Receives) {
		return syscall.EINVAL
	}
	if isAtomic(wr.Opcode) && n < verbs.AtomicLen || isLocal(wr.Opcode) && len(wr.SGList) > 0 || isPlacement(wr.Opcode) && !isWholePlacement(wr) {
		return syscall.EINVAL
	}
	if q.typ == verbs.UD {
		return s.checkAH(wr.AH)
	}
	return nil
}

// isWholePlacement reports whether a request has the data that its operation needs: 8 bytes in one element, or none.
func isWholePlacement(wr *verbs.SendWR) bool {
	if wr.SendFlags&verbs.SendInline != 0 {
		return false
	}
	if wr.Opcode == verbs.WRFlush {
		return len(wr.SGList) == 0
	}
	return len(wr.SGList) == 1 && wr.SGList[0].Length == verbs.AtomicLen
}

// checkAH returns an error if the queue pair must not use the address handle.
func (s *sendQueue) checkAH(h verbs.AH) error {
	own, isOurs := h.(*ah)
	switch {
	case h == nil:
		return syscall.EINVAL
	case !isOurs || own.pd.dev != s.q.dev:
		return verbs.ErrForeignObject
	case own.pd != s.q.pd:
		return syscall.EINVAL
	}
	return nil
}

// address sets a datagram's destination.
func (s *sendQueue) address(w *sendWQE, wr *verbs.SendWR) {
	w.path = wr.AH.(*ah).path
	w.destQP, w.qkey = uint32(wr.RemoteQPN), wr.RemoteQKey
}
