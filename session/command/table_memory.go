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
		Summary: "register a memory region: over fresh zeroed memory, a file, shared memory, huge pages, a dma-buf or device memory",
		Args: []Arg{
			newName(KindMR),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			uintArg("length", 64, "", "bytes", "at least 1; of a file, of shared memory or a dma-buf that is there or of device memory, left out: all behind offset"),
			flagsArg("access", verbs.AccessFlags, "LOCAL_WRITE", "rights; a peer has none unless they are named here"),
			Arg{Name: "backing", Type: Backing, Doc: "the memory: anonymous; file:PATH, mapped shared; shm:/NAME, shared memory, made if it is not there and removed with the region then; hugetlb or hugetlb:2M, huge pages; dmabuf:N, the dma-buf of descriptor N that rdmatui was started with, by ibv_reg_dmabuf_mr; dmabuf:udmabuf, a dma-buf that /dev/udmabuf makes of fresh memory"}.otherwise("anonymous, fresh and zeroed"),
			objectArg("dm", "device memory instead, by ibv_reg_dm_mr: with access ZERO_BASED, as its addresses count from 0", KindDM),
			uintArg("offset", 63, "", "bytes", "where in a file, a dma-buf, shared or device memory the region begins: but for device memory a multiple of the page size").otherwise("at its start"),
		},
		Example: "reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE",
	},
	{
		Name: "rereg_mr", Group: "memory", Verb: "ibv_rereg_mr",
		Summary: "change a memory region in place: its domain, its memory, its rights",
		Args: []Arg{
			object("mr", "the region", KindMR),
			objectArg("pd", "the domain that it is to be in; left out: it stays", KindPD),
			uintArg("length", 64, "", "bytes", "put it over fresh zeroed memory of that length; left out: it keeps its memory"),
			flagsArg("access", verbs.AccessFlags, "", "the rights that it is to have; left out: they stay"),
		},
		Example: "rereg_mr dst access=LOCAL_WRITE|REMOTE_READ",
	},
	{
		Name: "alloc_mw", Group: "memory", Verb: "ibv_alloc_mw",
		Summary: "make a memory window: bound to a piece of a region it shows that to the peer under a key of its own",
		Args: []Arg{
			newName(KindMW),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			enumArg("type", verbs.MWTypes, "TYPE_1", "TYPE_1 is bound by bind_mw; TYPE_2 by post_send BIND_MW, then belongs to that queue pair and can be invalidated"),
		},
		Example: "alloc_mw w type=TYPE_2",
	},
	{
		Name: "alloc_dm", Group: "memory", Verb: "ibv_alloc_dm",
		Summary: "take some of the device's own memory; reg_mr dm= registers it",
		Args: []Arg{
			newName(KindDM), openDevice, deviceOfID,
			uintArg("length", 64, "", "bytes", "at least 1, at most the device's max_dm_size").required(),
			uintArg("log_align_req", 32, "0", "", "binary logarithm of the alignment that is needed; 0: any"),
		},
		Example: "alloc_dm d length=4096",
	},
	{
		Name: "memcpy_to_dm", Group: "memory", Verb: "ibv_memcpy_to_dm",
		Summary: "copy from a region of host memory into device memory",
		Args: []Arg{
			object("dm", "the device memory", KindDM),
			object("mr", "the region to copy from", KindMR),
			uintArg("length", 63, "", "bytes", "how many; left out: as many as both have; some devices want a multiple of 4"),
			uintArg("dm_offset", 63, "0", "bytes", "from the start of the device memory"),
			uintArg("offset", 63, "0", "bytes", "from the region's start"),
		},
		Example: "memcpy_to_dm d src length=64",
	},
	{
		Name: "memcpy_from_dm", Group: "memory", Verb: "ibv_memcpy_from_dm",
		Summary: "copy from device memory into a region of host memory",
		Args: []Arg{
			object("mr", "the region to copy into", KindMR),
			object("dm", "the device memory", KindDM),
			uintArg("length", 63, "", "bytes", "how many; left out: as many as both have; some devices want a multiple of 4"),
			uintArg("dm_offset", 63, "0", "bytes", "from the start of the device memory"),
			uintArg("offset", 63, "0", "bytes", "from the region's start"),
		},
		Example: "memcpy_from_dm dst d length=64",
	},
	{
		Name: "write_mem", Group: "memory",
		Summary: "write bytes into a memory region, as the program that owns it would",
		Args: []Arg{
			object("mr", "the region", KindMR),
			Arg{Name: "data", Type: Bytes, Doc: `"text", 0x… for hex, pattern:LEN[:FROM], file:PATH, or numbers: be32:100,le64:src.addr`}.positional().required(),
			uintArg("offset", 63, "0", "bytes", "from the region's start"),
		},
		Example: `write_mem src "hello" offset=16`,
	},
	{
		Name: "copy_mem", Group: "memory",
		Summary: "copy bytes from one memory region into another, as the program that owns them would",
		Args: []Arg{
			Arg{Name: "from", Type: Object, Objects: []ObjectKind{KindMR}, Doc: "the region to copy from"}.positional().required(),
			Arg{Name: "to", Type: Object, Objects: []ObjectKind{KindMR}, Doc: "the region to copy into"}.positional().required(),
			uintArg("length", 63, "", "bytes", "how many; fewer are copied where a region ends").required(),
			uintArg("from_offset", 63, "0", "bytes", "from the start of the one"),
			uintArg("to_offset", 63, "0", "bytes", "from the start of the other"),
		},
		Example: "copy_mem src dst length=16 to_offset=8",
	},
	{
		Name: "input", Group: "memory",
		Summary: "ask a person for a line and write it into a memory region, zeros after it; empty lines are skipped",
		Args: []Arg{
			object("mr", "the region", KindMR),
			Arg{Name: "prompt", Type: Text, Default: "input", Doc: "what to ask for; quote it if it has spaces"},
			Arg{Name: "end", Type: Text, Doc: "what the end of the input stands for; left out: it is a failure"},
			objectArg("while", "fail when this identifier's connection ends; left out: wait on", KindID),
		},
		Example: `input src prompt="say" end="disconnect"`,
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
