// Package command is the command language: one table that defines each command
// once, and what is read from it: the parser, completion, help. It carries no
// command out; words and quotes are package syntax's.
//
// A line is parsed without knowing which objects exist. The session then
// resolves the references in it ([Command.Resolve]), fills in the names that
// were left out ([Command.With]) and reads the values by type.
package command

import (
	"strings"

	"rdmatui/session/command/syntax"
)

// Type is what an argument's value must look like.
type Type uint8

// Types of arguments. All but names, Text, NewFile and Line also take a reference such
// as b.qp_num, which is replaced by that object's value when the command runs.
const (
	Word     Type = iota // a bare word
	Text                 // a quoted or bare string
	NewFile              // the path of a file that the command makes; as Text
	NewName              // a name for the object that the command makes
	Object               // the name of an existing object; see Arg.Objects
	Uint                 // a number that fits Arg.Bits
	Addr                 // a 64-bit address; name.addr+16 is legal
	Duration             // 1s, 250ms, 10us
	Share                // a probability: 0.05 or 5%
	Bool                 // 0 or 1, off or on
	Choice               // one of Arg.Choices
	FlagSet              // some of Arg.Choices joined by '|'
	GIDValue             // a GID or IP address
	SGEList              // name[:offset[:length[:lkey]]], several joined by ','; @addr:length:lkey for raw ones
	Bytes                // "text", 0x… hex, pattern:LEN[:FROM], file:PATH of some, or numbers: be32:N,le64:N
	// what a region is registered over: anonymous, file:PATH, shm:/NAME, hugetlb, hugetlb:SIZE, dmabuf:N,
	// dmabuf:udmabuf
	Backing
	Errno // the C name of an errno: EINVAL
	Line  // the rest of the line, itself a command
)

// ObjectKind is a kind of named object of a session.
type ObjectKind string

// Kinds of objects.
const (
	KindDevice     ObjectKind = "device"
	KindPD         ObjectKind = "pd"
	KindMR         ObjectKind = "mr"
	KindMW         ObjectKind = "mw"
	KindDM         ObjectKind = "dm"
	KindChannel    ObjectKind = "comp_channel"
	KindCQ         ObjectKind = "cq"
	KindSRQ        ObjectKind = "srq"
	KindQP         ObjectKind = "qp"
	KindAH         ObjectKind = "ah"
	KindPeer       ObjectKind = "peer"          // what an out-of-band exchange learned
	KindEvents     ObjectKind = "event_channel" // of the connection manager
	KindID         ObjectKind = "cm_id"         // the connection manager's socket
	KindAddrInfo   ObjectKind = "addrinfo"      // what a name was resolved to
	KindAny        ObjectKind = "object"
	KindAvailable  ObjectKind = "available device" // a device that a provider lists, open or not
	maxNesting                = 8                  // of lines in lines
	maxPatternLen             = 1 << 26            // bytes of pattern:LEN
	maxRepetitions            = 1e9
)

// Indefinite is the kind with its article, by sound: "an mr", "a pd".
func (k ObjectKind) Indefinite() string {
	switch k {
	case KindAvailable, KindMR, KindMW, KindSRQ, KindAH, KindEvents, KindAddrInfo, KindAny:
		return "an " + string(k)
	}
	return "a " + string(k)
}

// ObjectKinds lists the kinds of objects that a session makes.
var ObjectKinds = []ObjectKind{KindDevice, KindPD, KindMR, KindMW, KindDM, KindChannel, KindCQ, KindSRQ, KindQP, KindAH,
	KindPeer, KindEvents, KindID, KindAddrInfo}

// IDStates are the states of an identifier, in the order in which it goes
// through them.
var IDStates = []string{"IDLE", "BOUND", "ADDR_RESOLVED", "ROUTE_RESOLVED", "LISTENING", "REQUEST", "CONNECTING",
	"CONNECTED", "DISCONNECTED", "ERROR"}

// Offer is a value that a form offers for an argument, and what it means in a few words.
type Offer struct{ Value, Help string }

// Arg describes one argument of a command. Positional ones may be given by
// name too.
type Arg struct {
	Name       string // C field name where there is one
	Type       Type
	Positional bool // given by place, before the name=value ones
	Required   bool
	Default    string       // as it would be typed; "" = none, or chosen when the command runs (Doc says how)
	Bits       int          // Uint
	Choices    []string     // Choice, FlagSet
	Objects    []ObjectKind // Object, and what a NewName makes
	Unit       string
	Doc        string
	Limits     bool    // Duration: the command ends within it, whatever it waits for
	Offers     []Offer // the choices that forms offer, in their order; nil: all, without help

	cprefix string                  // of the choices' C names, which are understood too
	values  []uint64                // of the choices in C; nil: they are no constants of C
	cflags  func(set uint64) string // FlagSet: the set in C
}

// Returns says how a C function reports a failure.
type Returns uint8

// Ways to report a failure.
const (
	ReturnsNothing Returns = iota
	ReturnsPointer         // NULL, and errno has the reason
	ReturnsErrno           // the errno
	ReturnsStatus          // not 0, and errno has the reason
)

// Call is the form of a C call. The journal writes it with the values of the line, an exported program with its
// variables.
type Call struct {
	args    string // names of the command's arguments, structs of theirs, and other C text
	Returns Returns
}

// Words returns the words of the arguments.
func (c Call) Words() []string {
	if c.args == "" {
		return nil
	}
	return strings.Split(c.args, ", ")
}

// Spec describes one command.
type Spec struct {
	Name    string // "reg_mr"; "expect wc" for one form of several
	Group   string // heading in help: "device", "memory", "queue pair", …
	Verb    string // the C function, "" for a command of our own
	Call    Call   // of the Verb, if the command makes one call of a fixed form
	Summary string
	Args    []Arg
	Example string

	check func(*parser, *Command) *syntax.Error // what a single argument's type cannot say; may be nil
	usage func(b *binder, arg string) use       // which arguments fit those that are given already; nil: all
}

// Arg returns the description of the named argument, nil where there is none.
func (s *Spec) Arg(name string) *Arg {
	for i := range s.Args {
		if s.Args[i].Name == name {
			return &s.Args[i]
		}
	}
	return nil
}
