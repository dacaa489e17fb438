package cm

import (
	"fmt"
	"net/netip"
	"strings"

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

// cAddr writes an address as text: as a struct sockaddr it could not be read.
func cAddr(a netip.AddrPort) string {
	if !a.IsValid() {
		return "NULL"
	}
	return `"` + a.String() + `"`
}

// cData writes bytes as a string literal.
func cData(p []byte) string {
	if len(p) == 0 {
		return "NULL"
	}
	return syntax.Quote(string(p))
}

func cConnParam(p *verbs.CMConnParam, request bool) string {
	var s ccall.Struct
	if len(p.PrivateData) > 0 {
		s.Set("private_data", cData(p.PrivateData))
		s.Set("private_data_len", fmt.Sprint(len(p.PrivateData)))
	}
	s.Set("responder_resources", fmt.Sprint(p.ResponderResources))
	s.Set("initiator_depth", fmt.Sprint(p.InitiatorDepth))
	s.Set("flow_control", ccall.Bool(p.FlowControl))
	if request {
		s.Set("retry_count", fmt.Sprint(p.RetryCount))
	}
	s.Set("rnr_retry_count", fmt.Sprint(p.RNRRetryCount))
	if p.SRQ {
		s.Set("srq", "1")
	}
	if p.QPNum != 0 {
		s.Set("qp_num", p.QPNum.String())
	}
	return "&(struct rdma_conn_param)" + strings.TrimSpace(s.String())
}
