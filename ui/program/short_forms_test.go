package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/soft"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// shortFormsOf returns a file with one end of the program that rdma_client(1) and rdma_server(1) describe, written
// with librdmacm's short forms.
func shortFormsOf(t *testing.T, end, address string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/short/" + end + ".rdma")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), end+".rdma")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "ADDRESS", address)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// playShortForms runs the scripts of both ends and exports both sessions.
func playShortForms(t *testing.T, p verbs.Provider, server, client string) (c, script map[string]string) {
	t.Helper()
	listening := make(chan struct{}, 1)
	told := func(e timeline.Event) {
		if e.Command != nil && strings.HasPrefix(e.Command.Line, "rdma_listen") {
			listening <- struct{}{}
		}
	}
	ends := map[string]*session.Session{
		"server": session.New(session.Options{Providers: []verbs.Provider{p}, Out: told}),
		"client": session.New(session.Options{Providers: []verbs.Provider{p}}),
	}
	run := func(end, file string) error {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		return ends[end].RunScript(t.Context(), file, f)
	}
	ended := make(chan error, 1)
	go func() { ended <- run("server", server) }()
	select {
	case <-listening:
	case err := <-ended:
		t.Fatal("server:", err)
	}
	if err := run("client", client); err != nil {
		t.Fatal("client:", err)
	}
	if err := <-ended; err != nil {
		t.Fatal("server:", err)
	}
	c, script = map[string]string{}, map[string]string{}
	for end, s := range ends {
		if left := s.Snapshot().Objects; len(left) > 0 {
			t.Errorf("%s: objects are left: %+v", end, left)
		}
		c[end], script[end] = exported(t, s, end)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	return c, script
}

// TestShortForms plays both ends on the software device. The exported programs make the same short calls, and the
// exported scripts the same programs.
func TestShortForms(t *testing.T) {
	once, scripts := playShortForms(t, soft.New(soft.Options{}), shortFormsOf(t, "server", ""),
		shortFormsOf(t, "client", "127.0.0.1"))
	twice, again := playShortForms(t, soft.New(soft.Options{}), scripts["server"], scripts["client"])
	for end, c := range once {
		text := string(readFile(t, c))
		_, body, _ := strings.Cut(text, "\nint main(")
		has(t, body, "rdma_create_ep(&", "rdma_reg_msgs(id, ", "rdma_post_recv(id, ", "rdma_post_send(id, ",
			"get_send_comp(id);", "get_recv_comp(id);", "rdma_dereg_mr(recv_msg)", "rdma_destroy_ep(id);")
		for _, not := range []string{"Not in this program", "ibv_post", "rdma_create_qp", "rdma_resolve",
			"rdma_destroy_id"} {
			if strings.Contains(body, not) {
				t.Errorf("%s: %s in:\n%s", end, not, body)
			}
		}
		if a, b := readFile(t, scripts[end]), readFile(t, again[end]); string(a) != string(b) {
			t.Errorf("%s: once:\n%s\ntwice:\n%s", end, a, b)
		}
		cc := compiler(t)
		compile(t, cc, c, "-fsyntax-only")
		compile(t, cc, twice[end], "-fsyntax-only")
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestShortFormsWithStock plays each end, on both devices, against the stock program on rxe0.
func TestShortFormsWithStock(t *testing.T) {
	vmtest.Need(t)
	for name, us := range map[string]side{"rxe0": kernelSide(t), "soft0": softSide(t, peerAddress)} {
		t.Run(name, func(t *testing.T) {
			client, server := shortFormsOf(t, "client", address), shortFormsOf(t, "server", "")
			meetStock(t, us.address, func() *program { return us.start(t, "run", client) },
				func() *program { return us.serving(t, "run", server) })
		})
	}
	noConnections(t)
}

// TestExportedShortFormsWithStock plays the programs exported from both ends on rxe0 against the stock programs.
func TestExportedShortFormsWithStock(t *testing.T) {
	vmtest.Need(t)
	if !alone(t) {
		return
	}
	cc := compiler(t)
	programs, _ := playShortForms(t, native.New(), shortFormsOf(t, "server", ""), shortFormsOf(t, "client", address))
	for end, c := range programs {
		programs[end] = compile(t, cc, c, "-O0")
	}
	meetStock(t, address, func() *program { return start(t, programs["client"]) },
		func() *program { return listens(t, start(t, programs["server"])) })
}

// meetStock plays our client with the stock server, and our server with the stock client.
func meetStock(t *testing.T, serves string, client, server func() *program) {
	t.Helper()
	stock := listens(t, start(t, vmtest.Program(t, "rdma_server")))
	bothDone(t, client(), stock)
	ours := server()
	bothDone(t, start(t, vmtest.Program(t, "rdma_client"), "-s", serves), ours)
}

// listens waits until a program listens on rxe0.
func listens(t *testing.T, p *program) *program {
	t.Helper()
	eventually(t, p.name+" does not listen", func() bool { return strings.Contains(connections(t), "LISTEN") })
	return p
}
