package cm

import (
	"net/netip"

	"rdmatui/session/ccall"
	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
)

// cChannel is a channel argument; NULL makes an identifier synchronous.
func cChannel(ec *EventChannel) string {
	switch {
	case ec.mode == ModeSync:
		return "NULL"
	case ec.own:
		return "channel"
	}
	return ec.Name
}

// cAddr formats an address as text: as a struct sockaddr it would be unreadable.
func cAddr(a netip.AddrPort) string {
	if !a.IsValid() {
		return "NULL"
	}
	return `"` + a.String() + `"`
}

// cData formats bytes as a string literal.
func cData(p []byte) string {
	if len(p) == 0 {
		return "NULL"
	}
	return syntax.Quote(string(p))
}

// cConnParam returns a source with the parameters of a connection.
func cConnParam(p *verbs.CMConnParam, request bool) ccall.Source {
	values := map[string]ccall.Node{
		"responder_resources": ccall.Dec(p.ResponderResources), "initiator_depth": ccall.Dec(p.InitiatorDepth),
		"flow_control": ccall.Text(ccall.Bool(p.FlowControl)), "rnr_retry_count": ccall.Dec(p.RNRRetryCount),
	}
	if len(p.PrivateData) > 0 {
		values["private_data"], values["private_data_len"] = ccall.Text(cData(p.PrivateData)),
			ccall.Dec(len(p.PrivateData))
	}
	if request {
		values["retry_count"] = ccall.Dec(p.RetryCount)
	}
	if p.SRQ {
		values["srq"] = ccall.Text("1")
	}
	if p.QPNum != 0 {
		values["qp_num"] = ccall.Text(p.QPNum.String())
	}
	return ccall.Table(values)
}
