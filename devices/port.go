package devices

import (
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// maxPKeys bounds a P_Key table; a port can announce up to 65535 rows, real ones have
// 128.
const maxPKeys = 1024

// Port holds one port's attributes and its tables.
type Port struct {
	verbs.PortAttr
	GIDs []GID `json:"gids"` // the used rows
	// Usual is the row to use if none is given and no route decides otherwise; zero if no
	// row is usable.
	Usual route.ChosenGID `json:"-"`
	// PKeys holds the partition keys by index, in host order, up to the last one
	// that is set. 0 is a free row; bit 15 marks a full member. IBA 10.9.1.
	PKeys []uint16 `json:"pkeys"`
}

// GID is one used row of a port's GID table.
type GID struct {
	Index  int           `json:"index"`
	GID    verbs.GID     `json:"gid"`
	Type   verbs.GIDType `json:"type"`
	Netdev string        `json:"netdev"` // the netdev that carries it; "" on InfiniBand
}

// GIDTable returns the port's rows in the form that [route.GID] takes.
func (p *Port) GIDTable() []verbs.GIDEntry {
	table := make([]verbs.GIDEntry, len(p.GIDs))
	for i, g := range p.GIDs {
		table[i] = verbs.GIDEntry{PortNum: p.PortNum, Index: g.Index, GID: g.GID, Type: g.Type, Netdev: g.Netdev}
	}
	return table
}

// portGIDs returns a port's rows from the table of all ports. It returns an
// empty slice, not nil, so that JSON shows a list.
func portGIDs(table []verbs.GIDEntry, port uint8) []GID {
	rows := []GID{}
	for _, e := range table {
		if e.PortNum == port {
			rows = append(rows, GID{e.Index, e.GID, e.Type, cutText(e.Netdev)})
		}
	}
	return rows
}

func readPKeys(dev verbs.Device, attr *verbs.PortAttr) ([]uint16, error) {
	keys := []uint16{}
	used := 0
	for i := range min(int(attr.PKeyTblLen), maxPKeys) {
		key, err := dev.QueryPKey(attr.PortNum, i)
		if err != nil {
			return keys[:used], err
		}
		keys = append(keys, key)
		if key != 0 {
			used = i + 1
		}
	}
	return keys[:used], nil
}
