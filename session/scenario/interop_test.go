package scenario_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/verbstest/vm"
)

// newNative makes a session on the host's devices; the machine has rxe0.
func newNative(t testing.TB) *session.Session {
	t.Helper()
	s := session.New(core.Options{Providers: []verbs.Provider{native.New()}})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error("close:", err)
		}
	})
	return s
}

// onRXE replaces the software device's name in a script.
func onRXE(script string) string { return strings.ReplaceAll(script, "soft0", "rxe0") }

func TestFirstLightOnRXE(t *testing.T) {
	vmtest.Need(t)
	s := newNative(t)
	sessiontest.RunScript(t, s, onRXE(sessiontest.FirstLight))
	for _, d := range sessiontest.Commands(s) {
		if d.Check != "" {
			t.Errorf("%s: our own check warns: %s", d.Line, d.Check)
		}
	}
}

func TestFailuresOnRXE(t *testing.T) {
	vmtest.Need(t)
	s := newNative(t)
	sessiontest.RunScript(t, s, onRXE(sessiontest.Failures))
}

// stock is a running ibv_rc_pingpong from the distribution.
type stock struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

func startStock(ctx context.Context, t testing.TB, args ...string) *stock {
	t.Helper()
	p := &stock{cmd: exec.CommandContext(ctx, vmtest.Program(t, "ibv_rc_pingpong"), args...)}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *stock) wait(t testing.TB) string {
	t.Helper()
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("ibv_rc_pingpong: %v\n%s", err, p.out.String())
	}
	return p.out.String()
}

// awaitListener waits until the port has a listener, without connecting.
func awaitListener(ctx context.Context, t testing.TB, port uint16) {
	t.Helper()
	for ctx.Err() == nil {
		out, err := exec.CommandContext(ctx, "ss", "-Hltn", fmt.Sprintf("sport = :%d", port)).Output()
		if err != nil {
			t.Fatal(err)
		}
		if len(bytes.TrimSpace(out)) > 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("nobody listens")
}

// TestAgainstStockRCPingpong plays both roles against the stock program.
func TestAgainstStockRCPingpong(t *testing.T) {
	vmtest.Need(t)
	port := uint16(18600)
	for _, server := range []bool{false, true} {
		for _, size := range []int{1, 64, 4096, 65536} {
			for _, events := range []bool{false, true} {
				port++
				p := scenario.DefaultParams("rc-pingpong")
				p.Device, p.Size, p.Events, p.Count, p.Server, p.Port = "rxe0", size, events, 200, server, port
				p.Validate = true
				t.Run(fmt.Sprintf("%s/%d/events=%t", p.Role(), size, events), func(t *testing.T) { againstStock(t, p) })
			}
		}
	}
}

func againstStock(t *testing.T, p scenario.Params) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := []string{"-d", "rxe0", "-g", "1", "-s", fmt.Sprint(p.Size), "-n", fmt.Sprint(p.Count),
		"-p", fmt.Sprint(p.Port)}
	if p.Events {
		args = append(args, "-e")
	}
	s := newNative(t)
	var peer *stock
	if p.Server {
		done := make(chan *stock, 1)
		go func() {
			sessiontest.Listening(t, s)
			done <- startStock(ctx, t, append(args, "127.0.0.1")...)
		}()
		defer func() { (<-done).wait(t) }()
	} else {
		peer = startStock(ctx, t, args...)
		awaitListener(ctx, t, p.Port)
		p.Address = "127.0.0.1"
	}
	result, err := sessiontest.RunScenario(ctx, s, p, nil)
	if err != nil {
		cancel()
		t.Error(err)
	}
	if peer != nil {
		t.Log(peer.wait(t))
	}
	t.Log(result)
}

// BenchmarkRCPingpongOnRXE compares 64-byte messages between our two ends with two
// stock ends, in one run.
func BenchmarkRCPingpongOnRXE(b *testing.B) {
	vmtest.Need(b)
	const count = 20000
	for i := range b.N {
		stockUsec := stockPair(b, uint16(18700+2*i), count)
		ours := ourPair(b, uint16(18701+2*i), count)
		b.ReportMetric(ours, "usec/iter")
		b.ReportMetric(stockUsec, "stock-usec/iter")
		b.ReportMetric(ours/stockUsec, "ratio")
	}
}

func stockPair(b *testing.B, port uint16, count int) float64 {
	args := []string{"-d", "rxe0", "-g", "1", "-s", "64", "-n", fmt.Sprint(count), "-p", fmt.Sprint(port)}
	server := startStock(b.Context(), b, args...)
	awaitListener(b.Context(), b, port)
	client := startStock(b.Context(), b, append(args, "127.0.0.1")...)
	out := client.wait(b)
	server.wait(b)
	var usec float64
	for line := range strings.Lines(out) {
		if _, after, ok := strings.Cut(line, " seconds = "); ok && strings.Contains(line, "usec/iter") {
			fmt.Sscanf(after, "%f", &usec)
		}
	}
	if usec == 0 {
		b.Fatal(out)
	}
	return usec
}

// ourPair runs both ends, each in its own process like the stock pair.
func ourPair(b *testing.B, port uint16, count int) float64 {
	args := []string{"-test.run", "^TestPingpongServerProcess$"}
	server := exec.CommandContext(b.Context(), os.Args[0], args...)
	server.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", serverProcess, port, count))
	var out bytes.Buffer
	server.Stdout, server.Stderr = &out, &out
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	awaitListener(b.Context(), b, port)
	p := benchParams(port, count)
	p.Address = "127.0.0.1"
	result, err := sessiontest.RunScenario(b.Context(), newNative(b), p, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		b.Fatalf("%v\n%s", err, out.String())
	}
	return result.UsecPerIter
}

func benchParams(port uint16, count int) scenario.Params {
	p := scenario.DefaultParams("rc-pingpong")
	p.Device, p.Size, p.Count, p.Port = "rxe0", 64, count, port
	return p
}

// serverProcess is set, to a port and a count, in the process that runs the server end of a ping-pong.
const serverProcess = "RDMATUI_TEST_PINGPONG_SERVER"

// TestPingpongServerProcess runs the other end for ourPair.
func TestPingpongServerProcess(t *testing.T) {
	vmtest.Need(t)
	var port uint16
	var count int
	if n, _ := fmt.Sscan(os.Getenv(serverProcess), &port, &count); n != 2 {
		return // only ourPair runs it as a test
	}
	p := benchParams(port, count)
	p.Server = true
	if _, err := sessiontest.RunScenario(t.Context(), newNative(t), p, nil); err != nil {
		t.Fatal(err)
	}
}
