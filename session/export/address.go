package export

import (
	"fmt"
	"strconv"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
)

// GetAddrInfo translates rdma_getaddrinfo. The node is the peer, which the program's
// user can change.
func GetAddrInfo(t *line) {
	hints := t.full.AddrInfoHints()
	var src ccall.Node
	if t.hasArg("src") {
		src = ccall.Text(t.addressOf("src", "0"))
	}
	narrow := ccall.AddrInfoHints(&hints, src)
	heeded := func(member string) ccall.Node {
		if member == "ai_src_len" && src != nil {
			return ccall.Text("sizeof(struct sockaddr_in6)")
		}
		return narrow(member)
	}
	o := t.make(command.KindAddrInfo, t.newName(command.KindAddrInfo))
	call := ccall.GetAddrInfo(t.textOrNull("node"), t.textOrNull("service"), heeded, o.expr).Long()
	t.statusCall(call, "rdma_getaddrinfo")
	t.settleNew(o)
}

// textOrNull returns a literal, the configurable host, or NULL.
func (t *line) textOrNull(arg string) string {
	text := t.full.String(arg)
	switch {
	case text == "":
		return "NULL"
	case arg == "node":
		return t.host(text)
	}
	return literal([]byte(text))
}

// hostPort returns the port of a host, configurable likewise.
func (t *line) hostPort(arg string) string {
	if expr, ok := t.reference(arg); ok {
		return expr
	}
	return t.servicePort(fmt.Sprint(t.full.Uint(arg)))
}

// addressOf returns the socket address that an argument names, with the port from
// another argument: a host's, or another object's.
func (t *line) addressOf(arg, port string) string {
	object, field, _ := strings.Cut(t.cmd.String(arg), ".")
	if expr, ok := t.objectAddress(object, field); ok {
		return expr
	}
	return t.address(t.full.String(arg), port)
}

// addressMembers are the fields of objects that are addresses.
var addressMembers = map[string]string{
	"dst_addr": "%s->ai_dst_addr", "src_addr": "%s->ai_src_addr",
	"local_addr": "rdma_get_local_addr(%s)", "peer_addr": "rdma_get_peer_addr(%s)",
}

// maxNext bounds the nextN fields of a result that are translated.
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
