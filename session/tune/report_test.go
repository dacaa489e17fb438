package tune

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// TestReport compares a report with its golden files in both formats.
func TestReport(t *testing.T) {
	p := Place{Device: "mlx5_0", Provider: "ibverbs", Port: 1, ActiveMTU: 4096, CPUs: 64}
	results := []Result{
		{
			Name: "inline", Title: "post small messages inline", Verdict: Better, Unit: roundTrip.name, Turns: 13,
			Without: Side{"SEND from a region", &Summary{2.5, 2.25, 2.75}, 199.6},
			With:    Side{"SEND inline", &Summary{2, 1.75, 2.125}, 200},
			Change:  &Summary{-0.2, -0.25, -0.125}, Reason: "The reason.", Advice: "The advice.", unit: roundTrip,
		},
		{
			Name: "chain", Title: "post many requests in one call", Verdict: Same, Unit: rate.name, Turns: 41,
			Without: Side{"one", &Summary{1234567, 1200000, 1300000}, 100},
			With:    Side{"many | more", &Summary{1300000, 1200000, 1400000.5}, 100},
			Change:  &Summary{0.053, -0.01, 0.1}, Reason: "The reason.", Advice: "Nothing.", unit: rate,
		},
		{Name: "numa", Title: "stay on the node", Verdict: Unavailable, Unit: roundTrip.name, Reason: "The reason.",
			Why: "the host has one NUMA node", unit: roundTrip},
		{Name: "srq", Title: "share receives", Verdict: Failed, Unit: rate.name, Reason: "The reason.",
			Why: "access LOCAL_WRITE|REMOTE_READ", unit: rate},
	}
	var text, lines strings.Builder
	text.WriteString(p.Heading())
	encode := json.NewEncoder(&lines)
	for i := range results {
		text.WriteString(results[i].Markdown())
		if err := encode.Encode(&results[i]); err != nil {
			t.Fatal(err)
		}
	}
	text.WriteString(Summing(results))
	for name, got := range map[string]string{"testdata/report.md": text.String(),
		"testdata/report.json": lines.String()} {
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil || got != string(want) {
			t.Errorf("%s: %v; the report is now:\n%s", name, err, got)
		}
	}
}

// TestExperiments checks the table: texts, and setups that the loops can run.
func TestExperiments(t *testing.T) {
	seen := map[string]bool{}
	for i := range Experiments {
		e := &Experiments[i]
		if seen[e.Name] || e.Title == "" || !strings.HasSuffix(e.Reason, ".") || e.unit == nil {
			t.Errorf("%s: a name twice, or a text or the unit is missing", e.Name)
		}
		seen[e.Name] = true
		if e.work == nil {
			continue
		}
		for _, text := range []string{e.Use, e.Same, e.Avoid} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: advice %q", e.Name, text)
			}
		}
		h := &host{reads: 16}
		for _, v := range []*variant{&e.without, &e.with} {
			s := v.settled(h)
			if v.label == "" || s.step()%s.list != 0 || s.step()%s.signal != 0 || s.cycle()%s.step() != 0 ||
				s.step() > s.depth {
				t.Errorf("%s: %q: %+v", e.Name, v.label, s)
			}
		}
	}
}

func TestPercent(t *testing.T) {
	for change, want := range map[float64]string{0: "0 %", -0.004: "0 %", 0.004: "0 %", 0.126: "+13 %", -0.5: "−50 %"} {
		if got := percent(change); got != want {
			t.Errorf("%v: %s, want %s", change, got, want)
		}
	}
}
