package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rdmatui/session/command"
	"rdmatui/session/device"
	"rdmatui/session/script"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// need is one thing that a device must offer, or a rule cannot be tried on it.
type need struct {
	text  string // as the head has it
	cap   verbs.DeviceCap
	trait verbs.Trait // with isTrait
	attr  string      // the name of a field, whose value is at least least
	least uint64

	isTrait bool
}

// traitWords are the features of transports that a head names.
var traitWords = map[string]verbs.Trait{
	"UD": verbs.Datagrams, "UC": verbs.UnreliableConn, "IMM": verbs.ImmediateData,
}

// readNeed reads "MEM_WINDOW", "UD" or "max_srq>=1".
func readNeed(text string) (need, error) {
	if t, ok := traitWords[text]; ok {
		return need{text: text, trait: t, isTrait: true}, nil
	}
	if attr, least, ok := strings.Cut(text, ">="); ok {
		n, err := strconv.ParseUint(least, 10, 64)
		if err != nil || n == 0 || !knowsAttr(attr) {
			return need{}, fmt.Errorf("%q is not ATTR>=N with a field of ibv_device_attr_ex", text)
		}
		return need{text: text, attr: attr, least: n}, nil
	}
	c, err := verbs.DeviceCaps.Parse(text)
	if err != nil || c == 0 {
		return need{}, fmt.Errorf("%q is not a capability flag, a trait (UD, UC, IMM) or ATTR>=N", text)
	}
	return need{text: text, cap: c}, nil
}

func knowsAttr(name string) bool {
	return slices.ContainsFunc(fields.Device, func(f fields.DeviceField) bool { return f.Name == name }) ||
		slices.ContainsFunc(fields.DeviceEx, func(f fields.DeviceExField) bool { return f.Name == name })
}

// lack says what a device does not offer, "" if it offers what is needed.
func (n *need) lack(d *device.Device) string {
	switch {
	case n.isTrait:
		if err := d.Info.Lack(n.trait); err != nil {
			return err.Error()
		}
	case n.attr != "":
		if v := attrValue(d, n.attr); v < n.least {
			return fmt.Sprintf("%s is %d", n.attr, v)
		}
	case d.Caps&n.cap != n.cap:
		return "the device lacks " + n.text
	}
	return ""
}

// attrValue is a number among a device's attributes, 0 where the device does not tell it.
func attrValue(d *device.Device, name string) uint64 {
	text := ""
	for _, f := range fields.Device {
		if f.Name == name {
			text = f.Format(&d.Attr)
		}
	}
	for _, f := range fields.DeviceEx {
		if f.Name == name && d.Ex != nil {
			text = f.Format(d.Ex)
		}
	}
	if name == "atomic_cap" {
		return uint64(d.Attr.AtomicCap)
	}
	v, _ := verbs.ParseUint(text, 64) // a field that is no number offers nothing
	return v
}

// byHand are the commands that connect queue pairs without the connection manager.
var byHand = []*command.Spec{command.ConnectQPs, command.ModifyQP}

// lackFor says what a rule needs and a device does not offer, "" if nothing.
func (r *Rule) lackFor(d *device.Device, lines []script.Line) string {
	for i := range r.needs {
		if why := r.needs[i].lack(d); why != "" {
			return why
		}
	}
	err := d.Info.Lack(verbs.ByHand)
	if err == nil {
		return ""
	}
	for i := range lines {
		first := script.FirstWord(lines[i].Text)
		if slices.ContainsFunc(byHand, func(s *command.Spec) bool { return s.Name == first }) {
			return err.Error()
		}
	}
	return ""
}
