package soft

import (
	"errors"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/soft/transport"
)

// mapped is a length that is certainly mapped, not allocated on the Go heap.
const mapped = 1 << 20

// inQuota returns how much of an adapter's quota is in use.
func inQuota(q *object.Quota) (objects [7]int32, bytes uint64) {
	return [...]int32{q.QP.Load(), q.CQ.Load(), q.MR.Load(), q.MW.Load(), q.PD.Load(), q.AH.Load(), q.SRQ.Load()},
		q.Memory.Used()
}

// makeEverything makes an object of each kind, resizes those that can be resized, and returns them in closing order. It
// stops at the first error.
func makeEverything(t *testing.T, dev verbs.Device) (made []interface{ Close() error }, err error) {
	keep := func(c interface{ Close() error }, e error) bool {
		if err = e; err == nil {
			made = append(made, c)
		}
		return err == nil
	}
	pd, e := dev.AllocPD()
	if !keep(pd, e) {
		return made, err
	}
	cq, e := dev.CreateCQ(verbs.CQSpec{CQE: 100})
	if !keep(cq, e) {
		return made, err
	}
	small, e := pd.RegMR(verbs.MRSpec{Length: 5000, Access: verbs.LocalWrite})
	if !keep(small, e) {
		return made, err
	}
	large, e := pd.RegMR(verbs.MRSpec{Length: mapped + 1})
	if !keep(large, e) {
		return made, err
	}
	for _, length := range []uint64{3 * mapped, 7, mapped} {
		change := verbs.MRChange{Flags: verbs.ReregTranslation, Length: length}
		if err := errors.Join(small.Rereg(change), large.Rereg(change)); err != nil {
			return made, err
		}
	}
	srq, e := pd.CreateSRQ(verbs.SRQSpec{MaxWR: 10, MaxSGE: 3})
	if !keep(srq, e) {
		return made, err
	}
	for _, depth := range []uint32{1000, 5} {
		if err := srq.Modify(verbs.SRQAttr{Mask: verbs.SRQMaxWR, MaxWR: depth}); err != nil {
			return made, err
		}
	}
	mw, e := pd.AllocMW(verbs.MWType2)
	if !keep(mw, e) {
		return made, err
	}
	channel, e := dev.CreateCompChannel()
	if !keep(channel, e) {
		return made, err
	}
	events, e := dev.(*device).adapter.manager.CreateEventChannel()
	if !keep(events, e) {
		return made, err
	}
	id, e := events.CreateID(verbs.PortSpaceTCP)
	if !keep(id, e) {
		return made, err
	}
	gid := must(dev.QueryGID(1, 1))(t)
	ah, e := pd.CreateAH(verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: gid.GID, SGIDIndex: 1}})
	if !keep(ah, e) {
		return made, err
	}
	limits := verbs.QPCap{MaxSendWR: 100, MaxRecvWR: 33, MaxSendSGE: 5, MaxRecvSGE: 2, MaxInlineData: 100}
	for _, shared := range []verbs.SRQ{nil, srq} {
		qp, e := pd.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: cq, RecvCQ: cq, SRQ: shared, Cap: limits})
		if !keep(qp, e) {
			return made, err
		}
	}
	return made, nil
}

// TestQuotaIsConserved makes and destroys an object of each kind with budgets that run out at ever later points: all
// objects and bytes are released.
func TestQuotaIsConserved(t *testing.T) {
	whole, failures := false, 0
	for limit := uint64(0); !whole; limit += 1000 {
		budget := memory.New(limit, "a test's")
		p := New(Options{Memory: budget})
		dev := must(p.Open("soft0"))(t)
		quota := &p.adapter("soft0").transport.Quota
		made, err := makeEverything(t, dev)
		if whole = err == nil; !whole {
			failures++
			var full *memory.Error
			if !errors.Is(err, syscall.ENOMEM) || !errors.As(err, &full) {
				t.Fatalf("limit %d: %v", limit, err)
			}
		}
		for i := len(made) - 1; i >= 0; i-- {
			ok(t, made[i].Close())
			ok(t, made[i].Close()) // a second Close has no effect
		}
		if objects, bytes := inQuota(quota); objects != [7]int32{} || bytes != 0 {
			t.Fatalf("limit %d, %d objects made (%v): %v and %d bytes still in use", limit, len(made), err,
				objects, bytes)
		}
		ok(t, dev.Close())
		if limit > 64*mapped {
			t.Fatal("no budget sufficed")
		}
	}
	if failures < 100 {
		t.Errorf("only %d failures", failures)
	}
}

// TestQuotaOfObjects makes the last object of each kind that the quota allows, and one more.
func TestQuotaOfObjects(t *testing.T) {
	p := New(Options{})
	s := newSide(t, p, "soft0", pairOptions{}.WithDefaults())
	q := &p.adapter("soft0").transport.Quota
	type closer interface{ Close() error }
	for _, tt := range []struct {
		kind   string
		n      *atomic.Int32
		limit  int32
		create func() (closer, error)
	}{
		{"QP", &q.QP, transport.MaxQP, func() (closer, error) {
			return s.PD.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: s.CQ, RecvCQ: s.CQ})
		}},
		{"CQ", &q.CQ, transport.MaxCQ, func() (closer, error) { return s.Dev.CreateCQ(verbs.CQSpec{CQE: 1}) }},
		{"MR", &q.MR, mem.MaxRegions, func() (closer, error) { return s.PD.RegMR(verbs.MRSpec{Length: 1}) }},
		{"MW", &q.MW, mem.MaxWindows, func() (closer, error) { return s.PD.AllocMW(verbs.MWType2) }},
		{"PD", &q.PD, transport.MaxPD, func() (closer, error) { return s.Dev.AllocPD() }},
		{"AH", &q.AH, transport.MaxAH, func() (closer, error) {
			return s.PD.CreateAH(verbs.AHAttr{
				IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: s.GID.GID, SGIDIndex: 1},
			})
		}},
		{"SRQ", &q.SRQ, transport.MaxSRQ, func() (closer, error) { return s.PD.CreateSRQ(verbs.SRQSpec{MaxWR: 1}) }},
		{"DM", &q.DM, mem.MaxRegions, func() (closer, error) {
			return s.Dev.(*device).AllocDM(verbs.DMSpec{Length: 1})
		}},
	} {
		before := tt.n.Load()
		tt.n.Store(tt.limit - 1)
		last, err := tt.create()
		ok(t, err)
		if _, err := tt.create(); !errors.Is(err, syscall.ENOMEM) {
			t.Errorf("%s: one too many: %v", tt.kind, err)
		}
		ok(t, last.Close())
		if n := tt.n.Load(); n != tt.limit-1 {
			t.Errorf("%s: %d are counted, want %d", tt.kind, n, tt.limit-1)
		}
		tt.n.Store(before)
	}
}

// TestQuotaOfGreed requests far more than the quota: the excess is refused, and the heap stays bounded.
func TestQuotaOfGreed(t *testing.T) {
	const limit = 64 << 20
	p := New(Options{Memory: memory.New(limit, "a test's")})
	s := newSide(t, p, "soft0", pairOptions{}.WithDefaults())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	most := verbs.QPCap{
		MaxSendWR: transport.MaxQPWR, MaxRecvWR: transport.MaxQPWR, MaxSendSGE: transport.MaxSGE,
		MaxRecvSGE: transport.MaxSGE, MaxInlineData: transport.MaxInline,
	}
	made, failed := 0, 0
	for range 50 {
		for _, f := range []func() (interface{ Close() error }, error){
			func() (interface{ Close() error }, error) { return s.PD.RegMR(verbs.MRSpec{Length: mem.MaxRegionSize}) },
			func() (interface{ Close() error }, error) {
				return s.PD.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: s.CQ, RecvCQ: s.CQ, Cap: most})
			},
			func() (interface{ Close() error }, error) { return s.Dev.CreateCQ(verbs.CQSpec{CQE: transport.MaxCQE}) },
			func() (interface{ Close() error }, error) {
				return s.PD.CreateSRQ(verbs.SRQSpec{MaxWR: transport.MaxSRQWR, MaxSGE: transport.MaxSRQSGE})
			},
		} {
			if c, err := f(); err == nil {
				made++
				closeAtEnd(t, c)
			} else if failed++; !errors.Is(err, syscall.ENOMEM) {
				t.Error(err)
			}
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.HeapAlloc - before.HeapAlloc; made == 0 || failed == 0 || grown > 2*limit {
		t.Errorf("%d made, %d failed, %d bytes", made, failed, grown)
	}
}
