package tune_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/tune"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// playTune runs experiments with few messages on the software device, and checks that
// nothing is left.
func playTune(ctx context.Context, t *testing.T, watch tune.Watcher, names ...string) error {
	t.Helper()
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	run, err := s.NewTune(tune.Options{Device: "soft0", Experiments: names, Round: time.Nanosecond, Least: 4, Tries: 2,
		Turns: 2, MostTurns: 3}, watch)
	if err != nil {
		t.Fatal(err)
	}
	err = run.Do(ctx)
	for _, o := range s.Snapshot().Objects {
		if o.Name != "soft0" {
			t.Errorf("%s is left", o.Name)
		}
	}
	if cerr := s.Close(); cerr != nil {
		t.Error("close:", cerr)
	}
	return err
}

// TestTune runs every experiment. Its figures prove nothing here.
func TestTune(t *testing.T) {
	may := []string{"hugepages", "numa"} // lack something
	for _, name := range tune.Names() {
		t.Run(name, func(t *testing.T) {
			var place tune.Place
			var results []tune.Result
			watch := tune.Watcher{Opened: func(p tune.Place) { place = p },
				Measured: func(r tune.Result) { results = append(results, r) }}
			if err := playTune(t.Context(), t, watch, name); err != nil {
				t.Fatal(err)
			}
			if place.Device != "soft0" || len(results) != 1 || results[0].Name != name {
				t.Fatalf("%+v, %+v", place, results)
			}
			r := &results[0]
			switch {
			case r.Verdict == tune.Unavailable && r.Why != "" && slices.Contains(may, name):
			case r.Verdict == tune.Failed, r.Verdict == tune.Unavailable:
				t.Errorf("%s: %s", r.Verdict, r.Why)
			case r.Turns < 2 || !(r.Without.Median > 0 && r.With.Median > 0) || r.Advice == "" ||
				strings.ContainsAny(r.Advice+r.With.Label, "{}"):
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestTuneStops cancels a run after its first experiment.
func TestTuneStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := 0
	err := playTune(ctx, t, tune.Watcher{Measured: func(tune.Result) { ended++; cancel() }}, "inline", "chain")
	if !errors.Is(err, context.Canceled) || ended != 1 {
		t.Errorf("%v after %d experiments", err, ended)
	}
}

// TestTuneRefuses checks errors before anything is measured.
func TestTuneRefuses(t *testing.T) {
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	if _, err := s.NewTune(tune.Options{Experiments: []string{"inlined"}}, tune.Watcher{}); err == nil ||
		!strings.Contains(err.Error(), `no experiment "inlined"`) {
		t.Error(err)
	}
	run, err := s.NewTune(tune.Options{Device: "soft7"}, tune.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "soft7") {
		t.Error(err)
	}
}
