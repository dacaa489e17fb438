// Package verbstest is what every provider must pass: one body of tests, run on
// the software device everywhere and on a real kernel's device through
// libibverbs in the virtual machine.
//
// A provider's own test calls [Run]. Where a device is known to differ from the
// specification it says so by a [Quirk], which changes what is expected, never
// whether it is looked at.
package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// Quirk is a known difference from the specification, with the reason in words.
type Quirk string

// Known quirks.
const (
	// NoCommEst: the device never raises IBV_EVENT_COMM_EST.
	NoCommEst Quirk = "no COMM_EST event"
	// NoErrorEvents: a responder that refuses a request goes to ERR without
	// QP_ACCESS_ERR or QP_REQ_ERR.
	NoErrorEvents Quirk = "no affiliated error events"
	// ShortRecvIsQPErr: a message longer than the RECV ends it with LOC_QP_OP_ERR,
	// and the requester's with REM_OP_ERR, where IBA 9.9.3 (class C, NAK "invalid
	// request") leads to LOC_LEN_ERR and REM_INV_REQ_ERR.
	ShortRecvIsQPErr Quirk = "a RECV that is too small is a QP operation error"
	// BadLKeyIsQPErr: a request with an lkey of no region ends with LOC_QP_OP_ERR;
	// IBA 11.6.2 has LOC_PROT_ERR for it.
	BadLKeyIsQPErr Quirk = "a bad lkey is a QP operation error"
	// LateRecvFlush: a RECV that is posted in ERR stays until the queue pair is
	// next moved to ERR; IBA 10.3.1.6 has it complete as flushed at once.
	LateRecvFlush Quirk = "a RECV posted in ERR is not flushed by itself"
	// NoDestRDAtomicLimit: max_dest_rd_atomic is taken whatever the device's
	// max_qp_rd_atom.
	NoDestRDAtomicLimit Quirk = "max_dest_rd_atomic has no limit"
)

// Env is what a run of the suite needs.
type Env struct {
	Provider verbs.Provider
	Device   string // a device that can reach itself
	Quirks   []Quirk
}

func (e Env) has(q Quirk) bool {
	for _, have := range e.Quirks {
		if have == q {
			return true
		}
	}
	return false
}

// expect returns what the specification wants, or what a device with the quirk
// does.
func expect[T any](e Env, q Quirk, specified, quirky T) T {
	if e.has(q) {
		return quirky
	}
	return specified
}

// suite lists the tests by the concept that they hold the provider to.
var suite = []struct {
	name string
	run  func(t *testing.T, b *bench)
}{
	{"device attributes", testDeviceAttr},
	{"ports and GIDs", testPorts},
	{"regions", testRegions},
	{"closing order", testClosingOrder},
	{"bring-up", testBringUp},
	{"refused transitions", testRefusedTransitions},
	{"refused values", testRefusedValues},
	{"reset and again", testResetAndAgain},
	{"messages", testMessages},
	{"immediate data", testImmediate},
	{"inline", testInline},
	{"scatter and gather", testScatterGather},
	{"chain", testChain},
	{"unsignalled", testUnsignalled},
	{"remote failures", testRemoteFailures},
	{"local failures", testLocalFailures},
	{"no RECV", testNoRecv},
	{"peer does not answer", testNoAnswer},
	{"flush", testFlush},
	{"post in the wrong state", testPostStates},
	{"completion events", testCompletionEvents},
	{"asynchronous events", testAsyncEvents},
	{"cancelled waits", testCancelledWaits},
	{"foreign objects", testForeignObjects},
	{"datagrams", testDatagrams},
}

// Run holds the environment's provider to the whole suite.
func Run(t *testing.T, env Env) {
	t.Helper()
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) { s.run(t, newBench(t, env)) })
	}
}

// bench is one open device with what the tests need at hand; everything made
// through it is closed at the end of the test, and a failing close fails it.
type bench struct {
	t    *testing.T
	env  Env
	dev  verbs.Device
	pd   verbs.PD
	cq   verbs.CQ
	port verbs.PortAttr
	gid  verbs.GIDEntry
}

func newBench(t *testing.T, env Env) *bench {
	t.Helper()
	b := &bench{t: t, env: env}
	var err error
	b.dev, err = env.Provider.Open(env.Device)
	b.must(err)
	b.closeAtEnd(b.dev)
	b.port, err = b.dev.QueryPort(1)
	b.must(err)
	table, err := b.dev.QueryGIDTable()
	b.must(err)
	b.gid, err = verbs.ChooseGID(table, 1, verbs.GID{})
	b.must(err)
	b.pd, err = b.dev.AllocPD()
	b.must(err)
	b.closeAtEnd(b.pd)
	b.cq = b.newCQ(64, nil)
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

type closer interface{ Close() error }

func (b *bench) closeAtEnd(c closer) {
	b.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			b.t.Errorf("closing %T: %v", c, err)
		}
	})
}

func (b *bench) newCQ(cqe int, ch verbs.CompChannel) verbs.CQ {
	b.t.Helper()
	cq, err := b.dev.CreateCQ(verbs.CQSpec{CQE: cqe, Channel: ch})
	b.must(err)
	b.closeAtEnd(cq)
	return cq
}

func (b *bench) newMR(length uint64, access verbs.Access) verbs.MR {
	b.t.Helper()
	mr, err := b.pd.RegMR(verbs.MRSpec{Length: length, Access: access})
	b.must(err)
	b.closeAtEnd(mr)
	return mr
}

// newQP makes a queue pair whose completions arrive on the bench's own queue.
func (b *bench) newQP(typ verbs.QPType, sigAll bool) verbs.QP {
	b.t.Helper()
	qp, err := b.pd.CreateQP(verbs.QPSpec{
		QPType: typ, SendCQ: b.cq, RecvCQ: b.cq, SQSigAll: sigAll,
		Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 4, MaxRecvSGE: 4, MaxInlineData: 64},
	})
	b.must(err)
	b.closeAtEnd(qp)
	return qp
}

func sge(mr verbs.MR, off uint64, length uint32) []verbs.SGE {
	return []verbs.SGE{{Addr: mr.Addr() + off, Length: length, LKey: mr.LKey()}}
}

// pattern is bytes that differ from their neighbours and between messages.
func pattern(n int, seed byte) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i*7+i>>8) ^ seed
	}
	return p
}

func fill(t *testing.T, mr verbs.MR, p []byte, off int64) {
	t.Helper()
	if n, err := mr.WriteAt(p, off); n != len(p) || err != nil {
		t.Fatalf("WriteAt: %d of %d bytes, %v", n, len(p), err)
	}
}

func wantBytes(t *testing.T, mr verbs.MR, want []byte, off int64) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := mr.ReadAt(got, off); n != len(got) || err != nil {
		t.Fatalf("ReadAt: %d of %d bytes, %v", n, len(got), err)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("byte %d is 0x%02x, want 0x%02x (%d bytes compared)", i, got[i], want[i], len(want))
		}
	}
}

func describe(wc verbs.WC) string {
	return fmt.Sprintf("wr_id %d %s %s byte_len %d qp %s", wc.WRID, wc.Status, wc.Opcode, wc.ByteLen, wc.QPNum)
}
