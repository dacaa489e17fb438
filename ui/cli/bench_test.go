package cli

import (
	"bytes"
	"io"
	"net/netip"
	"strings"
	"testing"

	"rdmatui/session/bench"
	"rdmatui/verbs"
)

// benchProgram is a program whose providers must not be used: a wrong call is refused
// before anything is opened.
func benchProgram(t *testing.T, out io.Writer) *Program {
	refuse := func() verbs.Provider { t.Error("a provider was asked for"); return nil }
	return &Program{
		Native: refuse, Soft: func([]netip.Addr) verbs.Provider { return refuse() },
		Stdin: strings.NewReader(""), Stdout: out, Stderr: out,
	}
}

// TestBenchRefuses checks that what a test cannot do is refused in one line before
// anything is opened.
func TestBenchRefuses(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", "the test is missing"},
		{"write-mb", `"write-mb" is not a test`},
		{"write-bw --use_cuda=0", "perftest's flag --use_cuda is not supported"},
		{"send-bw -g", "perftest's flag --mcg is not supported"},
		{"write-bw -c DC", "-c DC is not supported: use RC, UC or UD"},
		{"write-bw -c UC -R", "the connection manager connects no UC queue pairs"},
		{"read-lat -c UC", "read-lat needs RC"},
		{"atomic-bw -s 16", "atomic operations have 8 bytes"},
		{"write-bw -s 9223372036854775808", "-s"},
		{"write-lat -e", "polls memory"},
		{"write-bw -m 1000", "-m"},
		{"write-bw -T 3", "needs -R"},
		{"write-bw -X 1", "needs -e"},
		{"write-bw -R --pkey_index 1", "the connection manager chooses it"},
		{"write-bw --use-srq", "only send-lat and send-bw use RECVs"},
		{"atomic-bw --odp", "not with atomic operations"},
		{"write-bw --output latency", "use bandwidth or message_rate"},
		{"send-lat --output bandwidth", "use latency"},
		{"write-bw --retry_count 8", "must be from 0 to 7"},
		{"write-bw one two", "too many arguments"},
	} {
		var out bytes.Buffer
		args := append([]string{"bench"}, strings.Fields(tt.args)...)
		status := benchProgram(t, &out).Run(t.Context(), args)
		if text := out.String(); status != Wrong || !strings.Contains(text, tt.want) || strings.Count(text, "\n") != 1 {
			t.Errorf("bench %s: status %d, %q, want %q", tt.args, status, text, tt.want)
		}
	}
}

// TestBenchHelp checks that every test has its flags, with the defaults of its program.
func TestBenchHelp(t *testing.T) {
	for _, test := range bench.Tests {
		var out bytes.Buffer
		if status := benchProgram(t, &out).Run(t.Context(),
			[]string{"bench", test.String(), "--help"}); status != Done {
			t.Fatalf("%s: status %d: %s", test, status, out.String())
		}
		for _, word := range []string{test.Stock(), "--gid-index", "--report_gbits"} {
			if !strings.Contains(out.String(), word) {
				t.Errorf("%s: the help lacks %s", test, word)
			}
		}
		if strings.Contains(out.String(), "use_cuda") {
			t.Errorf("%s: the help shows a flag that is not supported", test)
		}
	}
}

// TestBenchReport checks --output, -w and -y on results.
func TestBenchReport(t *testing.T) {
	bw := &bench.Result{Report: bench.Report{Average: 12.5, Rate: 0.25}}
	lat := &bench.Result{Latency: &bench.Latency{Average: 3.5}}
	for _, tt := range []struct {
		flags  benchFlags
		res    *bench.Result
		figure float64
		slow   string
	}{
		{benchFlags{output: "bandwidth", leastBW: 12.5}, bw, 12.5, ""},
		{benchFlags{output: "message_rate", leastBW: 12.6}, bw, 0.25, "the average bandwidth is 12.50, below -w 12.6"},
		{benchFlags{leastRate: 0.3}, bw, 12.5, "the message rate is 0.250000 Mpps, below -y 0.3"},
		{benchFlags{output: "latency"}, lat, 3.5, ""},
	} {
		r := benchReport{flags: &tt.flags}
		err := tt.flags.tooSlow(tt.res)
		if got := r.figure(tt.res); got != tt.figure || (err == nil) != (tt.slow == "") ||
			err != nil && err.Error() != tt.slow {
			t.Errorf("%+v: %g, %v", tt.flags, got, err)
		}
	}
}
