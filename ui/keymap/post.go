package keymap

// Post is the Post screen's own keys.
var Post = struct{ Opcode, RecvPeer, Memory, Payload, Other, Repeat, Recv, AddSGE, DropSGE, Bench binding }{
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
}

// PostScreen is what the Post screen listens to.
var PostScreen = screen("Post", runGroup, group("Post", Post), fieldGroup, moveGroup, paneExplain)
