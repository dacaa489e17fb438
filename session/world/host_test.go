package world

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft"
)

// host is a session with a provider of its own.
type host struct {
	w        *world
	n        int
	name     string
	addr     netip.Addr
	provider *soft.Provider
	budget   *memory.Budget
	session  *session.Session
	lines    []*line // running lines
	queue    []string
}

// line is a line that has started.
type line struct {
	text    string
	since   time.Duration
	stopped time.Duration // when it was cancelled; 0: not yet
	cancel  context.CancelFunc
	ended   chan struct{}
	done    timeline.CommandDone
	err     error
}

const (
	memoryLimit = 8 << 20
	maxLines    = 2           // running at once in a session
	longest     = time.Minute // a line that runs longer is cancelled
	stopsWithin = time.Second // limit for a cancelled line to return
)

func newHost(w *world, i int) *host {
	h := &host{
		w: w, n: i, name: fmt.Sprintf("host %d", i),
		addr: netip.AddrFrom4([4]byte{10, 0, byte(i), 1}), budget: memory.New(memoryLimit, "the simulated host"),
	}
	draws := rand.New(rand.NewPCG(w.Seed, uint64(i)+1))
	h.provider = soft.New(soft.Options{
		Rand: draws.Uint64, Fabric: w.Net.Fabric, Addrs: []netip.Addr{h.addr, h.addr.Next()},
		Memory: h.budget, Crashed: w.Crashed,
		Settle: true,
	})
	numbers := rand.New(rand.NewPCG(w.Seed, uint64(i)+101))
	h.session = session.New(session.Options{
		Providers: []verbs.Provider{h.provider}, Live: w.Chance(0.5), RefuseWhileWaiting: w.Chance(0.5), NoFiles: true,
		Journal: h, Rand: numbers.Uint32,
		Crashed: w.Crashed,
	})
	h.queue = h.opening()
	return h
}

// Write takes the events of the session, one JSON line each, and ignores packets and the notes of captures: they are
// recorded some time after they are sent.
func (h *host) Write(b []byte) (int, error) {
	for l := range bytes.Lines(b) {
		var event map[string]any
		if err := json.Unmarshal(l, &event); err != nil {
			h.w.Fail("%s: the journal holds %q: %v", h.name, l, err)
			continue
		}
		if kind := event["event"]; kind == "packet" || kind == "note" {
			continue
		}
		h.w.Tracef("%s: %s", h.name, l)
		for _, field := range raced {
			delete(event, field)
		}
		told, _ := json.Marshal(event) // with its fields in a fixed order
		h.w.Note(digest(told))
	}
	return len(b), nil
}

// raced lists the fields of an event that depend on the order in which goroutines run at one moment. If requests fail
// while others are being posted, this applies to the number of outstanding requests that a command found, its advice,
// and the error recorded as the cause of a state with the incident to which it belongs.
var raced = []string{"seq", "result", "cause", "incident", "hint", "check"}

// step starts or stops a line, and schedules the next step.
func (h *host) step() {
	w := h.w
	if w.left == 0 || w.Failed() {
		return
	}
	w.After(w.Gap(w.pace), h.step)
	switch {
	case len(h.lines) > 0 && w.Chance(0.1):
		h.stop(h.lines[w.Rng.IntN(len(h.lines))])
	case len(h.lines) == 0 || len(h.lines) < maxLines && w.Chance(0.1):
		if len(h.lines) == 0 {
			h.agree()
		}
		w.left--
		h.begin(h.next())
	case len(h.lines) > 0 && w.Chance(0.02):
		w.Tracef("%s: stop waiting", h.name)
		h.session.StopWaiting()
	}
}

// next returns the next line: from a recipe, or any line.
func (h *host) next() string {
	w := h.w
	if len(h.queue) == 0 && w.Chance(0.6) {
		h.queue = h.recipe()
	}
	if len(h.queue) > 0 && w.Chance(0.93) {
		text := h.queue[0]
		h.queue = h.queue[1:]
		return text
	}
	return h.anyLine()
}

// begin starts a line.
func (h *host) begin(text string) {
	w := h.w
	ctx, cancel := context.WithCancel(context.Background())
	l := &line{text: text, since: w.Now(), cancel: cancel, ended: make(chan struct{})}
	h.lines = append(h.lines, l)
	w.begun++
	w.Tracef("%s> %s", h.name, text)
	go func() {
		defer close(l.ended)
		defer verbs.CrashHook(w.Crashed).Catch()
		l.done, l.err = h.session.Exec(ctx, text)
	}()
	w.After(longest, func() {
		if l.running() && l.stopped == 0 {
			h.stop(l)
		}
	})
}

func (l *line) running() bool {
	select {
	case <-l.ended:
		return false
	default:
		return true
	}
}

// stop cancels a line, which must return within stopsWithin.
func (h *host) stop(l *line) {
	w := h.w
	if l.stopped != 0 {
		return
	}
	w.Tracef("%s: stop %q", h.name, l.text)
	l.stopped = w.Now()
	l.cancel()
	w.After(stopsWithin, func() {
		if l.running() {
			w.Fail("%s: %q was stopped at %v and continues", h.name, l.text, l.stopped)
		}
	})
}

// stopAll cancels the lines that wait for their turn before the running one, so that none of them starts.
func (h *host) stopAll() {
	for _, l := range slices.Backward(h.lines) {
		h.stop(l)
	}
}

// reap removes the lines that have ended.
func (h *host) reap() {
	kept := h.lines[:0]
	for _, l := range h.lines {
		if l.running() {
			kept = append(kept, l)
			continue
		}
		l.cancel()
		h.w.Note(digest(fmt.Append(nil, h.n, l.text, l.err)))
		h.w.Tracef("%s< %q: %v", h.name, l.text, l.err)
		if l.err == nil {
			h.w.worked++
		}
		if (l.err == nil) != (l.done.Err == "") {
			h.w.Fail("%s: %q returns %v but reports %q", h.name, l.text, l.err, l.done.Err)
		}
	}
	h.lines = kept
}

// agree compares the snapshot with the provider's objects. No line runs meanwhile.
func (h *host) agree() {
	v := h.session.Snapshot()
	for kind, n := range map[string]int{
		"PDs": len(v.PDs), "MRs": len(v.MRs), "MWs": len(v.MWs), "DMs": len(v.DMs), "CQs": len(v.CQs),
		"SRQs": len(v.SRQs), "QPs": len(v.QPs), "AHs": len(v.AHs),
	} {
		if has := h.held(kind); has != n {
			h.w.Fail("%s: the session has %d %s, the provider %d", h.name, n, kind, has)
		}
	}
}

// held counts the provider's objects of one kind.
func (h *host) held(kind string) (sum int) {
	for _, text := range h.provider.Held() {
		device, rest, _ := strings.Cut(text, ": ")
		var n int
		if number, what, _ := strings.Cut(rest, " "); what == kind && strings.HasPrefix(device, "soft") {
			fmt.Sscan(number, &n)
		}
		sum += n
	}
	return sum
}

// close closes the session, which must take at most a minute of virtual time.
func (h *host) close() {
	w := h.w
	ended := make(chan error, 1)
	go func() {
		defer verbs.CrashHook(w.Crashed).Catch()
		ended <- h.session.Close()
	}()
	for end := w.Now() + time.Minute; w.Now() < end; {
		w.Settle()
		select {
		case err := <-ended:
			if err != nil {
				w.Fail("%s: closing the session: %v", h.name, err)
			}
			return
		default:
		}
		w.Sleep(time.Millisecond)
	}
	w.Fail("%s: the session does not close", h.name)
}

// checkEmpty checks that no object and no memory is left.
func (h *host) checkEmpty() {
	for _, held := range h.provider.Held() {
		h.w.Fail("%s: %s after the session is closed", h.name, held)
	}
	if n := h.budget.Used(); n != 0 {
		h.w.Fail("%s: %d bytes of the memory budget are in use after the session is closed", h.name, n)
	}
	if v := h.session.Snapshot(); len(v.Objects) > 0 {
		h.w.Fail("%s: a closed session has %d objects, %s among them", h.name, len(v.Objects), v.Objects[0].Name)
	}
}
