package keymap

// Measure is the Measure screen's own keys.
var Measure = struct{ Stop, Apply, Double, Halve, Again, Compare, Name, Remove, Write, All binding }{
	Stop:    bind("esc", "stop the test", "esc"),
	Apply:   as(Verb.Run, "run with these settings"),
	Double:  bind("+", "double", "+", "="),
	Halve:   bind("-", "halve", "-"),
	Again:   as(Verb.Again, "run again"),
	Compare: bind("O", "overlay the run", "O"),
	Name:    bind("m", "name the run", "m"),
	Remove:  bind("d", "discard the run", "d"),
	All:     bind(".", "show all settings", "."),
	Write:   as(Verb.Write, "write CSV, JSON or SVG"),
}

// The contexts of the Measure screen.
var (
	// MeasureScreen is the context while no test runs.
	MeasureScreen = screen("Measure", Group{Name: "Measure", Keys: []binding{Form.Submit, Form.Edit, Form.Toggle,
		Measure.All, Measure.Double, Measure.Halve, Measure.Compare, Measure.Again,
		Measure.Write, Measure.Name, Measure.Remove, Form.Clear}}, moveGroup, paneExplain)
	// MeasureBusy is the context while a test runs.
	MeasureBusy = screen("Measure", Group{Name: "Measure", Keys: []binding{Measure.Stop, Measure.Apply,
		Measure.Double, Measure.Halve, Measure.Compare, Measure.Write, Measure.Name, Form.Edit,
		Form.Toggle, Measure.All, Measure.Remove, Form.Clear}}, measureMove, paneExplain)
)

// measureMove is moveGroup without esc, which stops the test.
var measureMove = Group{Name: listGroup.Name, Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown,
	List.Home, List.End, List.Left, List.Right}}
