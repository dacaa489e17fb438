package imports

// Rules are the forbidden edges between packages. Patterns are import paths; "x/..." also stands for
// all below x, "./" for this module, "." for its root, "std" for the standard library and "foreign" for other modules.
var Rules = []Rule{
	{
		From: []string{"./verbs"}, Ban: []string{"./...", "foreign"},
		Why: "every layer imports the vocabulary, and so everything that it imports",
	},
	{
		From: []string{"./verbs/choice", "./verbs/fields", "./verbs/transition"}, Ban: []string{"./...", "foreign"}, Allow: []string{"./verbs", "./verbs/fields", "./verbs/format"},
		Why: "tables and rules over the vocabulary need its values alone",
	},
	{
		From: []string{"./verbs", "./verbs/choice", "./verbs/fields", "./verbs/transition"},
		Ban:  []string{"unsafe", "C", "net/...", "os/...", "golang.org/x/sys/..."}, Allow: []string{"net/netip"},
		Why: "values and interfaces only: no memory tricks, sockets or files",
	},
	{
		From: []string{"./verbs/format", "./verbs/ring"}, Ban: []string{"./...", "foreign"},
		Why: "every layer uses them, so they import none",
	},
	{
		From: []string{"./verbs/wire/..."}, Ban: []string{"./..."}, Allow: []string{"./verbs/wire/..."},
		Why: "a codec works on bytes and is usable by any program",
	},
	{
		From: []string{"./verbs/wire/..."}, Ban: []string{"unsafe", "C", "net/...", "os/..."}, Allow: []string{"net/netip"},
		Why: "a codec works on bytes, not on sockets",
	},
	{
		From: []string{"./verbs/soft/link/..."}, Ban: []string{"./verbs/soft"},
		Why: "a carrier moves packets; acknowledging and retrying is the device's part",
	},
	{
		From: []string{"./verbs/soft/..."}, Except: []string{"./verbs/soft/link/..."}, Ban: []string{"net/..."}, Allow: []string{"net/netip"},
		Why: "packets leave by soft/link alone, where they are tapped and faults are put in",
	},
	{
		From: []string{"./verbs/soft/internal/object"}, Ban: []string{"./verbs/soft/...", "./verbs/wire/..."}, Allow: []string{"./verbs/soft/link"},
		Why: "the base of all objects must not depend on a kind of object",
	},
	{
		From: []string{"./verbs/soft/mem"}, Ban: []string{"./verbs/soft/...", "./verbs/wire/..."}, Allow: []string{"./verbs/soft/internal/object"},
		Why: "memory is addresses, keys and rights; what packets do with them is the transport's part",
	},
	{
		From: []string{"./verbs/soft/transport"}, Ban: []string{"./verbs/soft", "./verbs/soft/cm"}, Tests: true,
		Why: "queue pairs must not depend on what opens the device or connects them",
	},
	{
		From: []string{"./verbs/soft/cm"}, Ban: []string{"./verbs/soft", "./verbs/soft/mem", "./verbs/soft/transport"},
		Why: "the connection manager sees devices by the interface that it asks for",
	},
	{
		From: []string{"./verbs/soft/..."}, Ban: []string{"./verbs/native/..."},
		Why: "the software device runs where there is no library and no kernel support",
	},
	{
		From: []string{"./verbs/soft/..."}, Except: []string{"./verbs/soft/link/...", "./verbs/soft/internal/mmsg"}, Ban: []string{"foreign"},
		Why: "the software device needs nothing that could be missing",
	},
	{
		From: []string{"./verbs/soft/link/...", "./verbs/soft/internal/mmsg"}, Ban: []string{"foreign"}, Allow: []string{"golang.org/x/sys/unix"},
		Why: "a carrier needs the system's calls, and nothing else from outside",
	},
	{
		From: []string{"./verbs/soft/internal/mmsg"}, Ban: []string{"./..."},
		Why: "system calls must not depend on the datagrams' contents",
	},
	{
		From: []string{"./verbs/native/..."}, Ban: []string{"./verbs/wire/...", "./verbs/soft/..."},
		Why: "the host's libraries and hardware make the packets",
	},
	{
		From: []string{"./verbs/native/cm", "./verbs/native/internal/..."}, Ban: []string{"./verbs/native"},
		Why: "the connection manager and what both halves need see the provider by interfaces",
	},
	{
		From: []string{"./verbs/native/internal/..."}, Ban: []string{"./verbs/native/cm"},
		Why: "the code shared by both halves must not depend on either",
	},
	{
		From: []string{"./verbs/native/internal/abi/..."}, Ban: []string{"./verbs/native", "./verbs/native/internal/dl/...", "foreign"},
		Why: "layouts are data; nothing is called there",
	},
	{
		From: []string{"./verbs/native/internal/dl/..."}, Ban: []string{"./verbs/native", "./verbs/native/internal/abi/..."},
		Why: "the code that calls C must not depend on RDMA",
	},
	{
		From: []string{"./verbs/..."}, Ban: []string{"./devices/...", "./session/...", "./ui/...", "./assets/..."}, Tests: true,
		Why: "a provider must not depend on its users",
	},
	{
		From: []string{"./devices/..."}, Ban: []string{"./session/...", "./ui/..."}, Tests: true,
		Why: "the inventory tells what is there, not what was done with it or how it looks",
	},
	{
		From: []string{"./session/core"}, Ban: []string{"./..."}, Allow: []string{"./session/command/...", "./session/timeline", "./verbs", "./verbs/choice", "./verbs/format"},
		Why: "objects and commands register with the core, which must not depend on them",
	},
	{
		From: []string{"./session/command/syntax"}, Ban: []string{"./...", "foreign"},
		Why: "words, quotes and errors come before any command",
	},
	{
		From: []string{"./session/preflight"}, Ban: []string{"./..."}, Allow: []string{"./session/core", "./verbs", "./verbs/format"},
		Why: "a report reads a snapshot: it makes no call and knows no command",
	},
	{
		From: []string{"./session/ccall"}, Ban: []string{"./..."}, Allow: []string{"./verbs", "./verbs/fields"},
		Why: "the text of a call is made of values and names; objects are above it",
	},
	{
		From: []string{"./session/device"}, Ban: []string{"./session/..."}, Allow: []string{"./session/core", "./session/command", "./session/timeline"},
		Why: "a device is there before what is made on it, and knows that by interfaces",
	},
	{
		From: []string{"./session/region"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command", "./session/ccall", "./session/device"},
		Why:   "memory is registered before any queue works on it",
	},
	{
		From: []string{"./session/queue"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall", "./session/device", "./session/region"},
		Why:   "a queue knows what was posted and completed, not who posts and who connects",
	},
	{
		From: []string{"./session/post"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall", "./session/device", "./session/region", "./session/queue", "./session/preflight"},
		Why:   "posting a request needs the queues, no connection manager and no script",
	},
	{
		From: []string{"./session/bringup"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall", "./session/device", "./session/region", "./session/queue"},
		Why:   "a queue pair is brought up by hand without a connection manager",
	},
	{
		From: []string{"./session/packets"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/device", "./session/capture"},
		Why:   "packets are seen whatever they are of",
	},
	{
		From: []string{"./session/cm"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall", "./session/device", "./session/region", "./session/queue"},
		Why:   "an identifier makes connections; what they are used for is not its part",
	},
	{
		From: []string{"./session/traffic"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall", "./session/device", "./session/region", "./session/queue", "./session/post", "./session/cm", "./session/oob"},
		Why:   "a measured exchange is one command, not a script of them",
	},
	{
		From: []string{"./session/script"}, Ban: []string{"./session/..."},
		Allow: []string{"./session/core", "./session/command/...", "./session/timeline", "./session/ccall", "./session/device", "./session/region", "./session/queue", "./session/cm", "./session/export"},
		Why:   "a script is any lines: it knows no scenario and no experiment",
	},
	{
		From: []string{"./session/incident"}, Ban: []string{"./..."},
		Allow: []string{"./session/core", "./session/timeline", "./session/queue", "./session/preflight", "./verbs", "./verbs/fields", "./verbs/format", "./verbs/ring", "./verbs/wire", "./assets/explain"},
		Why:   "why a request failed is read from what there is: nothing is posted, and no command is known",
	},
	{
		From: []string{"./session/scenario", "./session/labrun"}, Ban: []string{"./session"},
		Why: "the session hands out runs; they work on its core",
	},
	{
		From: []string{"./session/scenario"}, Ban: []string{"./session/labrun", "./session/lab"},
		Why: "a scenario is a program that works, an experiment one that fails",
	},
	{
		From: []string{"./session/labrun"}, Ban: []string{"./session/scenario", "./session/traffic"},
		Why: "an experiment has lines of its own",
	},
	{
		From: []string{"./session/..."}, Ban: []string{"./ui/..."}, Tests: true,
		Why: "commands flow down: every session also runs without a screen",
	},
	{
		From: []string{"./..."}, Except: []string{".", "./verbs/native/...", "./verbs/soft/...", "./ui/uitest"},
		Ban: []string{"./verbs/native/...", "./verbs/soft/..."},
		Why: "only main names the providers; all others take what they are given (tests, and what helps them, may need a real one)",
	},
	{
		From: []string{"./..."}, Except: []string{".", "./ui/..."},
		Ban:   []string{"charm.land/...", "github.com/charmbracelet/...", "github.com/spf13/cobra/..."},
		Tests: true,
		Why:   "terminals and command lines are the face's business",
	},
	{
		From: []string{"./..."}, Except: []string{"./devices/..."},
		Ban:   []string{"github.com/vishvananda/...", "github.com/Mellanox/rdmamap/..."},
		Tests: true,
		Why:   "devices alone asks the operating system what it knows of a device",
	},
	{
		From: []string{"./..."}, Except: []string{"./verbs/native/internal/dl/..."}, Ban: []string{"github.com/ebitengine/purego/..."}, Tests: true,
		Why: "the rules for calling C (errno, threads, absent symbols) are kept in one place",
	},
	{
		From: []string{"./ui/store"}, Ban: []string{"./..."}, Allow: []string{"./ui/widget/line", "./verbs/ring"},
		Why: "files of choices are values by key; who uses them knows what they mean",
	},
	{
		From: []string{"./..."}, Except: []string{"./ui/store"}, Ban: []string{"github.com/BurntSushi/toml/..."}, Tests: true,
		Why: "choices and what is remembered are read and written in one place",
	},
	{
		From: []string{"./..."}, Except: []string{"./verbs/native/...", "./verbs/soft/internal/mmsg", "./verbs/memory/internal/udmabuf"}, Ban: []string{"unsafe"},
		Why: "memory that the compiler does not watch stays where C is called, and where the kernel takes a structure by its address",
	},
	{
		From: []string{"./..."}, Except: []string{"./verbs/native/..."}, Ban: []string{"C"},
		Why: "C is called in one place",
	},
	{
		From: []string{"./assets/..."}, Ban: []string{"./..."}, Allow: []string{"./assets/...", "./verbs", "./verbs/fields", "./verbs/transition"}, Tests: true,
		Why: "text that is embedded explains values; it has no logic to share",
	},
	{
		From: []string{"./assets/explain"}, Ban: []string{"./...", "foreign"}, Tests: true,
		Why: "explanations are words and the finding of them; what is known at the moment, who shows them puts in",
	},
	{
		From: []string{"./..."}, Except: []string{"./verbs/verbstest/...", "./ui/uitest/..."}, Ban: []string{"./verbs/verbstest/...", "./ui/uitest/..."},
		Why: "neither the conformance suite nor what helps the screens' tests is part of the program",
	},
	{
		From: []string{"./..."}, Ban: []string{"./ui/program"}, Tests: true,
		Why: "the tests of the whole program may import every package, so no package may import them",
	},
}
