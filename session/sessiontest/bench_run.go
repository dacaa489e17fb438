package sessiontest

import (
	"context"
	"testing"

	"rdmatui/session"
	"rdmatui/session/bench"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// BenchEnd is one end of a test with what it reported.
type BenchEnd struct {
	S       *session.Session
	Run     *bench.Run
	Info    bench.Info
	Results []bench.Result
	Err     chan error
}

// StartBench starts one end. The server's port is sent to port.
func StartBench(ctx context.Context, t *testing.T, provider verbs.Provider, p bench.Params,
	port chan<- uint16) *BenchEnd {
	t.Helper()
	e := NewBenchEnd(t, provider, p, port)
	go func() { e.Err <- e.Run.Do(ctx) }()
	return e
}

// NewBenchEnd prepares one end.
func NewBenchEnd(t *testing.T, provider verbs.Provider, p bench.Params, port chan<- uint16) *BenchEnd {
	t.Helper()
	e := &BenchEnd{S: session.New(core.Options{Providers: []verbs.Provider{provider}}), Err: make(chan error, 1)}
	run, err := e.S.NewBench(p, bench.Watcher{
		Waiting:   func(n uint16, _ string) { port <- n },
		Connected: func(info bench.Info) { e.Info = info },
		Measured:  func(res bench.Result) { e.Results = append(e.Results, res) },
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Run = run
	return e
}

// End waits for the end of the test, and checks that nothing is left.
func (e *BenchEnd) End(t *testing.T) error {
	t.Helper()
	err := <-e.Err
	if cerr := e.S.Close(); cerr != nil {
		t.Error("close:", cerr)
	}
	return err
}
