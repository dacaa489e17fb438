package keymap

// Bringup is the Bring-up screen's own keys.
var Bringup = struct {
	Fix, Connect, Undo, Other, Target, Query, New, Peer, AsIs, Destroy, TargetBack, Bench,
	All binding
}{
	Fix:        as(Verb.Fix, "fix"),
	Connect:    as(Verb.Connect, "connect"),
	Undo:       as(Verb.Undo, "undo the destroy"),
	Other:      as(Verb.Other, "other QP"),
	Target:     bind("t", "next state", "t"),
	Query:      as(Verb.Again, "refresh QP"),
	New:        as(Verb.New, "new QP"),
	Peer:       bind("P", "paste peer", "P"),
	AsIs:       as(Verb.AsIs, "send as is"),
	Destroy:    as(Verb.Destroy, "destroy QP"),
	TargetBack: bind("T", "previous state", "T"),
	Bench:      bind("b", "create what is missing", "b"),
	All:        bind(".", "show all attributes", "."),
}

// BringupScreen is the Bring-up screen's context. Its own keys come before those of
// every form, so that they fit on the bottom line.
var BringupScreen = screen("Bring-up", runGroup, group("Bring-up", Bringup), group("Bring-up", Meet),
	fieldGroup, moveGroup, paneExplain)

// runGroup and fieldGroup are the keys of a form; runGroup has the first.
var (
	runGroup   = Group{Name: formGroup.Name, Keys: []binding{Form.Submit, Form.Edit}}
	fieldGroup = Group{Name: "Fields", Keys: []binding{Form.Toggle, Form.Clear}}
)

// BringupSetup is the context while there is no queue pair.
var BringupSetup = screen("Bring-up", Group{Name: "Make", Keys: []binding{
	as(Verb.Run, "create this object"), bind("b", "create all", "b"), as(Verb.Edit, "edit the line"),
	Bringup.Undo, Meet.Wait, Meet.Join,
}}, moveGroup, paneGroup)
