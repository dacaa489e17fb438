package devices

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// answerTime bounds the wait for an answer from the kernel.
const answerTime = 2 * time.Second

// netlinkSockets are the netlink sockets, each opened at its first use.
type netlinkSockets struct {
	mu    sync.Mutex
	route *netlink.Handle
	nldev *nl.SocketHandle
}

// Close closes the open sockets. Later calls open them again.
func (s *netlinkSockets) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.route != nil {
		s.route.Close()
	}
	if s.nldev != nil {
		s.nldev.Close()
	}
	s.route, s.nldev = nil, nil
	return nil
}

// routes returns the socket for questions about netdevs.
func (s *netlinkSockets) routes() (*netlink.Handle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.route != nil {
		return s.route, nil
	}
	opened, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("netlink: %w", err)
	}
	if err := opened.SetSocketTimeout(answerTime); err != nil {
		opened.Close()
		return nil, fmt.Errorf("netlink: %w", err)
	}
	s.route = opened
	return opened, nil
}

func (s *netlinkSockets) nldevSocket() (*nl.SocketHandle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nldev != nil {
		return s.nldev, nil
	}
	var err error
	s.nldev, err = openSocket(unix.NETLINK_RDMA)
	return s.nldev, err
}

// openSocket opens a socket of a netlink family with answerTime as its timeout.
func openSocket(family int) (*nl.SocketHandle, error) {
	sock, err := nl.Subscribe(family)
	if err != nil {
		return nil, fmt.Errorf("netlink: %w", err)
	}
	wait := unix.NsecToTimeval(answerTime.Nanoseconds())
	if err := errors.Join(sock.SetReceiveTimeout(&wait), sock.SetSendTimeout(&wait)); err != nil {
		sock.Close()
		return nil, fmt.Errorf("netlink: %w", err)
	}
	return &nl.SocketHandle{Socket: sock}, nil
}

// Addresses lists the IP addresses of the netdev with this index; 0: of all netdevs.
func (s *netlinkSockets) Addresses(ifindex int) ([]netip.Prefix, error) {
	h, err := s.routes()
	if err != nil {
		return nil, err
	}
	var link netlink.Link
	if ifindex != 0 {
		link = &netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: ifindex}}
	}
	list, err := h.AddrList(link, netlink.FAMILY_ALL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("addresses: %w", err)
	}
	var found []netip.Prefix
	for _, a := range list {
		ip, ok := netip.AddrFromSlice(a.IP)
		bits, _ := a.Mask.Size()
		if ok {
			found = append(found, netip.PrefixFrom(ip.Unmap(), bits))
		}
	}
	return found, nil
}

// Exclusive reports whether a device is visible in one network namespace only (rdma
// system: netns exclusive). Kernels that cannot say return an error.
func (s *netlinkSockets) Exclusive() (bool, error) { return asker(s.ask).exclusive() }

func (ask asker) exclusive() (bool, error) {
	answers, err := ask(nl.RDMA_NLDEV_CMD_SYS_GET, 0)
	if err != nil {
		return false, fmt.Errorf("rdma system: %w", err)
	}
	for _, m := range answers {
		for typ, v := range attributes(m) {
			if typ == nldevNetnsMode {
				return number(v) == 0, nil // 1: shared
			}
		}
	}
	return false, errors.New("rdma system: the kernel does not tell its network namespace mode")
}

// ask sends one nldev request and returns the answering messages.
func (s *netlinkSockets) ask(cmd, flags int, data ...*nl.RtAttr) ([][]byte, error) {
	sock, err := s.nldevSocket()
	if err != nil {
		return nil, err
	}
	req := nldevRequest(cmd, flags, data)
	req.Sockets = map[int]*nl.SocketHandle{unix.NETLINK_RDMA: sock}
	return req.Execute(unix.NETLINK_RDMA, 0)
}

func nldevRequest(cmd, flags int, data []*nl.RtAttr) *nl.NetlinkRequest {
	req := nl.NewNetlinkRequest(nl.RDMA_NL_NLDEV<<nl.RDMA_NL_GET_CLIENT_SHIFT|cmd, flags)
	for _, a := range data {
		req.AddData(a)
	}
	return req
}

// asker sends one nldev request and returns the answering messages, as
// [netlinkSockets.ask] does.
type asker func(cmd, flags int, data ...*nl.RtAttr) ([][]byte, error)

// deviceIndex returns a device's number in nldev requests.
func (ask asker) deviceIndex(device string) (uint32, error) {
	messages, err := ask(nl.RDMA_NLDEV_CMD_GET, unix.NLM_F_DUMP)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return 0, fmt.Errorf("rdma netlink: %w", err)
	}
	if index, ok := indexOf(messages, device); ok {
		return index, nil
	}
	return 0, fmt.Errorf("the kernel has no RDMA device %q", device)
}

// DriverModule returns the kernel module that drives a device; "" if its driver's number is
// unknown.
func (s *netlinkSockets) DriverModule(device string) (string, error) {
	return asker(s.ask).driverModule(device)
}

func (ask asker) driverModule(device string) (string, error) {
	index, err := ask.deviceIndex(device)
	if err != nil {
		return "", err
	}
	answers, err := ask(nldevCmdGetCharDev, 0,
		nl.NewRtAttr(nldevDevIndex, nl.Uint32Attr(index)), nl.NewRtAttr(nldevCharDevType, nl.ZeroTerminated("uverbs")))
	if err != nil {
		return "", fmt.Errorf("uverbs driver: %w", err)
	}
	return driverOf(answers), nil
}
