package cli

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// gidRow is a used row of a GID table, in the table of all devices.
type gidRow struct {
	Device string `json:"device"`
	Port   uint8  `json:"port_num"`
	devices.GID
}

// printGIDs prints the GID tables of the named devices as one table.
func printGIDs(c *call, inv *devices.Inventory, names []string) error {
	rows := [][]string{{"DEVICE", "PORT", "INDEX", "GID", "TYPE", "NETDEV"}}
	for _, name := range names {
		d, err := inv.Detail(name)
		if err != nil && len(names) == 1 {
			return err
		}
		if err != nil {
			fmt.Fprintln(c.Stderr, "note: "+format.OneLine(err))
		}
		for _, p := range d.Ports {
			for _, g := range p.GIDs {
				if c.json {
					if err := printJSON(c.Stdout, gidRow{d.Name, p.PortNum, g}); err != nil {
						return err
					}
				}
				rows = append(rows, []string{d.Name, fmt.Sprint(p.PortNum), fmt.Sprint(g.Index), g.GID.String(),
					g.Type.String(), g.Netdev})
			}
		}
	}
	if c.json {
		return nil
	}
	return columns(c.Stdout, rows)
}

// compare prints what differs between two devices, line by line as they are listed, and how much is the same.
func compare(c *call, inv *devices.Inventory, one, two string) error {
	rows := [][]string{{"ATTRIBUTE", one, two}}
	var sides [2]side
	for i, name := range []string{one, two} {
		d, err := inv.Detail(name)
		if err != nil {
			return err
		}
		sides[i] = sideOf(&d)
	}
	same := 0
	for _, key := range merged(sides[0].keys, sides[1].keys) {
		a, b := sides[0].values[key], sides[1].values[key]
		if a == b {
			same++
			continue
		}
		rows = append(rows, []string{key, orNone(a), orNone(b)})
	}
	if err := columns(c.Stdout, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Stdout, "%s, %s the same\n", format.Counted(len(rows)-1, "difference"),
		format.Counted(same, "value"))
	return err
}

// side is one device of a comparison: its values by name, "port 1 state", in their order.
type side struct {
	keys   []string
	values map[string]string
}

// sideOf reads the lines of a device's listing. A line without a value of its own, such as a capability, adds to the
// one before.
func sideOf(d *devices.Detail) side {
	s := side{values: map[string]string{}}
	section, last := "", ""
	for text := range strings.Lines(string(appendDetail(nil, d))) {
		text = strings.TrimSuffix(text, "\n")
		name, value, found := strings.Cut(strings.TrimSpace(text), " ")
		value = strings.TrimSpace(value)
		switch {
		case !strings.HasPrefix(text, " "): // the device's name
		case strings.HasPrefix(text, "  port ") && len(text) < nameWidth:
			section = strings.TrimSpace(text) + " "
		case !found && last != "":
			s.values[last] += " " + name
		default:
			if name == "gid" || name == "pkey" || name == "default" {
				index, rest, _ := strings.Cut(value, " ")
				name, value = name+" "+index, strings.TrimSpace(rest)
			}
			last = section + name
			if _, twice := s.values[last]; twice {
				s.values[last] += "; " + value
				continue
			}
			s.keys, s.values[last] = append(s.keys, last), value
		}
	}
	return s
}

// merged returns the names of both sides, those of the second alone after the name that they follow there.
func merged(one, two []string) []string {
	all := slices.Clone(one)
	at := 0
	for _, key := range two {
		if i := slices.Index(all, key); i >= 0 {
			at = i + 1
			continue
		}
		all = slices.Insert(all, at, key)
		at++
	}
	return all
}

func orNone(value string) string {
	if value == "" {
		return "–"
	}
	return value
}

// nameOf returns the name of the device with a node GUID, written as 0002:c903:00a1:b2c3 or 0x0002c90300a1b2c3; another
// text is a name.
func nameOf(providers []verbs.Provider, text string) string {
	if !isGUID(text) {
		return text
	}
	for _, p := range providers {
		infos, _ := p.Devices() // a provider without a list has no such device
		for _, info := range infos {
			if strings.ReplaceAll(info.NodeGUID.String(), ":", "") == guidDigits(text) {
				return info.Name
			}
		}
	}
	return text
}

func guidDigits(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(text), "0x"), ":", "")
}

// isGUID reports whether a text may be a GUID: the providers need not be asked otherwise.
func isGUID(text string) bool {
	digits := guidDigits(text)
	return len(digits) == 16 && strings.Trim(digits, "0123456789abcdef") == ""
}
