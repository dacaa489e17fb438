package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// bench is an open device with the objects that tests need. All objects made through it are
// closed at the end of the test, which fails if a close fails.
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
	b.gid, err = route.GID(table, 1, verbs.GID{})
	b.must(err)
	b.pd, err = b.dev.AllocPD()
	b.must(err)
	b.closeAtEnd(b.pd)
	b.cq = b.newCQ(64, nil)
	return b
}

// part runs one part of a test on its own bench, so that its objects are closed when it ends
// and its completions are not mixed with those of other parts.
func (b *bench) part(name string, run func(t *testing.T, b *bench)) {
	b.t.Run(name, func(t *testing.T) {
		part := *b
		part.t = t
		part.cq = part.newCQ(64, nil)
		run(t, &part)
	})
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
	return b.newMRIn(b.pd, length, access)
}

// newQP makes a queue pair whose completions arrive on the bench's own queue.
func (b *bench) newQP(typ verbs.QPType, sigAll bool) verbs.QP {
	b.t.Helper()
	return b.newQPOf(verbs.QPSpec{QPType: typ, SQSigAll: sigAll})
}

// newQPOf makes a queue pair with the given attributes; zero values mean the attributes of
// newQP.
func (b *bench) newQPOf(spec verbs.QPSpec) verbs.QP {
	b.t.Helper()
	if spec.SendCQ == nil {
		spec.SendCQ = b.cq
	}
	if spec.RecvCQ == nil {
		spec.RecvCQ = b.cq
	}
	if spec.Cap == (verbs.QPCap{}) {
		spec.Cap = verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 4, MaxRecvSGE: 4, MaxInlineData: 64}
	}
	qp, err := b.pd.CreateQP(spec)
	b.must(err)
	b.closeAtEnd(qp)
	return qp
}

// newPD makes a protection domain in addition to the bench's own.
func (b *bench) newPD() verbs.PD {
	b.t.Helper()
	pd, err := b.dev.AllocPD()
	b.must(err)
	b.closeAtEnd(pd)
	return pd
}

// newMRIn makes a region in a protection domain other than the bench's own.
func (b *bench) newMRIn(pd verbs.PD, length uint64, access verbs.Access) verbs.MR {
	b.t.Helper()
	mr, err := pd.RegMR(verbs.MRSpec{Length: length, Access: access})
	b.must(err)
	b.closeAtEnd(mr)
	return mr
}

func sge(mr verbs.MR, off uint64, length uint32) []verbs.SGE {
	return []verbs.SGE{{Addr: mr.Addr() + off, Length: length, LKey: mr.LKey()}}
}

// pattern returns bytes that differ from their neighbours and between messages.
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
