package imports

// Rules are the forbidden edges between packages. Patterns are import paths; "x/..." also stands for
// all packages below x, "./" for this module, "." for its root, "std" for the standard library and "foreign" for other
// modules.
var Rules = []Rule{
	{
		From: []string{"./verbs"}, Ban: []string{"./...", "foreign"},
		Why: "every layer imports this package, and with it everything that it imports",
	},
	{
		From: []string{"./verbs/route", "./verbs/fields", "./verbs/transition"}, Ban: []string{"./...", "foreign"},
		Allow: []string{"./verbs", "./verbs/fields", "./verbs/format"},
		Why:   "these tables and rules need only the values of package verbs",
	},
	{
		From: []string{"./verbs", "./verbs/fields", "./verbs/transition"},
		Ban:  []string{"unsafe", "C", "net/...", "os/...", "golang.org/x/sys/..."}, Allow: []string{"net/netip"},
		Why: "values and interfaces only: no memory tricks, sockets or files",
	},
	{
		From: []string{"./verbs/route"}, Ban: []string{"unsafe", "C", "os/...", "golang.org/x/sys/..."},
		Why: "it asks the kernel's routing table through Go's sockets, on every platform",
	},
	{
		From: []string{"./verbs/format", "./verbs/ring"}, Ban: []string{"./...", "foreign"},
		Why: "every layer uses them, so they import none",
	},
	{
		From: []string{"./verbs/wire/..."}, Ban: []string{"./..."}, Allow: []string{"./verbs/wire/..."},
		Why: "the codec depends on no other package, so any program can use it",
	},
	{
		From: []string{"./verbs/wire/..."}, Ban: []string{"unsafe", "C", "net/...", "os/..."},
		Allow: []string{"net/netip"},
		Why:   "the codec reads and writes byte slices; sockets and files are the caller's",
	},
	{
		From: []string{"./verbs/soft/link/..."}, Ban: []string{"./verbs/soft"},
		Why: "a link moves packets; the device acknowledges and retries",
	},
	{
		From: []string{"./verbs/soft/..."}, Except: []string{"./verbs/soft/link/..."},
		Ban: []string{"net/..."}, Allow: []string{"net/netip"},
		Why: "only soft/link sends packets, so taps and injected faults see all of them",
	},
	{
		From: []string{"./verbs/soft/internal/object"}, Ban: []string{"./verbs/soft/...", "./verbs/wire/..."},
		Allow: []string{"./verbs/soft/link"},
		Why:   "the base of all objects must not depend on one kind of object",
	},
	{
		From: []string{"./verbs/soft/mem"}, Ban: []string{"./verbs/soft/...", "./verbs/wire/..."},
		Allow: []string{"./verbs/soft/internal/object"},
		Why:   "this package holds addresses, keys and access rights; the transport applies packets to them",
	},
	{
		From: []string{"./verbs/soft/transport"}, Ban: []string{"./verbs/soft", "./verbs/soft/cm"}, Tests: true,
		Why: "queue pairs must not depend on the code that opens the device or connects them",
	},
	{
		From: []string{"./verbs/soft/cm"}, Ban: []string{"./verbs/soft", "./verbs/soft/mem", "./verbs/soft/transport"},
		Why: "the connection manager reaches devices through an interface of its own",
	},
	{
		From: []string{"./verbs/soft/..."}, Ban: []string{"./verbs/native/..."},
		Why: "the software device must run without RDMA libraries and kernel support",
	},
	{
		From: []string{"./verbs/soft/..."}, Except: []string{"./verbs/soft/link/...", "./verbs/soft/internal/mmsg"},
		Ban: []string{"foreign"},
		Why: "the software device must not need modules that may be unavailable",
	},
	{
		From: []string{"./verbs/soft/link/...", "./verbs/soft/internal/mmsg"}, Ban: []string{"foreign"},
		Allow: []string{"golang.org/x/sys/unix"},
		Why:   "a link needs system calls and no other module",
	},
	{
		From: []string{"./verbs/soft/internal/mmsg"}, Ban: []string{"./..."},
		Why: "system calls must not depend on the contents of datagrams",
	},
	{
		From: []string{"./verbs/native/..."}, Ban: []string{"./verbs/wire/...", "./verbs/soft/..."},
		Why: "the host's libraries and hardware build the packets",
	},
	{
		From: []string{"./verbs/native/cm", "./verbs/native/internal/..."}, Ban: []string{"./verbs/native"},
		Why: "these packages reach the provider through interfaces, so that it can import them",
	},
	{
		From: []string{"./verbs/native/internal/..."}, Ban: []string{"./verbs/native/cm"},
		Why: "the code shared by both halves must not depend on either",
	},
	{
		From: []string{"./verbs/native/internal/abi/..."},
		Ban:  []string{"./verbs/native", "./verbs/native/internal/dl/...", "foreign"},
		Why:  "these packages hold layouts only and call nothing",
	},
	{
		From: []string{"./verbs/native/internal/dl/..."},
		Ban:  []string{"./verbs/native", "./verbs/native/internal/abi/..."},
		Why:  "the code that calls C must not depend on RDMA",
	},
	{
		From: []string{"./verbs/..."}, Ban: []string{"./devices/...", "./session/...", "./ui/...", "./assets/..."},
		Tests: true,
		Why:   "a provider must not depend on its users",
	},
	{
		From: []string{"./devices/..."}, Ban: []string{"./session/...", "./ui/..."}, Tests: true,
		Why: "the inventory lists devices; it knows neither the session nor the screens",
	},
	{
		From: []string{"./session/core"}, Ban: []string{"./..."}, Allow: []string{"./session/command/...",
			"./session/ccall", "./session/timeline", "./verbs", "./verbs/route", "./verbs/format"},
		Why: "objects and commands register with the core, which must not depend on them",
	},
	{
		From: []string{"./session/command/syntax"}, Ban: []string{"./...", "foreign"},
		Why: "the syntax is the same for all commands and knows none of them",
	},
	{
		From: []string{"./session/preflight"}, Ban: []string{"./..."},
		Allow: []string{"./session/core", "./verbs", "./verbs/format"},
		Why:   "a report reads a snapshot; it makes no call and knows no command",
	},
	{
		From: []string{"./session/ccall"}, Ban: []string{"./..."},
		Allow: []string{"./session/command", "./verbs", "./verbs/fields"},
		Why:   "the text of a call needs a command's values and names, not objects",
	},
	{
		From: []string{"./session/device"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command", "./session/timeline", "./session/ccall"},
		Why:   "a device exists before its objects and reaches them through interfaces",
	},
	{
		From: []string{"./session/region"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command", "./session/ccall", "./session/device"},
		Why:   "memory is registered before a queue uses it",
	},
	{
		From: []string{"./session/queue"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall",
			"./session/device", "./session/region"},
		Why: "a queue knows its requests and completions, not the code that posts or connects",
	},
	{
		From: []string{"./session/post"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall",
			"./session/device", "./session/region", "./session/queue", "./session/preflight"},
		Why: "posting needs queues, but no connection manager or script",
	},
	{
		From: []string{"./session/bringup"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall",
			"./session/device", "./session/region", "./session/queue"},
		Why: "a queue pair can be brought up without a connection manager",
	},
	{
		From: []string{"./session/packets"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/device",
			"./session/capture"},
		Why: "captures show packets of every kind and depend on no kind of object",
	},
	{
		From: []string{"./session/conversation"}, Ban: []string{"./..."},
		Allow: []string{"./session/capture", "./session/command/syntax", "./session/timeline", "./verbs",
			"./verbs/format", "./verbs/ring", "./verbs/wire"},
		Why: "what packets tell of each other depends on no session: a capture may be of any device",
	},
	{
		From: []string{"./..."}, Ban: []string{"github.com/gopacket/..."},
		Why: "its tables of 5 MB would be part of every start and of every garbage collection",
	},
	{
		From: []string{"./..."}, Except: []string{"./session/capture"},
		Ban: []string{"github.com/gopacket/..."}, Tests: true,
		Why: "captures are read and written in one place, whose tests compare it with this library",
	},
	{
		From: []string{"./session/stages"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/timeline", "./session/queue", "./session/packets"},
		Why:   "the steps of a request are told from records, whoever posted it",
	},
	{
		From: []string{"./session/cm"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall",
			"./session/device", "./session/region", "./session/queue"},
		Why: "an identifier makes connections; other packages use them",
	},
	{
		From: []string{"./session/traffic"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline",
			"./session/ccall", "./session/device", "./session/region", "./session/queue", "./session/post",
			"./session/cm", "./session/oob"},
		Why: "a measured exchange is one command, not a script",
	},
	{
		From: []string{"./session/bench"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/device", "./session/region", "./session/queue", "./session/cm",
			"./session/oob", "./session/timeline"},
		Why: "a test makes its objects by command lines and needs no other traffic command",
	},
	{
		From: []string{"./session/tune"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/device", "./session/region", "./session/queue"},
		Why:   "an experiment makes its objects by command lines and needs no traffic command",
	},
	{
		From: []string{"./session/script"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall",
			"./session/device", "./session/region", "./session/queue", "./session/cm", "./session/export"},
		Why: "a script contains any lines; it knows no scenario and no experiment",
	},
	{
		From: []string{"./session/incident"}, Ban: []string{"./..."},
		Allow: []string{"./session/core", "./session/command", "./session/timeline", "./session/queue",
			"./session/preflight", "./session/packets", "./session/capture", "./verbs", "./verbs/fields",
			"./verbs/format", "./verbs/ring", "./verbs/wire", "./assets/explain"},
		Why: "an incident is explained and written from what others keep, without posting requests or running commands",
	},
	{
		From: []string{"./session/pair"}, Ban: []string{"./session/..."}, Allow: []string{"./session/agent"},
		Why: "both ends of a pair are reached in one way, through their agents",
	},
	{
		From: []string{"./session/agent"}, Ban: []string{"./session/..."},
		Allow: []string{"./session", "./session/command", "./session/timeline"},
		Why:   "an agent offers a session's language as it is, and no way past it",
	},
	{
		From: []string{"./session/scenario", "./session/lab"}, Ban: []string{"./session"},
		Why: "the session creates runs, which use only its core",
	},
	{
		From: []string{"./session/scenario"}, Ban: []string{"./session/lab"},
		Why: "scenarios and experiments must not depend on each other",
	},
	{
		From: []string{"./session/lab"}, Ban: []string{"./session/scenario", "./session/traffic"},
		Why: "an experiment brings its own lines and needs neither scenarios nor traffic commands",
	},
	{
		From: []string{"./session/..."}, Ban: []string{"./ui/..."}, Tests: true,
		Why: "every session must also run without a screen",
	},
	{
		From: []string{"./ui/..."},
		Ban: []string{"./session/core", "./session/ccall", "./session/device", "./session/post",
			"./session/queue", "./session/region"},
		Why: "screens and commands see the session, not what owns its objects",
	},
	{
		From: []string{"./..."}, Except: []string{".", "./verbs/native/...", "./verbs/soft/...", "./ui/uitest",
			"./session/sessiontest", "./verbs/verbstest/sim"},
		Ban: []string{"./verbs/native/...", "./verbs/soft/..."},
		Why: "only main selects providers and passes them on (tests and their helpers may need a real one)",
	},
	{
		From: []string{"./..."}, Except: []string{".", "./ui/..."},
		Ban:   []string{"charm.land/...", "github.com/charmbracelet/...", "github.com/spf13/cobra/..."},
		Tests: true,
		Why:   "only package ui deals with terminals and command lines",
	},
	{
		From: []string{"./..."}, Except: []string{"./devices/..."},
		Ban:   []string{"github.com/vishvananda/...", "github.com/Mellanox/rdmamap/..."},
		Tests: true,
		Why:   "only package devices asks the operating system about devices",
	},
	{
		From: []string{"./..."}, Except: []string{"./verbs/native/internal/dl/..."},
		Ban: []string{"github.com/ebitengine/purego/..."}, Tests: true,
		Why: "the rules for calling C (errno, threads, absent symbols) are kept in one place",
	},
	{
		From: []string{"./ui/store"}, Ban: []string{"./..."}, Allow: []string{"./ui/widget/line", "./verbs/ring"},
		Why: "the store reads and writes values by key; its callers know their meaning",
	},
	{
		From: []string{"./..."}, Except: []string{"./ui/store"},
		Ban: []string{"github.com/BurntSushi/toml/..."}, Tests: true,
		Why: "settings are read and written in one place",
	},
	{
		From: []string{"./..."}, Except: []string{"./verbs/native/...", "./verbs/soft/internal/mmsg",
			"./verbs/memory"}, Ban: []string{"unsafe"},
		Why: "unsafe memory access is needed only to call C and to pass structures to the kernel",
	},
	{
		From: []string{"./..."}, Except: []string{"./verbs/native/..."}, Ban: []string{"C"},
		Why: "C is called in one place",
	},
	{
		From: []string{"./assets/..."}, Ban: []string{"./..."},
		Allow: []string{"./assets/...", "./verbs", "./verbs/fields", "./verbs/transition", "./verbs/verbstest/race"},
		Tests: true,
		Why:   "embedded texts explain values and contain no program logic",
	},
	{
		From: []string{"./assets/explain"}, Ban: []string{"./...", "foreign"},
		Allow: []string{"./verbs/verbstest/race"}, Tests: true,
		Why: "this package holds and finds explanations; the screens add the current values",
	},
	{
		From: []string{"./..."}, Except: []string{"./verbs/verbstest/...", "./ui/uitest/...", "./session/sessiontest",
			"./verbs/soft/softtest"},
		Ban: []string{"./verbs/verbstest/...", "./ui/uitest/...", "./session/core/coretest",
			"./session/sessiontest", "./verbs/soft/softtest"},
		Why: "the conformance suite and the test helpers are not part of the program",
	},
	{
		From: []string{"./..."}, Ban: []string{"./ui/program"}, Tests: true,
		Why: "the tests of the whole program may import every package, so no package may import them",
	},
}
