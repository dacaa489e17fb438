package cm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
)

// hooked is a request whose destruction does something else first, and may fail.
type hooked struct {
	request
	hook func() error
}

func (h *hooked) Close() error {
	if err := h.hook(); err != nil {
		return err
	}
	return h.request.Close()
}

// TestRejectAllEnds: a rejection of all requests ends with its context and with the first that cannot be destroyed. It
// tells how many it has rejected until then; those that it keeps do not count.
func TestRejectAllEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ends   int // the context ends while this request is destroyed; -1: before, 9: never
		fails  int // this request cannot be destroyed; 9: none
		err    error
		result string
		gone   []int
	}{
		{"all", 9, 9, nil, "4 requests rejected; 1 with a queue pair kept", []int{0, 2, 4, 5}},
		{"stopped before", -1, 9, context.Canceled, "0 requests rejected", nil},
		{"stopped on the way", 2, 9, context.Canceled, "2 requests rejected; 1 with a queue pair kept", []int{0, 2}},
		{"stopped at the last", 5, 9, nil, "4 requests rejected; 1 with a queue pair kept", []int{0, 2, 4, 5}},
		{"a failure", 9, 2, syscall.EIO, "1 request rejected; 1 with a queue pair kept", []int{0}},
		{"a failure of the first", 9, 0, syscall.EIO, "0 requests rejected", nil},
	} {
		l := newListened(t)
		l.from(1, 6)
		ctx, cancel := context.WithCancel(t.Context())
		if tt.ends < 0 {
			cancel()
		}
		var gone []int
		for n, i := range l.come {
			delete(managerOf(l.s).ids, i.ID)
			i.ID = &hooked{*i.ID.(*request), func() error {
				if n == tt.ends {
					cancel()
				}
				if n == tt.fails {
					return syscall.EIO
				}
				gone = append(gone, n)
				return nil
			}}
			managerOf(l.s).ids[i.ID] = i
		}
		l.come[1].qp = &queue.QP{Node: l.Node} // being accepted
		l.come[3].claim = byReader             // withdrawn by its peer
		cmd, err := command.Parse("reject_all")
		if err != nil {
			t.Fatal(err)
		}
		c := &core.Call{S: l.s, Ctx: ctx, Cmd: cmd}
		if err := RejectAll(c); !errors.Is(err, tt.err) || c.Done.Result != tt.result || !slices.Equal(gone, tt.gone) {
			t.Errorf("%s: %v, %q, destroyed %v", tt.name, err, c.Done.Result, gone)
		}
		cancel()
	}
}

// TestRejectAllOfOne: the requests of a listener are rejected without those of others; an identifier that does not
// listen has none.
func TestRejectAllOfOne(t *testing.T) {
	l := newListened(t)
	other := &ID{Node: &core.Node{Name: "o", Kind: command.KindID}, ID: &request{}, ec: l.ec}
	other.Body, l.Kind, l.Body = other, command.KindID, l.ID
	l.s.Graph.Add(l.Node)
	l.s.Graph.Add(other.Node)
	l.from(1, 3)
	l.state, other.state = core.IDListening, core.IDListening
	for _, tt := range []struct{ line, want string }{
		{"reject_all o", "0 requests rejected"}, {"reject_all l-1", "l-1 does not listen"},
		{"reject_all l", "3 requests rejected"}, {"reject_all l", "0 requests rejected"},
	} {
		cmd, err := command.Parse(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		c := &core.Call{S: l.s, Ctx: t.Context(), Cmd: cmd}
		err = RejectAll(c)
		got := c.Done.Result
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}
