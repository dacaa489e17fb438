package program

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/soft"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// compiler returns a C compiler that finds the headers of libibverbs and librdmacm.
func compiler(t testing.TB) string {
	t.Helper()
	missing := func(what string) {
		if os.Getenv("CI") == "true" {
			t.Fatal(what)
		}
		t.Skip(what)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the headers are Linux's")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		missing("no C compiler (cc) for what is exported")
	}
	for header, pkg := range map[string]string{"infiniband/verbs.h": "libibverbs-dev",
		"rdma/rdma_cma.h": "librdmacm-dev"} {
		probe := exec.Command(cc, "-E", "-o", os.DevNull, "-x", "c", "-")
		probe.Stdin = strings.NewReader("#include <" + header + ">\n")
		if probe.Run() != nil {
			missing("no " + header + ": install " + pkg + " (rdma-core-devel)")
		}
	}
	return cc
}

// compile compiles an exported program and allows no warning. It returns the
// program's path.
func compile(t testing.TB, cc, source string, options ...string) string {
	t.Helper()
	program := strings.TrimSuffix(source, ".c")
	args := append([]string{"-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source}, options...)
	out, err := exec.Command(cc, append(args, "-lrdmacm", "-libverbs")...).CombinedOutput()
	if err != nil {
		text, _ := os.ReadFile(source)
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	return program
}

// exported writes both exports of a session into a new directory.
func exported(t testing.TB, s *session.Session, name string) (c, script string) {
	t.Helper()
	dir := t.TempDir()
	c, script = filepath.Join(dir, name+".c"), filepath.Join(dir, name+".rdma")
	for _, line := range []string{"export c " + c, "export script " + script} {
		if _, err := s.Exec(context.Background(), line); err != nil {
			t.Fatal(line, err)
		}
	}
	return c, script
}

// stage is where both ends of a scenario are played: on the software devices, or on
// the kernel's.
type stage struct {
	client, server  verbs.Provider
	device, address string
}

func softStage() stage {
	p := soft.New(soft.Options{})
	return stage{p, p, "", "127.0.0.1"}
}

// play plays both ends of a scenario and passes on their sessions before they are
// closed.
func (at stage) play(t *testing.T, name string, change func(*scenario.Params),
	then func(end string, s *session.Session)) {
	params := scenario.DefaultParams(name)
	sc := scenario.Named(name)
	params.Count, params.Wait, params.Device = 3, 20*time.Second, at.device
	change(&params)
	if sc.Group {
		params.Bind = at.address // groups may have no route here
	}
	if !sc.CM {
		port, _ := strconv.Atoi(freePort())
		params.Port = uint16(port)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	waiting := make(chan struct{}, 1)
	ready := func() {
		select {
		case waiting <- struct{}{}:
		default:
		}
	}
	server := session.New(session.Options{Providers: []verbs.Provider{at.server}, Out: func(e timeline.Event) {
		if e.Note != nil && strings.HasPrefix(e.Note.Text, "waiting for a peer") {
			ready()
		}
	}})
	client := session.New(session.Options{Providers: []verbs.Provider{at.client}})
	defer func() {
		if err := errors.Join(client.Close(), server.Close()); err != nil {
			t.Error(err)
		}
	}()
	ended := make(chan error, 1)
	go func() {
		as := params
		as.Server = true
		if sc.Group {
			as.Address = "239.1.2.3"
		}
		err := uitest.RunScenario(ctx, server, as, func(l *script.Line) {
			for _, waits := range []string{"rdma_get_request", "rdma_get_cm_event CONNECT_REQUEST", "poll_cq"} {
				if sc.CM && strings.HasPrefix(l.Text, waits) {
					ready()
				}
			}
		})
		ended <- err
	}()
	select {
	case <-waiting:
	case err := <-ended:
		t.Fatal("server:", err)
	}
	as := params
	as.Address = at.address
	if sc.Group {
		as.Address = "239.1.2.3"
	}
	if name == "serve" {
		as.Name = "hello"
	}
	if err := uitest.RunScenario(ctx, client, as, nil); err != nil {
		t.Fatal("client:", err)
	}
	if sc.Forever {
		cancel()
	}
	if err := <-ended; err != nil && !(sc.Forever && errors.Is(err, context.Canceled)) {
		t.Fatal("server:", err)
	}
	then("client", client)
	then("server", server)
}

// leftOut are the scenarios that export only in part: several queue pairs in one
// exchange have no function in C.
var leftOut = map[string]bool{"srq-pingpong": true}

func asItIs(*scenario.Params) {}

// otherwise lists scenario parameters that lead to other calls.
var otherwise = map[string]struct {
	scenario string
	change   func(*scenario.Params)
}{
	"ping, synchronous": {"ping", func(p *scenario.Params) { p.CM = "sync" }},
	"ping, polled, completion events": {"ping", func(p *scenario.Params) {
		p.CM, p.Events, p.Validate = "poll", true, true
	}},
	"read-write, read": {"read-write", func(p *scenario.Params) { p.Op = "read" }},
	"cmatose, four":    {"cmatose", func(p *scenario.Params) { p.Connections = 4 }},
}

// TestExportOfScenarios compiles both ends of every scenario.
func TestExportOfScenarios(t *testing.T) {
	cc := compiler(t)
	for _, sc := range scenario.All {
		t.Run(sc.Name, func(t *testing.T) { compileEnds(t, cc, sc.Name, asItIs) })
	}
	for name, other := range otherwise {
		t.Run(name, func(t *testing.T) { compileEnds(t, cc, other.scenario, other.change) })
	}
}

func compileEnds(t *testing.T, cc, scenario string, change func(*scenario.Params)) {
	softStage().play(t, scenario, change, func(end string, s *session.Session) {
		c, _ := exported(t, s, scenario+"-"+end)
		text, err := os.ReadFile(c)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("Not in this program")) != leftOut[scenario] {
			t.Errorf("something is left out:\n%s", text)
		}
		compile(t, cc, c, "-fsyntax-only")
	})
}

// exportOf runs a script on a device and exports it.
func exportOf(t *testing.T, file string, p verbs.Provider, device string) (c, script string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(session.Options{Providers: []verbs.Provider{p}})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	run := strings.ReplaceAll(string(text), "soft0", device)
	if err := s.RunScript(t.Context(), file, strings.NewReader(run)); err != nil {
		t.Fatal(err)
	}
	return exported(t, s, strings.TrimSuffix(filepath.Base(file), ".rdma"))
}

// result matches a recorded result, which differs in each run.
var result = regexp.MustCompile(`(?s)\n(\t*) \* -> .*?\n\t* \*/`)

// TestExportIsThisProgram compares the exports of two scripts with golden files: one
// connects by hand, one over the connection manager.
func TestExportIsThisProgram(t *testing.T) {
	for _, file := range []string{"testdata/by-hand.rdma", "testdata/export/connection.rdma"} {
		c, script := exportOf(t, file, soft.New(soft.Options{}), "soft0")
		for _, path := range []string{c, script} {
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got = result.ReplaceAll(got, []byte("\n$1 * -> ...\n$1 */"))
			golden := "testdata/export/" + filepath.Base(path) + ".golden"
			if os.Getenv("RDMATUI_UPDATE") == "1" {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is not %s; RDMATUI_UPDATE=1 writes it anew:\n%s", path, golden, got)
			}
		}
		compile(t, compiler(t), c)
	}
}

// TestExportedScriptsAreTheSameAgain runs an exported script, and expects the same
// text when that is exported.
func TestExportedScriptsAreTheSameAgain(t *testing.T) {
	files, err := filepath.Glob("testdata/*.rdma")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range append(files, "testdata/export/connection.rdma", "testdata/export/loops.rdma",
		"testdata/export/placement.rdma") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, once := exportOf(t, file, soft.New(soft.Options{}), "soft0")
			_, twice := exportOf(t, once, soft.New(soft.Options{}), "soft0")
			a, errA := os.ReadFile(once)
			b, errB := os.ReadFile(twice)
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Errorf("%v %v\nonce:\n%s\ntwice:\n%s", errA, errB, a, b)
			}
		})
	}
}

// TestExportOfWhatCameByItself has a session take completions that no line asks for,
// as a session with a screen does. The exports wait for them.
func TestExportOfWhatCameByItself(t *testing.T) {
	p := soft.New(soft.Options{})
	s := session.New(session.Options{Providers: []verbs.Provider{p}, Live: true})
	defer s.Close()
	text, err := os.ReadFile("testdata/by-hand.rdma")
	if err != nil {
		t.Fatal(err)
	}
	script, _, found := strings.Cut(string(text), "poll_cq")
	if !found {
		t.Fatal("the script polls nothing")
	}
	came, stop := s.Timeline().Watch()
	defer stop()
	if err := s.RunScript(t.Context(), "live", strings.NewReader(script)); err != nil {
		t.Fatal(err)
	}
	for s.Timeline().Counts().WCOK < 2 {
		select {
		case <-came:
		case <-t.Context().Done():
			t.Fatal("no completion came")
		}
	}
	after := "expect wc wr_id=7 status=SUCCESS byte_len=5\npoll_cq cq n=1\nexpect mem dst 0 \"hello\"\n"
	if err := s.RunScript(t.Context(), "live", strings.NewReader(after)); err != nil {
		t.Fatal(err)
	}
	c, again := exported(t, s, "live")
	for path, want := range map[string]string{c: "expect(poll_cq(cq, 2, 10000) == 2",
		again: "\npoll_cq cq n=2 timeout=10000ms\n"} {
		if got, err := os.ReadFile(path); err != nil || strings.Count(string(got), want) != 1 ||
			strings.Count(string(got), "poll_cq(cq,")+strings.Count(string(got), "\npoll_cq cq") != 1 {
			t.Errorf("%v, want %q once and nothing more polled:\n%s", err, want, got)
		}
	}
	_, twice := exportOf(t, again, soft.New(soft.Options{}), "soft0")
	a, _ := os.ReadFile(again)
	b, _ := os.ReadFile(twice)
	if !bytes.Equal(a, b) {
		t.Errorf("once:\n%s\ntwice:\n%s", a, b)
	}
}

// TestExportedProgramsOnKernel compiles programs in the machine and runs them on the
// kernel's device: sessions recorded on soft0 and on rxe0.
func TestExportedProgramsOnKernel(t *testing.T) {
	vmtest.Need(t)
	cc := compiler(t)
	// compilers are slow there
	for name, optimised := range map[string]string{"by-hand": "-O2", "export/loops": "-O0"} {
		c, _ := exportOf(t, "testdata/"+name+".rdma", soft.New(soft.Options{}), "soft0")
		start(t, compile(t, cc, c, optimised), "-d", device, "-g", "1").done()
	}
	c, _ := exportOf(t, "testdata/by-hand.rdma", native.New(), device)
	start(t, compile(t, cc, c, "-O0")).done()
	nothingLeft(t)
}

// TestExportedProgramsWithStock runs programs exported from one end of a scenario
// against the stock program.
func TestExportedProgramsWithStock(t *testing.T) {
	vmtest.Need(t)
	if !alone(t) {
		return
	}
	cc := compiler(t)
	on := stage{native.New(), native.New(), device, address}
	t.Run("hello", func(t *testing.T) {
		var client string
		on.play(t, "hello", asItIs, func(end string, s *session.Session) {
			if end == "client" {
				client, _ = exported(t, s, end)
			}
		})
		program := compile(t, cc, client, "-O0")
		server := start(t, vmtest.Program(t, "rdma_server"))
		eventually(t, "rdma_server does not listen", func() bool { return strings.Contains(connections(t), "LISTEN") })
		bothDone(t, start(t, program), server)
	})
	t.Run("rc-pingpong", func(t *testing.T) {
		ends := map[string]string{}
		on.play(t, "rc-pingpong", asItIs, func(end string, s *session.Session) {
			c, _ := exported(t, s, end)
			ends[end] = compile(t, cc, c, "-O0")
		})
		port := freePort()
		stock := []string{"-d", device, "-g", "1", "-n", "3", "-p", port}
		server := start(t, vmtest.Program(t, "ibv_rc_pingpong"), stock...)
		server.listening(port)
		bothDone(t, start(t, ends["client"], "-p", port), server)
		port = freePort()
		stock[len(stock)-1] = port
		server = start(t, ends["server"], "-p", port)
		server.listening(port)
		bothDone(t, start(t, vmtest.Program(t, "ibv_rc_pingpong"), append(stock, address)...), server)
	})
	if left := connections(t); strings.Contains(left, "link") {
		t.Errorf("identifiers are left:\n%s", left)
	}
}
