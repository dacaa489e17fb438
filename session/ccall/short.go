package ccall

import (
	"cmp"
	"fmt"
	"slices"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// CreateEP returns the call of rdma_create_ep; without a source there are no attributes of a queue pair.
func CreateEP(id, res, pd string, v Source) Call {
	attr := Node(Text("NULL"))
	if v != nil {
		attr = qpInitAttr.fill(v).Pointer()
	}
	return call("rdma_create_ep", Text("&"+id), Text(res), Text(pd), attr)
}

// EP returns the call of rdma_create_ep with the values of its line.
func EP(c command.Command) Node {
	return Lazy(func() Node {
		var attr Source
		if c.Bool("qp_init_attr") {
			attr = Source(func(name string) Node {
				if v := valueOf(c, name); v != nil && v.Short() != "0" {
					return v
				}
				return nil
			}).Named()
		}
		return CreateEP(c.String("name"), c.String("res"), cmp.Or(c.String("pd"), "NULL"), attr)
	})
}

// TakesOneSGE reports whether a short form passes one piece of memory with its region, not a list.
func TakesOneSGE(spec *command.Spec) bool { return slices.Contains(spec.Call.Words(), "mr") }

// ShortForm returns the call of a function of <rdma/rdma_verbs.h> that registers memory or posts a request, with the
// values of its line.
func ShortForm(c command.Command) Node {
	return Lazy(func() Node { return shortForm(c) })
}

func shortForm(c command.Command) Call {
	list := c.SGEs("sge")
	return Of(c.Spec, func(word string) Node {
		switch word {
		case "context":
			return Text("(void *)" + c.String("wr_id"))
		case "send_flags":
			return Flags(verbs.SendFlagNames.CName(c.SendFlags("send_flags")))
		case "nsge":
			return Dec(len(list))
		case "sgl":
			return shortPieces(list)
		case "addr", "mr":
			return pieceValue(word, list)
		case "length":
			if len(list) == 1 {
				return lengthOf(&list[0])
			}
		}
		return valueOf(c, word)
	})
}

// pieceValue returns the address of a form's piece of memory, or its region; to register there is only an address.
func pieceValue(word string, list []command.SGEText) Node {
	switch {
	case len(list) != 1:
		return Text("buf")
	case word == "addr" && list[0].Offset > 0:
		return Text(fmt.Sprintf("%s->addr + %d", list[0].Object, list[0].Offset))
	case word == "addr":
		return Text(list[0].Object + "->addr")
	}
	return Text(list[0].Object)
}

func lengthOf(e *command.SGEText) Node {
	switch {
	case e.ToEnd && e.Offset > 0:
		return Text(fmt.Sprintf("%s->length - %d", e.Object, e.Offset))
	case e.ToEnd:
		return Text(e.Object + "->length")
	}
	return Dec(e.Length)
}

func shortPieces(list []command.SGEText) (pieces List) {
	for i := range list {
		e := &list[i]
		addr, lkey := Hex(e.Addr), Hex(e.LKey)
		if e.Object != "" {
			addr = pieceValue("addr", list[i:i+1]).Short()
		}
		if e.Object != "" && !e.HasLKey {
			lkey = e.Object + "->lkey"
		}
		pieces = append(pieces, SGE(addr, lengthOf(e).Short(), lkey))
	}
	return pieces
}
