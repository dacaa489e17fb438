package capture

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rdmatui/verbs/wire"
)

// newLive makes a reader of a socket that takes what the test writes to its peer, since packet sockets need a
// permission.
func newLive(t *testing.T) (r *Reader, l *live, peer int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fds[1]) })
	l = &live{File: os.NewFile(uintptr(fds[0]), "eth9"), buf: make([]byte, maxFrame), oob: make([]byte, 256)}
	t.Cleanup(func() { l.Close() })
	if l.conn, err = l.SyscallConn(); err != nil {
		t.Fatal(err)
	}
	return &Reader{checks: map[wire.Path]wire.ICRC{}, next: l.read, live: l}, l, fds[1]
}

// TestLiveStops: a live capture reads packets until it is stopped.
func TestLiveStops(t *testing.T) {
	r, l, peer := newLive(t)
	if _, err := unix.Write(peer, join(make([]byte, 12), []byte{8, 0}, four(t))); err != nil {
		t.Fatal(err)
	}
	var f Frame
	if err := r.Next(&f); err != nil || f.Device != "eth9" || f.ICRC != Right || f.At.IsZero() || f.Way != Unknown {
		t.Fatalf("%v, %+v", err, f)
	}
	ended := make(chan error)
	go func() { ended <- r.Next(&f) }()
	l.stop()
	for range 2 { // also a read that begins later
		if err := <-ended; err != io.EOF {
			t.Errorf("%v", err)
		}
		go func() { ended <- r.Next(&f) }()
	}
	<-ended
}

// TestSocketParts: only a loopback interface shows each packet twice, the protocol is in network byte order, and who
// lacks the permission is told how to grant it to this program.
func TestSocketParts(t *testing.T) {
	for flags, want := range map[net.Flags]int{
		net.FlagUp: len(roce), net.FlagUp | net.FlagLoopback: len(onlyOnce) + len(roce),
	} {
		if got := len(rulesFor(flags)); got != want {
			t.Errorf("%s: %d rules, want %d", flags, got, want)
		}
	}
	if got := htons(0x1234); got != 0x3412 {
		t.Errorf("%#x", got)
	}
	self, err := os.Executable()
	if text := noPermission("eth9").Error(); err != nil || !strings.Contains(text, "cap_net_raw+ep "+self+",") {
		t.Errorf("%s: %v", text, err)
	}
}

// TestLiveDrains: what had arrived when the capture was stopped is read.
func TestLiveDrains(t *testing.T) {
	r, l, peer := newLive(t)
	packet := join(make([]byte, 12), []byte{8, 0}, four(t))
	for range 5 {
		if _, err := unix.Write(peer, packet); err != nil {
			t.Fatal(err)
		}
	}
	l.stop()
	var f Frame
	for i := range 5 {
		if err := r.Next(&f); err != nil || f.ICRC != Right {
			t.Fatalf("packet %d: %v", i+1, err)
		}
	}
	if err := r.Next(&f); err != io.EOF {
		t.Errorf("after the last: %v", err)
	}
}

// TestLiveControl reads the time, and the VLAN tag, that come beside a packet.
func TestLiveControl(t *testing.T) {
	order := binary.NativeEndian
	message := func(level, kind int32, data []byte) []byte {
		b := make([]byte, unix.CmsgSpace(len(data)))
		h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
		h.Level, h.Type = level, kind
		h.SetLen(unix.CmsgLen(len(data)))
		copy(b[unix.CmsgLen(0):], data)
		return b
	}
	at := order.AppendUint64(order.AppendUint64(nil, 1234), 5678)
	tag := func(status uint32) []byte {
		b := make([]byte, 20)
		order.PutUint32(b, status)
		order.PutUint16(b[16:], 0x6005) // with a priority
		order.PutUint16(b[18:], 0x88a8)
		return b
	}
	before := time.Unix(1, 0)
	for _, tt := range []struct {
		name string
		oob  []byte
		at   time.Time
		tag  []byte
	}{
		{"nothing", nil, before, nil},
		{"both", join(message(unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, at), message(unix.SOL_PACKET, unix.PACKET_AUXDATA,
			tag(unix.TP_STATUS_VLAN_VALID))), time.Unix(1234, 5678), []byte{0x81, 0, 0x60, 5}},
		{"a service tag", message(unix.SOL_PACKET, unix.PACKET_AUXDATA,
			tag(unix.TP_STATUS_VLAN_VALID|unix.TP_STATUS_VLAN_TPID_VALID)), before, []byte{0x88, 0xa8, 0x60, 5}},
		{"no tag", message(unix.SOL_PACKET, unix.PACKET_AUXDATA, tag(unix.TP_STATUS_CSUMNOTREADY)), before, nil},
		{"another message", message(unix.SOL_PACKET, unix.SO_TIMESTAMPNS, at), before, nil},
		{"another of the socket", message(unix.SOL_SOCKET, unix.PACKET_AUXDATA, tag(unix.TP_STATUS_VLAN_VALID)), before,
			nil},
		{"a time too short", message(unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, at[:15]), before, nil},
		{"a tag too short", message(unix.SOL_PACKET, unix.PACKET_AUXDATA, tag(unix.TP_STATUS_VLAN_VALID)[:19]), before,
			nil},
	} {
		f := Frame{}
		f.At = before
		if tag := new(live).takeControl(&f, tt.oob); !f.At.Equal(tt.at) || !bytes.Equal(tag, tt.tag) {
			t.Errorf("%s: at %s, tag % x", tt.name, f.At, tag)
		}
	}
}

// TestRestoreTag: a tag that the interface removed is back behind the addresses.
func TestRestoreTag(t *testing.T) {
	l := &live{buf: []byte("____ddddddssssss\x08\x00data")}
	if got := l.restoreTag(l.buf[tagLen:], []byte("TAG!")); string(got) != "ddddddssssssTAG!\x08\x00data" {
		t.Errorf("%q", got)
	}
}
