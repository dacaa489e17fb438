package command

var sessionCommands = []Spec{
	{
		Name: "live", Group: "session",
		Summary: "poll completion queues and take events without being asked",
		Args:    []Arg{Arg{Name: "on", Type: Bool, Doc: "on or off"}.positional().required()},
		Example: "live on",
	},
	{
		Name: "sleep", Group: "session",
		Summary: "wait",
		Args:    []Arg{limitArg("duration", "", "how long: 1s, 250ms, 10us").positional().required()},
		Example: "sleep 250ms",
	},
	{
		Name: "repeat", Group: "session",
		Summary: "carry out a line several times; the first failure ends it",
		Args: []Arg{
			Arg{Name: "n", Type: Uint, Bits: 32, Doc: "how many times, 1 to 1000000000"}.positional().required(),
			Arg{Name: "line", Type: Line, Doc: "the line"}.positional().required(),
		},
		Example: "repeat 10 post_recv b sge=dst",
	},
	{
		Name: "loop", Group: "session",
		Summary: "in a script: carry out the lines down to its end again and again",
		Args:    []Arg{Arg{Name: "n", Type: Uint, Bits: 63, Doc: "how many times, at least 1; left out: until a line fails or an until ends it"}.positional()},
		Example: "loop 10",
	},
	{
		Name: "try", Group: "session",
		Summary: "in a script: carry out the lines down to its end; where one fails, leave them and go on behind the end, after destroying what they made",
		Example: "try",
	},
	{
		Name: "until", Group: "session",
		Summary: "in a loop: leave it if the line succeeds, go on if it fails",
		Args:    []Arg{Arg{Name: "line", Type: Line, Doc: "the line"}.positional().required()},
		Example: "until expect id id DISCONNECTED",
	},
	{
		Name: "end", Group: "session",
		Summary: "in a script: the end of a loop or try",
		Example: "end",
	},
	{
		Name: "save", Group: "session",
		Summary: "write the commands so far to a file that rdmatui run takes",
		Args:    []Arg{Arg{Name: "file", Type: NewFile, Doc: "the file's path; quote it if it has spaces"}.positional().required()},
		Example: "save session.rdma",
	},
	{
		Name: "export c", Group: "session",
		Summary: "write the session so far as a C program that does the same with libibverbs and librdmacm",
		Args:    []Arg{Arg{Name: "file", Type: NewFile, Doc: "the file's path; quote it if it has spaces"}.positional().required()},
		Example: "export c session.c",
	},
	{
		Name: "export script", Group: "session",
		Summary: "write the session so far as a script that rdmatui run takes: with loops and comments, and what failed as expect error",
		Args:    []Arg{Arg{Name: "file", Type: NewFile, Doc: "the file's path; quote it if it has spaces"}.positional().required()},
		Example: "export script session.rdma",
	},
	{
		Name: "lab", Group: "session",
		Summary: "make a failure on purpose, in a session of its own, and hold what happened against the specification",
		Args: []Arg{
			Arg{Name: "experiment", Type: Word, Doc: "its name; left out: tell all names"}.positional(),
			objectArg("device", "where; left out: the first there is", KindAvailable),
			portArg("the port of both queue pairs").otherwise(firstActive),
			uintArg("sgid_index", 8, "", "", "the row of its GID table").otherwise("chosen"),
		},
		Example: "lab bad-rkey",
	},
	{
		Name: "note", Group: "session",
		Summary: "put a remark on the time line",
		Args:    []Arg{Arg{Name: "text", Type: Text, Doc: "the remark; quote it if it has spaces"}.positional().required()},
		Example: `note "now the peer is started"`,
	},
	{
		Name: "help", Group: "session",
		Summary: "list the commands, or explain one",
		Args: []Arg{
			Arg{Name: "command", Type: Word, Doc: "the command; left out: all"}.positional(),
			Arg{Name: "form", Type: Word, Doc: "which form of it, where there are several"}.positional(),
		},
		Example: "help reg_mr",
	},
}
