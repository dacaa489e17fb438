package tour

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// maxPosts bounds the remembered posts, maxCompared the compared bytes.
const (
	maxPosts    = 64
	maxCompared = 1 << 16
)

// remember records posts and the last successful WRITE. The event of a completion may come
// before that of its post.
func (g *Guide) remember(e *timeline.Event) {
	switch {
	case e.Kind == timeline.KindCommand && e.Command != nil && strings.HasPrefix(e.Command.Line, "post_send "):
		if len(g.posts) >= maxPosts {
			clear(g.posts)
		}
		g.posts[e.Command.Number] = e.Command.Resolved
	case wrote(e, verbs.WCSuccess):
		g.wrote, g.world.landed, g.world.writer = e.WC.Command, false, e.WC.QP
	}
}

// wrote reports whether an event is the completion of a WRITE with this status.
func wrote(e *timeline.Event, status verbs.WCStatus) bool {
	return e.Kind == timeline.KindWC && e.WC.Matched && !e.WC.Recv && e.WC.WC.Status == status &&
		(e.WC.Opcode == verbs.WRRDMAWrite || e.WC.Opcode == verbs.WRRDMAWriteWithImm)
}

// compare returns a command that compares the memory at both ends of the last successful WRITE.
func (g *Guide) compare() tea.Cmd {
	line, posted := g.posts[g.wrote]
	if g.busy || g.wrote == 0 || !posted {
		return nil
	}
	g.busy = true
	sess, number := g.sess, g.wrote
	return func() tea.Msg { return told{wrote: number, landed: landed(sess, line)} }
}

// landed reports whether the local bytes of a post_send line are present at its remote address.
// It knows only the regions of this session.
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

// argument returns the value of an argument of a line, "" if it is not given.
func argument(line, name string) string {
	for word := range strings.FieldsSeq(line) {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			return value
		}
	}
	return ""
}

// firstPiece splits the first region:offset:length of a list.
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
