package command

var sessionCommands = []*Spec{
	Live, Sleep, Repeat, Loop, Try, Until, End, Save, ExportC, ExportScript, Lab, Note, Help,
}

// Commands about the session and its scripts.
var (
	Live = &Spec{
		Name: "live", Group: "session",
		Summary: "poll completion queues and take events automatically",
		Args:    []Arg{Arg{Name: "on", Type: Bool, Doc: "on or off"}.positional().required()},
		Example: "live on",
	}
	Sleep = &Spec{
		Name: "sleep", Group: "session",
		Summary: "wait",
		Args:    []Arg{limitArg("duration", "", "how long: 1s, 250ms, 10us").positional().required()},
		Example: "sleep 250ms",
	}
	Repeat = &Spec{
		Name: "repeat", Group: "session",
		Summary: "run a line several times; the first failure ends it",
		Args: []Arg{
			Arg{Name: "n", Type: Uint, Bits: 32, Doc: "how many times, 1 to 1000000000"}.positional().required(),
			Arg{Name: "line", Type: Line, Doc: "the line"}.positional().required(),
		},
		Example: "repeat 10 post_recv b sge=dst",
		check:   checkRepeat,
	}
	Loop = &Spec{
		Name: "loop", Group: "session",
		Summary: "in a script: repeat the lines up to its end",
		Args: []Arg{Arg{Name: "n", Type: Uint, Bits: 63,
			Doc: "number of times, at least 1; left out: until a line fails or an until ends it"}.positional()},
		Example: "loop 10",
	}
	Try = &Spec{
		Name: "try", Group: "session",
		Summary: "in a script: run the lines up to its end; if one fails, destroy the objects that they created and continue after the end",
		Example: "try",
	}
	Until = &Spec{
		Name: "until", Group: "session",
		Summary: "in a loop: leave the loop if the line succeeds, continue if it fails",
		Args:    []Arg{Arg{Name: "line", Type: Line, Doc: "the line"}.positional().required()},
		Example: "until expect id id DISCONNECTED",
		check:   checkNesting,
	}
	End = &Spec{
		Name: "end", Group: "session",
		Summary: "in a script: the end of a loop or try",
		Example: "end",
	}
	Save = &Spec{
		Name: "save", Group: "session",
		Summary: "write the commands so far to a file for rdmatui run",
		Args: []Arg{Arg{Name: "file", Type: NewFile, Doc: "the file's path; quote it if it has spaces"}.positional().
			required()},
		Example: "save session.rdma",
	}
	ExportC = &Spec{
		Name: "export c", Group: "session",
		Summary: "write the session so far as a C program for libibverbs and librdmacm",
		Args: []Arg{Arg{Name: "file", Type: NewFile, Doc: "the file's path; quote it if it has spaces"}.positional().
			required()},
		Example: "export c session.c",
	}
	ExportScript = &Spec{
		Name: "export script", Group: "session",
		Summary: "write the session so far as a script for rdmatui run, with loops and comments, and failures as expect error",
		Args: []Arg{Arg{Name: "file", Type: NewFile, Doc: "the file's path; quote it if it has spaces"}.positional().
			required()},
		Example: "export script session.rdma",
	}
	Lab = &Spec{
		Name: "lab", Group: "session",
		Summary: "run a failure on purpose in a separate session, and compare it with the specification",
		Args: []Arg{
			Arg{Name: "experiment", Type: Word, Doc: "its name; left out: list all names"}.positional(),
			objectArg("device", "the device; left out: the first one", KindAvailable),
			portArg("the port of both queue pairs").otherwise(firstActive),
			uintArg("sgid_index", 8, "", "", "the row of the port's GID table").otherwise("chosen"),
		},
		Example: "lab bad-rkey",
	}
	Note = &Spec{
		Name: "note", Group: "session",
		Summary: "add a remark to the time line",
		Args: []Arg{Arg{Name: "text", Type: Text, Doc: "the remark; quote it if it has spaces"}.positional().
			required()},
		Example: `note "now the peer is started"`,
	}
	Help = &Spec{
		Name: "help", Group: "session",
		Summary: "list the commands, or explain one",
		Args: []Arg{
			Arg{Name: "command", Type: Word, Doc: "the command; left out: all"}.positional(),
			Arg{Name: "form", Type: Word, Doc: "which form of it, if there are several"}.positional(),
		},
		Example: "help reg_mr",
	}
)
