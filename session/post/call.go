package post

import (
	"cmp"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// postCall returns the call that posts requests to the queue of a line, or those of ibv_wr_*.
func postCall(c *core.Call, requests ...ccall.Lazy) ccall.Node {
	verb, to := c.Cmd.Spec.Verb, cmp.Or(c.Cmd.String("qp"), c.Cmd.String("srq"))
	return ccall.Lazy(func() ccall.Node {
		built := ccall.Begin(to)
		var list []*ccall.Struct
		for _, request := range requests {
			switch r := request().(type) {
			case *ccall.Struct:
				list = append(list, r)
			default:
				built = append(built, r)
			}
		}
		if list != nil {
			return ccall.Post(verb, to, "bad_wr", list...)
		}
		return append(built, ccall.Complete)
	})
}

// cRequest returns the request of a line in C: a struct ibv_send_wr, or the calls that build it.
func cRequest(c *core.Call, q *queue.QP, wr *sendWR) ccall.Lazy {
	line, list, op, extended := c.Cmd, wr.SGList, wr.Opcode, q.Spec.SendOps.Has(wr.Opcode)
	inline := wr.SendFlags&verbs.SendInline != 0
	var bind ccall.Source
	if wr.mw != nil {
		bind = wr.shows.Values()
	}
	return func() ccall.Node {
		pieces := ccall.Pieces(list)
		v := ccall.Request(line, pieces, bind, extended)
		if extended {
			return ccall.Build(op, inline, v, pieces)
		}
		return ccall.SendWR(op, v)
	}
}

// cReceive returns a receive request in C.
func cReceive(wr verbs.RecvWR) ccall.Lazy {
	return func() ccall.Node { return ccall.RecvWR(ccall.ReceiveWR(&wr)) }
}
