package session

// scriptCommands are the commands of scripts, by name.
var scriptCommands = Handlers{
	"copy_mem":      (*Session).copyMem,
	"input":         (*Session).input,
	"expect wc":     (*Session).expectWC,
	"expect mem":    (*Session).expectMem,
	"expect state":  (*Session).expectState,
	"expect error":  (*Session).expectError,
	"sleep":         (*Session).sleep,
	"repeat":        (*Session).repeat,
	"loop":          (*Session).blockAlone,
	"try":           (*Session).blockAlone,
	"until":         (*Session).until,
	"end":           (*Session).blockAlone,
	"save":          (*Session).save,
	"export c":      (*Session).exportC,
	"export script": (*Session).exportScript,
	"lab":           (*Session).labCommand,
	"note":          (*Session).remark,
	"help":          (*Session).help,
}
