package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// ruleLimit bounds the time of a rule, which takes well under a second unless something has to time
// out.
const ruleLimit = 30 * time.Second

// hangs is how long a line may go on after its context has ended: a call into a library or a driver
// cannot be interrupted.
const hangs = 5 * time.Second

// RuleRun is a rule that is tried on a device.
type RuleRun struct {
	trial
	rule   *Rule
	limit  time.Duration
	driver Driver
	known  bool                 // the device has been open, and driver is known
	lacks  string               // what the device does not offer
	done   timeline.CommandDone // of the last line
}

// PrepareRule prepares a rule without carrying out any line; see [New].
func PrepareRule(s *core.Session, rule *Rule, at Place, out func(timeline.Event)) (*RuleRun, error) {
	r := &RuleRun{rule: rule, limit: ruleLimit}
	any := func(*verbs.DeviceInfo) error { return nil }
	if err := r.start(s, &plan{rule.Name, rule.Script, any, r.exec, out}, at); err != nil {
		return nil, err
	}
	return r, nil
}

// errNotOffered ends the script of a rule on a device that lacks what it needs.
var errNotOffered = errors.New("the device does not offer what the rule needs")

// exec carries out a line. After the one that opened the device it asks what the device offers.
func (r *RuleRun) exec(ctx context.Context, cmd command.Command) (timeline.CommandDone, bool, error) {
	done, left, err := r.s.Exec(ctx, cmd)
	r.done = done
	if d := r.opened(); err == nil && d != nil && !r.known {
		r.known, r.driver = true, driverOf(d)
		if r.lacks = r.rule.lackFor(d, r.Lines()); r.lacks != "" {
			err = errNotOffered
		}
	}
	return done, left, err
}

// Run carries out the rule and destroys what it made. before is called as in [script.Rest]; it may be
// nil. The error says that ctx or the session has ended, or that before failed; what the rule met is
// in the result.
func (r *RuleRun) Run(ctx context.Context, before func(*script.Line) error) (RuleResult, error) {
	limited, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	var refused error // by before
	var now atomic.Pointer[script.Line]
	over := make(chan error, 1)
	go func() {
		defer r.s.Opts.Crashed.Catch()
		over <- script.Rest(limited, r, func(l *script.Line) error {
			if now.Store(l); before != nil {
				refused = before(l)
			}
			return refused
		})
	}()
	err, hung := await(limited, over)
	if hung {
		return r.stuck(now.Load()), errors.Join(ctx.Err(), r.s.Ctx.Err())
	}
	ended := errors.Join(ctx.Err(), r.s.Ctx.Err(), refused)
	destroyed := r.Destroy(ctx)
	if ended != nil {
		return r.result(), errors.Join(err, destroyed)
	}
	return r.judge(err, limited.Err() != nil, destroyed), nil
}

// await returns what comes from over. After ctx has ended it waits a little longer, and then tells
// that it does not come.
func await(ctx context.Context, over <-chan error) (err error, hung bool) {
	select {
	case err := <-over:
		return err, false
	case <-ctx.Done():
	}
	select {
	case err := <-over:
		return err, false
	case <-time.After(hangs):
		return ctx.Err(), true
	}
}

// result is what is known before the rule is judged.
func (r *RuleRun) result() RuleResult {
	return RuleResult{Rule: r.rule.Name, Says: r.rule.Says, Source: r.rule.Source, Device: r.device,
		Driver: r.driver.Name, Kernel: r.driver.Kernel.String(), Verdict: RuleNotRun}
}

// stuck is the result of a rule with a line that does not return.
func (r *RuleRun) stuck(l *script.Line) RuleResult {
	return RuleResult{Rule: r.rule.Name, Says: r.rule.Says, Source: r.rule.Source, Device: r.device,
		Verdict: Broken, LineN: l.N, Line: l.Text, // r's fields are the goroutine's
		Why: fmt.Sprintf("the call did not return within %s", format.Span(r.limit+hangs))}
}

// judge gives the verdict. err is the error that ended the script, nil if it came to its end.
func (r *RuleRun) judge(err error, late bool, destroyed error) RuleResult {
	res := r.result()
	if err == nil {
		if res.Verdict = Kept; destroyed != nil {
			res.Verdict, res.Why = Broken, "what it made cannot be destroyed: "+core.Wording(destroyed)
		}
		return res
	}
	if r.lacks != "" {
		res.Verdict, res.Why = NotOffered, r.lacks
		return res
	}
	part := SettingUp
	var at *script.Error
	if errors.As(err, &at) {
		res.LineN, res.Line = at.Line, strings.TrimSpace(at.Text)
		part, err = r.parts[at.Line-1], at.Err
	}
	res.Why = core.Wording(err)
	if late {
		res.Why = fmt.Sprintf("the rule did not end within %s", format.Span(r.limit))
	}
	res.Seen = seenIn(err, &r.done)
	if r.rule.difference(r.driver, res.Seen) == nil && r.unsupported(err) {
		res.Verdict = NotOffered
		return res
	}
	if part != Judging || !late && res.Seen == "" {
		return res // it cannot be set up, or the script is wrong
	}
	res.Verdict = Broken
	if d := r.rule.difference(r.driver, res.Seen); d != nil && !late {
		res.Verdict, res.Why = KnownToDiffer, d.reason
	}
	return res
}

// unsupported reports whether a line failed because the device does not have what it asks for. A device that told
// that it has it is taken at its word.
func (r *RuleRun) unsupported(err error) bool {
	var unmet *script.UnmetError
	return len(r.rule.needs) == 0 && errors.Is(err, verbs.ErrUnsupported) && !errors.As(err, &unmet)
}

// seenIn says in one word what a line saw that failed, "" where it is the line that is wrong.
func seenIn(err error, done *timeline.CommandDone) string {
	var unmet *script.UnmetError
	var late *core.TimeUpError
	switch {
	case errors.As(err, &unmet):
		return unmet.Seen
	case done.Errno != "":
		return done.Errno
	case errors.Is(err, verbs.ErrUnsupported): // by a provider that has no errno for it
		return "EOPNOTSUPP"
	case errors.As(err, &late):
		return script.Nothing
	}
	return ""
}

// DoRule tries a rule from its beginning to its end; see PrepareRule and Run.
func DoRule(ctx context.Context, s *core.Session, rule *Rule, at Place) (RuleResult, error) {
	r, err := PrepareRule(s, rule, at, nil)
	if err != nil {
		return RuleResult{}, err
	}
	return r.Run(ctx, nil)
}
