// Package recorder is the flight recorder of a session: it writes what the session kept of the minutes before a failed
// completion as one incident file. That is a pcapng file, in which the events of the time line are comments of the
// packets, and a Markdown file that relates requests, packets and completions. What it writes, other packages keep from
// the start, in bounded memory: the time line, the ring of packets, the posted requests and the counters.
package recorder

import (
	"fmt"

	"rdmatui/session/core"
	"rdmatui/session/packets"
	"rdmatui/session/queue"
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
		Limit(c.S, c.Cmd.Int("memory"))
	}
	c.Done.Result = kept(c.S)
	return nil
}

// Limit sets the memory for packets, in MiB.
func Limit(s *core.Session, mebibytes int) { packets.Limit(s, mebibytes*mebibyte) }

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
