package verbstest

import (
	"errors"
	"net/netip"
	"slices"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// mcastQPN is the destination number of all multicast datagrams; IBA 9.6.1.2.
const mcastQPN = 0xffffff

// joinGroup returns the GID of a group of the port's address family. It joins the host to the
// group if that is a separate step.
func (b *bench) joinGroup() verbs.GID {
	group := netip.MustParseAddr("239.77.1.2")
	if !b.gid.GID.Addr().Unmap().Is4() {
		group = netip.MustParseAddr("ff1e::77:1:2")
	}
	if b.env.JoinGroup != nil {
		b.env.JoinGroup(b.t, group)
	}
	return verbs.GID(group.As16())
}

// testMulticast sends to a group: all attached queue pairs must receive the datagrams, and no
// others; IBA 10.5.
func testMulticast(t *testing.T, b *bench) {
	gid := b.joinGroup()
	if b.env.has(NoMulticast) {
		if err := b.newTalkers(verbs.UD).a.AttachMcast(gid, 0); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v, want an error for an unsupported verb", err)
		}
		return
	}
	attr := b.ownAH()
	attr.GRH.DGID = gid
	tk := &talkers{pair: &pair{bench: b}, ah: b.newAH(attr)}
	var qps []verbs.QP
	for i := range uint32(4) {
		qp := b.newQP(verbs.UD, false)
		b.bringUp(qp, pairOptions{typ: verbs.UD}, verbs.QPRTS, 0)
		if i == 3 { // attached, but with another Q_Key
			b.must(qp.Modify(verbs.QPAttr{Mask: verbs.AttrQKey, QKey: qkey + 1}))
		}
		qps = append(qps, qp)
	}
	sender, first, second, odd := qps[0], qps[1], qps[2], qps[3]
	src, dst := b.newMR(64, verbs.LocalWrite), b.newMR(128, verbs.LocalWrite)
	fill(t, src, pattern(64, 5), 0)
	for _, qp := range []verbs.QP{first, second, odd} {
		b.must(qp.AttachMcast(gid, 0))
		for i := range uint64(3) {
			b.postRecv(qp, verbs.RecvWR{WRID: uint64(qp.Num())<<8 | i, SGList: sge(dst, 0, 128)})
		}
	}
	send := func(key uint32, want ...verbs.QP) {
		t.Helper()
		wr := tk.send(1, first, sge(src, 0, 64))
		wr.RemoteQPN, wr.RemoteQKey = mcastQPN, key
		b.postSend(sender, wr)
		var came []verbs.QPN
		for _, wc := range b.completions(1 + len(want)) {
			if wc.Status != verbs.WCSuccess {
				t.Error(describe(wc))
			}
			if wc.WRID == 1 {
				continue
			}
			came = append(came, wc.QPNum)
			if wc.ByteLen != 64+verbs.GRHLen || wc.SrcQP != sender.Num() {
				t.Errorf("%s src_qp %s; want %d bytes from %s", describe(wc), wc.SrcQP, 64+verbs.GRHLen, sender.Num())
			}
		}
		for _, qp := range want {
			if !slices.Contains(came, qp.Num()) {
				t.Errorf("it reached %v, not %s", came, qp.Num())
			}
		}
		wantGRH(t, dst, b.gid.GID, gid)
		wantBytes(t, dst, pattern(64, 5), verbs.GRHLen)
	}
	send(qkey, first, second)
	send(qkey+1, odd)
	b.must(first.DetachMcast(gid, 0))
	send(qkey, second)
	b.noCompletion()
	if err := second.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("closing an attached queue pair: %v, want EBUSY", err)
	}
	b.must(second.DetachMcast(gid, 0))
	b.must(odd.DetachMcast(gid, 0))
	wantRefusedMcast(t, b, first, gid)
}

// wantRefusedMcast makes attach and detach calls that must fail; qp is in no group.
func wantRefusedMcast(t *testing.T, b *bench, qp verbs.QP, gid verbs.GID) {
	t.Helper()
	for name, err := range map[string]error{
		"detach twice":                qp.DetachMcast(gid, 0),
		"attach to a unicast address": qp.AttachMcast(b.gid.GID, 0),
		"attach a connection":         b.newQP(verbs.RC, false).AttachMcast(gid, 0),
	} {
		if !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v, want EINVAL", name, err)
		}
	}
}
