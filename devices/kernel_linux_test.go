package devices

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"rdmatui/verbs"
)

// TestHostAddresses compares the kernel's addresses of each netdev with those of the standard library, and checks for
// leaked sockets.
func TestHostAddresses(t *testing.T) {
	before := openSockets(t)
	sys := Host()
	netdevs, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	order := func(a, b netip.Prefix) int { return a.Compare(b) }
	var all []netip.Prefix
	for _, nd := range netdevs {
		list, err := nd.Addrs()
		if err != nil {
			t.Fatal(err)
		}
		var want []netip.Prefix
		for _, a := range list {
			want = append(want, netip.MustParsePrefix(a.String()))
		}
		got, err := sys.Addresses(nd.Index)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(want, order)
		slices.SortFunc(got, order)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", nd.Name, got, want)
		}
		all = append(all, got...)
	}
	together, err := sys.Addresses(0)
	slices.SortFunc(all, order)
	slices.SortFunc(together, order)
	if err != nil || !slices.Equal(together, all) {
		t.Errorf("of all netdevs: %v, %v, want %v", together, err, all)
	}
	if len(netdevs) > 0 && openSockets(t) != before+1 {
		t.Errorf("%d sockets for one family, want 1", openSockets(t)-before)
	}
	if err := sys.Close(); err != nil || openSockets(t) != before {
		t.Errorf("%v, %d sockets after Close, want %d", err, openSockets(t), before)
	}
}

func openSockets(t *testing.T) (n int) {
	t.Helper()
	names, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if to, err := os.Readlink(name); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}

// TestHostWithoutTheDevice: a device that does not exist is an error, on a kernel with RDMA and on one without.
func TestHostWithoutTheDevice(t *testing.T) {
	sys := Host()
	defer sys.Close()
	if module, err := sys.DriverModule("none such"); err == nil {
		t.Errorf("driver %q", module)
	}
	if r, err := sys.Resources("none such"); err == nil {
		t.Errorf("resources %+v", r)
	}
}

// TestHostWithoutTheNetdev: a missing interface is an error, and so is an invalid device name.
func TestHostWithoutTheNetdev(t *testing.T) {
	sys := Host()
	defer sys.Close()
	if device, err := sys.DeviceForNetdev("none such"); device != "" || err == nil ||
		strings.Contains(err.Error(), "nil") {
		t.Errorf("device %q, %v", device, err)
	}
	if device, err := askLibrary("odd",
		func(string) (string, error) { return "", errors.New([]string{}[len("")]) }); device != "" || err == nil ||
		!strings.Contains(err.Error(), `"odd"`) {
		t.Errorf("a library that panics: %q, %v", device, err)
	}
	if device, err := askLibrary("d0", func(string) (string, error) { return "rxe0", nil }); device != "rxe0" ||
		err != nil {
		t.Errorf("%q, %v", device, err)
	}
	if list, err := sys.Addresses(1 << 30); len(list) != 0 {
		t.Errorf("addresses %v, %v", list, err)
	}
	if files := sys.CharDevices("../.."); len(files) != 0 {
		t.Errorf("files %q", files)
	}
}

// TestNldevSocket is opened once, and closed.
func TestNldevSocket(t *testing.T) {
	before := openSockets(t)
	sock, err := openSocket(unix.NETLINK_ROUTE) // a family that also exists without RDMA
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openSocket(-1); err == nil {
		t.Error("opened a family that does not exist")
	}
	s := netlinkSockets{nldev: sock}
	if got, err := s.nldevSocket(); got != s.nldev || err != nil {
		t.Errorf("another socket: %v", err)
	}
	if err := s.Close(); err != nil || s.nldev != nil || openSockets(t) != before {
		t.Errorf("%v, %d sockets stay", err, openSockets(t)-before)
	}
}

// answers are those of a kernel with a device.
func answers(kinds map[int][]byte, err error) asker {
	return func(cmd, flags int, data ...*nl.RtAttr) ([][]byte, error) {
		switch {
		case cmd == nl.RDMA_NLDEV_CMD_GET && flags == unix.NLM_F_DUMP:
			return [][]byte{join(attr(nldevDevIndex, u32(3)), attr(nldevDevName, []byte("rxe0\x00")))},
				netlink.ErrDumpInterrupted
		case len(data) == 0 || !bytes.Equal(data[0].Data, u32(3)):
			return nil, unix.ENODEV
		case cmd == nldevCmdGetCharDev && flags == 0:
			return [][]byte{attr(nldevDriverID, u32(14))}, err
		}
		return [][]byte{kinds[cmd]}, err
	}
}

func TestDriverModule(t *testing.T) {
	if module, err := answers(nil, nil).driverModule("rxe0"); module != "rdma_rxe" || err != nil {
		t.Errorf("%q, %v", module, err)
	}
	if module, err := answers(nil, nil).driverModule("rxe1"); module != "" || err == nil ||
		!strings.Contains(err.Error(), "no RDMA device") {
		t.Errorf("of a device that does not exist: %q, %v", module, err)
	}
	if module, err := answers(nil, unix.EPERM).driverModule("rxe0"); module != "" || !errors.Is(err, unix.EPERM) {
		t.Errorf("without permission: %q, %v", module, err)
	}
	broken := asker(func(int, int, ...*nl.RtAttr) ([][]byte, error) { return nil, unix.EIO })
	if _, err := broken.deviceIndex("rxe0"); !errors.Is(err, unix.EIO) {
		t.Errorf("a list that cannot be read: %v", err)
	}
}

func TestReadResources(t *testing.T) {
	for kernel, tt := range summaries {
		kinds := map[int][]byte{qpKind().cmd: qpTable, nl.RDMA_NLDEV_CMD_RES_GET: tt.answer}
		r, err := readResources("rxe0", answers(kinds, nil))
		if err != nil || len(r.QPs) != 2 || len(r.Users) != 2 || !maps.Equal(r.Totals, tt.totals) ||
			!maps.Equal(r.Limits, tt.limits) {
			t.Errorf("%s: %+v, %v", kernel, r, err)
		}
	}
	if r, err := readResources("rxe1", answers(nil, nil)); err == nil || len(r.Totals) != 0 {
		t.Errorf("of a device that does not exist: %+v, %v", r, err)
	}
	if _, err := readResources("rxe0", answers(nil, unix.EPERM)); !errors.Is(err, unix.EPERM) {
		t.Errorf("without permission: %v", err)
	}
	noQPs := asker(func(cmd, flags int, data ...*nl.RtAttr) ([][]byte, error) {
		return answers(nil, map[int]error{qpKind().cmd: unix.EIO}[cmd])(cmd, flags, data...)
	})
	if _, err := readResources("rxe0", noQPs); !errors.Is(err, unix.EIO) {
		t.Errorf("without queue pairs: %v", err)
	}
}

// TestExclusive reads whether a device is visible in one network namespace only.
func TestExclusive(t *testing.T) {
	for _, tt := range []struct {
		name      string
		answer    []byte
		err       error
		exclusive bool
		fails     bool
	}{
		{"shared", join(attr(200, u32(1)), attr(nldevNetnsMode, []byte{1})), nil, false, false},
		{"exclusive", attr(nldevNetnsMode, []byte{0}), nil, true, false},
		{"an old kernel", nil, unix.EOPNOTSUPP, false, true},
		{"an answer without the mode", attr(200, u32(1)), nil, false, true},
	} {
		ask := asker(func(int, int, ...*nl.RtAttr) ([][]byte, error) { return [][]byte{tt.answer}, tt.err })
		exclusive, err := ask.exclusive()
		if exclusive != tt.exclusive || (err != nil) != tt.fails || tt.err != nil && !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, %v", tt.name, exclusive, err)
		}
	}
}

func TestLockedMemory(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
		t.Fatal(err)
	}
	if got, want := LockedMemory(), limitKiB(limit.Cur); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestResources(t *testing.T) {
	qps := func(kind resourceKind) ([][]byte, error) {
		switch kind.name {
		case "qp":
			return [][]byte{qpTable, qpTable}, nil
		case "cq":
			return [][]byte{attr(kind.table, attr(kind.entry, attr(nldevPID, u32(77))))}, netlink.ErrDumpInterrupted
		case "srq", "ctx", "mr":
			return nil, map[string]error{"srq": unix.EINVAL, "ctx": unix.EOPNOTSUPP, "mr": unix.ENOENT}[kind.name]
		}
		return nil, nil
	}
	var r Resources
	if err := r.collect(qps); err != nil {
		t.Fatal(err)
	}
	gsi, rc := QPUse{PortNum: 1, QPNum: 1, Type: "GSI", State: verbs.QPRTS, Comm: "ib_core"},
		QPUse{QPNum: 0x11, Dest: 0x12, Type: "RC", State: verbs.QPRTS, RQPSN: 0x700, SQPSN: 0x900, PID: 77}
	if want := []QPUse{gsi, rc, gsi, rc}; !slices.Equal(r.QPs, want) {
		t.Errorf("%+v, want %+v", r.QPs, want)
	}
	if want := []User{{0, "ib_core", map[string]int{"qp": 2}},
		{77, "", map[string]int{"qp": 2, "cq": 1}}}; !reflect.DeepEqual(r.Users, want) {
		t.Errorf("%+v, want %+v", r.Users, want)
	}
	if err := r.collect(func(resourceKind) ([][]byte, error) { return nil, unix.EPERM }); !errors.Is(err, unix.EPERM) {
		t.Errorf("error %v", err)
	}
	r = Resources{}
	if err := r.collect(func(kind resourceKind) ([][]byte,
		error) {
		return slices.Repeat([][]byte{qpTable}, maxResources), nil
	}); err != nil ||
		len(r.QPs) != maxResources {
		t.Errorf("%d QPs of %d kept, %v", len(r.QPs), 2*maxResources, err)
	}
}

// TestAnnouncements: only messages about devices count as changes, until the end.
func TestAnnouncements(t *testing.T) {
	for _, tt := range []struct {
		marker string
		want   int
	}{{"infiniband", 1}, {"", 2}} {
		// A packet socket keeps messages apart, as netlink does.
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		kernel, program := os.NewFile(uintptr(fds[0]), "kernel"), os.NewFile(uintptr(fds[1]), "program")
		for _, message := range []string{"add@/devices/virtual/infiniband/rxe0", "add@/devices/virtual/net/d0"} {
			if _, err := kernel.WriteString(message); err != nil {
				t.Fatal(err)
			}
		}
		kernel.Close()
		a := announcer{}
		if tt.marker != "" {
			a.marker = []byte(tt.marker)
		}
		changes := 0
		a.read(program, func() { changes++ })
		program.Close()
		if changes != tt.want {
			t.Errorf("marker %q: %d changes, want %d", tt.marker, changes, tt.want)
		}
	}
}

// overrun is a socket that lost messages, then returns one, and ends.
type overrun struct{ reads int }

func (o *overrun) Read(p []byte) (int, error) {
	switch o.reads++; o.reads {
	case 1:
		return 0, unix.ENOBUFS
	case 2:
		return copy(p, "add@/devices/virtual/infiniband/rxe0"), nil
	}
	return 0, os.ErrClosed
}

// TestLostAnnouncements: lost messages may have been changes, so they count as one.
func TestLostAnnouncements(t *testing.T) {
	changes := 0
	if (announcer{marker: []byte("infiniband")}).read(&overrun{}, func() { changes++ }); changes != 2 {
		t.Errorf("%d changes, want 2", changes)
	}
}

// TestAccess leaves no file open.
func TestAccess(t *testing.T) {
	files := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	sys := plant(t, "rxe")
	before := files()
	for range 20 {
		if err := sys.Access("/dev/infiniband/uverbs0"); err != nil {
			t.Fatal(err)
		}
	}
	if n := files() - before; n > 10 { // others may come and go
		t.Errorf("%d files left open", n)
	}
}

// TestChanges sends announcements as the kernel does, from a process to itself, which needs no privileges.
func TestChanges(t *testing.T) {
	defer func(all []announcer) { announcers = all }(announcers)
	// the second cannot be opened
	announcers = []announcer{{unix.NETLINK_USERSOCK, 0, []byte("infiniband")}, {-1, 0, nil}}
	before := openSockets(t)
	to, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_USERSOCK)
	if err != nil {
		t.Fatal(err)
	}
	// With a port of its own, this socket leaves the default port of the process to the receiver.
	if err := unix.Bind(to, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Pid: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	changed, done := make(chan struct{}, 1), make(chan error, 1)
	go func() { done <- (&host{}).Changes(ctx, func() { offer(changed) }, nil) }()
	at := &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Pid: uint32(os.Getpid())}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		err := unix.Sendto(to, []byte("add@/devices/virtual/infiniband/rxe0"), 0, at)
		if err == nil {
			break
		}
		if time.Now().After(end) { // it is not listening yet
			t.Fatal(err)
		}
	}
	select {
	case <-changed:
	case err := <-done:
		t.Fatalf("Changes returned %v", err)
	case <-time.After(time.Minute):
		t.Fatal("an announcement caused no change")
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Changes returned %v", err)
	}
	unix.Close(to)
	if n := openSockets(t); n != before {
		t.Errorf("%d sockets left open", n-before)
	}
	announcers = announcers[1:]
	if err := (&host{}).Changes(t.Context(), nil, nil); err == nil {
		t.Error("no announcer, but no error")
	}
}

// TestKernelWithoutAnswer: a kernel that does not know the question is an error with its errno, and no answer.
func TestKernelWithoutAnswer(t *testing.T) {
	sock, err := openSocket(unix.NETLINK_ROUTE) // which knows no question about RDMA devices
	if err != nil {
		t.Fatal(err)
	}
	s := netlinkSockets{nldev: sock}
	defer s.Close()
	if messages, err := s.ask(nl.RDMA_NLDEV_CMD_GET, 0); !errors.Is(err, unix.EOPNOTSUPP) || len(messages) != 0 {
		t.Errorf("%d messages, %v", len(messages), err)
	}
	if exclusive, err := s.Exclusive(); err == nil || exclusive {
		t.Errorf("the kernel did not answer, but exclusive is %v, %v", exclusive, err)
	}
}

// TestNoSocket: a process that cannot open a socket gets errors, and no answers.
func TestNoSocket(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	var h host
	exclusive, noMode := h.Exclusive()
	addresses, noAddresses := h.Addresses(0)
	h.route = &netlink.Handle{} // which opens a socket for each request
	more, noList := h.Addresses(0)
	_, noAnswer := h.ask(nl.RDMA_NLDEV_CMD_GET, 0)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"mode": noMode, "addresses": noAddresses, "list of addresses": noList,
		"answer": noAnswer} {
		if err == nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if exclusive || len(addresses) != 0 || len(more) != 0 {
		t.Errorf("exclusive %v, addresses %v %v", exclusive, addresses, more)
	}
}
