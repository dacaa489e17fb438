package region

import "rdmatui/session/core"

// Commands are the commands about memory, by name.
var Commands = core.Handlers{
	"alloc_pd":       allocPD,
	"reg_mr":         regMR,
	"rereg_mr":       reregMR,
	"alloc_mw":       allocMW,
	"alloc_dm":       allocDM,
	"memcpy_to_dm":   memcpyToDM,
	"memcpy_from_dm": memcpyFromDM,
	"write_mem":      writeMem,
	"read_mem":       readMem,
}
