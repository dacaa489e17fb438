package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// bySignal added to a signal's number is the exit status of a program that the
// signal has ended, as shells report it.
const bySignal = 128

// leaveSignals ask the program to go: it destroys what it has made first.
var leaveSignals = map[os.Signal]string{
	syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP",
}

// signaled is the cause of a context that a signal has ended.
type signaled struct{ syscall.Signal }

func (s signaled) Error() string { return "stopped by " + leaveSignals[s.Signal] }

// Is makes it a cancellation like any other.
func (s signaled) Is(target error) bool { return target == context.Canceled }

// UntilSignal returns a context that ends with the first SIGINT, SIGTERM or
// SIGHUP. A second one ends the process at once, should leaving take too long.
func UntilSignal() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	came := make(chan os.Signal, 1)
	for s := range leaveSignals {
		if !signal.Ignored(s) { // as nohup does
			signal.Notify(came, s)
		}
	}
	go func() {
		select {
		case s := <-came:
			signal.Stop(came)
			cancel(signaled{s.(syscall.Signal)})
		case <-ctx.Done():
			signal.Stop(came)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// signalOf returns the signal that has ended ctx.
func signalOf(ctx context.Context) (s signaled, ok bool) {
	ok = errors.As(context.Cause(ctx), &s)
	return s, ok
}

// why puts the signal in the place of the cancellation that it has caused.
func why(ctx context.Context, err error) string {
	if s, ok := signalOf(ctx); ok && errors.Is(err, context.Canceled) {
		return strings.ReplaceAll(err.Error(), context.Canceled.Error(), s.Error())
	}
	return err.Error()
}
