package tour

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// maxPosts bounds the posts that are remembered, and maxCompared the bytes that are
// compared.
const (
	maxPosts    = 64
	maxCompared = 1 << 16
)

// remember keeps what was posted, and which WRITE succeeded last: that may be told of
// before its post is.
func (g *Guide) remember(e *timeline.Event) {
	switch {
	case e.Kind == timeline.KindCommand && e.Command != nil && strings.HasPrefix(e.Command.Line, "post_send "):
		if len(g.posts) >= maxPosts {
			clear(g.posts)
		}
		g.posts[e.Command.Number] = e.Command.Resolved
	case wrote(e, verbs.WCSuccess):
		g.wrote, g.world.landed = e.WC.Command, false
	}
}

// wrote reports whether an event is the completion of a WRITE with a status.
func wrote(e *timeline.Event, status verbs.WCStatus) bool {
	return e.Kind == timeline.KindWC && e.WC.Matched && !e.WC.Recv && e.WC.WC.Status == status &&
		(e.WC.Opcode == verbs.WRRDMAWrite || e.WC.Opcode == verbs.WRRDMAWriteWithImm)
}

// compare returns the work of comparing the memory at both ends of the WRITE that
// succeeded last.
func (g *Guide) compare() tea.Cmd {
	line, posted := g.posts[g.wrote]
	if g.busy || g.wrote == 0 || !posted {
		return nil
	}
	g.busy = true
	sess, number := g.sess, g.wrote
	return func() tea.Msg { return told{wrote: number, landed: landed(sess, line)} }
}

// landed reports whether the bytes that a post_send line names are at the address
// that it names. It knows the regions of this session alone.
func landed(sess *session.Session, line string) bool {
	src, off, n, ok := firstPiece(argument(line, "sge"))
	addr, err := verbs.ParseUint(argument(line, "remote_addr"), 64)
	if !ok || err != nil {
		return false
	}
	snap := sess.Snapshot()
	for i := range snap.MRs {
		m := &snap.MRs[i]
		if addr < m.Addr || addr-m.Addr >= m.Length {
			continue
		}
		here, there := make([]byte, n), make([]byte, n)
		_, errHere := sess.ReadMem(src, int64(off), here)
		_, errThere := sess.ReadMem(m.Name, int64(addr-m.Addr), there)
		return errHere == nil && errThere == nil && bytes.Equal(here, there)
	}
	return false
}

// argument is the value of an argument of a line, "" where it is not given.
func argument(line, name string) string {
	for word := range strings.FieldsSeq(line) {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return value
		}
	}
	return ""
}

// firstPiece takes region:offset:length apart, of several the first.
func firstPiece(list string) (region string, off, n uint64, ok bool) {
	first, _, _ := strings.Cut(list, ",")
	parts := strings.Split(first, ":")
	if len(parts) != 3 {
		return "", 0, 0, false
	}
	off, err1 := verbs.ParseUint(parts[1], 63)
	n, err2 := verbs.ParseUint(parts[2], 63)
	return parts[0], off, min(n, maxCompared), err1 == nil && err2 == nil && n > 0
}
