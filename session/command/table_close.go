package command

var closeCommands = []*Spec{
	Undo, Close, CloseDevice, DeallocPD, DeregMR, DeallocMW, FreeDM, DestroyCompChannel, DestroyCQ, DestroySRQ,
	DestroyQP, DestroyAH, RDMADestroyQP, RDMADestroyID, RDMADestroyEventChannel, RDMAFreeAddrInfo,
}

// Close closes anything; the commands after it have the verbs' own names, for those who know them.
var Close = &Spec{
	Name: "close", Group: closeGroup,
	Summary: "close any object; close the objects that depend on it first",
	Args: []Arg{Arg{Name: "object", Type: Object, Objects: ObjectKinds,
		Doc: "its name"}.positional().required()},
	Example: "close dst",
}

// Undo makes again what a command of this group has destroyed.
var Undo = &Spec{
	Name: "undo", Group: closeGroup,
	Summary: "make the object again that was destroyed last, with its name, attributes and bytes; keys and numbers are new",
	Example: "undo",
}

const closeGroup = "close"

// Commands that are named for the C functions. Of each kind the first has the function that gives back what the
// kind's own command has made.
var (
	CloseDevice        = closes(KindDevice, "close_device", "ibv_close_device", "close a device")
	DeallocPD          = closes(KindPD, "dealloc_pd", "ibv_dealloc_pd", "free a protection domain")
	DeregMR            = closes(KindMR, "dereg_mr", "ibv_dereg_mr", "deregister a memory region")
	DeallocMW          = closes(KindMW, "dealloc_mw", "ibv_dealloc_mw", "deallocate a memory window, bound or not")
	FreeDM             = closes(KindDM, "free_dm", "ibv_free_dm", "free device memory")
	DestroyCompChannel = closes(KindChannel, "destroy_comp_channel", "ibv_destroy_comp_channel",
		"destroy a completion channel")
	DestroyCQ     = closes(KindCQ, "destroy_cq", "ibv_destroy_cq", "destroy a completion queue")
	DestroySRQ    = closes(KindSRQ, "destroy_srq", "ibv_destroy_srq", "destroy a shared receive queue")
	DestroyQP     = closes(KindQP, "destroy_qp", "ibv_destroy_qp", "destroy a queue pair")
	DestroyAH     = closes(KindAH, "destroy_ah", "ibv_destroy_ah", "destroy an address handle")
	RDMADestroyQP = closes(KindQP, "rdma_destroy_qp", "rdma_destroy_qp",
		"destroy the queue pair of an identifier")
	RDMADestroyID = closes(KindID, "rdma_destroy_id", "rdma_destroy_id",
		"destroy an identifier and its connection")
	RDMADestroyEventChannel = closes(KindEvents, "rdma_destroy_event_channel", "rdma_destroy_event_channel",
		"destroy an event channel")
	RDMAFreeAddrInfo = closes(KindAddrInfo, "rdma_freeaddrinfo", "rdma_freeaddrinfo",
		"free the result of rdma_getaddrinfo")
)

func closes(kind ObjectKind, name, verb, summary string) *Spec {
	return &Spec{
		Name: name, Group: closeGroup, Verb: verb, Summary: summary,
		Args:    []Arg{object("object", "its name", kind)},
		Example: name + " " + NameStem(kind),
	}
}

// CloseVerb returns the C function that gives an object of a kind back, "" where there
// is none.
func CloseVerb(kind ObjectKind) string {
	for _, s := range Commands {
		if s.Group == closeGroup && s.Verb != "" && s.Args[0].Objects[0] == kind {
			return s.Verb
		}
	}
	return ""
}
