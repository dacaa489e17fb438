package mmsg

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestControlMessages decodes control messages, also such that end too early: what is complete before them counts.
func TestControlMessages(t *testing.T) {
	type message struct {
		level, kind int32
		size        int // 0, 2 or 4
		value       uint32
	}
	tos, ttl := message{unix.IPPROTO_IP, unix.IP_TOS, 2, 0xb8}, message{unix.IPPROTO_IP, unix.IP_TTL, 4, 3}
	flow := binary.NativeEndian.Uint32([]byte{0x01, 0x0f, 0xab, 0xcd}) // in network order
	space := unix.CmsgSpace(4)
	for _, tt := range []struct {
		name     string
		messages []message
		cut      int // bytes missing at the end
		resize   int // added to the length of the last message
		want     Header
	}{
		{"none", nil, 0, 0, Header{}},
		{"both", []message{tos, ttl}, 0, 0, Header{TrafficClass: 0xb8, HopLimit: 3}},
		{"the other order", []message{ttl, tos}, 0, 0, Header{TrafficClass: 0xb8, HopLimit: 3}},
		{"IPv6", []message{{unix.IPPROTO_IPV6, unix.IPV6_HOPLIMIT, 4, 7}}, 0, 0, Header{HopLimit: 7}},
		{"flow", []message{{unix.IPPROTO_IPV6, FlowInfo, 4, flow}}, 0, 0,
			Header{TrafficClass: 0x10, FlowLabel: 0xfabcd}},
		{"others", []message{{unix.IPPROTO_IPV6, unix.IP_TOS, 2, 1}, {unix.IPPROTO_IP, 200, 4, 2},
			{unix.SOL_UDP, unix.IPV6_HOPLIMIT, 4, 3}}, 0, 0, Header{}},
		{"an empty one", []message{{unix.IPPROTO_IP, unix.IP_TOS, 0, 0}, {unix.IPPROTO_IP, unix.IP_TTL, 0, 0}, ttl}, 0,
			0, Header{HopLimit: 3}},
		{"no padding at the end", []message{tos, ttl}, space - unix.CmsgLen(4), 0,
			Header{TrafficClass: 0xb8, HopLimit: 3}},
		{"the last one is cut off", []message{tos, ttl}, space - unix.CmsgLen(0), 0, Header{TrafficClass: 0xb8}},
		{"the header of the last one is cut off", []message{tos, ttl}, space - unix.CmsgLen(0) + 1, 0,
			Header{TrafficClass: 0xb8}},
		{"longer than the buffer", []message{tos, ttl}, 0, 5, Header{TrafficClass: 0xb8}},
		{"shorter than its header", []message{tos, ttl}, 0, -5, Header{TrafficClass: 0xb8}},
		{"three of four bytes", []message{tos, ttl}, 0, -1, Header{TrafficClass: 0xb8}},
		{"no byte", []message{ttl, tos}, 0, -2, Header{HopLimit: 3}},
		{"one byte", []message{ttl, tos}, 0, -1, Header{TrafficClass: 0xb8, HopLimit: 3}},
	} {
		var c control
		last := 0
		for _, m := range tt.messages {
			last = c.used
			c.add(m.level, m.kind, m.size, m.value)
		}
		if tt.resize != 0 {
			h := (*unix.Cmsghdr)(unsafe.Pointer(&c.bytes()[last]))
			h.SetLen(int(h.Len) + tt.resize)
		}
		if got := c.header(c.used - tt.cut); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestAddress writes addresses over one another and reads them back: nothing stays of the one before.
func TestAddress(t *testing.T) {
	var a address
	for _, tt := range []struct {
		to     string
		length uint32
		flow   uint32
		scope  uint32
	}{
		{"[2001:db8::1]:4791", unix.SizeofSockaddrInet6, 0x12345, 7}, {"192.0.2.1:5", unix.SizeofSockaddrInet4, 0, 0},
		{"[fe80::ffff:1]:65535", unix.SizeofSockaddrInet6, 0, 3},
		{"255.254.253.252:4791", unix.SizeofSockaddrInet4, 0, 0},
		{"[::1]:1", unix.SizeofSockaddrInet6, maxFlowLabel, 0},
	} {
		to := netip.MustParseAddrPort(tt.to)
		if n := a.set(to, tt.scope); n != tt.length || a.get() != to || a.is4() != to.Addr().Is4() {
			t.Errorf("%s: %d bytes, %s", to, n, a.get())
		}
		if a.is4() {
			continue
		}
		before := binary.BigEndian.Uint32(a[flowAt:])
		a.setFlow(tt.flow | 1<<20)
		if flow, scope := binary.BigEndian.Uint32(a[flowAt:]), binary.NativeEndian.Uint32(a[scopeAt:]); before != 0 ||
			flow != tt.flow || scope != tt.scope || a.get() != to {
			t.Errorf("%s: flow 0x%05x before and 0x%05x now, scope %d", to, before, flow, scope)
		}
	}
}

// TestRoom fills a sender with messages, and with buffers.
func TestRoom(t *testing.T) {
	for _, tt := range []struct{ each, messages int }{{1, sendMessages}, {8, sendMessages},
		{9, sendBuffers / 9}, {sendBuffers, 1}} {
		s, n := new(Sender), 0
		for ; s.Room(tt.each); n++ {
			s.Message(netip.MustParseAddrPort("127.0.0.1:1"), 0)
			for range tt.each {
				s.AddBuffer([]byte{1})
			}
			if h := &s.headers[n].Hdr; int(h.Iovlen) != tt.each || h.Iov != &s.vectors[n*tt.each] || h.Controllen != 0 {
				t.Fatalf("message %d of %d buffers: %+v", n, tt.each, h)
			}
		}
		if n != tt.messages {
			t.Errorf("%d messages of %d buffers", n, tt.each)
		}
		if s.Reset(); !s.Room(sendBuffers) || s.Room(sendBuffers+1) {
			t.Error("an empty sender has no room, or too much")
		}
	}
}
