package soft

import (
	"errors"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

func parseGID(t testing.TB, s string) verbs.GID {
	t.Helper()
	return must(verbs.ParseGID(s))(t)
}

// listener is a UD queue pair with one RECV.
type listener struct {
	*side
	mr verbs.MR
}

func newListener(t *testing.T, p *Provider, device string, o pairOptions, qkey uint32) *listener {
	t.Helper()
	s := newSide(t, p, device, o)
	datagram(t, s, qkey)
	l := &listener{side: s, mr: s.NewMR(128, everything)}
	l.listen()
	return l
}

func (l *listener) listen() {
	l.T.Helper()
	fill(l.T, l.mr, make([]byte, 128), 0)
	l.Recv(verbs.RecvWR{WRID: 1, SGList: sge(l.mr, 0, 128)})
}

// TestMulticast sends to a group from one of its members: every attached queue pair with the right Q_Key gets a copy,
// on both devices, the sender too, and each sees in its GRH that it was sent to the group.
func TestMulticast(t *testing.T) {
	const qkey = 0x11111111
	for _, tt := range []struct {
		group    string
		gidIndex int
		at       int // of the group's address in the GRH
	}{{"::ffff:239.1.2.3", 1, 36}, {"::ffff:224.0.0.251", 1, 36}, {"ff0e::1:2:3", -1, 24}, {"ff02::5", -1, 24}} {
		t.Run(tt.group, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				o := pairOptions{Typ: verbs.UD, GIDIndex: tt.gidIndex}.WithDefaults()
				group := parseGID(t, tt.group)
				all := map[string]*listener{
					"the sender":                  newListener(t, p, "soft0", o, qkey),
					"on the sender's":             newListener(t, p, "soft0", o, qkey),
					"on the other":                newListener(t, p, "soft1", o, qkey),
					"another there":               newListener(t, p, "soft1", o, qkey),
					"with another Q_Key":          newListener(t, p, "soft1", o, qkey+1),
					"not attached":                newListener(t, p, "soft1", o, qkey),
					"attached to a similar group": newListener(t, p, "soft1", o, qkey),
					"attached and in RESET":       newListener(t, p, "soft1", o, qkey),
				}
				member := map[string]bool{
					"the sender": true, "on the sender's": true, "on the other": true, "another there": true,
				}
				like := group
				like[15]++
				for name, l := range all {
					switch {
					case name == "attached to a similar group":
						l.Join(like)
					case name != "not attached":
						l.Join(group)
					}
				}
				all["attached and in RESET"].Move(verbs.QPReset)
				from := all["the sender"]
				ah := must(from.PD.CreateAH(verbs.AHAttr{IsGlobal: true, PortNum: 1,
					GRH: verbs.GlobalRoute{DGID: group, SGIDIndex: uint8(o.GIDIndex)}}))(t)
				closeAtEnd(t, ah)
				src := from.NewMR(64, 0)
				fill(t, src, pattern(64, 3), 0)
				send := func() {
					from.Send(verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SGList: sge(src, 0, 64), AH: ah,
						RemoteQPN: verbs.MaxQPN, RemoteQKey: qkey})
					synctest.Wait()
				}
				check := func() {
					t.Helper()
					for name, l := range all {
						if !member[name] {
							l.Nothing()
							wantBytes(t, l.mr, make([]byte, 128), 0)
							continue
						}
						wc := l.Want(1, verbs.WCSuccess)
						if wc.ByteLen != verbs.GRHLen+64 || wc.SrcQP != from.QP.Num() || wc.WCFlags != verbs.WCGRH {
							t.Errorf("%s: %+v", name, wc)
						}
						addr := group.Addr().AsSlice()
						wantBytes(t, l.mr, addr, int64(tt.at))
						wantBytes(t, l.mr, from.GID.GID.Addr().AsSlice(), int64(tt.at-len(addr)))
						wantBytes(t, l.mr, pattern(64, 3), verbs.GRHLen)
						l.Nothing()
						l.listen()
					}
				}
				send()
				check()
				for _, name := range []string{"the sender", "on the other", "another there"} {
					ok(t, all[name].QP.DetachMcast(group, 0))
					member[name] = false
				}
				send()
				check()
				before := counterOf(t, p, "soft0", "send_err")
				for _, name := range []string{"on the sender's", "with another Q_Key", "attached and in RESET"} {
					ok(t, all[name].QP.DetachMcast(group, 0))
					member[name] = false
				}
				send()
				check()
				if counterOf(t, p, "soft0", "send_err") != before+1 {
					t.Error("a link is still a member of the group")
				}
			})
		})
	}
}

// TestMulticastStrangers sends packets to a group's address that the group must not take.
func TestMulticastStrangers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(r *rawPeer, h *wire.Packet)
		counter string
	}{
		{"the queue pair's own number", func(r *rawPeer, h *wire.Packet) { h.BTH.DestQP = uint32(r.QP.Num()) },
			"wrong_peer"},
		{"another number", func(_ *rawPeer, h *wire.Packet) { h.BTH.DestQP = 5 }, "unknown_qp"},
		{"another transport", func(_ *rawPeer, h *wire.Packet) { h.BTH.Opcode = wire.UCSendOnly }, "wrong_peer"},
		{"another partition", func(_ *rawPeer, h *wire.Packet) { h.BTH.PKey = 0x8001 }, "wrong_peer"},
		{"another Q_Key", func(_ *rawPeer, h *wire.Packet) { h.DETH.QKey++ }, "qkey_violation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{Typ: verbs.UD, QKey: 7})
				group := netip.MustParseAddr("239.0.0.1")
				r.Join(verbs.GIDFromAddr(group))
				r.path = must(link.NewPath(r.path.Src, netip.AddrPortFrom(group, wire.Port)))(t)
				r.Recv(verbs.RecvWR{WRID: 1, SGList: sge(r.NewMR(64, everything), 0, 64)})
				good := r.request(wire.UDSendOnly, 0, 8)
				good.BTH.DestQP = uint32(verbs.MaxQPN)
				bad := *good
				tt.change(r, &bad)
				r.put(&bad)
				r.Nothing()
				if got := counterOf(t, p, "soft0", tt.counter); got != 1 {
					t.Errorf("%s is %d, want 1", tt.counter, got)
				}
				r.put(good)
				r.Want(1, verbs.WCSuccess)
			})
		})
	}
}

func TestMulticastRules(t *testing.T) {
	p := New(Options{})
	o := pairOptions{Typ: verbs.UD}.WithDefaults()
	s := newSide(t, p, "soft0", o)
	group := parseGID(t, "::ffff:239.9.9.9")
	rc := s.NewQP(pairOptions{}.WithDefaults())
	for name, err := range map[string]error{
		"an RC queue pair":        rc.AttachMcast(group, 0),
		"its leaving":             rc.DetachMcast(group, 0),
		"a unicast address":       s.QP.AttachMcast(s.GID.GID, 0),
		"a unicast IPv6 address":  s.QP.AttachMcast(parseGID(t, "fe80::1"), 0),
		"leaving without joining": s.QP.DetachMcast(group, 0),
		"224.0.0.1 as IPv6":       s.QP.AttachMcast(verbs.GID{12: 224, 15: 1}, 0),
		"a group of another family": second(s.PD.CreateAH(verbs.AHAttr{IsGlobal: true, PortNum: 1,
			GRH: verbs.GlobalRoute{DGID: parseGID(t, "ff02::1"), SGIDIndex: 1}})),
	} {
		var op *verbs.OpError
		if !errors.Is(err, syscall.EINVAL) || !errors.As(err, &op) {
			t.Errorf("%s: %v, want EINVAL", name, err)
		}
	}
	ok(t, s.QP.AttachMcast(group, 0))
	ok(t, s.QP.AttachMcast(group, 0)) // attaching twice counts once
	var b *verbs.BusyError
	if err := s.QP.Close(); !errors.As(err, &b) || !strings.Contains(err.Error(), group.String()) {
		t.Errorf("closing while attached: %v", err)
	}
	member := s.NewQP(o)
	ok(t, member.AttachMcast(group, 0))
	ok(t, s.QP.DetachMcast(group, 0))
	ok(t, s.QP.Close()) // though another is a member
	ok(t, member.DetachMcast(group, 0))
	if err := s.QP.AttachMcast(group, 0); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestMulticastLimits attaches one queue pair more than each attribute allows; after one has left there is room again.
func TestMulticastLimits(t *testing.T) {
	o := pairOptions{Typ: verbs.UD, Depth: 1}.WithDefaults()
	group := func(i int) verbs.GID { return verbs.GID{0: 0xff, 1: 0x0e, 15: byte(i)} }
	for _, tt := range []struct {
		name        string
		qps, groups func(a verbs.DeviceAttr) int32 // what is attached to what, in all pairs
		qp, group   int                            // attached last: the index after those
	}{
		{"max_mcast_grp", one, func(a verbs.DeviceAttr) int32 { return a.MaxMcastGrp }, 0, 1},
		{"max_mcast_qp_attach", func(a verbs.DeviceAttr) int32 { return a.MaxMcastQPAttach }, one, 1, 0},
		{"max_total_mcast_qp_attach", func(a verbs.DeviceAttr) int32 { return a.MaxTotalMcastQPAttach / a.MaxMcastGrp },
			func(a verbs.DeviceAttr) int32 { return a.MaxMcastGrp }, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSide(t, New(Options{}), "soft0", o)
			attr := must(s.Dev.QueryDevice())(t)
			qps := []verbs.QP{s.QP}
			for range tt.qps(attr) + int32(tt.qp) - 1 {
				qps = append(qps, s.NewQP(o))
			}
			n := int(tt.groups(attr))
			last, at := qps[len(qps)-1], group(n-1+tt.group)
			for _, qp := range qps[:len(qps)-tt.qp] {
				for i := range n {
					ok(t, qp.AttachMcast(group(i), 0))
					t.Cleanup(func() { qp.DetachMcast(group(i), 0) })
				}
			}
			if err := last.AttachMcast(at, 0); !errors.Is(err, syscall.ENOMEM) {
				t.Errorf("one too many: %v, want ENOMEM", err)
			}
			ok(t, qps[0].DetachMcast(group(0), 0))
			ok(t, last.AttachMcast(at, 0))
			t.Cleanup(func() { last.DetachMcast(at, 0) })
		})
	}
}

func one(verbs.DeviceAttr) int32 { return 1 }
