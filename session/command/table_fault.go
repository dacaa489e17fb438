package command

import "rdmatui/verbs"

var faultCommands = []Spec{{
	Name: "fault", Group: "device",
	Summary: "lose, double, reorder, damage or delay packets that a software device sends, on purpose; what is not named is off",
	Args:    faultArgs(),
	Example: "fault soft0 loss=5% duplicate=1% reorder=10% corrupt=0.1% delay=2ms",
}}

// faultArgs describes the fields of verbs.Faults as arguments.
func faultArgs() []Arg {
	args := []Arg{
		object("device", "the software device, open or not; given alone: tell its faults", KindAvailable),
		Arg{Name: "off", Type: Choice, Choices: []string{"off"}, Doc: "no more faults"}.positional(),
	}
	for _, f := range verbs.FaultShares {
		args = append(args, Arg{Name: f.Name, Type: Share, Doc: f.Doc})
	}
	for _, f := range verbs.FaultSpans {
		args = append(args, durationArg(f.Name, "", f.Doc))
	}
	return append(args, uintArg("seed", 64, "", "", "the same seed strikes the same packets again; left out: 0"))
}

// checkFault refuses "off" beside something that is not.
func checkFault(p *parser, c *Command) *Error {
	if !c.Has("off") {
		return nil
	}
	for i := range c.Values {
		if v := &c.Values[i]; v.Arg.Name != "off" && v.Arg.Name != "device" {
			e := p.errorAt(v, "off and %s exclude each other", v.Arg.Name)
			e.Token = v.Arg.Name
			return e
		}
	}
	return nil
}
