package oob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// records returns n different records.
func records(n int) []Record {
	all := make([]Record, n)
	for i := range all {
		all[i] = Record{LID: 1, QPN: verbs.QPN(i + 1), PSN: verbs.PSN(7 * i), GID: sample.GID}
	}
	return all
}

// TestSharedDialogue: the stock program always sends, and expects, the same number of records, however many queue pairs
// it has.
func TestSharedDialogue(t *testing.T) {
	for _, n := range []int{0, 1, 16, MaxShared - 1} {
		a, b := net.Pipe()
		sent := make(chan error, 1)
		go func() {
			err := (&Conn{a}).SendAll(t.Context(), records(n))
			sent <- errors.Join(err, a.Close())
		}()
		var wire bytes.Buffer
		got, err := (&Conn{&tapped{b, &wire}}).ReceiveAll(t.Context())
		if err != nil || !slices.Equal(got, records(n)) {
			t.Errorf("%d: received %d, %v", n, len(got), err)
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
		const empty = "0000:000000:000000:00000000000000000000000000000000\x00"
		if wire.Len() != MaxShared*RecordLen ||
			!bytes.HasSuffix(wire.Bytes(), bytes.Repeat([]byte(empty), MaxShared-n)) {
			t.Errorf("%d: %d bytes, the last record is %q", n, wire.Len(), wire.Bytes()[max(0, wire.Len()-RecordLen):])
		}
	}
	if err := (&Conn{}).SendAll(t.Context(), records(MaxShared)); !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
}

// tapped copies the bytes that are read.
type tapped struct {
	net.Conn
	to io.Writer
}

func (c *tapped) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.to.Write(p[:n])
	return n, err
}

func TestSharedRefusesHostileBytes(t *testing.T) {
	whole := func(change func([]Record)) string {
		all := make([]Record, MaxShared)
		copy(all, records(3))
		change(all)
		var b []byte
		for _, r := range all {
			b = append(b, r.Wire()...)
		}
		return string(b)
	}
	same := func([]Record) {}
	for want, text := range map[string]string{
		"precedes one that is not": whole(func(all []Record) { all[7].QPN = 9 }),
		"after 13260 of":           whole(same)[:(MaxShared-1)*RecordLen],
		"is not hexadecimal":       strings.Replace(whole(same), "000003", "-00003", 1),
		"does not end":             strings.Replace(whole(same), "\x00", "x", 1),
	} {
		a, b := net.Pipe()
		go func() { io.WriteString(a, text); a.Close() }()
		c := &Conn{b}
		got, err := c.ReceiveAll(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\x00\x1b\n") {
			t.Errorf("%d, %v, want %s", len(got), err, want)
		}
		c.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, b := net.Pipe()
	defer b.Close()
	c := &Conn{a}
	defer c.Close()
	if _, err := c.ReceiveAll(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := c.SendAll(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
