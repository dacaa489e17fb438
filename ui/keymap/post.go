package keymap

import "slices"

// Post is the Post screen's own keys.
var Post = struct {
	Opcode, RecvPeer, Fix, Payload, Other, Repeat, Memory, Bench, Recv, AddSGE, DropSGE binding
	Add, Chain, ClearChain, Undo, Jump, Register, Rights, Deregister, OpcodeBack, All   binding
}{
	Opcode:   bind("t", "next opcode", "t"),
	RecvPeer: bind("R", "RECV at the peer", "R"),
	Fix:      as(Verb.Fix, "fix what is missing"),
	Payload:  bind("P", "payload", "P"),
	Other:    as(Verb.Other, "other QP"),
	Repeat:   as(Verb.Again, "post again"),
	Memory:   bind("m", "memory", "m"),
	Bench:    bind("b", "create what is missing", "b"),
	Recv:     bind("v", "RECV form", "v"),
	AddSGE:   bind("+", "add an SGE", "+", "="),
	DropSGE:  bind("-", "remove the SGE", "-"),

	Add:        bind("a", "add to the chain", "a"),
	Chain:      bind("s", "post the chain", "s"),
	ClearChain: as(Verb.Clear, "clear the chain"),
	Undo:       as(Verb.Undo, "undo"),
	Jump:       bind("@", "go to an offset", "@"),
	Register:   as(Verb.New, "new region"),
	Rights:     bind("A", "change access", "A"),
	Deregister: as(Verb.Destroy, "deregister region"),
	OpcodeBack: bind("T", "previous opcode", "T"),
	All:        bind(".", "show seldom used", "."),
}

// postGroup is Post with the diagram, which teaches most, behind the opcode.
var postGroup = Group{Name: "Post", Keys: slices.Insert(slices.Clone(group("", Post).Keys), 1, Steps.Show)}

// PostScreen is the Post screen's context.
var PostScreen = screen("Post", Group{Name: formGroup.Name, Keys: []binding{as(Verb.Run, "post"), Form.Edit}},
	postGroup, fieldGroup, moveGroup, paneExplain)
