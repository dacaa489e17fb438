package core

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/verbs/format"
)

// teller records events on the time line, from which the journal and the headless
// output read them.
type teller struct {
	log    *timeline.Log
	writer *timeline.Writer
	detach func()
}

func (t *teller) open(log *timeline.Log, opts Options) {
	t.log = log
	if opts.Out != nil {
		t.detach = log.Attach(func(e *timeline.Event) { opts.Out(*e) })
	}
	if opts.Journal != nil {
		t.writer = timeline.NewWriter(log, opts.Journal, opts.Crashed)
	}
}

// Event appends an event to the time line.
func (t *teller) Event(e timeline.Event) { t.log.Append(e) }

// Completions appends completions to the time line.
func (t *teller) Completions(cs []timeline.Completion) { t.log.AppendBatch(cs) }

// journalPatience bounds how long closing waits for a journal that accepts no data,
// such as a full pipe.
const journalPatience = 5 * time.Second

func (t *teller) close() error {
	var err error
	if t.writer != nil {
		ctx, cancel := context.WithTimeout(context.Background(), journalPatience)
		defer cancel()
		if err = t.writer.Close(ctx); err != nil {
			err = fmt.Errorf("the journal: %w", err)
		}
	}
	if t.detach != nil {
		t.detach()
	}
	return err
}

// Wording returns an error's text for users, with context errors in plain words.
func Wording(err error) string {
	text, canceled := format.Problems(err), context.Canceled.Error()
	if text == canceled {
		return "stopped before it was finished"
	}
	return strings.ReplaceAll(text, canceled, "stopped")
}
