package scenario

import (
	"cmp"
	"strings"

	"rdmatui/session/oob"
)

// About describes a scenario.
type About struct {
	Teaches string
	// Partner is the command line to type at the other end, with capitalized
	// placeholders for what is not known here; "" if the scenario has no such role.
	Partner string
}

// Keys in the head of a script.
const (
	headTeaches = "teaches: "
	headBeside  = "beside our "
)

// About describes a scenario with these parameters, which may be inconsistent.
func (p Params) About() (about About, err error) {
	head, _, err := p.source()
	if err != nil {
		return about, err
	}
	if p.Address == "" {
		p.Address = "ADDRESS"
	}
	text, err := p.execute(head)
	if err != nil {
		return about, err
	}
	var entries []string // a line without a key continues the previous one
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "#"))
		if n := len(entries); n > 0 && !strings.HasPrefix(line, headBeside) {
			entries[n-1] += " " + line
			continue
		}
		entries = append(entries, line)
	}
	for _, e := range entries {
		if text, ok := strings.CutPrefix(e, headTeaches); ok {
			about.Teaches = text
		}
		if text, ok := strings.CutPrefix(e, headBeside+p.Role()+": "); ok {
			about.Partner = text
		}
	}
	return about, nil
}

// OwnAddress returns where the peer reaches this end, for the template.
func (p Params) OwnAddress() string {
	switch {
	case p.Bind != "" && p.Bind != oob.AnyAddress:
		return p.Bind
	case p.Here != "":
		return p.Here
	}
	return "THIS-HOST"
}

// reached returns the address by which the device is chosen, "" if any device will
// do.
func (p *Params) reached() string {
	if p.Address == "" && p.Bind == oob.AnyAddress {
		return ""
	}
	return cmp.Or(p.Address, p.Bind)
}
