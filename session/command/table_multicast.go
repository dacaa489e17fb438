package command

var multicastCommands = []*Spec{AttachMcast, DetachMcast}

// Commands that let UD queue pairs into groups. A datagram to one goes to an
// address handle with the group's dgid and to remote_qpn 0xffffff.
var (
	AttachMcast = &Spec{
		Name: "attach_mcast", Group: "multicast", Verb: "ibv_attach_mcast",
		Summary: "let a UD queue pair receive messages to a group: its dgid, remote_qpn 0xffffff",
		Args: mcastArgs("the group: on RoCE a multicast IP address, which the network stack must also have joined: with the kernel's Soft-RoCE " +
			"a program must join it on the netdev, as rdma_join_multicast does"),
		Example: "attach_mcast u gid=239.1.2.3",
	}
	DetachMcast = &Spec{
		Name: "detach_mcast", Group: "multicast", Verb: "ibv_detach_mcast",
		Summary: "remove a queue pair from a group; it cannot be destroyed before",
		Args:    mcastArgs("the group"),
		Example: "detach_mcast u gid=239.1.2.3",
	}
)

func mcastArgs(gidDoc string) []Arg {
	return []Arg{
		object("qp", "the UD queue pair", KindQP),
		Arg{Name: "gid", Type: GIDValue, Doc: gidDoc}.required(),
		uintArg("lid", 16, "0", "", "the group's LID; InfiniBand only"),
	}
}
