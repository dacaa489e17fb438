package verbstest

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/transition"
)

func testDeviceAttr(t *testing.T, b *bench) {
	attr, err := b.dev.QueryDevice()
	b.must(err)
	for name, v := range map[string]int32{
		"max_qp": attr.MaxQP, "max_qp_wr": attr.MaxQPWR, "max_sge": attr.MaxSGE, "max_cq": attr.MaxCQ,
		"max_cqe": attr.MaxCQE, "max_mr": attr.MaxMR, "max_pd": attr.MaxPD,
		"max_qp_rd_atom": attr.MaxQPRDAtom, "max_qp_init_rd_atom": attr.MaxQPInitRDAtom,
		"max_srq": attr.MaxSRQ, "max_srq_wr": attr.MaxSRQWR, "max_srq_sge": attr.MaxSRQSGE, "max_ah": attr.MaxAH,
		"atomic_cap": int32(attr.AtomicCap), "max_pkeys": int32(attr.MaxPKeys),
		"phys_port_cnt": int32(attr.PhysPortCnt),
	} {
		if v < 1 {
			t.Errorf("%s is %d", name, v)
		}
	}
	if attr.NodeGUID == (verbs.GUID{}) || attr.NodeGUID != b.dev.Info().NodeGUID {
		t.Errorf("node_guid is %s, in the device list %s", attr.NodeGUID, b.dev.Info().NodeGUID)
	}
	if _, err := b.dev.QueryDeviceEx(); err != nil && !errors.Is(err, verbs.ErrUnsupported) {
		t.Errorf("QueryDeviceEx: %v", err)
	}
}

func testPorts(t *testing.T, b *bench) {
	if b.port.State != verbs.PortActive || b.port.ActiveMTU.Bytes() < 256 || b.port.ActiveMTU > b.port.MaxMTU {
		t.Errorf("port 1: %+v", b.port)
	}
	one, err := b.dev.QueryGID(1, b.gid.Index)
	b.must(err)
	if one.GID != b.gid.GID || one.Type != b.gid.Type {
		t.Errorf("the GID table has %v, the single query returns %v", b.gid, one)
	}
	pkey, err := b.dev.QueryPKey(1, 0)
	b.must(err)
	if pkey != 0xffff {
		t.Errorf("P_Key 0 is 0x%04x, want the default 0xffff", pkey)
	}
	if _, err := b.dev.QueryPort(200); err == nil {
		t.Error("port 200 was found")
	}
	if _, err := b.dev.QueryGID(1, 30000); err == nil {
		t.Error("GID index 30000 was found")
	}
}

func testRegions(t *testing.T, b *bench) {
	mr := b.newMR(5000, verbs.LocalWrite|verbs.RemoteRead)
	other := b.newMR(1, 0)
	if mr.LKey() == other.LKey() || mr.RKey() == other.RKey() || mr.Addr() == other.Addr() {
		t.Error("two regions share a key or an address")
	}
	wantBytes(t, mr, make([]byte, 5000), 0)
	fill(t, mr, pattern(5000, 1), 0)
	wantBytes(t, mr, pattern(5000, 1), 0)
	for _, off := range []int64{-1, 4998, 5001, 1 << 62} {
		if n, err := mr.WriteAt([]byte("abc"), off); err == nil {
			t.Errorf("WriteAt(%d) outside the region wrote %d bytes", off, n)
		}
	}
	if _, err := b.pd.RegMR(verbs.MRSpec{Length: 4096, Access: verbs.RemoteWrite}); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("REMOTE_WRITE without LOCAL_WRITE: %v, want EINVAL", err)
	}
	b.must(mr.Close())
	if _, err := mr.ReadAt(make([]byte, 1), 0); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("ReadAt after Close: %v, want ErrClosed", err)
	}
}

func testClosingOrder(t *testing.T, b *bench) {
	qp := b.newQP(verbs.RC, false)
	if err := b.pd.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("closing a PD in use: %v, want EBUSY", err)
	}
	if err := b.cq.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("closing a CQ in use: %v, want EBUSY", err)
	}
	b.must(qp.Close())
	b.must(qp.Close())
	b.must(b.cq.Close())
	b.must(b.pd.Close())
	b.must(b.pd.Close())
}

func testBringUp(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{access: allRemote, mtu: verbs.MTU256})
	attr, init, err := p.a.Query(verbs.AttrState | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN |
		verbs.AttrSQPSN | verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrMinRNRTimer |
		verbs.AttrAV | verbs.AttrPort | verbs.AttrCap)
	b.must(err)
	for name, ok := range map[string]bool{
		"qp_state":       attr.QPState == verbs.QPRTS,
		"path_mtu":       attr.PathMTU == verbs.MTU256,
		"dest_qp_num":    attr.DestQPNum == p.b.Num(),
		"sq_psn":         attr.SQPSN == 0x111,
		"rq_psn":         attr.RQPSN == 0x222,
		"timeout":        attr.Timeout == 14,
		"retry_cnt":      attr.RetryCnt == 7,
		"rnr_retry":      attr.RNRRetry == 7,
		"min_rnr_timer":  attr.MinRNRTimer == 12,
		"port_num":       attr.PortNum == 1,
		"dgid":           attr.AH.GRH.DGID == b.gid.GID,
		"sgid_index":     int(attr.AH.GRH.SGIDIndex) == b.gid.Index,
		"is_global":      attr.AH.IsGlobal,
		"max_send_wr":    init.Cap.MaxSendWR >= 16,
		"max_send_sge":   init.Cap.MaxSendSGE >= 4,
		"granted as now": p.a.Cap().MaxRecvWR >= 16,
	} {
		if !ok {
			t.Errorf("%s is wrong: %+v %+v", name, attr, init)
		}
	}
	if p.a.Num() == p.b.Num() || p.a.Num() > verbs.MaxQPN || p.a.Num() < 2 {
		t.Errorf("QP numbers %s and %s", p.a.Num(), p.b.Num())
	}
}

// testRefusedTransitions makes calls that the table forbids: the provider itself must refuse
// them and leave the queue pair unchanged.
func testRefusedTransitions(t *testing.T, b *bench) {
	o := pairOptions{}.withDefaults()
	tests := []struct {
		name string
		from verbs.QPState
		attr verbs.QPAttr
	}{
		{"RESET to RTR", verbs.QPReset, b.rtrAttr(o, 0x11, 1)},
		{"RESET to RTS", verbs.QPReset, rtsAttr(o, 1)},
		{"RESET to INIT without access flags", verbs.QPReset, without(b.initAttr(o), verbs.AttrAccessFlags)},
		{"RESET to INIT with a Q_Key", verbs.QPReset, with(b.initAttr(o), verbs.AttrQKey)},
		{"INIT to RTS", verbs.QPInit, rtsAttr(o, 1)},
		{"INIT to RTR without rq_psn", verbs.QPInit, without(b.rtrAttr(o, 0x11, 1), verbs.AttrRQPSN)},
		{"INIT to RTR without address vector", verbs.QPInit, without(b.rtrAttr(o, 0x11, 1), verbs.AttrAV)},
		{"INIT to RTR with timeout", verbs.QPInit, with(b.rtrAttr(o, 0x11, 1), verbs.AttrTimeout)},
		{"INIT to SQD", verbs.QPInit, verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPSQD}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			qp := b.newQP(verbs.RC, false)
			if tt.from == verbs.QPInit {
				b.must(qp.Modify(b.initAttr(o)))
			}
			if transition.Check(verbs.RC, tt.from, tt.attr) == nil {
				t.Error("the table in package verbs allows it")
			}
			if err := qp.Modify(tt.attr); !errors.Is(err, syscall.EINVAL) {
				t.Errorf("%v, want EINVAL", err)
			}
			wantState(t, qp, tt.from)
		})
	}
}

func without(a verbs.QPAttr, m verbs.AttrMask) verbs.QPAttr { a.Mask &^= m; return a }
func with(a verbs.QPAttr, m verbs.AttrMask) verbs.QPAttr    { a.Mask |= m; return a }

// testRefusedValues makes calls with correct masks and invalid values.
func testRefusedValues(t *testing.T, b *bench) {
	o := pairOptions{}.withDefaults()
	attr, err := b.dev.QueryDevice()
	b.must(err)
	// An unused row of the table gives another error than a row beyond its end.
	const freeRow = 250
	rowErr := syscall.EINVAL
	if freeRow < int(b.port.GIDTblLen) {
		rowErr = syscall.ENODATA
	}
	tests := []struct {
		name   string
		change func(t *testing.T, a *verbs.QPAttr)
		want   error
		state  verbs.QPState
	}{
		{"sgid_index of no GID", func(_ *testing.T, a *verbs.QPAttr) { a.AH.GRH.SGIDIndex = freeRow },
			rowErr, verbs.QPInit},
		{"path_mtu above the port's", func(_ *testing.T, a *verbs.QPAttr) { a.PathMTU = 6 },
			syscall.EINVAL, verbs.QPInit},
		{"max_dest_rd_atomic above the device's", func(t *testing.T, a *verbs.QPAttr) {
			if attr.MaxQPRDAtom >= 255 {
				t.Skip("every 8-bit value is legal on this device")
			}
			a.MaxDestRDAtomic = 255
		}, expect[error](b.env, NoDestRDAtomicLimit, syscall.EINVAL, nil),
			expect(b.env, NoDestRDAtomicLimit, verbs.QPInit, verbs.QPRTR)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			qp := b.newQP(verbs.RC, false)
			b.must(qp.Modify(b.initAttr(o)))
			a := b.rtrAttr(o, 0x11, 1)
			tt.change(t, &a)
			if err := qp.Modify(a); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			wantState(t, qp, tt.state)
		})
	}
	t.Run("max_rd_atomic above the device's", func(t *testing.T) {
		if max(attr.MaxQPRDAtom, attr.MaxQPInitRDAtom) >= 255 {
			t.Skip("every 8-bit value is legal on this device")
		}
		qp := b.newQP(verbs.RC, false)
		b.must(qp.Modify(b.initAttr(o)))
		b.must(qp.Modify(b.rtrAttr(o, 0x11, 1)))
		a := rtsAttr(o, 1)
		a.MaxRDAtomic = 255
		if err := qp.Modify(a); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%v, want EINVAL", err)
		}
		wantState(t, qp, verbs.QPRTR)
	})
	t.Run("port_num beyond the device's", func(t *testing.T) {
		a := b.initAttr(o)
		a.PortNum = 9
		if err := b.newQP(verbs.RC, false).Modify(a); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%v, want EINVAL", err)
		}
	})
}

// testRefusedSizes asks for one more than each limit of the device, and for zero where at least
// one is required.
func testRefusedSizes(t *testing.T, b *bench) {
	attr, err := b.dev.QueryDevice()
	b.must(err)
	qp := func(c verbs.QPCap) func() (closer, error) {
		return func() (closer, error) {
			return b.pd.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: b.cq, RecvCQ: b.cq, Cap: c})
		}
	}
	srq := func(wr, sge uint32) func() (closer, error) {
		return func() (closer, error) { return b.pd.CreateSRQ(verbs.SRQSpec{MaxWR: wr, MaxSGE: sge}) }
	}
	cq := func(n int) func() (closer, error) {
		return func() (closer, error) { return b.dev.CreateCQ(verbs.CQSpec{CQE: n}) }
	}
	one := verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1}
	more := func(change func(c *verbs.QPCap)) func() (closer, error) {
		c := one
		change(&c)
		return qp(c)
	}
	for name, create := range map[string]func() (closer, error){
		"max_send_wr":     more(func(c *verbs.QPCap) { c.MaxSendWR = uint32(attr.MaxQPWR) + 1 }),
		"max_recv_wr":     more(func(c *verbs.QPCap) { c.MaxRecvWR = uint32(attr.MaxQPWR) + 1 }),
		"max_send_sge":    more(func(c *verbs.QPCap) { c.MaxSendSGE = uint32(attr.MaxSGE) + 1 }),
		"max_recv_sge":    more(func(c *verbs.QPCap) { c.MaxRecvSGE = uint32(attr.MaxSGE) + 1 }),
		"max_inline_data": more(func(c *verbs.QPCap) { c.MaxInlineData = 1 << 20 }),
		"cqe":             cq(int(attr.MaxCQE) + 1),
		"no cqe":          cq(0),
		"max_wr of SRQ":   srq(uint32(attr.MaxSRQWR)+1, 1),
		"max_sge of SRQ":  srq(1, uint32(attr.MaxSRQSGE)+1),
		"empty region":    func() (closer, error) { return b.pd.RegMR(verbs.MRSpec{}) },
		"no queue":        func() (closer, error) { return b.pd.CreateQP(verbs.QPSpec{QPType: verbs.RC, Cap: one}) },
	} {
		t.Run(name, func(t *testing.T) {
			made, err := create()
			if err == nil {
				b.closeAtEnd(made)
				t.Error("it was created")
			}
		})
	}
}

// testForeignObjects mixes objects of two open devices.
func testForeignObjects(t *testing.T, b *bench) {
	dev, err := b.env.Provider.Open(b.env.Device)
	b.must(err)
	b.closeAtEnd(dev)
	cq, err := dev.CreateCQ(verbs.CQSpec{CQE: 4})
	b.must(err)
	b.closeAtEnd(cq)
	_, err = b.pd.CreateQP(verbs.QPSpec{
		QPType: verbs.RC, SendCQ: b.cq, RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1},
	})
	if !errors.Is(err, verbs.ErrForeignObject) {
		t.Errorf("a CQ of another context: %v, want ErrForeignObject", err)
	}
	ch, err := dev.CreateCompChannel()
	b.must(err)
	b.closeAtEnd(ch)
	if _, err := b.dev.CreateCQ(verbs.CQSpec{CQE: 1, Channel: ch}); !errors.Is(err, verbs.ErrForeignObject) {
		t.Errorf("a completion channel of another context: %v, want ErrForeignObject", err)
	}
	other := &bench{t: t, env: b.env, dev: dev}
	other.pd = other.newPD()
	tk := b.newTalkers(verbs.UD)
	wr := tk.send(1, tk.b, nil)
	wr.AH = other.newAH(b.ownAH())
	if n, err := tk.a.PostSend(wr); n != 0 || !errors.Is(err, verbs.ErrForeignObject) {
		t.Errorf("PostSend with an address handle of another context accepted %d: %v; want ErrForeignObject", n, err)
	}
	if _, err := b.env.Provider.Open("no such device\x1b[31m"); err == nil {
		t.Error("a device that does not exist was opened")
	}
}

// testRTValues reads the device's clock twice. A device without completion timestamps may have no clock.
func testRTValues(t *testing.T, b *bench) {
	q, ok := b.dev.(verbs.RTValuesQuerier)
	if !ok {
		t.Fatalf("%T has no clock query", b.dev)
	}
	first, err := q.QueryRTValuesEx()
	ex, exErr := b.dev.QueryDeviceEx()
	if exErr == nil && ex.CompletionTimestampMask == 0 && err != nil {
		if !errors.Is(err, verbs.ErrUnsupported) || !errors.Is(err, syscall.EOPNOTSUPP) {
			t.Errorf("%v, want EOPNOTSUPP", err)
		}
		return
	}
	b.must(err)
	second, err := q.QueryRTValuesEx()
	b.must(err)
	from, to := first.RawClock, second.RawClock
	if to.Sec < from.Sec || to.Sec == from.Sec && to.NSec < from.NSec || from.Sec == 0 && from.NSec == 0 {
		t.Errorf("%+v, then %+v", from, to)
	}
}
