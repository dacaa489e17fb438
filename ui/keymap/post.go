package keymap

// Post is the Post screen's own keys.
var Post = struct{ Opcode, RecvPeer, Payload, Other, Memory, Repeat, Recv, AddSGE, DropSGE, Bench binding }{
	Opcode:   bind("o", "opcode", "o"),
	RecvPeer: bind("R", "post RECV at the peer", "R"),
	Payload:  bind("p", "payload", "p"),
	Other:    bind("u", "other QP", "u"),
	Memory:   bind("m", "memory", "m"),
	Repeat:   bind(".", "post the last again", "."),
	Recv:     bind("r", "RECV form", "r"),
	AddSGE:   bind("+", "add an SGE", "+", "="),
	DropSGE:  bind("-", "remove the SGE", "-"),
	Bench:    bind("b", "make what is missing", "b"),
}

// PostScreen is what the Post screen listens to.
var PostScreen = screen("Post", formGroup, group("Post", Post), moveGroup, paneGroup)
