package command

import "rdmatui/session/lab"

// addExperiments completes the name of a failure of the error lab.
func (c *completer) addExperiments(b *binder, a *Arg, from int) {
	if b.spec.Name != "lab" || a.Name != "experiment" {
		return
	}
	for _, name := range lab.Names() {
		c.add(name, "a failure made on purpose", from, " \t")
	}
}
