package lab

import (
	"fmt"
	"strings"
	"text/template"

	"rdmatui/assets"
)

// Place is where an experiment or a rule is tried, which the scripts leave open.
type Place struct {
	Device   string
	PortNum  uint8 // from 1; 0: the first that is ACTIVE
	GIDIndex int   // row of the port's GID table; -1: chosen
}

// On is a device, with the port and the GID to be chosen.
func On(device string) Place { return Place{Device: device, GIDIndex: -1} }

// PortArg is the argument of open_device that names the port, "" where it is chosen.
func (p Place) PortArg() string {
	if p.PortNum == 0 {
		return ""
	}
	return fmt.Sprintf(" port_num=%d", p.PortNum)
}

// SGIDArg is the argument that names the GID, "" where it is chosen.
func (p Place) SGIDArg() string {
	if p.GIDIndex < 0 {
		return ""
	}
	return fmt.Sprintf(" sgid_index=%d", p.GIDIndex)
}

// Pieces is an SGE list of n pieces of one byte.
func (Place) Pieces(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("src:%d:1", i)
	}
	return strings.Join(list, ",")
}

// expand fills in the place and the parts that a template of a script names.
func expand(name, source string, at Place) (string, error) {
	t, err := template.New(name).Parse(source)
	if err == nil {
		t, err = t.ParseFS(assets.Lab, "parts/*"+assets.ScriptExt)
	}
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = t.Execute(&text, at)
	return text.String(), err
}
