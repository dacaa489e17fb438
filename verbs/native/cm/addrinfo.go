package cm

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

const (
	// maxLookups limits the calls that wait for a resolver: only its answer ends them, and
	// each holds a thread until then.
	maxLookups = 4
	// maxAddrInfos limits how much of the library's list is read; it has one or two
	// entries.
	maxAddrInfos = 64
	// maxCanonName is NI_MAXHOST.
	maxCanonName = 1025
)

// GetAddrInfo implements verbs.CMProvider. The library queries the C library's resolver
// and, if the host runs ibacm, ibacm for a path.
func (m *Manager) GetAddrInfo(ctx context.Context, node, service string,
	hints verbs.AddrInfoHints) ([]verbs.AddrInfo, error) {
	infos, err := m.getAddrInfo(ctx, node, service, hints)
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return infos, err
	}
	return nil, managerError("rdma_getaddrinfo", err)
}

func (m *Manager) getAddrInfo(ctx context.Context, node, service string,
	hints verbs.AddrInfoHints) ([]verbs.AddrInfo, error) {
	q, err := newAddrQuery(node, service, hints)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case m.lookups <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type answer struct {
		infos []verbs.AddrInfo
		err   error
	}
	came := make(chan answer, 1)
	go func() {
		defer func() { <-m.lookups }()
		infos, err := m.lookUp(q)
		came <- answer{infos, err}
	}()
	select {
	case a := <-came:
		return a.infos, a.err
	case <-ctx.Done():
		return nil, ctx.Err() // the C call ends when the resolver gives up
	}
}

// discover makes the library look for devices on the discovery thread, before a call
// that would look for them if nothing has yet.
func (m *Manager) discover() {
	if ptr, err := m.lib.createEventChannel.Call(); err == nil {
		m.lib.destroyEventChannel.Call(ptr)
	}
}

// addrQuery holds the arguments of one call. Strings are NUL-terminated; empty ones are
// passed as NULL.
type addrQuery struct {
	node, service []byte
	hints         abi.AddrInfo
	src           abi.SockaddrStorage
	hinted        bool
}

func newAddrQuery(node, service string, hints verbs.AddrInfoHints) (*addrQuery, error) {
	if strings.ContainsRune(node, 0) || strings.ContainsRune(service, 0) {
		return nil, syscall.EINVAL
	}
	q := &addrQuery{node: cText(node), service: cText(service), hinted: hints != verbs.AddrInfoHints{}}
	if hints.Family == verbs.FamilyIB && !isIPv6(node) {
		return nil, verbs.AddrInfoAddrFamily // C would read past the end of the resolver's result
	}
	q.hints = abi.AddrInfo{
		Flags: int32(hints.Flags), Family: int32(hints.Family),
		QPType: int32(hints.QPType), PortSpace: int32(hints.PortSpace),
	}
	if !hints.Src.IsValid() {
		return q, nil
	}
	src, err := rawSockaddr(hints.Src)
	if err != nil {
		return nil, err
	}
	q.src, q.hints.SrcLen = *src, sockaddrLen(src.Family)
	return q, nil
}

func cText(s string) []byte {
	if s == "" {
		return nil
	}
	return append([]byte(s), 0)
}

func isIPv6(node string) bool {
	addr, err := netip.ParseAddr(node)
	return err == nil && addr.Is6()
}

func sockaddrLen(family uint16) uint32 {
	if family == abi.AFInet {
		return uint32(unsafe.Sizeof(abi.SockaddrIn{}))
	}
	return uint32(unsafe.Sizeof(abi.SockaddrIn6{}))
}

// lookUp makes the call; it blocks as long as the resolver does.
func (m *Manager) lookUp(q *addrQuery) ([]verbs.AddrInfo, error) {
	var hints *abi.AddrInfo
	if q.hinted {
		hints = &q.hints
	}
	if q.hints.SrcLen > 0 {
		q.hints.SrcAddr = uintptr(unsafe.Pointer(&q.src)) // q is on the heap, which does not move
	}
	m.discover()
	out := new(uintptr)
	_, errno, err := m.lib.getAddrInfo.CallErrno(uintptr(unsafe.Pointer(unsafe.SliceData(q.node))),
		uintptr(unsafe.Pointer(unsafe.SliceData(q.service))), uintptr(unsafe.Pointer(hints)),
		uintptr(unsafe.Pointer(out)))
	if err != nil {
		return nil, addrInfoError(err, errno)
	}
	defer m.lib.freeAddrInfo.Call(*out)
	return addrInfos(*out), nil
}

// addrInfoError decodes the results of the different library releases: -1 with an
// errno, or the resolver's code, either as the result or as a negative errno with -1.
func addrInfoError(err error, errno syscall.Errno) error {
	var r dl.Negative
	switch code := int32(errno); {
	case !errors.As(err, &r):
		return err
	case verbs.AddrInfoError(r) == verbs.AddrInfoSystem && code > 0:
		return fmt.Errorf("%w: %w", verbs.AddrInfoSystem, errno)
	case r != -1:
		return verbs.AddrInfoError(r)
	case code < 0:
		return verbs.AddrInfoError(code)
	case code > 0:
		return errno
	}
	return verbs.AddrInfoError(r)
}

func addrInfos(list uintptr) []verbs.AddrInfo {
	var infos []verbs.AddrInfo
	for ptr := list; ptr != 0 && len(infos) < maxAddrInfos; {
		raw := dl.View[abi.AddrInfo](ptr)
		infos = append(infos, verbs.AddrInfo{
			Flags:        verbs.AddrInfoFlags(raw.Flags),
			Family:       verbs.AddrFamily(raw.Family),
			QPType:       verbs.QPType(raw.QPType),
			PortSpace:    verbs.CMPortSpace(raw.PortSpace),
			Src:          sockaddrAt(raw.SrcAddr, raw.SrcLen),
			Dst:          sockaddrAt(raw.DstAddr, raw.DstLen),
			SrcCanonName: dl.String(raw.SrcCanonName, maxCanonName),
			DstCanonName: dl.String(raw.DstCanonName, maxCanonName),
			RouteLen:     int(raw.RouteLen),
			ConnectLen:   int(raw.ConnectLen),
		})
		ptr = raw.Next
	}
	return infos
}
