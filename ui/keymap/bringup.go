package keymap

// Bringup is the Bring-up screen's own keys.
var Bringup = struct{ Other, Connect, Target, TargetBack, Peer, AsIs, Query, New, Bench, Destroy binding }{
	Other:      bind("o", "other QP", "o"),
	Connect:    bind("c", "connect_qps", "c"),
	Target:     bind("t", "another state", "t"),
	TargetBack: bind("T", "another state, backwards", "T"),
	Peer:       bind("p", "paste peer", "p"),
	AsIs:       bind("x", "send as is", "x"),
	Query:      bind("u", "query_qp", "u"),
	New:        bind("n", "new QP", "n"),
	Bench:      bind("b", "make all that is missing", "b"),
	Destroy:    bind("D", "destroy the QP", "D"),
}

// BringupScreen is what the Bring-up screen listens to. Its own keys come before
// those of every form, so that the bottom line has room for them.
var BringupScreen = screen("Bring-up", runGroup, group("Bring-up", Bringup), fieldGroup, moveGroup, paneExplain)

// runGroup and fieldGroup are the keys of a form, the first ones apart.
var (
	runGroup   = Group{Name: formGroup.Name, Keys: []binding{Form.Submit, Form.Edit}}
	fieldGroup = Group{Name: "Fields", Keys: []binding{Form.Toggle, Form.Clear}}
)

// BringupSetup is what it listens to while there is no queue pair.
var BringupSetup = screen("Bring-up", Group{Name: "Make", Keys: []binding{
	bind("enter", "make the marked one", "enter"), bind("b", "make all", "b"), bind("e", "edit the line first", "e"),
}}, moveGroup, paneGroup)
