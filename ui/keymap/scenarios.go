package keymap

// Scenarios is the Scenarios screen's own keys: while one is chosen, and while one
// runs.
var Scenarios = struct{ Step, Role, Both, Keep binding }{
	Step: bind("s", "step by step", "s"),
	Role: bind("r", "other role", "r"),
	Both: bind("b", "other end here or not", "b"),
	Keep: bind("K", "keep what is made", "K"),
}

// ScenarioRun is what works in a scenario that was begun.
var ScenarioRun = struct{ Next, On, Stop, Back, Again binding }{
	Next:  bind("space/enter", "next step", "space", "enter"),
	On:    bind("c", "on to the end", "c"),
	Stop:  bind("x/esc", "stop, destroy what it made", "x", "esc"),
	Back:  bind("esc/enter", "back to the list", "esc", "x", "enter", "space"),
	Again: bind("enter/space", "try the line again", "enter", "space"),
}

// scriptMove is what the script takes from List.
var scriptMove = Group{Name: listGroup.Name, Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown, List.Home, List.End}}

// The contexts of the Scenarios screen.
var (
	// ScenariosScreen is what it listens to while a scenario is chosen.
	ScenariosScreen = screen("Scenarios", Group{Name: "Run", Keys: []binding{bind("enter", "run", "enter"), Scenarios.Step, Scenarios.Role,
		Form.Edit, Scenarios.Both, Scenarios.Keep}}, fieldGroup, moveGroup, Group{Name: paneGroup.Name, Keys: append([]binding{List.Filter}, paneGroup.Keys...)})
	// ScenarioBusy is what it listens to while a line is carried out.
	ScenarioBusy = running(ScenarioRun.Stop, Scenarios.Keep)
	// ScenarioStepping is what it listens to between two steps.
	ScenarioStepping = running(ScenarioRun.Next, ScenarioRun.On, ScenarioRun.Stop, Scenarios.Keep)
	// ScenarioFailed is what it listens to when a line has failed.
	ScenarioFailed = running(ScenarioRun.Again, ScenarioRun.On, ScenarioRun.Stop, Scenarios.Keep)
	// ScenarioOver is what it listens to at the end.
	ScenarioOver = running(ScenarioRun.Back, Scenarios.Keep)
)

func running(keys ...binding) Context {
	return screen("Scenarios", Group{Name: "Scenario", Keys: keys}, scriptMove, paneGroup)
}
