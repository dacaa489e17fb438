package script

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// UnmetError is the error of an expect that found something else.
type UnmetError struct {
	// Seen is what was there instead, in one word: an errno, a status, a state, the value of a field,
	// Nothing, or OtherBytes.
	Seen string
	Err  error
}

// Words for what was seen.
const (
	Nothing    = "none" // no error, or no completion
	OtherBytes = "mem"  // in a region
)

// Error says what differs.
func (e *UnmetError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e *UnmetError) Unwrap() error { return e.Err }

// ExpectWC carries out expect wc.
func ExpectWC(c *core.Call) error {
	cq, qp := c.Cmd.String("cq"), c.Cmd.String("qp")
	of := func(w *timeline.Completion) bool { return (cq == "" || w.CQ == cq) && (qp == "" || w.QP == qp) }
	fits := func(w *timeline.Completion) bool { return of(w) && mismatch(c.Cmd, &w.WC) == nil }
	nearly := func(w *timeline.Completion) bool {
		return of(w) && (!c.Cmd.Has("wr_id") || c.Cmd.Uint("wr_id") == w.WC.WRID)
	}
	found, near := queue.Seen(c.S).Find(fits, nearly)
	switch {
	case found:
		c.Done.Result = "as expected"
		return nil
	case near == nil || near.WC.Status == verbs.WCWRFlushErr:
		if ended, err := endedConnection(c); err != nil {
			return err
		} else if ended != "" {
			c.Done.Result = "no completion came; the connection of " + ended + " has ended"
			return nil
		}
	}
	if near == nil {
		c.Done.Hint = "expect checks polled completions: use poll_cq with a timeout first, or live on"
		if by := queue.Seen(c.S).WasCutBy(); by != "" {
			c.Done.Hint = "the connection of " + by + " ended before the completion came: check the peer"
		}
		return &UnmetError{Nothing, errors.New("no polled completion matches")}
	}
	c.Done.Hint = queue.LastHint(c.S, near)
	err := mismatch(c.Cmd, &near.WC)
	if near.Room > 0 {
		return &core.OptionError{Err: err, Option: "size", Takes: "check the length of the peer's messages"}
	}
	return err
}

// endedConnection names the identifier of while= if its connection has ended, ""
// otherwise.
func endedConnection(c *core.Call) (string, error) {
	whom, err := c.WhileArg()
	if whom == nil || err != nil {
		return "", err
	}
	if on, err := whom.Lasts(c.Ctx); on || err != nil {
		return "", err
	}
	return whom.Name, nil
}

// mismatch returns an *UnmetError for the first field of a completion that differs from the line, nil
// if none does.
func mismatch(cmd command.Command, wc *verbs.WC) error {
	for i := range verbs.WCFields {
		f := &verbs.WCFields[i]
		if !cmd.Given(f.Name) {
			continue
		}
		if !f.Defined(wc) {
			return &UnmetError{Nothing, fmt.Errorf("the completion has no %s (it is not defined), and status %s",
				f.Name, wc.Status)}
		}
		if got := f.Format(wc); !sameValue(got, cmd, f.Name) {
			text := fmt.Sprintf("the completion has %s %s, not %s", f.Name, got, cmd.String(f.Name))
			if n, err := verbs.ParseUint(got, 64); err == nil && core.Swapped(n, cmd.Uint(f.Name)) {
				text += ": " + core.SwappedText
			}
			return &UnmetError{got, errors.New(text)}
		}
	}
	return nil
}

// sameValue compares a field's text with the value in a line, numbers as numbers.
func sameValue(got string, cmd command.Command, name string) bool {
	if n, err := verbs.ParseUint(got, 64); err == nil {
		return n == cmd.Uint(name)
	}
	if name == "wc_flags" {
		return cmd.WCFlags(name).String() == got
	}
	return strings.EqualFold(got, cmd.String(name))
}

// ExpectMem carries out expect mem.
func ExpectMem(c *core.Call) error {
	r, err := core.ArgAs[*region.MR](c, "mr", nil)
	if err != nil {
		return err
	}
	offset := int64(c.Cmd.Uint("offset"))
	want, err := region.BytesArg(c, "data", region.MaxFile)
	if err != nil {
		return err
	}
	if c.Cmd.Has("like") {
		like, err := core.ArgAs[*region.MR](c, "like", nil)
		if err != nil {
			return err
		}
		if want, err = memory.OfProcess().Alloc(like.MR.Spec().Length); err != nil {
			return err
		}
		defer memory.OfProcess().Free(want)
		if _, err := like.MR.ReadAt(want, 0); err != nil {
			return region.Outside(like, err, 0, len(want))
		}
	}
	got, err := memory.OfProcess().Alloc(uint64(len(want)))
	if err != nil {
		return err
	}
	defer memory.OfProcess().Free(got)
	if _, err := r.MR.ReadAt(got, offset); err != nil {
		return region.Outside(r, err, offset, len(want))
	}
	if bytes.Equal(got, want) {
		c.Done.Result = "as expected"
		return nil
	}
	at := 0
	for got[at] == want[at] {
		at++
	}
	const shown = 16
	return &UnmetError{OtherBytes, fmt.Errorf("%s differs at offset %d: %s instead of %s", r.Name, offset+int64(at),
		region.DescribeBytes(got[at:min(at+shown, len(got))]), region.DescribeBytes(want[at:min(at+shown, len(want))]))}
}

// ExpectState carries out expect state.
func ExpectState(c *core.Call) error {
	q, err := core.ArgAs[*queue.QP](c, "qp", nil)
	if err != nil {
		return err
	}
	c.Done.C = ccall.Format("ibv_query_qp(%s, &attr, IBV_QP_STATE, &init_attr)", q.Name)
	var attr verbs.QPAttr
	before := q.StateAt()
	if err := c.Time(func() (err error) { attr, _, err = q.QP.Query(verbs.AttrState); return err }); err != nil {
		return err
	}
	queue.SetState(c.S, q, before, attr.QPState, "query_qp")
	if want := c.Cmd.QPState("qp_state"); attr.QPState != want {
		return &UnmetError{attr.QPState.String(), fmt.Errorf("%s is in %s, not %s", q.Name, attr.QPState, want)}
	}
	c.Done.Result = "as expected"
	return nil
}

// ExpectError carries out expect error.
func ExpectError(c *core.Call) error {
	done, err := c.S.Run(c.Ctx, c.Cmd.Nested()[0])
	switch want := c.Cmd.String("errno"); {
	case c.Ctx.Err() != nil:
		return c.Ctx.Err()
	case err == nil:
		return &UnmetError{Nothing, errors.New("the line succeeded, but should have failed")}
	case want != "" && done.Errno != want:
		return &UnmetError{done.Errno, fmt.Errorf("the line failed, but not with %s: %w", want, err)}
	}
	c.Done.Result = "failed as expected: " + done.Err
	return nil
}
