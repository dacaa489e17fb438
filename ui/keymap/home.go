package keymap

// Home is the Home screen's own keys.
var Home = struct{ Open, Wait, Join, Fix, Again binding }{
	Open:  as(Verb.Run, "open"),
	Wait:  Meet.Wait,
	Join:  Meet.Join,
	Fix:   as(Verb.Fix, "fix"), // what it mends names the key, too, so that the keys above come first
	Again: as(Verb.Again, "refresh"),
}

// homeMove is the keys of List on Home.
var homeMove = Group{
	Name: listGroup.Name,
	Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown, List.Home, List.End, List.Back},
}

// HomeIn is the Home screen's context; open is what enter does at the moment.
func HomeIn(open string) Context {
	h := Home
	h.Open = as(Verb.Run, open)
	return screen("Home", group("Home", h), homeMove, paneGroup)
}

// HomeScreen is the context at first.
var HomeScreen = HomeIn(Home.Open.Help().Desc)

// Tour works during a guided tour, on every screen and while the user types.
var Tour = struct{ Leave binding }{Leave: bind("ctrl+t", "leave", "ctrl+t")}

// Meet is the keys that connect to another instance, the same wherever they are.
var Meet = struct{ Wait, Join binding }{
	Wait: bind("W", "wait for peer", "W"),
	Join: bind("J", "join peer", "J"),
}
