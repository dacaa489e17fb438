package command

import "rdmatui/verbs"

var memoryCommands = []*Spec{
	AllocPD, RegMR, ReregMR, AllocMW, AllocDM, MemcpyToDM, MemcpyFromDM, WriteMem, CopyMem, Input, ReadMem,
}

// Commands about memory.
var (
	AllocPD = &Spec{
		Name: "alloc_pd", Group: "memory", Verb: "ibv_alloc_pd",
		Call:    Call{"device", ReturnsPointer},
		Summary: "allocate a protection domain; regions and queue pairs work together only within one",
		Args:    []Arg{newName(KindPD), openDevice, deviceOfID},
		Example: "alloc_pd pd",
	}
	RegMR = &Spec{
		Name: "reg_mr", Group: "memory", Verb: "ibv_reg_mr",
		Summary: "register a memory region over new zeroed memory, a file, shared memory, huge pages, a dma-buf or device memory",
		Args: []Arg{
			newName(KindMR),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			uintArg("length", 64, "", "bytes", "at least 1; may be left out for an existing file, shared memory, dma-buf or device memory: everything from offset on"),
			flagsArg("access", verbs.AccessFlags, "LOCAL_WRITE",
				"access rights; a peer has only the rights named here"),
			Arg{Name: "backing", Type: Backing, Doc: "the memory to register: anonymous; file:PATH, mapped shared; shm:/NAME, shared memory, created if it does not exist and then removed with the region; hugetlb or hugetlb:2M, huge pages; dmabuf:N, the dma-buf at descriptor N, inherited by rdmatui, registered by ibv_reg_dmabuf_mr; dmabuf:udmabuf, a new dma-buf from /dev/udmabuf"}.otherwise("anonymous, zeroed"),
			objectArg("dm", "device memory to register instead, by ibv_reg_dm_mr; needs access ZERO_BASED, since its addresses start at 0", KindDM),
			uintArg("offset", 63, "", "bytes", "where the region begins in a file, a dma-buf, shared or device memory; a multiple of the page size, except in device memory").otherwise("at its start"),
		},
		Example: "reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE",
		check:   checkRegMR,
		usage:   backedUsage,
	}
	ReregMR = &Spec{
		Name: "rereg_mr", Group: "memory", Verb: "ibv_rereg_mr",
		Call:    Call{"mr, attr_mask, pd, addr, length, access", ReturnsErrno},
		Summary: "change a memory region's protection domain, memory or access rights in place",
		Args: []Arg{
			object("mr", "the region", KindMR),
			objectArg("pd", "the new protection domain; left out: unchanged", KindPD),
			uintArg("length", 64, "", "bytes",
				"replace the memory with new zeroed memory of this length; left out: unchanged"),
			flagsArg("access", verbs.AccessFlags, "", "the new access rights; left out: unchanged"),
		},
		Example: "rereg_mr dst access=LOCAL_WRITE|REMOTE_READ",
	}
	AllocMW = &Spec{
		Name: "alloc_mw", Group: "memory", Verb: "ibv_alloc_mw",
		Call:    Call{"pd, type", ReturnsPointer},
		Summary: "allocate a memory window: bound to part of a region, it gives a peer access to that part under its own rkey",
		Args: []Arg{
			newName(KindMW),
			objectArg("pd", "its protection domain"+leftOut, KindPD),
			enumArg("type", verbs.MWTypes, "TYPE_1", "bind_mw binds TYPE_1; post_send BIND_MW binds TYPE_2, which then belongs to that queue pair and can be invalidated"),
		},
		Example: "alloc_mw w type=TYPE_2",
	}
	AllocDM = &Spec{
		Name: "alloc_dm", Group: "memory", Verb: "ibv_alloc_dm",
		Call:    Call{"device, &alloc_dm_attr", ReturnsPointer},
		Summary: "allocate memory on the device; reg_mr dm= registers it",
		Args: []Arg{
			newName(KindDM), openDevice, deviceOfID,
			uintArg("length", 64, "", "bytes", "at least 1, at most the device's max_dm_size").required(),
			uintArg("log_align_req", 32, "0", "", "base-2 logarithm of the required alignment; 0: any"),
		},
		Example: "alloc_dm d length=4096",
	}
	MemcpyToDM = &Spec{
		Name: "memcpy_to_dm", Group: "memory", Verb: "ibv_memcpy_to_dm",
		Call:    Call{"dm, dm_offset, mr, length", ReturnsErrno},
		Summary: "copy from a region of host memory into device memory",
		Args: []Arg{
			object("dm", "the device memory", KindDM),
			object("mr", "the region to copy from", KindMR),
			uintArg("length", 63, "", "bytes",
				"how many; left out: as many as both hold; some devices need a multiple of 4"),
			uintArg("dm_offset", 63, "0", "bytes", "from the start of the device memory"),
			uintArg("offset", 63, "0", "bytes", "from the region's start"),
		},
		Example: "memcpy_to_dm d src length=64",
	}
	MemcpyFromDM = &Spec{
		Name: "memcpy_from_dm", Group: "memory", Verb: "ibv_memcpy_from_dm",
		Call:    Call{"mr, dm, dm_offset, length", ReturnsErrno},
		Summary: "copy from device memory into a region of host memory",
		Args: []Arg{
			object("mr", "the region to copy into", KindMR),
			object("dm", "the device memory", KindDM),
			uintArg("length", 63, "", "bytes",
				"how many; left out: as many as both hold; some devices need a multiple of 4"),
			uintArg("dm_offset", 63, "0", "bytes", "from the start of the device memory"),
			uintArg("offset", 63, "0", "bytes", "from the region's start"),
		},
		Example: "memcpy_from_dm dst d length=64",
	}
	WriteMem = &Spec{
		Name: "write_mem", Group: "memory",
		Summary: "write bytes into a memory region, as its application would",
		Args: []Arg{
			object("mr", "the region", KindMR),
			Arg{Name: "data", Type: Bytes,
				Doc: `"text", 0x… for hex, pattern:LEN[:FROM], file:PATH, or numbers: be32:100,le64:src.addr`}.positional().
				required(),
			uintArg("offset", 63, "0", "bytes", "from the region's start"),
		},
		Example: `write_mem src "hello" offset=16`,
	}
	CopyMem = &Spec{
		Name: "copy_mem", Group: "memory",
		Summary: "copy bytes from one memory region into another, as their application would",
		Args: []Arg{
			Arg{Name: "from", Type: Object, Objects: []ObjectKind{KindMR}, Doc: "the region to copy from"}.positional().
				required(),
			Arg{Name: "to", Type: Object, Objects: []ObjectKind{KindMR}, Doc: "the region to copy into"}.positional().
				required(),
			uintArg("length", 63, "", "bytes", "how many; fewer if a region ends first").required(),
			uintArg("from_offset", 63, "0", "bytes", "from the start of the source region"),
			uintArg("to_offset", 63, "0", "bytes", "from the start of the destination region"),
		},
		Example: "copy_mem src dst length=16 to_offset=8",
	}
	Input = &Spec{
		Name: "input", Group: "memory",
		Summary: "ask for a line of text and write it into a memory region, padded with zeros; empty lines are skipped",
		Args: []Arg{
			object("mr", "the region", KindMR),
			Arg{Name: "prompt", Type: Text, Default: "input", Doc: "the prompt to show; quote it if it has spaces"},
			Arg{Name: "end", Type: Text, Doc: "the text to use at the end of the input; left out: the end is an error"},
			objectArg("while", "fail when this identifier's connection ends; left out: keep waiting", KindID),
		},
		Example: `input src prompt="say" end="disconnect"`,
	}
	ReadMem = &Spec{
		Name: "read_mem", Group: "memory",
		Summary: "show bytes of a memory region",
		Args: []Arg{
			object("mr", "the region", KindMR),
			uintArg("offset", 63, "0", "bytes", "from the region's start").positional(),
			uintArg("length", 32, "64", "bytes", "how many; fewer if the region ends first").positional(),
		},
		Example: "read_mem dst 0 32",
	}
)
