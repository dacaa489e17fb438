package recorder

import (
	"fmt"
	"sort"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/timeline"
)

// maxComments bounds the events that are comments of one packet.
const maxComments = 128

// entry is an event of the time line, or a post.
type entry struct {
	at     time.Duration
	kind   string
	text   string
	packet int // index of the first packet after it; that of the last if there is none
}

// timeline merges events and posts in the order of their times, the oldest first.
func (r *record) timeline() []entry {
	var all []entry
	for i := range r.events {
		e := &r.events[i]
		all = append(all, entry{at: e.T, kind: kindNames[e.Kind], text: textOf(e)})
	}
	for i := range r.messages {
		if m := &r.messages[i]; m.At >= r.from && m.At <= r.to {
			all = append(all, entry{at: m.At, kind: "post", text: plain(requestText(m))})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at < all[j].at })
	for i := range all {
		e := &all[i]
		e.packet = min(sort.Search(len(r.packets), func(k int) bool { return r.packets[k].T >= e.at }),
			len(r.packets)-1)
	}
	return all
}

// comments returns the comments of the file and of each packet.
func (r *record) comments(all []entry) (file string, of [][]string) {
	of = make([][]string, len(r.packets))
	file = plain(r.title())
	if len(r.packets) == 0 {
		for _, e := range newestOf(all, maxComments) {
			if line := "\n" + e.String(); len(file)+len(line) <= capture.MaxComment {
				file += line
			}
		}
		return file, of
	}
	for i := range r.links {
		for _, text := range r.links[i].texts() {
			of[i] = append(of[i], plain(text))
		}
	}
	for len(all) > 0 {
		at, n := all[0].packet, 1
		for n < len(all) && all[n].packet == at {
			n++
		}
		if n > maxComments {
			of[at] = append(of[at], fmt.Sprintf("%d events are left out here", n-maxComments))
		}
		for _, e := range newestOf(all[:n], maxComments) {
			of[at] = append(of[at], e.String())
		}
		all = all[n:]
	}
	return file, of
}

func newestOf[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }

// String is the comment.
func (e *entry) String() string { return seconds(e.at) + " " + e.kind + ": " + e.text }

// title says what the record is of.
func (r *record) title() string {
	if r.incident == nil {
		return fmt.Sprintf("Recorded from %s to %s, without a failed completion", seconds(r.from), seconds(r.to))
	}
	text := r.incident.Title()
	if cause := r.incident.Completion.Cause; cause != nil && cause.Text != "" {
		text += ": " + (&timeline.Completion{Cause: cause}).Why()
	}
	return text
}
