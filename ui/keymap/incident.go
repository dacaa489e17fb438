package keymap

// Incident is the keys of an open incident.
var Incident = struct{ Write, Copy, Back binding }{
	Write: bind("w", "write", "w"),
	Copy:  bind("y", "copy", "y"),
	Back:  bind("esc", "back", "esc", "enter"),
}

// OpenIncident is the key that opens the incident of a failed completion.
var OpenIncident = as(Verb.Run, "open incident")

// IncidentOpen is the context of an open incident.
var IncidentOpen = screen("Incident", group("Incident", Incident), Group{
	Name: listGroup.Name, Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown, List.Home, List.End},
})
