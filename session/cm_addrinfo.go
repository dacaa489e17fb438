package session

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// addrInfo is what a name was resolved to. The provider has copied it: it costs
// nothing to keep and nothing to give back.
type addrInfo struct {
	*node
	infos []verbs.AddrInfo // at least one
}

func (a *addrInfo) close() error { return nil }

func (a *addrInfo) view(*Snapshot) {}

// fields are those of the first result; of the others, with their numbers:
// next1.dst_addr.
func (a *addrInfo) fields() []objectField {
	fs := addrInfoFields("", &a.infos[0])
	for n := range a.infos[1:] {
		fs = append(fs, addrInfoFields(fmt.Sprintf("next%d.", n+1), &a.infos[n+1])...)
	}
	return fs
}

func addrInfoFields(prefix string, info *verbs.AddrInfo) []objectField {
	text := func(name, s string) objectField {
		return objectField{prefix + name, func() (string, error) { return s, nil }}
	}
	addr := func(name string, at netip.AddrPort) objectField {
		return objectField{prefix + name, func() (string, error) { return foundAddr(name, at) }}
	}
	return []objectField{
		addr("dst_addr", info.Dst), addr("src_addr", info.Src),
		text("family", info.Family.String()), text("qp_type", info.QPType.String()), text("port_space", info.PortSpace.String()),
		text("flags", info.Flags.String()),
		text("dst_canonname", info.DstCanonName), text("src_canonname", info.SrcCanonName),
		text("route_len", fmt.Sprint(info.RouteLen)), text("connect_len", fmt.Sprint(info.ConnectLen)),
	}
}

// foundAddr is an address of a result, which without flags=PASSIVE has that of
// the peer, and with it one's own.
func foundAddr(name string, at netip.AddrPort) (string, error) {
	if at.IsValid() {
		return at.String(), nil
	}
	return "", fmt.Errorf("the result has no %s: with flags=PASSIVE it has src_addr, without it dst_addr", name)
}

func getAddrInfo(c *call) error {
	name, err := c.newName(command.KindAddrInfo)
	if err != nil {
		return err
	}
	_, cm, err := managerOn(c.s, c.cmd.String("device"))
	if err != nil {
		return err
	}
	nodeName, service, hints := c.cmd.String("node"), c.cmd.String("service"), c.cmd.AddrInfoHints()
	if c.cmd.Has("src") {
		if hints.Src, err = addrArg(c, "src", 0); err != nil {
			return err
		}
	}
	c.done.Call = fmt.Sprintf("rdma_getaddrinfo(%s, %s, %s, &%s)", cString(nodeName), cString(service), cHints(&hints), name)
	timeout := c.cmd.Duration("timeout")
	ctx, cancel := context.WithTimeout(c.ctx, timeout)
	defer cancel()
	var infos []verbs.AddrInfo
	err = c.timeHere(func() (err error) { infos, err = cm.GetAddrInfo(ctx, nodeName, service, hints); return err })
	if err == nil && len(infos) == 0 {
		err = verbs.AddrInfoNoData
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return timeUp(c.ctx, err, "the resolver did not answer within %s", timeline.FormatSpan(timeout))
	}
	if err != nil {
		c.done.Hint = addrInfoHint(err)
		return err
	}
	a := &addrInfo{infos: infos}
	a.node = &node{name: name, kind: command.KindAddrInfo, res: a}
	c.enter(a.node)
	c.done.Result = describeAddrInfos(infos)
	return nil
}

// describeAddrInfos says all results in one line.
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

// cHints is the hints argument: NULL where nothing is narrowed down.
func cHints(h *verbs.AddrInfoHints) string {
	if *h == (verbs.AddrInfoHints{}) {
		return "NULL"
	}
	var s cStruct
	if h.Flags != 0 {
		s.set("ai_flags", verbs.AddrInfoFlagNames.CName(h.Flags))
	}
	if h.Family != 0 {
		s.set("ai_family", verbs.AddrFamilies.CName(h.Family))
	}
	if h.QPType != 0 {
		s.set("ai_qp_type", verbs.QPTypes.CName(h.QPType))
	}
	if h.PortSpace != 0 {
		s.set("ai_port_space", verbs.CMPortSpaces.CName(h.PortSpace))
	}
	if h.Src.IsValid() {
		s.set("ai_src_addr", cAddr(h.Src))
	}
	return "&(struct rdma_addrinfo)" + strings.TrimSpace(s.String())
}

func cString(s string) string {
	if s == "" {
		return "NULL"
	}
	return command.Quote(s)
}

// addrInfoHint says what to check where a name could not be resolved.
func addrInfoHint(err error) string {
	var code verbs.AddrInfoError
	if !errors.As(err, &code) {
		return ""
	}
	return addrInfoHints[code]
}

var addrInfoHints = map[verbs.AddrInfoError]string{
	verbs.AddrInfoNoName:     "is the name spelled right, and known to this host (/etc/hosts, DNS)? With flags=NUMERICHOST it must be an address",
	verbs.AddrInfoAgain:      "the name server did not answer: is it reachable? An address needs none",
	verbs.AddrInfoNoData:     "the name is known but has no address of that family",
	verbs.AddrInfoService:    "the service is a port number, or a name in /etc/services",
	verbs.AddrInfoSockType:   "qp_type and port_space must suit each other: RC with TCP, UD with UDP",
	verbs.AddrInfoBadFamily:  "family is INET, INET6, or IB where the library does that",
	verbs.AddrInfoAddrFamily: "the address is of another family than the one that was asked for",
}
