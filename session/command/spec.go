// Package command is the command language: one table that defines each command
// once, and what is read from it: the parser, completion, help.
package command

// Type is what an argument's value must look like.
type Type uint8

// Types of arguments. Every one of them also takes a reference such as
// b.qp_num, which is replaced by that object's value when the command runs.
const (
	Word     Type = iota // a bare word
	Text                 // a quoted or bare string
	NewName              // a name for the object that the command makes
	Object               // the name of an existing object; see Arg.Objects
	Uint                 // a number that fits Arg.Bits
	Addr                 // a 64-bit address; name.addr+16 is legal
	Duration             // 1s, 250ms, 10us
	Bool                 // 0 or 1, off or on
	Choice               // one of Arg.Choices
	FlagSet              // some of Arg.Choices joined by '|'
	GIDValue             // a GID or IP address
	SGEList              // name:offset:length[:lkey], several joined by ','; @addr:length:lkey for raw ones
	Bytes                // "text", 0x… hex, or pattern:LEN
	Line                 // the rest of the line, itself a command
)

// ObjectKind is a kind of named object of a session.
type ObjectKind string

// Kinds of objects.
const (
	KindDevice  ObjectKind = "device"
	KindPD      ObjectKind = "pd"
	KindMR      ObjectKind = "mr"
	KindChannel ObjectKind = "comp_channel"
	KindCQ      ObjectKind = "cq"
	KindQP      ObjectKind = "qp"
	KindAH      ObjectKind = "ah"
	KindPeer    ObjectKind = "peer" // what an out-of-band exchange learned
)

// Arg describes one argument of a command.
type Arg struct {
	Name       string // C field name where there is one
	Type       Type
	Positional bool // given by place, before the name=value ones
	Required   bool
	Default    string // as it would be typed; "" = none, or chosen when the command runs (Doc says how)
	Bits       int    // Uint
	Choices    []string
	Objects    []ObjectKind // Object, and what a NewName makes
	Unit       string
	Doc        string
}

// Spec describes one command.
type Spec struct {
	Name    string
	Group   string // heading in help: "device", "memory", "queue pair", …
	Verb    string // the C function, "" for a command of our own
	Summary string
	Args    []Arg
	Example string
}
