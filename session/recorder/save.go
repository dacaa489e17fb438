package recorder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/incident"
	"rdmatui/session/packets"
	"rdmatui/verbs/format"
)

// SaveIncident writes an incident to files.
func SaveIncident(c *core.Call) error {
	number := incident.Newest(c.S)
	if c.Cmd.Has("incident") {
		number = c.Cmd.Uint("incident")
	}
	var in *incident.Incident
	if number > 0 {
		found, ok := incident.Of(c.S, number)
		if !ok {
			return notKept(number, incident.Newest(c.S))
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
func save(ctx context.Context, s *core.Session, in *incident.Incident, name string,
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
	err = capture.Finish(core.FirstError(err, packets.WriteFile(capture, comment, r.packets, comments)))
	if failed := document.Finish(err); err == nil && failed != nil {
		err = core.FirstError(failed, os.Remove(capture.Path))
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
