package program

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/tune"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestTune runs every experiment on the kernel's device, with few turns: the figures of a loaded machine prove nothing.
// Only what the machine lacks may be missing.
func TestTune(t *testing.T) {
	vmtest.Need(t)
	var place tune.Place
	var results []tune.Result
	s := session.New(core.Options{Providers: []verbs.Provider{native.New()}})
	run, err := s.NewTune(tune.Options{Device: device, Round: time.Millisecond, Tries: 2, Turns: 3, MostTurns: 3},
		tune.Watcher{Opened: func(p tune.Place) { place = p },
			Measured: func(r tune.Result) { results = append(results, r) }})
	if err == nil {
		err = run.Do(t.Context())
	}
	if err != nil || place.Device != device || place.Provider != "ibverbs" || len(results) != len(tune.Names()) {
		t.Errorf("%+v, %d experiments, %v", place, len(results), err)
	}
	lacks := []string{"cq-moderation", "hugepages", "numa"}
	for _, r := range results {
		t.Logf("%s: %s %s%s", r.Name, r.Verdict, r.Advice, r.Why)
		ok := slices.Contains([]tune.Verdict{tune.Better, tune.Worse, tune.Same}, r.Verdict)
		if !ok && !(r.Verdict == tune.Unavailable && slices.Contains(lacks, r.Name)) {
			t.Errorf("%s: %s: %s", r.Name, r.Verdict, r.Why)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	nothingLeft(t)
}

// TestTuneCommand runs one experiment as a user does.
func TestTuneCommand(t *testing.T) {
	vmtest.Need(t)
	p := lasting(t, vmtest.Binary(t), "tune", "inline", "-d", device, "--json").shown()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(strings.NewReader(p.done()))
	var place tune.Place
	if err := lines.Decode(&place); err != nil || place.Device != device || place.Provider != "ibverbs" {
		t.Errorf("%+v, %v", place, err)
	}
	var r struct {
		Experiment, Verdict string
		Turns               int
	}
	if err := lines.Decode(&r); err != nil || r.Experiment != "inline" || r.Turns == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	nothingLeft(t)
}
