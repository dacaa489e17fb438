package devices

import (
	"fmt"

	inv "rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/format"
)

// portRows lists struct ibv_port_attr of every port, and its P_Key table.
func portRows(d *inv.Detail) []row {
	var rows []row
	for i := range d.Ports {
		p := &d.Ports[i]
		rows = append(rows, headRow(fmt.Sprintf("port %d", p.PortNum)))
		if p.State == verbs.PortUnreadable { // the problems say why
			rows = append(rows, valueRow("state", p.State.String(), ""))
			continue
		}
		for j := range fields.Port {
			rows = append(rows, portFieldRows(&fields.Port[j], &p.PortAttr)...)
		}
		if rate := p.Rate(); rate > 0 {
			rows = append(rows, valueRow("rate", rateText(rate), "active_width times active_speed"))
		}
		rows = append(rows, headRow(fmt.Sprintf("port %d P_Keys", p.PortNum)))
		rows = append(rows, pkeyRows(p.PKeys)...)
	}
	return rows
}

func portFieldRows(f *fields.PortField, p *verbs.PortAttr) []row {
	switch f.Name {
	case "state":
		r := fieldRow("port_attr", f.Name, f.Format(p), f.Unit, "")
		r.cells[1].tone = stateTone(p.State)
		return []row{r}
	case "port_cap_flags":
		r := fieldRow("port_attr", f.Name, fmt.Sprintf("0x%x", uint32(p.PortCapFlags)), f.Unit, "")
		return append([]row{r}, flagRows("port_cap", verbs.PortCaps.Set(p.PortCapFlags))...)
	case "subnet_timeout":
		return []row{fieldRow("port_attr", f.Name, f.Format(p), f.Unit, timerText(p.SubnetTimeout))}
	case "max_msg_sz":
		return []row{fieldRow("port_attr", f.Name, f.Format(p), f.Unit, format.Size(uint64(p.MaxMsgSz)))}
	}
	return []row{fieldRow("port_attr", f.Name, f.Format(p), f.Unit, "")}
}

// Bits of a P_Key; IBA 10.9.1.
const (
	pkeyFull    = 0x8000
	pkeyDefault = 0x7fff
)

func pkeyRows(keys []uint16) []row {
	var rows []row
	for i, k := range keys {
		if k == 0 {
			continue
		}
		meaning := "limited member: cannot talk to other limited members"
		if k&pkeyFull != 0 {
			meaning = "full member"
		}
		if k&^pkeyFull == pkeyDefault {
			meaning += " of the default partition"
		}
		rows = append(rows, valueRow(fmt.Sprintf("pkey_index %d", i), fmt.Sprintf("0x%04x", k), meaning))
	}
	return rows
}

func stateTone(s verbs.PortState) tone {
	if s == verbs.PortActive {
		return good
	}
	return caution
}

func rateText(gbit float64) string {
	if gbit <= 0 {
		return "–"
	}
	return fmt.Sprintf("%g Gb/s", gbit)
}
