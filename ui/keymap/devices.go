package keymap

// Devices is the Devices screen's own keys.
var Devices = struct {
	Use, Search, Next, Prev, Doctor, Refresh, Attributes, Ports, GIDs, Counters, Host, Holders binding
}{
	Use:        as(Verb.Run, "open"),
	Search:     as(Verb.Filter, "search"),
	Next:       Find.Next,
	Prev:       Find.Prev,
	Doctor:     bind("d", "doctor", "d"),
	Refresh:    as(Verb.Again, "refresh"),
	Attributes: bind("a", "attributes", "a"),
	Ports:      bind("P", "ports", "P"),
	GIDs:       bind("i", "GIDs", "i"),
	Counters:   bind("#", "counters", "#"),
	Host:       bind("H", "host: netdev, PCI, driver", "H"),
	Holders:    bind("U", "users", "U"),
}

// devicesContext is the screen's context, given what three keys do at the moment.
func devicesContext(enter, right, left string) Context {
	d := Devices
	d.Use = as(Verb.Run, enter)
	esc := bind("esc", left, "esc")
	now := Group{Name: "Now", Keys: []binding{d.Use, bind("→", right, "right", "l")}}
	sections := group("Devices", d)
	sections.Keys = sections.Keys[1:] // Use is listed above
	move := Group{Name: listGroup.Name,
		Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown, List.Home, List.End,
			bind("←/h", "previous section", "left", "h")}}
	if left == devicesBack {
		now.Keys = append(now.Keys, esc)
	} else {
		move.Keys = append(move.Keys, esc)
	}
	return screen("Devices", now, sections, move, paneExplain)
}

// devicesBack is what esc does outside the list.
const devicesBack = "back to the list"

// devicesEnter is what enter does, by whether the selected device is open.
var devicesEnter = map[bool]string{false: "open", true: "go to Bring-up"}

// DevicesIn is the Devices screen's context: list says whether the list has the
// focus, opened whether the session has opened the selected device.
func DevicesIn(list, opened bool) Context {
	if list {
		return devicesContext(devicesEnter[opened], "look inside", "end the search")
	}
	return devicesContext(devicesEnter[opened], "next section", devicesBack)
}

// The contexts of the Devices screen.
var (
	// DevicesScreen is the context at first.
	DevicesScreen = DevicesIn(true, false)
	// DevicesNone is the context without any device.
	DevicesNone = screen("Devices", Group{
		Name: "Devices", Keys: []binding{Devices.Refresh, bind("↑↓", "scroll", "up", "down", "k", "j")},
	},
		Group{Name: listGroup.Name, Keys: []binding{List.PageUp, List.PageDown, List.Home, List.End}})
	// DevicesSearch is the context while a search is typed.
	DevicesSearch = Context{"Search", []Group{{Name: "Search", Keys: []binding{
		bind("enter", "keep", "enter"), bind("esc", "end the search", "esc"),
		bind("tab", "next section with hits", "tab"),
		bind("shift+tab", "section before", "shift+tab"), bind("↑↓", "up and down", "up", "down"),
	}}, group("Editing", Edit), alwaysGroup}}
)
