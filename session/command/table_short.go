package command

import (
	"slices"
	"strings"
)

// shortGroup is the heading of librdmacm's short forms: the endpoints of <rdma/rdma_cma.h>, and <rdma/rdma_verbs.h>.
// Each carries out the commands whose calls librdmacm makes for it.
const shortGroup = "short form of librdmacm"

const (
	ownerDoc = "the identifier, which must have a queue pair"
	pieceDoc = "SGE name:offset:length; a name alone means the whole region"
	compWait = "how long to wait; the C function waits forever"
)

var shortCommands = []*Spec{
	RDMACreateEP, RDMARegMsgs, RDMARegRead, RDMARegWrite, RDMAPostRecv, RDMAPostSend, RDMAPostRead, RDMAPostWrite,
	RDMAPostUDSend, RDMAPostRecvV, RDMAPostSendV, RDMAPostReadV, RDMAPostWriteV, RDMAGetSendComp, RDMAGetRecvComp,
	RDMADeregMR, RDMADestroyEP,
}

// Short forms of librdmacm.
var (
	RDMACreateEP = &Spec{
		Name: "rdma_create_ep", Group: shortGroup, Verb: "rdma_create_ep",
		Summary: "create an identifier and its queue pair from a result of rdma_getaddrinfo, or with flags=PASSIVE a listener",
		Args: slices.Concat([]Arg{
			newName(KindID),
			objectArg("res", "the result of rdma_getaddrinfo"+leftOut, KindAddrInfo).positional(),
			objectArg("pd", "its protection domain; left out: the one that all endpoints on a device share", KindPD),
			boolArg("qp_init_attr", "1",
				"0: no queue pair; 1: with the attributes below, which a listener keeps for rdma_get_request"),
			objectArg("send_cq", "left out: a new queue of max_send_wr entries, with a channel", KindCQ),
			objectArg("recv_cq", "left out: a new queue of max_recv_wr entries, with a channel", KindCQ),
		}, qpArgs("srq", "max_send_wr", "max_recv_wr", "max_send_sge", "max_recv_sge", "max_inline_data",
			"sq_sig_all")),
		Example: "rdma_create_ep ep res max_send_wr=1 max_recv_wr=1",
	}
	RDMADestroyEP = &Spec{
		Name: "rdma_destroy_ep", Group: shortGroup, Verb: "rdma_destroy_ep",
		Call:    Call{"id", ReturnsNothing},
		Summary: "destroy an identifier, its queue pair, and the queues that rdma_create_ep created",
		Args:    []Arg{object("id", idDoc, KindID)},
		Example: "rdma_destroy_ep ep",
	}
	RDMARegMsgs  = registers("rdma_reg_msgs", "register memory for messages: access LOCAL_WRITE")
	RDMARegRead  = registers("rdma_reg_read", "register memory that the peer may read: access LOCAL_WRITE|REMOTE_READ")
	RDMARegWrite = registers("rdma_reg_write",
		"register memory that the peer may write: access LOCAL_WRITE|REMOTE_WRITE")
	RDMADeregMR = &Spec{
		Name: "rdma_dereg_mr", Group: shortGroup, Verb: "rdma_dereg_mr",
		Call:    Call{"object", ReturnsStatus},
		Summary: "deregister a memory region",
		Args:    []Arg{object("object", "the region", KindMR)},
		Example: "rdma_dereg_mr m",
	}
	RDMAPostRecv = posts("rdma_post_recv", "post a buffer to the receive queue of an identifier's queue pair", pieceDoc)
	RDMAPostSend = posts("rdma_post_send", "post a SEND on an identifier's queue pair", pieceDoc, "send_flags")
	RDMAPostRead = posts("rdma_post_read", "post an RDMA READ on an identifier's queue pair", pieceDoc, "send_flags",
		"remote_addr", "rkey")
	RDMAPostWrite = posts("rdma_post_write", "post an RDMA WRITE on an identifier's queue pair", pieceDoc, "send_flags",
		"remote_addr", "rkey")
	RDMAPostUDSend = posts("rdma_post_ud_send",
		"post a datagram on an identifier's queue pair, with the Q_Key of port space UDP", pieceDoc, "send_flags",
		"ah", "remote_qpn")
	RDMAPostRecvV = posts("rdma_post_recvv", "rdma_post_recv with a list of SGEs", sgeDoc)
	RDMAPostSendV = posts("rdma_post_sendv", "rdma_post_send with a list of SGEs", sgeDoc, "send_flags")
	RDMAPostReadV = posts("rdma_post_readv", "rdma_post_read with a list of SGEs", sgeDoc, "send_flags", "remote_addr",
		"rkey")
	RDMAPostWriteV = posts("rdma_post_writev", "rdma_post_write with a list of SGEs", sgeDoc, "send_flags",
		"remote_addr", "rkey")
	RDMAGetSendComp = completes("rdma_get_send_comp", "wait for one completion of an identifier's send queue")
	RDMAGetRecvComp = completes("rdma_get_recv_comp", "wait for one completion of an identifier's receive queue")
)

// IsShortForm reports whether a command is a short form of librdmacm.
func (s *Spec) IsShortForm() bool { return s.Group == shortGroup }

// qpArgs are arguments of create_qp.
func qpArgs(names ...string) (args []Arg) {
	for _, name := range names {
		args = append(args, *CreateQP.Arg(name))
	}
	return args
}

func registers(name, summary string) *Spec {
	return &Spec{
		Name: name, Group: shortGroup, Verb: name, Summary: summary,
		Call: Call{"id, addr, length", ReturnsPointer},
		Args: []Arg{
			newName(KindMR),
			objectArg("id", "the identifier, whose protection domain is used"+leftOut, KindID),
			uintArg("length", 64, "", "bytes", "at least 1").required(),
		},
		Example: name + " m id=ep length=32",
	}
}

// posts describes a short form that posts one request; more are arguments of post_send.
func posts(name, summary, sge string, more ...string) *Spec {
	memory := []string{"addr", "length", "mr"}
	if sge == sgeDoc {
		memory = []string{"sgl", "nsge"}
	}
	s := &Spec{
		Name: name, Group: shortGroup, Verb: name, Summary: summary,
		Call: Call{strings.Join(slices.Concat([]string{"id", "context"}, memory, more), ", "), ReturnsStatus},
		Args: []Arg{
			object("id", ownerDoc, KindID),
			*PostSend.Arg("wr_id"),
			Arg{Name: "sge", Type: SGEList, Doc: sge}.required(),
		},
		Example: name + " ep sge=m",
	}
	for _, arg := range more {
		s.Args = append(s.Args, *PostSend.Arg(arg))
	}
	switch {
	case s.Arg("rkey") != nil:
		*s.Arg("remote_addr"), *s.Arg("rkey") = s.Arg("remote_addr").required(), s.Arg("rkey").required()
		s.Arg("rkey").Doc = "the key of the peer's region: dst.rkey, or a number from the peer"
		s.Example += " remote_addr=dst.addr rkey=dst.rkey"
	case s.Arg("ah") != nil:
		*s.Arg("remote_qpn") = s.Arg("remote_qpn").required()
		s.Example += " ah=ah remote_qpn=7"
	}
	return s
}

func completes(name, summary string) *Spec {
	return &Spec{
		Name: name, Group: shortGroup, Verb: name, Summary: summary,
		Call: Call{"id, &wc", ReturnsStatus},
		Args: []Arg{
			object("id", "the identifier, created by rdma_create_ep or from a request to one", KindID),
			limitArg("timeout", "10s", compWait),
		},
		Example: name + " ep",
	}
}
