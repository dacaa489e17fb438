package keymap

// Devices is the Devices screen's own keys.
var Devices = struct{ Use, Refresh, Attributes, Ports, GIDs, Counters, Holders, Raw, Doctor binding }{
	Use:        bind("o", "open the device", "o"),
	Refresh:    bind("r", "read again", "r"),
	Attributes: bind("a", "attributes", "a"),
	Ports:      bind("p", "ports", "p"),
	GIDs:       bind("i", "GID table", "i"),
	Counters:   bind("c", "counters", "c"),
	Holders:    bind("u", "who uses it", "u"),
	Raw:        bind("x", "raw values", "x"),
	Doctor:     bind("d", "what is missing", "d"),
}

// DevicesScreen is what the Devices screen listens to.
var DevicesScreen = screen("Devices", group("Devices", Devices), listGroup, paneGroup)
