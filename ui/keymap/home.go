package keymap

// Home is the Home screen's own keys.
var Home = struct{ Open, Again binding }{
	Open:  as(Verb.Run, "open"),
	Again: as(Verb.Again, "refresh"),
}

// homeMove is what its lists take from List.
var homeMove = Group{Name: listGroup.Name, Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown, List.Home, List.End, List.Back}}

// HomeIn is what the Home screen listens to; open is what enter does at the moment.
func HomeIn(open string) Context {
	h := Home
	h.Open = as(Verb.Run, open)
	return screen("Home", group("Home", h), homeMove, paneGroup)
}

// HomeScreen is what it listens to at first.
var HomeScreen = HomeIn(Home.Open.Help().Desc)

// Tour is what works while a guided tour is on, on every screen and while something
// is typed.
var Tour = struct{ Leave binding }{Leave: bind("ctrl+t", "leave", "ctrl+t")}
