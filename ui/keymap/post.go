package keymap

// Post is the Post screen's own keys.
var Post = struct{ Opcode, Recv, AddSGE, DropSGE, Payload, Other, Memory, Repeat binding }{
	Opcode:  bind("o", "opcode", "o"),
	Recv:    bind("r", "post_recv form", "r"),
	AddSGE:  bind("+", "add an SGE", "+", "="),
	DropSGE: bind("-", "remove the SGE", "-"),
	Payload: bind("p", "payload", "p"),
	Other:   bind("u", "other QP", "u"),
	Memory:  bind("m", "memory regions", "m"),
	Repeat:  bind(".", "post the last again", "."),
}

// PostScreen is what the Post screen listens to.
var PostScreen = screen("Post", formGroup, group("Post", Post), moveGroup, paneGroup)
