package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"rdmatui/verbs/wire"
)

// liveBuffer is the room for packets that arrive while the reader is busy, in bytes; the
// kernel counts those beyond it.
const liveBuffer = 64 << 20

// maxFrame is the longest packet that is taken, in bytes: offloads merge packets up to
// this size.
const maxFrame = 1 << 16

// live is a packet socket on a network interface.
type live struct {
	*os.File
	conn interface {
		Read(func(fd uintptr) bool) error
		Control(func(fd uintptr)) error
	}
	buf []byte
	oob []byte

	stopped atomic.Pointer[time.Time] // when stop was called; nil: not yet
	waiting atomic.Bool               // a read has found no packet
}

// Live reads the RoCE packets of a network interface from now on (packet(7)), until
// [Reader.Stop]. Without the permission for packet sockets it fails with an error that
// says how to get it.
func Live(name string) (*Reader, error) {
	on, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("no network interface is named %s; this host has %s", name, interfaceNames())
	}
	if on.HardwareAddr == nil && on.Flags&net.FlagLoopback == 0 {
		return nil, fmt.Errorf("%s is not an Ethernet interface; RoCE needs one", name)
	}
	fd, err := openPacketSocket(on)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return nil, noPermission(name)
	}
	if err != nil {
		return nil, fmt.Errorf("packet socket on %s: %w", name, err)
	}
	l := &live{File: os.NewFile(uintptr(fd), name), buf: make([]byte, tagLen+maxFrame), oob: make([]byte, 256)}
	if l.conn, err = l.SyscallConn(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Reader{checks: map[wire.Path]wire.ICRC{}, next: l.read, live: l}, nil
}

func interfaceNames() string {
	all, _ := net.Interfaces() // without the list the message is still right
	var names []string
	for _, i := range all {
		names = append(names, i.Name)
	}
	return strings.Join(names, ", ")
}

func noPermission(name string) error {
	self, err := os.Executable()
	if err != nil {
		self = "rdmatui"
	}
	return fmt.Errorf("%s: a packet socket needs the capability CAP_NET_RAW; run rdmatui as root, or grant it once with sudo setcap cap_net_raw+ep %s, or use sudo tcpdump -i %s -U -w - udp port %d | rdmatui wire -",
		name, self, name, roceV2Port)
}

// openPacketSocket opens a socket that gets the RoCE packets of an interface. The filter
// is set before the socket is bound: nothing else ever arrives.
func openPacketSocket(on *net.Interface) (fd int, err error) {
	if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0); err != nil {
		return -1, err
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	// Beyond net.core.rmem_max only with CAP_NET_ADMIN; a smaller buffer loses sooner.
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, liveBuffer) != nil {
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, liveBuffer)
	}
	for _, option := range []struct{ level, name int }{{unix.SOL_PACKET, unix.PACKET_AUXDATA},
		{unix.SOL_SOCKET, unix.SO_TIMESTAMPNS}} {
		if err = unix.SetsockoptInt(fd, option.level, option.name, 1); err != nil {
			return fd, err
		}
	}
	program, err := assemble(rulesFor(on.Flags))
	if err != nil {
		return fd, err
	}
	if err = unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, program); err != nil {
		return fd, err
	}
	return fd, unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: htons(unix.ETH_P_ALL), Ifindex: on.Index})
}

// rulesFor returns the filter's rules for an interface.
func rulesFor(flags net.Flags) []rule {
	if flags&net.FlagLoopback != 0 {
		return slices.Concat(onlyOnce, roce)
	}
	return roce
}

func htons(v uint16) uint16 { return v<<8 | v>>8 }

// assemble returns the filter as the kernel takes it.
func assemble(rules []rule) (*unix.SockFprog, error) {
	program, err := instructions(rules)
	if err != nil {
		return nil, err
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, err
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		filter[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	return &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}, nil
}

// onlyOnce drops the copy of each packet that the loopback interface sends: the one that
// it receives is the same.
var onlyOnce = []rule{{do: bpf.LoadExtension{Num: bpf.ExtType}}, {is: unix.PACKET_OUTGOING, to: "drop"}}

// read waits for the next packet.
func (l *live) read(f *Frame) (packet []byte, of link, n int, err error) {
	var oob int
	var from unix.Sockaddr
	take := func(fd uintptr) bool {
		l.waiting.Store(false)
		n, oob, _, from, err = unix.RecvmsgBuffers(int(fd), [][]byte{l.buf[tagLen:]}, l.oob, unix.MSG_TRUNC)
		l.waiting.Store(err != nil)
		return err != unix.EAGAIN
	}
	waits, now := l.conn.Read(take), time.Now()
	if errors.Is(waits, os.ErrDeadlineExceeded) {
		waits, now = l.conn.Control(func(fd uintptr) { take(fd) }), *l.stopped.Load()
	}
	switch {
	case waits == nil && err == unix.EAGAIN:
		return nil, nil, 0, io.EOF
	case waits != nil:
		return nil, nil, 0, waits
	case err != nil: // the interface went down or away
		return nil, nil, 0, fmt.Errorf("network interface %s: %w", l.Name(), err)
	}
	f.Device, f.At, f.Raw.on = l.Name(), now, iface{name: l.Name(), link: linkEthernet}
	if to, ok := from.(*unix.SockaddrLinklayer); ok {
		if f.Way = In; to.Pkttype == unix.PACKET_OUTGOING {
			f.Way = Out
		}
	}
	packet = l.buf[tagLen:min(tagLen+n, len(l.buf))]
	if tag := l.takeControl(f, l.oob[:oob]); tag != nil && len(packet) >= ethernetLen {
		packet, n = l.restoreTag(packet, tag), n+tagLen
	}
	if at := l.stopped.Load(); at != nil && f.At.After(*at) {
		return nil, nil, 0, io.EOF
	}
	return packet, ethernet, n, nil
}

// restoreTag puts a VLAN tag back between the addresses and the Ethernet type of a packet
// that is in buf behind room for the tag.
func (l *live) restoreTag(packet, tag []byte) []byte {
	const addresses = ethernetLen - 2
	copy(l.buf, packet[:addresses])
	copy(l.buf[addresses:], tag)
	return l.buf[:tagLen+len(packet)]
}

// takeControl takes the time. It returns the VLAN tag that the interface removed, nil if
// there was none.
func (l *live) takeControl(f *Frame, oob []byte) (tag []byte) {
	all, _ := unix.ParseSocketControlMessage(oob) // without it the packet is as good
	order := binary.NativeEndian
	for _, m := range all {
		switch {
		case m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMPNS && len(m.Data) >= 16:
			f.At = time.Unix(int64(order.Uint64(m.Data)), int64(order.Uint64(m.Data[8:])))
		case m.Header.Level == unix.SOL_PACKET && m.Header.Type == unix.PACKET_AUXDATA && len(m.Data) >= 20:
			status, kind := order.Uint32(m.Data), uint16(unix.ETH_P_8021Q) // struct tpacket_auxdata
			if status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
				kind = order.Uint16(m.Data[18:])
			}
			if status&unix.TP_STATUS_VLAN_VALID != 0 {
				tag = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, kind), order.Uint16(m.Data[16:]))
			}
		}
	}
	return tag
}

// lost returns how many packets the kernel has dropped since the last call.
func (l *live) lost() (n uint64) {
	l.conn.Control(func(fd uintptr) {
		if st, err := unix.GetsockoptTpacketStats(int(fd), unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
			n = uint64(st.Drops)
		}
	})
	return n
}

// caughtUp reports whether a read waits for a packet that has not arrived yet. The queue is looked at first: a read
// that took its last packet meanwhile waits only after that was handled.
func (l *live) caughtUp() (caught bool) {
	l.conn.Control(func(fd uintptr) {
		queued, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ)
		caught = err == nil && queued == 0
	})
	return caught && l.waiting.Load()
}

// stop ends a read that waits. Later ones return what had arrived by then.
func (l *live) stop() {
	now := time.Now()
	l.stopped.CompareAndSwap(nil, &now)
	l.SetReadDeadline(time.Unix(1, 0))
}
