package post

import (
	"errors"
	"fmt"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// link is one request of a chain.
type link struct {
	call *core.Call // its own line
	send sendWR
	recv verbs.RecvWR
	cWR  ccall.Lazy // the request as C
}

// Chain carries out a chain: it posts the requests of several lines in one call.
func Chain(c *core.Call) error {
	lines := c.Cmd.Nested()
	links := make([]link, len(lines))
	var post func(*core.Call, []link) error
	for i, typed := range lines {
		l := &links[i]
		cmd, err := typed.Resolve(c.S.LookUp)
		if err != nil {
			return err
		}
		l.call = &core.Call{S: c.S, Ctx: c.Ctx, Cmd: cmd}
		l.call.Done.Line = typed.Text
		if post, err = describeLink(c.S, l, i); err != nil {
			c.Done.Hint = l.call.HintFor(err)
			return fmt.Errorf("request %d of %d: %w", i+1, len(lines), err)
		}
		noteLink(c.S, l, typed)
		if queue.About(l.call) != queue.About(links[0].call) ||
			l.call.Cmd.String("srq") != links[0].call.Cmd.String("srq") {
			return fmt.Errorf("request %d is for another queue than the first: one call posts to one queue", i+1)
		}
		for n, w := range l.call.Warnings {
			if n == 0 {
				w.Text = fmt.Sprintf("request %d: %s", i+1, w.Text)
			}
			c.WarnOf(w.Errnos, w.Text)
		}
	}
	if err := oneWay(links); err != nil {
		return err
	}
	c.About = links[0].call.About
	c.Done.C, c.Done.Resolved = chainCall(links), resolvedChain(links)
	return post(c, links)
}

// oneWay refuses a chain that mixes requests for ibv_post_send and for ibv_wr_*.
func oneWay(links []link) error {
	q := queue.About(links[0].call)
	for i := range links {
		if q != nil && q.Spec.SendOps.Has(links[i].send.Opcode) != q.Spec.SendOps.Has(links[0].send.Opcode) {
			return fmt.Errorf("request %d needs another function than the first (send_ops_flags of %s is %s): one call posts in one way",
				i+1, q.Name, q.Spec.SendOps)
		}
	}
	return nil
}

// resolvedChain returns the chain's line with its requests resolved.
func resolvedChain(links []link) string {
	lines := make([]string, len(links))
	for i := range links {
		lines[i] = links[i].call.Cmd.Full()
	}
	return "chain " + strings.Join(lines, " ; ")
}

// noteLink records the line of a link for export.
func noteLink(s *core.Session, l *link, typed command.Command) {
	s.Record.Begin(l.call.Ctx, typed)
	s.Record.Parsed(typed)
	l.call.Asked = true
	s.Record.End(l.call)
}

// describeLink builds the request of a line, and returns the function that posts such
// requests.
func describeLink(s *core.Session, l *link, ahead int) (post func(*core.Call, []link) error, err error) {
	if l.call.Cmd.Spec == command.PostSRQRecv {
		return linkSRQ(s, l, ahead)
	}
	q, err := core.ArgAs[*queue.QP](l.call, "qp", nil)
	if err != nil {
		return nil, err
	}
	l.call.About = q
	if l.call.Cmd.Spec == command.PostRecv {
		if l.recv, _, err = recvRequest(l.call); err != nil {
			return nil, err
		}
		checkPostRecv(l.call, q, l.recv.SGList, 1, ahead)
		l.cWR = cReceive(l.recv)
		return func(c *core.Call, links []link) error {
			defer q.RecvCQ.Posted()
			return postRecvLinks(c, links, q.QP, &q.Recvs)
		}, nil
	}
	wr, err := sendRequest(l.call, q)
	if err != nil {
		return nil, err
	}
	checkPostSend(l.call, q, wr, 1, ahead)
	l.send, l.cWR = *wr, cRequest(l.call, q, wr)
	return func(c *core.Call, links []link) error { return postSendLinks(c, links, q) }, nil
}

func linkSRQ(s *core.Session, l *link, ahead int) (post func(*core.Call, []link) error, err error) {
	q, err := core.ArgAs[*queue.SRQ](l.call, "srq", nil)
	if err != nil {
		return nil, err
	}
	if l.recv, _, err = recvRequest(l.call); err != nil {
		return nil, err
	}
	checkPostSRQRecv(l.call, q, l.recv.SGList, 1, ahead)
	l.cWR = cReceive(l.recv)
	return func(c *core.Call, links []link) error {
		defer queue.WakeReceivers(s, q)
		return postRecvLinks(c, links, q.SRQ, &q.Recvs)
	}, nil
}

func postSendLinks(c *core.Call, links []link, q *queue.QP) error {
	wrs, undo, by := make([]verbs.SendWR, len(links)), make([]func(), len(links)), make([]*queue.Posted, len(links))
	for i := range links {
		wrs[i], undo[i], by[i] = links[i].send.SendWR, noteWindow(q, &links[i].send),
			postedBy(links[i].call, &links[i].send.SendWR)
	}
	posted, outstanding, err := postSends(c, q, wrs, 0, by, undo)
	return chained(c, links, posted, err, outstanding)
}

// postSends posts requests in one call and records those that were accepted; first is
// how many the command has posted before. by has the line of each request, or one for
// all. For the refused ones it calls undo, the last first; undo may be nil. It returns
// how many were posted, and how many were outstanding then if none was refused.
func postSends(c *core.Call, q *queue.QP, wrs []verbs.SendWR, first uint64, by []*queue.Posted, undo []func()) (posted,
	outstanding int, err error) {
	at := Now(c.S)
	for i := range wrs {
		r := sendAccount(q, &wrs[i], at)
		r.Command, r.Index, r.Posted = c.Done.Number, first+uint64(i), by[min(i, len(by)-1)]
		if undo != nil {
			r.Undo = undo[i]
		}
		outstanding = q.PushSend(c.S, r)
	}
	err = c.TimeHere(func() (err error) { posted, err = q.QP.PostSend(wrs...); return err })
	if err != nil {
		q.UnpushSends(c.S, len(wrs)-posted)
		for i := len(undo) - 1; i >= posted; i-- {
			if undo[i] != nil {
				undo[i]()
			}
		}
	}
	if posted > 0 {
		q.SendCQ.Posted()
	}
	return posted, outstanding, err
}

func sendAccount(q *queue.QP, wr *verbs.SendWR, at int64) queue.Request {
	signaled := wr.SendFlags&verbs.SendSignaled != 0 || q.Spec.SQSigAll
	return queue.Request{
		WRID: wr.WRID, At: at, Opcode: wr.Opcode, Signaled: signaled, List: wr.SGList, RKey: wr.RKey,
		Remote: wr.RemoteAddr, Inline: wr.SendFlags&verbs.SendInline != 0,
	}
}

func postRecvLinks(c *core.Call, links []link, to Receiver, account *queue.Requests) error {
	wrs := make([]verbs.RecvWR, len(links))
	var posted, outstanding int
	at := Now(c.S)
	for i := range links {
		wrs[i] = links[i].recv
		r := RecvAccount(c, &wrs[i], at, i)
		r.Posted = postedBy(links[i].call, nil)
		outstanding = account.Push(r)
	}
	err := c.TimeHere(func() (err error) { posted, err = to.PostRecv(wrs...); return err })
	if err != nil {
		account.Unpush(len(wrs) - posted)
	}
	return chained(c, links, posted, err, outstanding)
}

// chained reports the result of a chain: which request was refused (bad_wr), and how
// many were accepted before it.
func chained(c *core.Call, links []link, posted int, err error, outstanding int) error {
	if err == nil {
		c.Done.Result = fmt.Sprintf("%d posted in one call, %d outstanding", posted, outstanding)
		return nil
	}
	if posted >= len(links) { // a provider that accepts all and still fails
		return err
	}
	bad := &links[posted]
	c.Done.Hint = bad.call.HintFor(err)
	what := bad.call.Cmd.String("opcode")
	if what == "" {
		what = "RECV"
	}
	return &chainError{fmt.Sprintf("bad_wr is request %d of %d (%s, wr_id %s); %s posted", posted+1, len(links), what,
		bad.call.Cmd.String("wr_id"), takenText(posted)), err}
}

func takenText(n int) string {
	switch n {
	case 0:
		return "none was"
	case 1:
		return "the one before it was"
	}
	return fmt.Sprintf("the %d before it were", n)
}

// chainError reports a call that did not accept all its requests.
type chainError struct {
	text string
	err  error
}

// Error names the request of the chain and the reason.
func (e *chainError) Error() string { return e.text + ": " + e.err.Error() }

// Unwrap returns the reason.
func (e *chainError) Unwrap() error { return e.err }

// chainCall returns the call with the linked list of requests.
func chainCall(links []link) ccall.Node {
	requests := make([]ccall.Lazy, len(links))
	for i := range links {
		requests[i] = links[i].cWR
	}
	return postCall(links[0].call, requests...)
}

var errUnsignalled = errors.New("no request would generate a completion: give send_flags=SIGNALED or signal_every=")
