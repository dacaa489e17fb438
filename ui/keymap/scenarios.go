package keymap

// Scenarios is the Scenarios screen's own keys, while choosing and while running.
var Scenarios = struct{ Step, Role, Both, Keep binding }{
	Step: bind("s", "step by step", "s"),
	Role: as(Verb.Other, "other role"),
	Both: bind("b", "both ends here", "b"),
	Keep: bind("K", "keep objects", "K"),
}

// ScenarioRun is the keys of a started scenario.
var ScenarioRun = struct{ Next, On, Stop, Destroy, Back, Again, Anew binding }{
	Next:    bind("space", "next step", "space", "enter"),
	On:      bind("b", "run all", "b"),
	Stop:    bind("esc", "stop", "esc"),
	Destroy: as(Verb.Destroy, "stop and destroy"),
	Back:    bind("esc", "back to the list", "esc", "enter", "space"),
	Again:   bind("enter", "try the line again", "enter", "space"),
	Anew:    as(Verb.Again, "run again"),
}

// scriptMove is the keys of List in the script.
var scriptMove = Group{
	Name: listGroup.Name, Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown, List.Home, List.End},
}

// The contexts of the Scenarios screen.
var (
	// ScenariosScreen is the context while choosing a scenario.
	ScenariosScreen = screen("Scenarios",
		Group{Name: "Run", Keys: []binding{Form.Submit, Scenarios.Step, Scenarios.Role,
			Scenarios.Both, Form.Edit, List.Filter, Scenarios.Keep}}, fieldGroup, moveGroup, paneGroup)
	// ScenarioBusy is the context while a line runs.
	ScenarioBusy = running(ScenarioRun.Stop, ScenarioRun.Destroy, Steps.Show, Scenarios.Keep)
	// ScenarioStepping is the context between two steps.
	ScenarioStepping = running(ScenarioRun.Next, ScenarioRun.On, ScenarioRun.Stop, ScenarioRun.Destroy,
		Steps.Show, Scenarios.Keep)
	// ScenarioFailed is the context after a line has failed.
	ScenarioFailed = running(ScenarioRun.Again, ScenarioRun.On, ScenarioRun.Stop, ScenarioRun.Destroy,
		Steps.Show, Scenarios.Keep)
	// ScenarioOver is the context at the end.
	ScenarioOver = running(ScenarioRun.Back, ScenarioRun.Anew, Steps.Show, Scenarios.Keep)
)

func running(keys ...binding) Context {
	return screen("Scenarios", Group{Name: "Scenario", Keys: keys},
		Group{Name: "Steps", Keys: []binding{Steps.Play, Steps.Next, Steps.Prev}}, scriptMove, paneExplain)
}
