package keymap

// Explain explains what the cursor is on.
var Explain = as(Verb.Explain, "explain")

// paneExplain is paneGroup with Explain.
var paneExplain = Group{Name: paneGroup.Name, Keys: append([]binding{Explain}, paneGroup.Keys...)}
