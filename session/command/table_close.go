package command

// closeCommands are one command that closes anything, and the verbs' own names
// for those who know them.
var closeCommands = append([]Spec{{
	Name: "close", Group: "close",
	Summary: "close any object; what still depends on it must be closed first",
	Args: []Arg{Arg{Name: "object", Type: Object, Objects: ObjectKinds,
		Doc: "its name"}.positional().required()},
	Example: "close dst",
}}, closeVerbs()...)

// closeRows are the commands that are named for the C functions. Of each kind the
// first row has the function that gives back what the kind's own command has made.
var closeRows = []closeVerb{
	{"close_device", "ibv_close_device", "close a device", KindDevice},
	{"dealloc_pd", "ibv_dealloc_pd", "free a protection domain", KindPD},
	{"dereg_mr", "ibv_dereg_mr", "deregister a memory region", KindMR},
	{"dealloc_mw", "ibv_dealloc_mw", "deallocate a memory window, bound or not", KindMW},
	{"free_dm", "ibv_free_dm", "free device memory", KindDM},
	{"destroy_comp_channel", "ibv_destroy_comp_channel", "destroy a completion channel", KindChannel},
	{"destroy_cq", "ibv_destroy_cq", "destroy a completion queue", KindCQ},
	{"destroy_srq", "ibv_destroy_srq", "destroy a shared receive queue", KindSRQ},
	{"destroy_qp", "ibv_destroy_qp", "destroy a queue pair", KindQP},
	{"destroy_ah", "ibv_destroy_ah", "destroy an address handle", KindAH},
	{"rdma_destroy_qp", "rdma_destroy_qp", "destroy the queue pair of an identifier", KindQP},
	{"rdma_destroy_id", "rdma_destroy_id", "destroy an identifier, and with it its connection", KindID},
	{"rdma_destroy_event_channel", "rdma_destroy_event_channel", "destroy an event channel", KindEvents},
	{"rdma_freeaddrinfo", "rdma_freeaddrinfo", "forget what a name was resolved to", KindAddrInfo},
}

type closeVerb struct {
	name, verb, summary string
	kind                ObjectKind
}

func closeVerbs() []Spec {
	specs := make([]Spec, len(closeRows))
	for i, r := range closeRows {
		specs[i] = Spec{
			Name: r.name, Group: "close", Verb: r.verb, Summary: r.summary,
			Args:    []Arg{object("object", "its name", r.kind)},
			Example: r.name + " " + NameStem(r.kind),
		}
	}
	return specs
}

// CloseVerb returns the C function that gives an object of a kind back, "" where there
// is none.
func CloseVerb(kind ObjectKind) string {
	for i := range closeRows {
		if closeRows[i].kind == kind {
			return closeRows[i].verb
		}
	}
	return ""
}
