package uitest

import (
	"reflect"

	"rdmatui/session"
	"rdmatui/session/command"
)

// objectKinds are the kinds of the objects of a snapshot's lists.
var objectKinds = map[string]command.ObjectKind{
	"Devices": command.KindDevice, "PDs": command.KindPD, "MRs": command.KindMR, "MWs": command.KindMW, "DMs": command.KindDM, "Channels": command.KindChannel,
	"CQs": command.KindCQ, "SRQs": command.KindSRQ, "QPs": command.KindQP, "AHs": command.KindAH, "Peers": command.KindPeer,
	"EventChannels": command.KindEvents, "IDs": command.KindID,
}

// Listed fills in the objects of a snapshot that was made by hand, as a session
// does: all that stand in its lists.
func Listed(s session.Snapshot) session.Snapshot {
	s.Objects = nil
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		kind, ok := objectKinds[v.Type().Field(i).Name]
		if !ok {
			continue
		}
		for j := range v.Field(i).Len() {
			s.Objects = append(s.Objects, session.ObjectView{Name: v.Field(i).Index(j).FieldByName("Name").String(), Kind: kind})
		}
	}
	return s
}
