package keymap

// Explain asks for all that is known of what the cursor is on.
var Explain = as(Verb.Explain, "explain")

// paneExplain is paneGroup where there is something to explain.
var paneExplain = Group{Name: paneGroup.Name, Keys: append([]binding{Explain}, paneGroup.Keys...)}
