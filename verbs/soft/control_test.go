package soft

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/route"
	"rdmatui/verbs/soft/internal/object"
)

func TestLists(t *testing.T) {
	p := New(Options{})
	infos := must(p.Devices())(t)
	if len(infos) != 2 || infos[0].Name != "soft0" || infos[1].Name != "soft1" ||
		infos[0].NodeGUID == infos[1].NodeGUID {
		t.Fatalf("%+v", infos)
	}
	for i, info := range infos {
		dev := must(p.Open(info.Name))(t)
		closeAtEnd(t, dev)
		table := must(dev.QueryGIDTable())(t)
		choice := must(route.GID(table, 1, verbs.GID{}))(t)
		if want := []string{"::ffff:127.0.0.1", "::ffff:127.0.0.2"}[i]; choice.Index != 1 ||
			choice.GID.String() != want {
			t.Errorf("%s: the GID to choose is %v, want %s at index 1", info.Name, choice, want)
		}
		if !netip.MustParsePrefix("fe80::/64").Contains(table[0].GID.Addr()) {
			t.Errorf("GID 0 is %s", table[0].GID)
		}
		if attr := must(dev.QueryDevice())(t); attr.NodeGUID != info.NodeGUID {
			t.Errorf("node_guid %s, listed as %s", attr.NodeGUID, info.NodeGUID)
		}
	}
	if _, err := p.Open("soft2"); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("soft2: %v", err)
	}
}

// TestAddressesInMemory: the devices have the given addresses, and the usual ones beyond them.
func TestAddressesInMemory(t *testing.T) {
	own := []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")}
	for n := range len(own) + 1 {
		for i, a := range New(Options{Addrs: own[:n]}).devices() {
			want := loopback(i)
			if i < n {
				want = own[i]
			}
			if a.addrs[1] != want {
				t.Errorf("%d given: soft%d has %s, want %s", n, i, a.addrs[1], want)
			}
		}
	}
}

// TestNumbersAreNotPredictable compares the first keys, addresses and queue pair numbers of several providers.
func TestNumbersAreNotPredictable(t *testing.T) {
	o := pairOptions{}.WithDefaults()
	type numbers struct {
		keys, addrs [4]uint64
		qpns        [4]verbs.QPN
	}
	var seen numbers
	for range 4 {
		s := newSide(t, New(Options{}), "soft0", o)
		var now numbers
		for i := range 4 {
			mr := s.NewMR(1, 0)
			now.keys[i], now.addrs[i], now.qpns[i] = uint64(mr.RKey()), mr.Addr(), s.NewQP(o).Num()
		}
		if now.keys == seen.keys || now.addrs == seen.addrs || now.qpns == seen.qpns {
			t.Errorf("the same numbers again: %+v", now)
		}
		seen = now
	}
}

// TestModifyRefuses makes calls that must fail with EINVAL and change nothing.
func TestModifyRefuses(t *testing.T) {
	o := pairOptions{}.WithDefaults()
	mask := func(a verbs.QPAttr, set, clear verbs.AttrMask) verbs.QPAttr {
		a.Mask = a.Mask&^clear | set
		return a
	}
	s := newSide(t, New(Options{}), "soft0", o)
	init := verbs.QPAttr{
		Mask:    verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags,
		QPState: verbs.QPInit, PortNum: 1,
	}
	rtr, rts := s.RtrAttr(o, s.GID.GID, 5, 0), rtsAttr(o, 0)
	with := func(a verbs.QPAttr, change func(a *verbs.QPAttr)) verbs.QPAttr { change(&a); return a }
	tests := []struct {
		name string
		from verbs.QPState
		attr verbs.QPAttr
	}{
		{"RESET to RTR", verbs.QPReset, rtr},
		{"RESET to ERR", verbs.QPReset, verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}},
		{"INIT without port", verbs.QPReset, mask(init, 0, verbs.AttrPort)},
		{"INIT with Q_Key", verbs.QPReset, mask(init, verbs.AttrQKey, 0)},
		{"port 2", verbs.QPReset, with(init, func(a *verbs.QPAttr) { a.PortNum = 2 })},
		{"port 0", verbs.QPReset, with(init, func(a *verbs.QPAttr) { a.PortNum = 0 })},
		{"P_Key index 1", verbs.QPReset, with(init, func(a *verbs.QPAttr) { a.PKeyIndex = 1 })},
		{"INIT to RTS", verbs.QPInit, rts},
		{"RTR without rq_psn", verbs.QPInit, mask(rtr, 0, verbs.AttrRQPSN)},
		{"RTR with timeout", verbs.QPInit, mask(rtr, verbs.AttrTimeout, 0)},
		{"RTR with capabilities", verbs.QPInit, mask(rtr, verbs.AttrCap, 0)},
		{"a GID index that is not there", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) { a.AH.GRH.SGIDIndex = 2 })},
		{"no GRH", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) { a.AH.IsGlobal = false })},
		{"an address vector to no port", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) { a.AH.PortNum = 0 })},
		{"no destination", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) { a.AH.GRH.DGID = verbs.GID{} })},
		{"no destination, IPv4", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) {
			a.AH.GRH.DGID = verbs.GIDFromAddr(netip.IPv4Unspecified())
		})},
		{"no destination, IPv6", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) {
			a.AH.GRH.DGID, a.AH.GRH.SGIDIndex = verbs.GID{}, 0
		})},
		{"a multicast destination", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) {
			a.AH.GRH.DGID = verbs.GID{0: 0xff, 15: 1}
		})},
		{"GIDs of two families", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) { a.AH.GRH.SGIDIndex = 0 })},
		{"path MTU 0", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) { a.PathMTU = 0 })},
		{"path MTU 6", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) { a.PathMTU = 6 })},
		{"dest_qp_num of 25 bits", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) { a.DestQPNum = 1 << 24 })},
		{"max_dest_rd_atomic", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) {
			a.MaxDestRDAtomic = object.MaxRDAtomic + 1
		})},
		{"min_rnr_timer", verbs.QPInit, with(rtr, func(a *verbs.QPAttr) { a.MinRNRTimer = 32 })},
		{"timeout", verbs.QPRTR, with(rts, func(a *verbs.QPAttr) { a.Timeout = 32 })},
		{"retry_cnt", verbs.QPRTR, with(rts, func(a *verbs.QPAttr) { a.RetryCnt = 8 })},
		{"rnr_retry", verbs.QPRTR, with(rts, func(a *verbs.QPAttr) { a.RNRRetry = 8 })},
		{"max_rd_atomic", verbs.QPRTR, with(rts, func(a *verbs.QPAttr) { a.MaxRDAtomic = object.MaxRDAtomic + 1 })},
		{"the wrong current state", verbs.QPRTR, with(mask(rts, verbs.AttrCurState, 0), func(a *verbs.QPAttr) {
			a.CurQPState = verbs.QPInit
		})},
		{"an unknown state", verbs.QPRTR, verbs.QPAttr{Mask: verbs.AttrState, QPState: 77}},
		{"RTR again", verbs.QPRTR, rtr},
	}
	way := []verbs.QPAttr{init, rtr, rts}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			qp := s.NewQP(o)
			for _, step := range way[:tt.from] {
				ok(t, qp.Modify(step))
			}
			before, _, err := qp.Query(^verbs.AttrMask(0))
			ok(t, err)
			err = qp.Modify(tt.attr)
			var op *verbs.OpError
			if !errors.Is(err, syscall.EINVAL) || !errors.As(err, &op) || op.Op != "ibv_modify_qp" ||
				!strings.Contains(op.Object, qp.Num().String()) {
				t.Errorf("%v, want EINVAL", err)
			}
			if after, _, _ := qp.Query(^verbs.AttrMask(0)); after != before {
				t.Errorf("the queue pair changed to %+v", after)
			}
		})
	}
}

// TestAlternatePath asks for path migration, which the device does not have: the state it is in may be set, and nothing
// else.
func TestAlternatePath(t *testing.T) {
	o := pairOptions{}.WithDefaults()
	s := newSide(t, New(Options{}), "soft0", o)
	ok(t, s.ToInit(o))
	rtr := s.RtrAttr(o, s.GID.GID, 5, 0)
	with := rtr
	with.Mask |= verbs.AttrAltPath
	if err := s.QP.Modify(with); !errors.Is(err, verbs.ErrUnsupported) || s.State() != verbs.QPInit {
		t.Errorf("an alternate path: %v, in %s", err, s.State())
	}
	ok(t, s.QP.Modify(rtr))
	rts := rtsAttr(o, 0)
	rts.Mask |= verbs.AttrPathMigState
	rts.PathMigState = 1
	wantErr(t, "another migration state", s.QP.Modify(rts), syscall.EINVAL)
	rts.PathMigState = 0
	ok(t, s.QP.Modify(rts))
}

func TestQueryTellsWhatWasSet(t *testing.T) {
	o := pairOptions{
		PSNA: 0x123456, PSNB: 0x654321, MTU: verbs.MTU512, Timeout: 9, Retry: 3, RNRRetry: 2, RNRTimer: 5, RDAtomic: 6,
	}
	a, b := connect(t, New(Options{}), "soft0", "soft1", o)
	got, init, err := a.QP.Query(verbs.AttrState)
	ok(t, err)
	want := verbs.QPAttr{
		Mask: verbs.AttrState, QPState: verbs.QPRTS, CurQPState: verbs.QPRTS,
		PathMTU: verbs.MTU512, RQPSN: o.PSNB, SQPSN: o.PSNA, DestQPNum: b.QP.Num(),
		QPAccessFlags: verbs.RemoteRead | verbs.RemoteWrite | verbs.RemoteAtomic, Cap: a.QP.Cap(), PortNum: 1,
		Timeout: 9, RetryCnt: 3, RNRRetry: 2, MinRNRTimer: 5, MaxRDAtomic: 6, MaxDestRDAtomic: 6,
		AH: verbs.AHAttr{IsGlobal: true, PortNum: 1,
			GRH: verbs.GlobalRoute{DGID: b.GID.GID, SGIDIndex: 1, HopLimit: 64}},
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if init.QPType != verbs.RC || init.SQSigAll || init.Cap != a.QP.Cap() {
		t.Errorf("%+v", init)
	}
}

func TestClosingOrder(t *testing.T) {
	s := newSide(t, New(Options{}), "soft0", pairOptions{}.WithDefaults())
	ch := must(s.Dev.CreateCompChannel())(t)
	cq := must(s.Dev.CreateCQ(verbs.CQSpec{CQE: 1, Channel: ch}))(t)
	mr := must(s.PD.RegMR(verbs.MRSpec{Length: 1}))(t)
	av := verbs.AHAttr{IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: s.GID.GID, SGIDIndex: 1}}
	ah := must(s.PD.CreateAH(av))(t)
	if ah.Attr() != av {
		t.Errorf("the address handle has %+v", ah.Attr())
	}
	busy := func(c interface{ Close() error }, user string) {
		t.Helper()
		var b *verbs.BusyError
		if err := c.Close(); !errors.Is(err, syscall.EBUSY) || !errors.As(err, &b) ||
			!strings.Contains(err.Error(), user) {
			t.Errorf("%T: %v; want busy because of %s", c, err, user)
		}
	}
	busy(s.Dev, "PD")
	busy(s.PD, s.QP.Num().String())
	busy(s.CQ, s.QP.Num().String())
	busy(ch, "CQ")
	for _, c := range []interface{ Close() error }{s.QP, mr, ah, s.PD, cq, ch, s.CQ, s.Dev} {
		for range 2 {
			if err := c.Close(); err != nil {
				t.Errorf("%T: %v", c, err)
			}
		}
	}
	for name, err := range map[string]error{
		"AllocPD": second(s.Dev.AllocPD()), "RegMR": second(s.PD.RegMR(verbs.MRSpec{Length: 1})),
		"CreateAH":          second(s.PD.CreateAH(av)),
		"CreateSRQ":         second(s.PD.CreateSRQ(verbs.SRQSpec{MaxWR: 1})),
		"CreateQP":          second(s.PD.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: s.CQ, RecvCQ: s.CQ})),
		"CreateCompChannel": second(s.Dev.CreateCompChannel()), "ReqNotify": s.CQ.ReqNotify(false),
		"Query": queryError(s.QP.Query(verbs.AttrState)), "QueryDevice": second(s.Dev.QueryDevice()),
		"QueryDeviceEx": second(s.Dev.(*device).QueryDeviceEx()), "QueryGIDTable": second(s.Dev.QueryGIDTable()),
		"QueryRTValuesEx": second(s.Dev.(*device).QueryRTValuesEx()), "QueryGID": second(s.Dev.QueryGID(1, 0)),
		"QueryPKey": second(s.Dev.QueryPKey(1, 0)), "CreateCQ": second(s.Dev.CreateCQ(verbs.CQSpec{CQE: 1})),
		"Poll": second(s.CQ.Poll(make([]verbs.WC, 1))), "QueryPort": second(s.Dev.QueryPort(1)),
		"GetAsyncEvent": second(s.Dev.GetAsyncEvent(context.Background())),
		"GetCQEvent":    second(ch.GetCQEvent(context.Background())), "Modify": s.QP.Modify(verbs.QPAttr{}),
		"PostSend": second(s.QP.PostSend(verbs.SendWR{})), "PostRecv": second(s.QP.PostRecv(verbs.RecvWR{})),
	} {
		if !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("%s of a closed object: %v", name, err)
		}
	}
}

// TestBusyByEach makes one object that depends on another, alone: the other cannot be closed before it.
func TestBusyByEach(t *testing.T) {
	type closer interface{ Close() error }
	p := New(Options{})
	s := newSide(t, p, "soft0", pairOptions{}.WithDefaults())
	spare := func() verbs.CQ { return must(s.Dev.CreateCQ(verbs.CQSpec{CQE: 1}))(t) }
	for name, create := range map[string]func() (used, user closer){
		"device, PD": func() (closer, closer) { d := must(p.Open("soft0"))(t); return d, must(d.AllocPD())(t) },
		"device, CQ": func() (closer, closer) {
			d := must(p.Open("soft0"))(t)
			return d, must(d.CreateCQ(verbs.CQSpec{CQE: 1}))(t)
		},
		"device, channel": func() (closer, closer) {
			d := must(p.Open("soft0"))(t)
			return d, must(d.CreateCompChannel())(t)
		},
		"device, DM": func() (closer, closer) {
			d := must(p.Open("soft0"))(t)
			return d, must(d.(*device).AllocDM(verbs.DMSpec{Length: 1}))(t)
		},
		"channel, CQ": func() (closer, closer) {
			c := must(s.Dev.CreateCompChannel())(t)
			return c, must(s.Dev.CreateCQ(verbs.CQSpec{CQE: 1, Channel: c}))(t)
		},
		"PD, MR": func() (closer, closer) {
			pd := must(s.Dev.AllocPD())(t)
			return pd, must(pd.RegMR(verbs.MRSpec{Length: 1}))(t)
		},
		"PD, MW": func() (closer, closer) {
			pd := must(s.Dev.AllocPD())(t)
			return pd, must(pd.AllocMW(verbs.MWType1))(t)
		},
		"PD, SRQ": func() (closer, closer) {
			pd := must(s.Dev.AllocPD())(t)
			return pd, must(pd.CreateSRQ(verbs.SRQSpec{MaxWR: 1}))(t)
		},
		"PD, AH": func() (closer, closer) {
			pd := must(s.Dev.AllocPD())(t)
			return pd, must(pd.CreateAH(verbs.AHAttr{IsGlobal: true, PortNum: 1,
				GRH: verbs.GlobalRoute{DGID: s.GID.GID, SGIDIndex: 1}}))(t)
		},
		"PD, QP": func() (closer, closer) {
			pd := must(s.Dev.AllocPD())(t)
			return pd, must(pd.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: s.CQ, RecvCQ: s.CQ}))(t)
		},
		"send CQ, QP": func() (closer, closer) {
			q := spare()
			return q, must(s.PD.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: q, RecvCQ: s.CQ}))(t)
		},
		"receive CQ, QP": func() (closer, closer) {
			q := spare()
			return q, must(s.PD.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: s.CQ, RecvCQ: q}))(t)
		},
		"SRQ, QP": func() (closer, closer) {
			q := must(s.PD.CreateSRQ(verbs.SRQSpec{MaxWR: 1}))(t)
			return q, must(s.PD.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: s.CQ, RecvCQ: s.CQ, SRQ: q}))(t)
		},
	} {
		used, user := create()
		wantErr(t, name, used.Close(), syscall.EBUSY)
		ok(t, user.Close())
		ok(t, used.Close())
	}
}

func queryError(_ verbs.QPAttr, _ verbs.QPInitAttr, err error) error { return err }

func TestForeignObjects(t *testing.T) {
	o := pairOptions{}.WithDefaults()
	a, b := newSide(t, New(Options{}), "soft0", o), newSide(t, New(Options{}), "soft0", o)
	if _, err := a.PD.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: a.CQ, RecvCQ: b.CQ}); !errors.Is(err,
		verbs.ErrForeignObject) {
		t.Errorf("a foreign CQ: %v", err)
	}
	ch := must(b.Dev.CreateCompChannel())(t)
	closeAtEnd(t, ch)
	if _, err := a.Dev.CreateCQ(verbs.CQSpec{CQE: 1, Channel: ch}); !errors.Is(err, verbs.ErrForeignObject) {
		t.Errorf("a foreign channel: %v", err)
	}
	for _, typ := range []verbs.QPType{verbs.RawPacket, 77} {
		if _, err := a.PD.CreateQP(verbs.QPSpec{QPType: typ, SendCQ: a.CQ, RecvCQ: a.CQ}); !errors.Is(err,
			verbs.ErrUnsupported) {
			t.Errorf("type %s: %v", typ, err)
		}
	}
}

// TestLimits requests one more than each attribute allows.
func TestLimits(t *testing.T) {
	s := newSide(t, New(Options{}), "soft0", pairOptions{}.WithDefaults())
	attr := must(s.Dev.QueryDevice())(t)
	qp := func(c verbs.QPCap) error {
		return second(s.PD.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: s.CQ, RecvCQ: s.CQ, Cap: c}))
	}
	mr := func(n uint64, a verbs.Access) error { return second(s.PD.RegMR(verbs.MRSpec{Length: n, Access: a})) }
	for name, err := range map[string]error{
		"max_qp_wr, send":     qp(verbs.QPCap{MaxSendWR: uint32(attr.MaxQPWR) + 1}),
		"max_qp_wr, receive":  qp(verbs.QPCap{MaxRecvWR: uint32(attr.MaxQPWR) + 1}),
		"max_sge, send":       qp(verbs.QPCap{MaxSendSGE: uint32(attr.MaxSGE) + 1}),
		"max_sge, receive":    qp(verbs.QPCap{MaxRecvSGE: uint32(attr.MaxSGE) + 1}),
		"max_cqe":             second(s.Dev.CreateCQ(verbs.CQSpec{CQE: int(attr.MaxCQE) + 1})),
		"no CQE":              second(s.Dev.CreateCQ(verbs.CQSpec{})),
		"comp_vector":         second(s.Dev.CreateCQ(verbs.CQSpec{CQE: 1, CompVector: 1})),
		"max_mr_size":         mr(attr.MaxMRSize+1, 0),
		"no length":           mr(0, 0),
		"REMOTE_WRITE alone":  mr(1, verbs.RemoteWrite),
		"REMOTE_ATOMIC alone": mr(1, verbs.RemoteAtomic),
		"AH index": second(s.PD.CreateAH(verbs.AHAttr{IsGlobal: true, PortNum: 1,
			GRH: verbs.GlobalRoute{DGID: s.GID.GID, SGIDIndex: 2}})),
		"port":        second(s.Dev.QueryPort(2)),
		"GID index":   second(s.Dev.QueryGID(1, 2)),
		"P_Key index": second(s.Dev.QueryPKey(1, 1)),
	} {
		if !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v, want EINVAL", name, err)
		}
	}
	for range attr.MaxPD - 1 {
		closeAtEnd(t, must(s.Dev.AllocPD())(t))
	}
	if _, err := s.Dev.AllocPD(); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("one PD too many: %v", err)
	}
}

// TestNothingStaysBehind counts goroutines: a device's engine ends when its last context is closed.
func TestNothingStaysBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		t.Run("", func(t *testing.T) {
			a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{})
			a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled})
			a.Want(1, verbs.WCSuccess)
			b.Nothing()
		})
	}
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d now\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
		}
	}
}
