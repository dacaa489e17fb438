package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// explainFrom runs rdmatui explain - with a log on standard input.
func explainFrom(t *testing.T, in io.Reader, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	p := &Program{Stdin: in, Stdout: &out, Stderr: &err}
	status = p.Run(context.Background(), append([]string{"explain"}, args...))
	return status, out.String(), err.String()
}

const ncclLog = "a:1 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.3<4> with status=5 opcode=0 len=0 vendor err 249 (Recv)\n" +
	"a:1 [0] NCCL INFO transport/net.cc:1302 -> 6\n" +
	"a:1 [1] NCCL WARN NET/IB : Got completion from peer 10.0.0.3<9> with status=12 opcode=0 len=0 vendor err 129 (Send)\n"

// TestExplainLog: the cause in full, the rest a line each, in an argument and from standard input alike.
func TestExplainLog(t *testing.T) {
	for name, run := range map[string]func() (int, string, string){
		"argument": func() (int, string, string) { return runExplain(t, ncclLog) },
		"stdin":    func() (int, string, string) { return explainFrom(t, strings.NewReader(ncclLog), "-") },
	} {
		status, out, errs := run()
		if status != Done || errs != "" {
			t.Fatalf("%s: exit status %d, %q", name, status, errs)
		}
		for _, want := range []string{"line 3: RETRY_EXC_ERR, status of a work completion, 12", "\ncauses  1 ",
			"\nAlso in this log:\n",
			"line 1  rdmatui explain status WR_FLUSH_ERR", "line 3  rdmatui explain vendor_err mlx5 0x81"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, out)
			}
		}
	}
}

func TestExplainLogAsJSON(t *testing.T) {
	_, out, _ := explainFrom(t, strings.NewReader(ncclLog), "-", "--json")
	first, _, _ := strings.Cut(out, "\n")
	var o struct {
		Name string
		Line int
	}
	if err := json.Unmarshal([]byte(first), &o); err != nil || o.Name != "RETRY_EXC_ERR" || o.Line != 3 {
		t.Errorf("%v: %s", err, first)
	}
}

func TestExplainLogRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		in     string
		status int
		stderr string
	}{
		"empty":         {"", Wrong, "standard input is empty"},
		"nothing known": {"a b c\nd e f\n", Wrong, "nothing in this log is known; give the lines"},
		"control":       {strings.Repeat("\x1b[31m\x00\xff\n", 1000), Wrong, "nothing in this log is known"},
		"nothing but a failure": {"a\nmlx5_0: the frobnicator failed\x1b[2J\n", Wrong,
			"line 2 says that something failed, but is unknown here: mlx5_0: the frobnicator failed"},
		"long": {strings.Repeat("\n", 5<<20) + "\nstatus 12 of wr_id 4\n", Done, ""},
	} {
		status, _, errs := explainFrom(t, strings.NewReader(tt.in), "-")
		if status != tt.status || !strings.Contains(errs, tt.stderr) || len(errs) > 400 ||
			strings.ContainsAny(errs, "\x1b\x00") || !utf8.ValidString(errs) {
			t.Errorf("%s: exit status %d, %.400q", name, status, errs)
		}
	}
}

// A log that does not end is given up with the program.
func TestExplainLogCanBeStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, w := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan int, 1)
		p := &Program{Stdin: in, Stdout: io.Discard, Stderr: io.Discard}
		go func() { done <- p.Run(ctx, []string{"explain", "-"}) }()
		time.Sleep(time.Second)
		synctest.Wait()
		select {
		case status := <-done:
			t.Errorf("it ended with %d before the log did", status)
		default:
		}
		cancel()
		synctest.Wait()
		select {
		case status := <-done:
			if status == Done {
				t.Error("it says that all went well")
			}
		default:
			t.Error("it still reads")
		}
		w.Close()
	})
}

// What a shell would take apart stands in quotes.
func TestExplainOffersWhatShellsTake(t *testing.T) {
	if got := quoted("log Couldn't allocate MR"); got != `"log Couldn't allocate MR"` {
		t.Error(got)
	}
}
