package export

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// GetAddrInfo is rdma_getaddrinfo. The node is the peer that can be chosen when the
// program is started.
func getAddrInfo(t *translator) error {
	hints := t.full.AddrInfoHints()
	var h initialiser
	if hints.Flags != 0 {
		h.set("ai_flags", spaced(verbs.AddrInfoFlagNames.CName(hints.Flags)))
	}
	if hints.Family != 0 {
		h.set("ai_family", verbs.AddrFamilies.CName(hints.Family))
	}
	if hints.QPType != 0 {
		h.set("ai_qp_type", verbs.QPTypes.CName(hints.QPType))
	}
	if hints.PortSpace != 0 {
		h.set("ai_port_space", verbs.CMPortSpaces.CName(hints.PortSpace))
	}
	if t.hasArg("src") {
		h.set("ai_src_addr", t.addressOf("src", "0"))
		h.set("ai_src_len", "sizeof(struct sockaddr_in6)")
	}
	narrow := "NULL"
	if len(h.members) > 0 {
		narrow = h.pointer("struct rdma_addrinfo")
	}
	o := t.make(command.KindAddrInfo, t.newName(command.KindAddrInfo))
	call := fmt.Sprintf("rdma_getaddrinfo(%s, %s, %s, &%s)", t.textOrNull("node"), t.textOrNull("service"), narrow, o.expr)
	t.statusCall(call, "rdma_getaddrinfo")
	t.settleNew(o)
	return nil
}

// textOrNull is a literal, the host that can be chosen, or NULL.
func (t *translator) textOrNull(arg string) string {
	text := t.full.String(arg)
	switch {
	case text == "":
		return "NULL"
	case arg == "node":
		return t.host(text)
	}
	return literal([]byte(text))
}

// host is a host's name: the one that can be chosen, where it is that.
func (t *translator) host(name string) string {
	if d := defined(&t.hosts, "SERVER", name, 1); d != "SERVER" {
		return d
	}
	return "server_name"
}

// hostPort is the port of a host, likewise.
func (t *translator) hostPort(arg string) string {
	if expr, ok := t.reference(arg); ok {
		return expr
	}
	return t.servicePort(fmt.Sprint(t.full.Uint(arg)))
}

func (t *translator) servicePort(port string) string {
	if t.service == "" && port != "0" {
		t.service = port
	}
	if port == t.service {
		return "server_port"
	}
	return port
}

// addressOf is the socket address that an argument names, with the port of another
// one: a host's, or another object's.
func (t *translator) addressOf(arg, port string) string {
	if object, field, ok := strings.Cut(t.cmd.String(arg), "."); ok {
		if expr, ok := t.objectAddress(object, field); ok {
			return expr
		}
	}
	return t.address(t.full.String(arg), port)
}

// addressMembers are the fields of objects that are addresses.
var addressMembers = map[string]string{
	"dst_addr": "%s->ai_dst_addr", "src_addr": "%s->ai_src_addr",
	"local_addr": "rdma_get_local_addr(%s)", "peer_addr": "rdma_get_peer_addr(%s)",
}

// maxNext bounds the results that are counted by hand.
const maxNext = 16

func (t *translator) objectAddress(object, field string) (string, bool) {
	o := t.byName[object]
	if o == nil || o.gone || o.kind != command.KindAddrInfo && o.kind != command.KindID {
		return "", false
	}
	expr := o.expr
	if rest, ok := strings.CutPrefix(field, "next"); ok && o.kind == command.KindAddrInfo {
		number, member, _ := strings.Cut(rest, ".")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > maxNext {
			return "", false
		}
		expr, field = expr+strings.Repeat("->ai_next", n), member
	}
	return members(addressMembers, expr, field)
}

// address is a socket address of a host and a port that are given apart, or
// together.
func (t *translator) address(host, port string) string {
	if a, err := netip.ParseAddrPort(host); err == nil {
		host = a.Addr().String()
		if a.Port() != 0 {
			port = t.servicePort(fmt.Sprint(a.Port()))
		}
	}
	if host == "" {
		return fmt.Sprintf("address_of(NULL, %s)", port)
	}
	return fmt.Sprintf("address_of(%s, %s)", t.host(host), port)
}
