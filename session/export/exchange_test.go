package export

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rdmatui/session/oob"
	"rdmatui/verbs"
)

// exchanger is the exchange part of an exported program, without a device: it prints the records and regions that it
// receives.
const exchanger = `
int main(int argc, char **argv)
{
	struct ibv_mr mr = { .addr = (void *)0x7f0000001000, .length = 4096, .rkey = 0x730ad262 };
	struct peer own = { .qp_num = 0x12, .psn = 7 }, other = { .sock = -1 };
	bool client = argc == 3;

	tell_region(&own, "none", NULL, 2);
	tell_region(&own, "dst", &mr, 3);
	if (client)
		other = exchange_with(argv[2], atoi(argv[1]), &own);
	else
		other = exchange_as_server(atoi(argv[1]), 20000);
	if (client)
		finish_with_server(&other, &own, true);
	else
		finish_as_server(&other, &own, true);
	printf("qp_num 0x%x", other.qp_num);
	for (unsigned int i = 0; i < other.number_regions; i++)
		printf(", %s 0x%" PRIx64 " %" PRIu64 " 0x%x %u", other.regions[i].name, other.regions[i].addr, other.regions[i].length,
		       other.regions[i].rkey, other.regions[i].access);
	if (other.number_regions > 1)
		printf("; rkeys 0x%x 0x%x", region_of(&other, NULL)->rkey, region_of(&other, "far")->rkey);
	return 0;
}
`

// buildExchanger compiles exchanger with the runtime functions.
func buildExchanger(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	ordered, includes := closure(exchanger)
	for _, h := range includes {
		fmt.Fprintf(&b, "#include <%s>\n", h)
	}
	for _, name := range ordered {
		b.WriteString(snippets()[name].text + "\n")
	}
	source := filepath.Join(t.TempDir(), "exchanger.c")
	if err := os.WriteFile(source, []byte(b.String()+exchanger), 0o600); err != nil {
		t.Fatal(err)
	}
	program := strings.TrimSuffix(source, ".c")
	if out, err := exec.Command(compiler(t), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source).
		CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestExchangedRegions exchanges regions between a program and a session, a stock peer that sends none, and another
// program.
func TestExchangedRegions(t *testing.T) {
	program := buildExchanger(t)
	two := []oob.Region{{Name: "near", Addr: 0x1000, Length: 64, RKey: 0x11, Access: verbs.RemoteRead},
		{Name: "far", Addr: 1 << 63, Length: 1 << 32, RKey: 0xffffffff, Access: verbs.RemoteWrite}}
	const learned = "qp_num 0x99, near 0x1000 64 0x11 4, far 0x8000000000000000 4294967296 0xffffffff 2; rkeys 0x11 0xffffffff"
	const told = "dst 0x7f0000001000 4096 0x730ad262 3"
	for _, tt := range []struct {
		name    string
		end     func(ctx context.Context, c *oob.Conn, server bool) ([]oob.Region, bool, error)
		learned string
		told    string // printed by the program: the regions sent by the other end
	}{
		{"two", sessionEnd(two), learned, told},
		{"none", sessionEnd(nil), "qp_num 0x99", told},
		{"stock", stockEnd, "qp_num 0x99", ""},
	} {
		for _, server := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, server %v", tt.name, server), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				regions, out := meet(ctx, t, program, server, tt.end)
				if out != tt.learned {
					t.Errorf("the program has learned %q, want %q", out, tt.learned)
				}
				got := ""
				for _, r := range regions {
					got += fmt.Sprintf("%s 0x%x %d 0x%x %d", r.Name, r.Addr, r.Length, r.RKey, r.Access)
				}
				if got != tt.told {
					t.Errorf("the program has sent %q, want %q", got, tt.told)
				}
			})
		}
	}
	t.Run("itself", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		port := unused(t)
		server, out := run(ctx, t, program, port)
		for range 100 { // it may not be listening yet
			if got, err := exec.CommandContext(ctx, program, port, "127.0.0.1").Output(); err == nil {
				if string(got) != "qp_num 0x12, "+told {
					t.Errorf("the client has learned %q", got)
				}
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if err := server.Wait(); err != nil || out.String() != "qp_num 0x12, "+told {
			t.Errorf("the server has learned %q, %v", out, err)
		}
	})
}

func sessionEnd(own []oob.Region) func(context.Context, *oob.Conn, bool) ([]oob.Region, bool, error) {
	return func(ctx context.Context, c *oob.Conn, server bool) ([]oob.Region, bool, error) {
		if server {
			return c.EndAsServer(ctx, own)
		}
		return c.EndAsClient(ctx, own)
	}
}

// stockEnd plays a stock program's end, which closes the connection after the last message.
func stockEnd(ctx context.Context, c *oob.Conn, server bool) ([]oob.Region, bool, error) {
	if server {
		return nil, false, c.ReceiveDone(ctx)
	}
	return nil, false, c.SendDone(ctx)
}

// meet runs the program against the other end, server or client, and returns what each has received.
func meet(ctx context.Context, t *testing.T, program string, server bool,
	end func(context.Context, *oob.Conn, bool) ([]oob.Region, bool, error)) (regions []oob.Region, out string) {
	t.Helper()
	own := oob.Record{QPN: 0x99, PSN: 1}
	var err error
	if !server {
		port := unused(t)
		p, text := run(ctx, t, program, port)
		number, _ := net.LookupPort("tcp", port)
		c, failed := oob.Dial(ctx, "127.0.0.1", uint16(number))
		for failed != nil && ctx.Err() == nil { // it may not be listening yet
			time.Sleep(10 * time.Millisecond)
			c, failed = oob.Dial(ctx, "127.0.0.1", uint16(number))
		}
		if failed != nil {
			t.Fatal(failed)
		}
		defer c.Close()
		if err = c.Send(ctx, own); err == nil {
			_, err = c.Receive(ctx)
		}
		if err == nil {
			regions, _, err = end(ctx, c, false)
		}
		c.Close()
		if err != nil || p.Wait() != nil {
			t.Fatal(err, text)
		}
		return regions, text.String()
	}
	l, err := oob.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	p, text := run(ctx, t, program, fmt.Sprint(l.Port()), "127.0.0.1")
	err = l.Serve(ctx, oob.Part{
		Receive: func(ctx context.Context, c *oob.Conn) ([]oob.Record, error) {
			r, err := c.Receive(ctx)
			return []oob.Record{r}, err
		},
		Finish: func(ctx context.Context, c *oob.Conn, _ []oob.Record) (err error) {
			defer c.Close()
			if err = c.Send(ctx, own); err == nil {
				regions, _, err = end(ctx, c, true)
			}
			return err
		},
		Refused: func(address string, err error) { t.Error(address, err) },
	})
	if err != nil || p.Wait() != nil {
		t.Fatal(err, text)
	}
	return regions, text.String()
}

// run starts the program; the buffer has all its output once it has ended.
func run(ctx context.Context, t *testing.T, program string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	text := &bytes.Buffer{}
	p := exec.CommandContext(ctx, program, args...)
	p.Stdout, p.Stderr = text, text
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p, text
}

// unused returns a TCP port that was free a moment ago.
func unused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
