package incident

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/packets"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs/format"
)

// mebibyte is the unit of the recorder's memory.
const mebibyte = 1 << 20

// Recorder shows what is kept, and changes the memory for packets.
func Recorder(c *core.Call) error {
	if c.Cmd.Has("switch") {
		if _, err := packets.Watch(c.S, c.Cmd.String("switch") == "on"); err != nil {
			return err
		}
	}
	if c.Cmd.Has("memory") {
		LimitPackets(c.S, c.Cmd.Int("memory"))
	}
	c.Done.Result = kept(c.S)
	return nil
}

// LimitPackets sets the memory for packets, in MiB.
func LimitPackets(s *core.Session, mebibytes int) { packets.Limit(s, mebibytes*mebibyte) }

// kept says how much of what is kept, and how much may be.
func kept(s *core.Session) string {
	use := packets.Use(s)
	events, mostEvents := s.Log.Room()
	text := fmt.Sprintf("%s, %s of %s", format.Counted(use.Packets, "packet"), format.Size(uint64(use.Bytes)),
		format.Size(uint64(use.MaxBytes)))
	if !packets.TapsOf(s).Any.Load() {
		text += " (not recording)"
	}
	return text + fmt.Sprintf("; %s of %s; %s of %s", format.Counted(events, "event"), format.Count(uint64(mostEvents)),
		format.Counted(len(queue.Messages(s)), "send request"), format.Count(queue.KeptMessages))
}

// aftermath is how long after a failure the record ends: flushes, state changes and the last acknowledgements follow
// it.
const aftermath = time.Second

// record is what a session has kept of a stretch of time.
type record struct {
	from, to time.Duration
	start    time.Time        // recorderOf the session
	incident *Incident        // nil: none
	snap     core.Snapshot    // at the end
	counters Part             // what changed since the beginning
	events   []timeline.Event // without packets
	packets  []*timeline.Packet
	messages []queue.Message // recorderOf the session, not only of these minutes
	taps     []packets.Tap

	links    []link                           // by packet
	inferred map[*queue.Message]bool          // their packet sequence numbers were inferred
	done     map[request]*timeline.Completion // recorderOf send requests
}

// newRecord collects what a session has kept of the time before an incident, or before now if in is nil. It calls no
// verb but queries of counters and of the destinations of queue pairs.
func newRecord(ctx context.Context, s *core.Session, in *Incident, before time.Duration) *record {
	packets.Flush(s)
	r := &record{incident: in, start: s.Start, to: time.Since(s.Start), snap: s.Snapshot(), taps: packets.Taps(s)}
	r.from = max(0, r.to-before)
	if in != nil {
		r.from, r.to = max(0, in.T-before), min(r.to, in.T+aftermath)
	}
	for _, e := range s.Log.Snapshot() {
		if e.T >= r.from && e.T <= r.to && e.Kind != timeline.KindPacket {
			r.events = append(r.events, e)
		}
	}
	kept := packets.Since(s, 0, 0, nil)
	for _, p := range append(packets.Heads(s, kept), kept...) {
		if p.T >= r.from && p.T <= r.to {
			r.packets = append(r.packets, p)
		}
	}
	slices.SortStableFunc(r.packets, func(a, b *timeline.Packet) int { return cmp.Compare(a.T, b.T) })
	queue.Locate(ctx, s)
	r.messages = queue.Messages(s)
	r.counters = Changed(s, r.from)
	r.link()
	return r
}

// SaveIncident writes an incident to files.
func SaveIncident(c *core.Call) error {
	number := Newest(c.S)
	if c.Cmd.Has("incident") {
		number = c.Cmd.Uint("incident")
	}
	var in *Incident
	if number > 0 {
		found, ok := Of(c.S, number)
		if !ok {
			return notKept(number, Newest(c.S))
		}
		in = &found
	} else if c.Cmd.Has("incident") {
		return fmt.Errorf("incidents are numbered from 1")
	}
	text, err := save(c.Ctx, c.S, in, c.Cmd.String("file"), c.Cmd.Duration("before"))
	c.Done.Result = text
	return err
}

func notKept(number, newest uint64) error {
	if newest == 0 {
		return fmt.Errorf("incident %d is not kept; there was none", number)
	}
	return fmt.Errorf("incident %d is not kept; the newest is %d", number, newest)
}

// extensions are those of the two files. Either may stand behind the name.
var extensions = []string{".pcapng", ".md"}

// save writes the files of an incident, or of the newest minutes if in is nil. It says what it wrote. If one file
// cannot be written, it leaves neither.
func save(ctx context.Context, s *core.Session, in *Incident, name string,
	before time.Duration) (string, error) {
	if ext := filepath.Ext(name); slices.Contains(extensions, ext) {
		name = name[:len(name)-len(ext)]
	}
	if _, base := filepath.Split(name); base == "" || base == "." || base == ".." {
		return "", errors.New("a file name is missing")
	}
	r := newRecord(ctx, s, in, before)
	entries := r.timeline()
	capture, err := core.CreateFile(name + ".pcapng")
	if err != nil {
		return "", err
	}
	document, err := core.CreateFile(name + ".md")
	if err != nil {
		return "", capture.Finish(err)
	}
	comment, comments := r.comments(entries)
	_, err = document.WriteString(r.markdown(capture.Path, entries))
	err = capture.Finish(cmp.Or(err, packets.WriteFile(capture, comment, r.packets, comments)))
	if failed := document.Finish(err); err == nil && failed != nil {
		err = cmp.Or(failed, os.Remove(capture.Path))
	}
	if err != nil {
		return "", fmt.Errorf("writing %s: %w", name, err)
	}
	what := "no failed completion"
	if in != nil {
		what = fmt.Sprintf("incident %d", in.Number)
	}
	return fmt.Sprintf("%s, %s and %s written to %s and %s", what, format.Counted(len(entries), "event"),
		format.Counted(len(r.packets), "packet"), capture.Path, document.Path), nil
}
