package cm

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/command/syntax"
	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// addrInfo is the result of resolving a name. It is a copy, so there is nothing to
// free.
type addrInfo struct {
	*core.Node
	infos  []verbs.AddrInfo // at least one
	device string           // names the provider that resolved it; "": the first with a connection manager
}

// Close does nothing: the list is plain data.
func (a *addrInfo) Close() error { return nil }

// View adds nothing to a snapshot.
func (a *addrInfo) View(*core.Snapshot) {}

// Fields are those of the first result; those of the others are numbered:
// next1.dst_addr.
func (a *addrInfo) Fields() []core.Field {
	fs := addrInfoFields("", &a.infos[0])
	for n := range a.infos[1:] {
		fs = append(fs, addrInfoFields(fmt.Sprintf("next%d.", n+1), &a.infos[n+1])...)
	}
	return fs
}

func addrInfoFields(prefix string, info *verbs.AddrInfo) []core.Field {
	text := func(name, s string) core.Field {
		return core.Field{Name: prefix + name, Text: func() (string, error) { return s, nil }}
	}
	addr := func(name string, at netip.AddrPort) core.Field {
		return core.Field{Name: prefix + name, Text: func() (string, error) { return foundAddr(name, at) }}
	}
	return []core.Field{
		addr("dst_addr", info.Dst), addr("src_addr", info.Src),
		text("family", info.Family.String()), text("qp_type", info.QPType.String()),
		text("port_space", info.PortSpace.String()),
		text("flags", info.Flags.String()),
		text("dst_canonname", info.DstCanonName), text("src_canonname", info.SrcCanonName),
		text("route_len", fmt.Sprint(info.RouteLen)), text("connect_len", fmt.Sprint(info.ConnectLen)),
	}
}

// foundAddr returns an address of a result: without flags=PASSIVE the peer's,
// otherwise the own one.
func foundAddr(name string, at netip.AddrPort) (string, error) {
	if at.IsValid() {
		return at.String(), nil
	}
	return "", fmt.Errorf("the result has no %s: with flags=PASSIVE it has src_addr, without it dst_addr", name)
}

// GetAddrInfo carries out rdma_getaddrinfo.
func GetAddrInfo(c *core.Call) error {
	name, err := c.NewName(command.KindAddrInfo)
	if err != nil {
		return err
	}
	_, cm, err := managerOn(c.S, c.Cmd.String("device"))
	if err != nil {
		return err
	}
	nodeName, service, hints := c.Cmd.String("node"), c.Cmd.String("service"), c.Cmd.AddrInfoHints()
	if c.Cmd.Has("src") {
		if hints.Src, err = AddrArg(c, "src", 0); err != nil {
			return err
		}
	}
	c.Done.C = ccall.Lazy(func() ccall.Node {
		var src ccall.Node
		if hints.Src.IsValid() {
			src = ccall.Text(cAddr(hints.Src))
		}
		return ccall.GetAddrInfo(cString(nodeName), cString(service), ccall.AddrInfoHints(&hints, src), name)
	})
	timeout := c.Cmd.Duration("timeout")
	ctx, cancel := context.WithTimeout(c.Ctx, timeout)
	defer cancel()
	var infos []verbs.AddrInfo
	err = c.TimeHere(func() (err error) { infos, err = cm.GetAddrInfo(ctx, nodeName, service, hints); return err })
	if err == nil && len(infos) == 0 {
		err = verbs.AddrInfoNoData
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return core.TimeUp(c.Ctx, err, core.Awaited{}, "the resolver did not answer within %s", format.Span(timeout))
	}
	if err != nil {
		c.Done.Hint = addrInfoHint(err)
		return err
	}
	a := &addrInfo{infos: infos, device: c.Cmd.String("device")}
	a.Node = &core.Node{Name: name, Kind: command.KindAddrInfo, Body: a}
	c.Enter(a.Node)
	c.Done.Result = describeAddrInfos(infos)
	return nil
}

// describeAddrInfos formats all results on one line.
func describeAddrInfos(infos []verbs.AddrInfo) string {
	parts := make([]string, len(infos))
	for n := range infos {
		info := &infos[n]
		part := info.Family.String()
		if info.Src.IsValid() {
			part += " from " + info.Src.String()
		}
		if info.Dst.IsValid() {
			part += " to " + info.Dst.String()
		}
		part += fmt.Sprintf(", %s, %s", info.PortSpace, info.QPType)
		if info.RouteLen > 0 {
			part += fmt.Sprintf(", with a path of %d bytes", info.RouteLen)
		}
		parts[n] = part
	}
	return strings.Join(parts, "; ")
}

func cString(s string) string {
	if s == "" {
		return "NULL"
	}
	return syntax.Quote(s)
}

// addrInfoHint says what to check if a name could not be resolved.
func addrInfoHint(err error) string {
	var code verbs.AddrInfoError
	if !errors.As(err, &code) {
		return ""
	}
	return addrInfoHints[code]
}

var addrInfoHints = map[verbs.AddrInfoError]string{
	verbs.AddrInfoNoName:     "check the name's spelling, /etc/hosts and DNS; with flags=NUMERICHOST it must be an address",
	verbs.AddrInfoAgain:      "the name server did not answer: check that it is reachable, or give an address",
	verbs.AddrInfoNoData:     "the name has no address in that family",
	verbs.AddrInfoService:    "the service must be a port number or a name in /etc/services",
	verbs.AddrInfoSockType:   "qp_type and port_space must match: RC with TCP, UD with UDP",
	verbs.AddrInfoBadFamily:  "family must be INET, INET6, or IB if the library supports it",
	verbs.AddrInfoAddrFamily: "the address is not of the requested family",
}
