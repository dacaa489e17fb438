package script

import "rdmatui/session/core"

// Commands are the commands of scripts, by name.
var Commands = core.Handlers{
	"copy_mem":      copyMem,
	"input":         input,
	"expect wc":     expectWC,
	"expect mem":    expectMem,
	"expect state":  expectState,
	"expect error":  expectError,
	"sleep":         sleep,
	"repeat":        repeat,
	"loop":          blockAlone,
	"try":           blockAlone,
	"until":         until,
	"end":           blockAlone,
	"save":          save,
	"export c":      exportC,
	"export script": exportScript,
	"note":          remark,
	"help":          help,
}
