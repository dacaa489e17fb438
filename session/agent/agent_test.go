package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rdmatui/devices"
	"rdmatui/session/command"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// serve starts an agent on the software devices and returns the client's end, and a function that waits for its end.
func serve(t *testing.T) (in io.ReadCloser, out io.WriteCloser, ended func() error) {
	t.Helper()
	requests, out := io.Pipe()
	in, answers := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := Serve(context.Background(), requests, answers, Options{Version: "1.2.3",
			Providers: []verbs.Provider{soft.New(soft.Options{})}, Host: devices.Host()})
		answers.Close()
		done <- err
	}()
	t.Cleanup(func() { out.Close(); in.Close() })
	return in, out, func() error {
		select {
		case err := <-done:
			return err
		case <-time.After(10 * time.Second):
			return errors.New("the agent does not end")
		}
	}
}

func connected(t *testing.T) (*Conn, io.Closer, func() error) {
	t.Helper()
	in, out, ended := serve(t)
	c, err := NewConn(t.Context(), in, out, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, out, ended
}

// TestAgent: an agent tells its version and facts, carries out lines, and ends with its input.
func TestAgent(t *testing.T) {
	c, input, ended := connected(t)
	if c.Hello.Version != "1.2.3" || c.Hello.Protocol != Protocol {
		t.Errorf("hello %+v", c.Hello)
	}
	f, err := c.Facts(t.Context())
	if err != nil || f.Device == nil || f.Device.Name != "soft0" || f.Device.ActiveMTU != 4096 ||
		f.Device.GIDs[0].Type != "ROCE_V2" {
		t.Errorf("facts %+v, %v", f, err)
	}
	for _, line := range []string{"open_device soft0", "alloc_pd pd", "create_cq cq", "create_qp q pd=pd send_cq=cq"} {
		if _, err := c.Run(t.Context(), line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if n, err := c.Field(t.Context(), "q", "qp_num"); err != nil || !strings.HasPrefix(n, "0x") {
		t.Errorf("qp_num %q, %v", n, err)
	}
	var failed *LineError
	if _, err := c.Run(t.Context(), "poll_cq none"); !errors.As(err, &failed) || failed.Err == "" {
		t.Errorf("a wrong line: %v", err)
	}
	input.Close()
	if err := ended(); err != nil {
		t.Errorf("the end: %v", err)
	}
}

// TestAgentRefuses: files, programs, other lines inside a line and damaged messages are refused, and the agent goes on.
func TestAgentRefuses(t *testing.T) {
	c, _, _ := connected(t)
	for _, line := range []string{"reg_mr mr length=1 backing=file:/etc/passwd", "write_mem mr file:/etc/passwd",
		"save /tmp/x", "export /tmp/x", "capture soft0 on file=/tmp/x", `repeat 2 alloc_pd`, "input mr", "sleep 1h",
		"exchange listen", "pingpong q role=server", "", "# nothing", "\x1b[2J"} {
		if _, err := c.Run(t.Context(), line); err == nil {
			t.Errorf("%q was carried out", line)
		}
	}
	for method, params := range map[string]string{"none": `{}`, "run": `7`, "facts": `{"`, "udp_send": `{"sizes":[-1]}`,
		"udp_arrived": `{}`, "field": `{"object":"x"}`, "path": `{"to":"nowhere"}`} {
		var failed *Error
		if err := c.call(t.Context(), method, json.RawMessage(params), new(any)); err == nil {
			t.Errorf("%s %s was answered", method, params)
		} else if params != `{"` && !errors.As(err, &failed) {
			t.Errorf("%s %s: %v", method, params, err)
		}
	}
	if _, err := c.Run(t.Context(), "open_device soft0"); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

// TestAllowed: the list names commands that exist, and none of them takes another line or makes a file.
func TestAllowed(t *testing.T) {
	for _, name := range allowed {
		spec := command.Find(name)
		if spec == nil {
			t.Errorf("there is no command %s", name)
			continue
		}
		for _, a := range spec.Args {
			if a.Type == command.Line || a.Type == command.NewFile {
				t.Errorf("%s takes a line or a file", name)
			}
		}
	}
}

// TestAgentEndsAWait: the end of the input ends the command that is waiting.
func TestAgentEndsAWait(t *testing.T) {
	c, input, ended := connected(t)
	for _, line := range []string{"open_device soft0", "create_cq cq"} {
		if _, err := c.Run(t.Context(), line); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := c.Run(ctx, "poll_cq cq timeout=1h"); !errors.Is(err, context.Canceled) {
		t.Errorf("the wait ends with %v", err)
	}
	input.Close()
	if err := ended(); err != nil {
		t.Errorf("the end: %v", err)
	}
}

// TestHostileAgent: whatever an agent says, the client has one error and bounded memory.
func TestHostileAgent(t *testing.T) {
	hello := `{"jsonrpc":"2.0","method":"hello","params":{"protocol":1,"version":"9"}}` + "\n"
	for _, tt := range []struct{ name, says, want string }{
		{"nothing", "", "no hello of an agent: the connection has ended"},
		{"another program", strings.Repeat("login: \n", 300), "no hello of an agent in 200 lines"},
		{"a long line", strings.Repeat("x", maxLine+1), "a message is longer than 1024 KiB"},
		{"another protocol", strings.Replace(hello, ":1,", ":2,", 1), "speaks protocol 2, this one speaks 1"},
		{"a damaged hello", `{"jsonrpc":"2.0","method":"hello","params":[]}` + "\n", "its hello is damaged"},
		{"escapes", "\x1b[2J\n" + strings.Replace(hello, ":1,", ":2,", 1), "speaks protocol 2"},
		{"dies", hello, "facts: the connection has ended"},
		{"dies within a line", hello + `{"jsonrpc"`, "facts: the connection has ended"},
		{"answers something else", "Welcome!\n" + hello + "{}\n", "facts: not a message of JSON-RPC 2.0"},
		{"answers another request", hello + `{"jsonrpc":"2.0","id":7,"result":{}}` + "\n", "to another request"},
		{"answers without id", hello + `{"jsonrpc":"2.0","result":{}}` + "\n", "to another request"},
		{"wrong types", hello + `{"jsonrpc":"2.0","id":1,"result":{"device":7}}` + "\n", "the answer is damaged"},
		{"an error", hello + `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}` + "\n", "no"},
		{"an endless answer", hello + strings.Repeat("1", 4*maxLine), "facts: a message is longer than 1024 KiB"},
		{"deep nesting", hello + strings.Repeat("[", maxLine-2) + "\n", "not a message"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := NewConn(t.Context(), strings.NewReader(tt.says), io.Discard, nil)
			if err == nil {
				_, err = c.Facts(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// TestHostileField: a value that would become part of a line for the other end has no blank and no separator.
func TestHostileField(t *testing.T) {
	for _, value := range []string{"1 sge=mr", "1;", "\x1b[2J", strings.Repeat("1", 100), "a=b"} {
		says := fmt.Sprintf(`{"jsonrpc":"2.0","method":"hello","params":{"protocol":1}}`+"\n"+
			`{"jsonrpc":"2.0","id":1,"result":%s}`+"\n", mustJSON(t, value))
		c, err := NewConn(t.Context(), strings.NewReader(says), io.Discard, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Field(t.Context(), "q", "qp_num"); err == nil {
			t.Errorf("%q was taken as %q", value, got)
		}
	}
}

// TestHostileFacts: what an end says goes into lines for the other end and into commands to paste, so names and
// addresses that carry more than that are refused.
func TestHostileFacts(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","method":"hello","params":{"protocol":1,"version":"9"}}`
	for answer, good := range map[string]bool{
		`{"device":{"name":"mlx5_0","gids":[{"gid":"10.9.0.1","netdev":"enp1s0f0np0.7@x"}],` +
			`"netdevs":[{"name":"bond-0","address":"02:00:00:00:08:01","addresses":["10.9.0.1/24","fe80::1/64"]}]}}`: true,
		`{"device":null}`: true,
		`{"device":{"name":"x","gids":[{"gid":"fe80::1%e0 rkey=0"}]}}`:                              false,
		`{"device":{"name":"x","gids":[{"gid":"fe80::1%e0"}]}}`:                                     false,
		`{"device":{"name":"x","gids":[{"gid":"224.0.0.1"}]}}`:                                      false,
		`{"device":{"name":"x","gids":[{"gid":"10.9.0.1","netdev":"e0; reboot"}]}}`:                 false,
		`{"device":{"name":"$(reboot)"}}`:                                                           false,
		`{"device":{"name":"-rf"}}`:                                                                 false,
		`{"device":{"name":"x","netdevs":[{"name":"e0","address":"` + "`reboot`" + `"}]}}`:          false,
		`{"device":{"name":"x","netdevs":[{"name":"` + strings.Repeat("e", 65) + `"}]}}`:            false,
		`{"device":{"name":"x","netdevs":[{"name":"e0","addresses":["10.9.0.1/24","ff02::1/8"]}]}}`: false,
	} {
		says := hello + "\n" + `{"jsonrpc":"2.0","id":1,"result":` + answer + "}\n"
		c, err := NewConn(t.Context(), strings.NewReader(says), io.Discard, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Facts(t.Context()); (err == nil) != good {
			t.Errorf("%s: %v", answer, err)
		}
	}
	for answer, good := range map[string]bool{
		`{"netdev":"e0","gateway":"10.9.0.254","hop_mac":"02:00:00:00:08:01","hop_state":"stale"}`: true,
		`{"netdev":"e0 up; reboot"}`: false, `{"netdev":"e0","hop_mac":"a b"}`: false, `{"gateway":"fe80::1%;"}`: false,
	} {
		says := hello + "\n" + `{"jsonrpc":"2.0","id":1,"result":` + answer + "}\n"
		c, err := NewConn(t.Context(), strings.NewReader(says), io.Discard, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Path(t.Context(), Addresses{}); (err == nil) != good {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

func mustJSON(t *testing.T, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDatagrams: datagrams to a listening agent arrive, and one to a closed port is refused.
func TestDatagrams(t *testing.T) {
	c, _, _ := connected(t)
	here := netip.MustParseAddr("127.0.0.1")
	port, err := c.Listen(t.Context(), Endpoint{here})
	if err != nil {
		t.Fatal(err)
	}
	sent, err := c.Send(t.Context(), Datagrams{here, here, port, []int{32, 1000}})
	if err != nil || len(sent) != 2 || sent[1].Errno != "" {
		t.Errorf("sent %+v, %v", sent, err)
	}
	if got, err := c.Arrived(t.Context(), 2); err != nil || fmt.Sprint(got) != "[{32 127.0.0.1} {1000 127.0.0.1}]" {
		t.Errorf("arrived %v, %v", got, err)
	}
	if _, err := c.Listen(t.Context(), Endpoint{here}); err != nil { // closes the first
		t.Error(err)
	}
	sent, err = c.Send(t.Context(), Datagrams{here, here, port, []int{32}})
	if err != nil || sent[0].Errno != "ECONNREFUSED" {
		t.Errorf("to a closed port: %+v, %v", sent, err)
	}
}

// FuzzAgent: no input makes an agent panic, hang, or answer with something that is no message.
func FuzzAgent(f *testing.F) {
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"facts"}`,
		`{"jsonrpc":"2.0","id":2,"method":"run","params":{"line":"open_device soft0"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"run","params":{"line":"reg_mr mr length=16 access=LOCAL_WRITE"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"field","params":{"object":"mr","field":"addr"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"udp_arrived","params":{"want":1}}`,
		`{"jsonrpc":"2.0","id":6,"method":"path","params":{"from":"127.0.0.1","to":"::1"}}`} {
		f.Add([]byte(line + "\n"))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		v := &server{opts: Options{Providers: []verbs.Provider{soft.New(soft.Options{})}, Host: devices.Host()}}
		v.inv = devices.New(v.opts.Providers, v.opts.Host)
		defer v.close()
		for line := range strings.Lines("{}\n" + string(input)) {
			var out strings.Builder
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			if err := send(&out, v.answer(ctx, []byte(line))); err != nil {
				t.Error(err)
			}
			cancel()
			text := out.String()
			if strings.Count(text, "\n") != 1 || strings.ContainsRune(text, '\x1b') || len(text) > maxLine {
				t.Errorf("%q is answered with %q", line, text)
			}
		}
	})
}
