package oob

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"rdmatui/verbs"
)

var sample = Record{LID: 0x1f, QPN: 0x11, PSN: 0x6f21a0, GID: mustGID("::ffff:10.9.0.2")}

const sampleText = "001f:000011:6f21a0:00000000000000000000ffff0a090002"

func mustGID(s string) verbs.GID {
	g, err := verbs.ParseGID(s)
	if err != nil {
		panic(err)
	}
	return g
}

func TestRecordBytes(t *testing.T) {
	if got := string(sample.Wire()); got != sampleText+"\x00" || len(got) != 52 {
		t.Errorf("%q", got)
	}
	got, err := ParseWire(sample.Wire())
	if err != nil || got != sample {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := ParseRecord(strings.ToUpper(sampleText)); err != nil || got != sample {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRecordRefusesHostileBytes(t *testing.T) {
	for name, b := range map[string]string{
		"empty":            "",
		"short":            sampleText,
		"no NUL":           sampleText + "x",
		"long":             sampleText + "\x00\x00",
		"no colon":         strings.Replace(sampleText, ":", "0", 1) + "\x00",
		"sign in a number": strings.Replace(sampleText, "001f", "-01f", 1) + "\x00",
		"prefix":           strings.Replace(sampleText, "000011", "0x0011", 1) + "\x00",
		"bad GID":          sampleText[:50] + "g\x00",
		"escape":           "\x1b[2J" + sampleText[4:] + "\x00",
	} {
		_, err := ParseWire([]byte(b))
		if err == nil {
			t.Errorf("%s: taken", name)
		} else if strings.ContainsAny(err.Error(), "\x00\x1b\n") {
			t.Errorf("%s: raw bytes in %q", name, err)
		}
	}
}

func FuzzParseWire(f *testing.F) {
	f.Add(sample.Wire())
	f.Add([]byte(sampleText))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseWire(b)
		if err != nil {
			return
		}
		if again, err := ParseWire(r.Wire()); err != nil || again != r {
			t.Errorf("%q reads back as %+v, %v", b, again, err)
		}
	})
}

// TestClip: quoted text is cut to a limit; text that fits stays whole.
func TestClip(t *testing.T) {
	whole := strings.Repeat("x", 2*RecordLen)
	for s, want := range map[string]string{"": "", "x": "x", whole: whole, whole + "y": whole + "…",
		whole + whole: whole + "…"} {
		if got := clip(s); got != want {
			t.Errorf("%d bytes: %q", len(s), got)
		}
	}
}

// TestDialogue plays both roles and checks the bytes between them.
func TestDialogue(t *testing.T) {
	ctx := t.Context()
	l, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	other := Record{QPN: 7, PSN: 8}
	errs := make(chan error, 1)
	go func() { errs <- serve(ctx, l, other) }()

	c, err := Dial(ctx, "127.0.0.1", l.Port())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Send(ctx, sample); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Receive(ctx); err != nil || got != other {
		t.Errorf("%+v, %v", got, err)
	}
	if err := c.SendDone(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-errs; err != nil {
		t.Error(err)
	}
}

func serve(ctx context.Context, l *Listener, own Record) error {
	return l.Serve(ctx, Part{
		Receive: receiveOne,
		Finish: func(ctx context.Context, c *Conn, theirs []Record) error {
			defer c.Close()
			if theirs[0] != sample {
				return errors.New("got " + theirs[0].String())
			}
			if err := c.Send(ctx, own); err != nil {
				return err
			}
			return c.ReceiveDone(ctx)
		},
	})
}

func receiveOne(ctx context.Context, c *Conn) ([]Record, error) {
	r, err := c.Receive(ctx)
	return []Record{r}, err
}

// TestEveryWaitEndsWithItsContext would hang if a wait outlived its context.
func TestEveryWaitEndsWithItsContext(t *testing.T) {
	l, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Serve(ctx, Part{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
	a, b := net.Pipe() // without a reader a write also waits
	defer b.Close()
	c := &Conn{a}
	for name, f := range map[string]func() error{
		"Receive":     func() error { _, err := c.Receive(ctx); return err },
		"ReceiveDone": func() error { return c.ReceiveDone(ctx) },
		"Send":        func() error { return c.Send(ctx, sample) },
	} {
		if err := f(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error("Close is not idempotent:", err)
		}
	}
}

func TestPeerThatStopsShort(t *testing.T) {
	a, b := net.Pipe()
	go func() { io.WriteString(b, sampleText[:10]); b.Close() }()
	c := &Conn{a}
	defer c.Close()
	if _, err := c.Receive(t.Context()); err == nil || !strings.Contains(err.Error(), "after 10 of the 52 bytes") {
		t.Error(err)
	}
	a, b = net.Pipe()
	go func() { io.WriteString(b, "\x1bone\x00"); b.Close() }()
	c = &Conn{a}
	defer c.Close()
	if err := c.ReceiveDone(t.Context()); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Error(err)
	}
}
