package post

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// postSendCall returns the call of ibv_post_send, or those of ibv_wr_*.
func postSendCall(q *queue.QP, wr *sendWR) string {
	return postCall("ibv_post_send", q.Name, []ccall.Node{cRequest(q, wr)})
}

// postCall returns the call that posts requests to a queue, or those of ibv_wr_*.
func postCall(verb, to string, requests []ccall.Node) string {
	built := ccall.Begin(to)
	var list []*ccall.Struct
	for _, r := range requests {
		if s, ok := r.(*ccall.Struct); ok {
			list = append(list, s)
		} else {
			built = append(built, r)
		}
	}
	if list != nil {
		return ccall.Post(verb, to, "bad_wr", list...).Short()
	}
	return append(built, ccall.Complete).Short()
}

// cRequest returns a request in C: a struct ibv_send_wr, or the calls that build it.
func cRequest(q *queue.QP, wr *sendWR) ccall.Node {
	pieces, extended := ccall.Pieces(wr.SGList), q.Spec.SendOps.Has(wr.Opcode)
	v := func(member string) ccall.Node {
		switch {
		case member == "sg_list" && len(pieces) > 0:
			return pieces
		case member == "send_flags" && extended:
			return ccall.Flags(verbs.SendFlagNames.CName(wr.SendFlags &^ verbs.SendInline))
		case wr.mw != nil && member == "mw":
			return ccall.Text(wr.mw.Name)
		case wr.mw != nil && wr.shows.Values()(member) != nil:
			return wr.shows.Values()(member)
		case wr.ah != nil && datagramValues[member] != nil:
			return datagramValues[member](wr)
		case requestValues[member] != nil:
			return requestValues[member](wr)
		}
		return nil
	}
	if extended {
		return ccall.Build(wr.Opcode, wr.SendFlags&verbs.SendInline != 0, v, pieces)
	}
	return ccall.SendWR(wr.Opcode, v)
}

// requestValues returns the values of a request by argument of post_send.
var requestValues = map[string]func(wr *sendWR) ccall.Node{
	"wr_id":           func(wr *sendWR) ccall.Node { return ccall.Dec(wr.WRID) },
	"num_sge":         func(wr *sendWR) ccall.Node { return ccall.Dec(len(wr.SGList)) },
	"send_flags":      func(wr *sendWR) ccall.Node { return ccall.Flags(verbs.SendFlagNames.CName(wr.SendFlags)) },
	"imm_data":        func(wr *sendWR) ccall.Node { return ccall.Text(fmt.Sprintf("htonl(0x%x)", wr.ImmData)) },
	"invalidate_rkey": func(wr *sendWR) ccall.Node { return ccall.Text(ccall.Hex(wr.InvalidateKey)) },
	"remote_addr":     func(wr *sendWR) ccall.Node { return ccall.Text(ccall.Hex(wr.RemoteAddr)) },
	"rkey":            func(wr *sendWR) ccall.Node { return ccall.Text(ccall.Hex(wr.RKey)) },
	"compare_add":     func(wr *sendWR) ccall.Node { return ccall.Dec(wr.CompareAdd) },
	"swap": func(wr *sendWR) ccall.Node {
		if !wr.Opcode.Traits().Swap {
			return nil
		}
		return ccall.Dec(wr.Swap)
	},
	"length": func(wr *sendWR) ccall.Node { return ccall.Dec(wr.Flush.Length) },
	"type":   func(wr *sendWR) ccall.Node { return ccall.Flags(verbs.FlushTypes.CName(wr.Flush.Type)) },
	"level":  func(wr *sendWR) ccall.Node { return ccall.Text(verbs.FlushLevels.CName(wr.Flush.Level)) },
}

// datagramValues returns the additional values of a datagram.
var datagramValues = map[string]func(wr *sendWR) ccall.Node{
	"ah":          func(wr *sendWR) ccall.Node { return ccall.Text(wr.ah.Name) },
	"remote_qpn":  func(wr *sendWR) ccall.Node { return ccall.Text(wr.RemoteQPN.String()) },
	"remote_qkey": func(wr *sendWR) ccall.Node { return ccall.Text(ccall.Hex(wr.RemoteQKey)) },
}

// cReceive returns a receive request in C.
func cReceive(wr *verbs.RecvWR) *ccall.Struct { return ccall.RecvWR(ccall.ReceiveWR(wr)) }
