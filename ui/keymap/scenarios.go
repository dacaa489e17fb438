package keymap

// Scenarios is the Scenarios screen's own keys: while one is chosen, and while one
// runs.
var Scenarios = struct{ Step, Role, Both, Keep binding }{
	Step: bind("s", "step by step", "s"),
	Role: as(Verb.Other, "other role"),
	Both: bind("b", "both ends here", "b"),
	Keep: bind("K", "keep objects", "K"),
}

// ScenarioRun is what works in a scenario that was begun.
var ScenarioRun = struct{ Next, On, Stop, Destroy, Back, Again, Anew binding }{
	Next:    bind("space", "next step", "space", "enter"),
	On:      bind("c", "continue to the end", "c"),
	Stop:    bind("esc", "stop", "esc"),
	Destroy: as(Verb.Destroy, "stop and destroy"),
	Back:    bind("esc", "back to the list", "esc", "enter", "space"),
	Again:   bind("enter", "try the line again", "enter", "space"),
	Anew:    as(Verb.Again, "run again"),
}

// scriptMove is what the script takes from List.
var scriptMove = Group{Name: listGroup.Name, Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown, List.Home, List.End}}

// The contexts of the Scenarios screen.
var (
	// ScenariosScreen is what it listens to while a scenario is chosen.
	ScenariosScreen = screen("Scenarios", Group{Name: "Run", Keys: []binding{Form.Submit, Scenarios.Step, Scenarios.Role,
		Scenarios.Both, Form.Edit, List.Filter, Scenarios.Keep}}, fieldGroup, moveGroup, paneGroup)
	// ScenarioBusy is what it listens to while a line is carried out.
	ScenarioBusy = running(ScenarioRun.Stop, ScenarioRun.Destroy, Scenarios.Keep)
	// ScenarioStepping is what it listens to between two steps.
	ScenarioStepping = running(ScenarioRun.Next, ScenarioRun.On, ScenarioRun.Stop, ScenarioRun.Destroy, Scenarios.Keep)
	// ScenarioFailed is what it listens to when a line has failed.
	ScenarioFailed = running(ScenarioRun.Again, ScenarioRun.On, ScenarioRun.Stop, ScenarioRun.Destroy, Scenarios.Keep)
	// ScenarioOver is what it listens to at the end.
	ScenarioOver = running(ScenarioRun.Back, ScenarioRun.Anew, Scenarios.Keep)
)

func running(keys ...binding) Context {
	return screen("Scenarios", Group{Name: "Scenario", Keys: keys}, scriptMove, paneExplain)
}
