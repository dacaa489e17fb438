package command

import "rdmatui/verbs"

var memoryCommands = []Spec{
	{
		Name: "alloc_pd", Group: "memory", Verb: "ibv_alloc_pd",
		Summary: "make a protection domain: regions and queue pairs work together only inside one",
		Args:    []Arg{newName(KindPD), openDevice, deviceOfID},
		Example: "alloc_pd pd",
	},
	{
		Name: "reg_mr", Group: "memory", Verb: "ibv_reg_mr",
		Summary: "register a memory region over fresh zeroed memory",
		Args: []Arg{
			newName(KindMR),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			uintArg("length", 64, "", "bytes", "at least 1").required(),
			flagsArg("access", verbs.AccessFlags, "LOCAL_WRITE", "rights; a peer has none unless they are named here"),
		},
		Example: "reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE",
	},
	{
		Name: "write_mem", Group: "memory",
		Summary: "write bytes into a memory region, as the program that owns it would",
		Args: []Arg{
			object("mr", "the region", KindMR),
			Arg{Name: "data", Type: Bytes, Doc: `"text", 0x… for hex, pattern:LEN[:FROM], or numbers: be32:100,le64:src.addr`}.positional().required(),
			uintArg("offset", 63, "0", "bytes", "from the region's start"),
		},
		Example: `write_mem src "hello" offset=16`,
	},
	{
		Name: "read_mem", Group: "memory",
		Summary: "show bytes of a memory region",
		Args: []Arg{
			object("mr", "the region", KindMR),
			uintArg("offset", 63, "0", "bytes", "from the region's start").positional(),
			uintArg("length", 32, "64", "bytes", "how many; fewer are shown where the region ends").positional(),
		},
		Example: "read_mem dst 0 32",
	},
}
