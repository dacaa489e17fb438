package bringup

import (
	"fmt"
	"strings"

	"rdmatui/session"
	"rdmatui/session/oob"
	"rdmatui/ui/screen/steps"
	"rdmatui/verbs"
)

// peerLine makes the peer command from a pasted text: the record that the pingpong
// programs exchange, name=value pairs, or qp_num, psn and gid in this order.
func peerLine(name, pasted string) (string, error) {
	text := strings.Trim(pasted, " \t\r\n\x00\"'")
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
	line := "peer " + name
	switch {
	case text == "":
		return "", fmt.Errorf("the paste is empty")
	case len(words) == 1 && strings.Count(text, ":") >= 3:
		if _, err := oob.ParseRecord(text); err != nil {
			return "", err
		}
		return line + " " + text, nil
	case !strings.Contains(text, "=") && len(words) != len(byPlace):
		return blockLine(line, text)
	case strings.Contains(text, "="):
		for _, w := range words {
			key, value, _ := strings.Cut(w, "=")
			line += " " + steps.Word(key) + "=" + steps.Word(value)
		}
		return line, nil
	case len(words) == len(byPlace):
		for i, w := range words {
			line += " " + byPlace[i] + "=" + steps.Word(w)
		}
		return line, nil
	}
	return "", fmt.Errorf("expected LID:QPN:PSN:GID in hex as ibv_rc_pingpong has it, or QP_NUM PSN GID")
}

// blockLine makes the peer command from names with values: qp_num 0x11 psn 0x1 gid 10.0.0.2, and addr and rkey of a
// region if present.
func blockLine(line, text string) (string, error) {
	block, err := oob.ParseBlock(text)
	if err != nil {
		return "", err
	}
	for _, f := range block {
		if f.Name != "host" && f.Name != "port" { // these are for Connections
			line += " " + f.Name + "=" + steps.Word(f.Text)
		}
	}
	if block[0].Name != "qp_num" {
		return "", fmt.Errorf("qp_num is missing: a region alone is pasted on Post (3)")
	}
	return line, nil
}

var byPlace = []string{"qp_num", "psn", "gid"}

// ownRecord returns the record that a peer needs to know about a queue pair.
func ownRecord(s *session.Snapshot, q *session.QPView) string {
	r := oob.Record{QPN: q.Num, PSN: q.PSN, GID: q.GID}
	if port, ok := s.PortAttr(q.Device, q.Port); ok {
		r.LID = port.LID
	}
	return r.String()
}

// partner names the other end of a queue pair: the pasted peer, or the one that the
// session assumes.
func (s *Screen) partner(q *session.QPView) string {
	if name := s.peerOf[q.Name]; name != "" {
		if _, known := endOf(&s.snap, name); known {
			return name
		}
	}
	name, _ := s.snap.LikelyPeer(q)
	return name
}

// end is what is known of one end of a connection, local or remote.
type end struct {
	name string
	num  verbs.QPN
	psn  verbs.PSN
	gid  verbs.GID
	qp   *session.QPView // nil: remote
}

func endOf(s *session.Snapshot, name string) (e end, ok bool) {
	if q := s.QP(name); q != nil {
		e = end{name: name, num: q.Num, psn: q.PSN, gid: q.GID, qp: q}
		if q.Attr.Mask&verbs.AttrSQPSN != 0 {
			e.psn = q.Attr.SQPSN
		}
		return e, true
	}
	if p := s.Peer(name); p != nil {
		return end{name: name, num: p.QPN, psn: p.PSN, gid: p.GID}, true
	}
	return e, false
}
