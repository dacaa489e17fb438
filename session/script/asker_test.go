package script

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
)

// TestAsker: a question gets the line typed for it, or one typed before; a cancelled
// question takes no answer.
func TestAsker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &Asker{}
		got := make(chan answer, 1)
		ask := func(ctx context.Context, prompt string) {
			go func() {
				line, err := a.Input(ctx, prompt)
				got <- answer{line, err}
			}()
			synctest.Wait()
		}
		want := func(line string, err error) {
			t.Helper()
			synctest.Wait()
			select {
			case g := <-got:
				if g.line != line || !errors.Is(g.err, err) {
					t.Errorf("%q, %v, not %q, %v", g.line, g.err, line, err)
				}
			default:
				t.Errorf("no answer; want %q, %v", line, err)
			}
		}
		if _, ok := a.Asked(); ok {
			t.Error("somebody asks")
		}
		ask(t.Context(), "say")
		if prompt, ok := a.Asked(); !ok || prompt != "say" {
			t.Errorf("%q, %v", prompt, ok)
		}
		a.Answer("one", nil)
		if _, ok := a.Asked(); ok {
			t.Error("it asks again")
		}
		want("one", nil)
		for _, early := range []string{"two", "three"} {
			a.Answer(early, nil)
		}
		a.Answer("", io.EOF)
		for _, line := range []string{"two", "three"} {
			ask(t.Context(), "say")
			want(line, nil)
		}
		ask(t.Context(), "say")
		want("", io.EOF)
		ctx, cancel := context.WithCancel(t.Context())
		ask(ctx, "never mind")
		cancel()
		want("", context.Canceled)
		if prompt, ok := a.Asked(); ok {
			t.Errorf("the question %q is still open", prompt)
		}
		a.Answer("for nobody", nil)
		a.Forget()
		ask(t.Context(), "say")
		a.Answer("four", nil)
		want("four", nil)
	})
}
