package native_test

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"testing"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// joinGroup joins a group in the network stack, so that it delivers the group's
// packets; the kernel's RoCE does not join.
func joinGroup(t *testing.T, group string) verbs.GID {
	t.Helper()
	d0, err := net.InterfaceByName("d0")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.ListenMulticastUDP("udp", d0, &net.UDPAddr{IP: net.ParseIP(group)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return verbs.GID(netip.MustParseAddr(group).As16())
}

// TestMulticast sends one datagram to a group: its two members receive it, and a queue
// pair that has left does not.
func TestMulticast(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	gid := joinGroup(t, "239.1.2.3")
	mr := r.mr(4096, verbs.LocalWrite)
	const qkey = 0x1234
	var qps []verbs.QP
	for range 3 {
		qp := r.qp(verbs.UD, r.cq)
		r.datagrams(qp, qkey)
		qps = append(qps, qp)
	}
	a, b, c := qps[0], qps[1], qps[2]
	for _, qp := range []verbs.QP{b, c} {
		r.must(qp.AttachMcast(gid, 0))
		_, err := qp.PostRecv(verbs.RecvWR{WRID: uint64(qp.Num()), SGList: sge(mr, 0, 64)},
			verbs.RecvWR{WRID: uint64(qp.Num()), SGList: sge(mr, 0, 64)})
		r.must(err)
	}
	ah, err := r.pd.CreateAH(verbs.AHAttr{
		IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: gid, SGIDIndex: uint8(r.gid.Index), HopLimit: 1},
	})
	r.must(err)
	r.closeAtEnd(ah)
	send := func(want ...verbs.QP) {
		t.Helper()
		_, err := a.PostSend(verbs.SendWR{
			Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 100, 10), AH: ah,
			RemoteQPN: 0xffffff, RemoteQKey: qkey,
		})
		r.must(err)
		var came []verbs.QPN
		for _, wc := range r.wantSuccess(r.cq, 1+len(want)) {
			if wc.Opcode.IsRecv() {
				came = append(came, wc.QPNum)
				if wc.ByteLen != 50 || wc.SrcQP != a.Num() {
					t.Errorf("%+v", wc)
				}
			}
		}
		slices.Sort(came)
		for i, qp := range want {
			if len(came) != len(want) || came[i] != qp.Num() {
				t.Fatalf("received by %v, want %v", came, want)
			}
		}
	}
	send(b, c)
	r.must(b.DetachMcast(gid, 0))
	send(c)
	if err := c.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("destroying a queue pair that is attached to a group: %v", err)
	}
	r.must(c.DetachMcast(gid, 0))
	for name, err := range map[string]error{
		"detach twice":      b.DetachMcast(gid, 0),
		"a unicast address": b.AttachMcast(r.gid.GID, 0),
		"a connected QP":    r.qp(verbs.RC, r.cq).AttachMcast(gid, 0),
	} {
		if !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v, want EINVAL", name, err)
		}
	}
}

// datagrams returns a UD queue pair in RTS.
func (r *rig) datagrams(qp verbs.QP, qkey uint32) {
	r.Helper()
	r.must(qp.Modify(verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrQKey,
		QPState: verbs.QPInit, PortNum: 1, QKey: qkey}))
	r.must(qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTR}))
	r.must(qp.Modify(verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrSQPSN, QPState: verbs.QPRTS}))
}
