package keymap

// Explain asks for all that is known of what the cursor is on.
var Explain = bind("E", "explain", "E")

// paneExplain is paneGroup where there is something to explain: told in the help,
// not on the bottom line.
var paneExplain = Group{Name: paneGroup.Name, Keys: append([]binding{Explain}, paneGroup.Keys...)}
