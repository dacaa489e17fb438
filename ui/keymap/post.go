package keymap

// Post is the Post screen's own keys.
var Post = struct {
	Opcode, RecvPeer, Memory, Payload, Other, Repeat, Recv, AddSGE, DropSGE, Bench binding
	Add, Chain, ClearChain, Jump, Register, Rights, Deregister                     binding
}{
	Opcode:   bind("o", "opcode", "o"),
	RecvPeer: bind("R", "RECV at the peer", "R"),
	Memory:   bind("m", "memory", "m"),
	Payload:  bind("p", "payload", "p"),
	Other:    bind("u", "other QP", "u"),
	Repeat:   bind(".", "post the last again", "."),
	Recv:     bind("r", "RECV form", "r"),
	AddSGE:   bind("+", "add an SGE", "+", "="),
	DropSGE:  bind("-", "remove the SGE", "-"),
	Bench:    bind("b", "make what is missing", "b"),

	Add:        bind("a", "add to the chain", "a"),
	Chain:      bind("x", "post the chain", "x"),
	ClearChain: bind("c", "clear the chain", "c"),
	Jump:       bind("@", "go to an offset", "@"),
	Register:   bind("n", "register a region", "n"),
	Rights:     bind("t", "change its rights", "t"),
	Deregister: bind("D", "deregister it", "D"),
}

// PostScreen is what the Post screen listens to.
var PostScreen = screen("Post", Group{Name: formGroup.Name, Keys: []binding{bind("enter", "post", "enter"), Form.Edit}},
	group("Post", Post), fieldGroup, moveGroup, paneExplain)
