package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// call is one command while it is carried out.
type call struct {
	s    *Session
	ctx  context.Context
	cmd  command.Command // references resolved; what was chosen is added
	done timeline.CommandDone
	qp   *queuePair // the queue pair concerned, for the hint; may be nil
	verb string     // the C function, where it is not the one that the command names

	after []timeline.Event // to be told after the command
	asked bool             // the provider was asked
}

// choose records a value that the session chose where none was given.
func (c *call) choose(name, text string) { c.cmd = c.cmd.With(name, text) }

// time makes the provider's part of the command and measures it.
func (c *call) time(f func() error) error {
	return c.timeHere(func() error { return c.s.guard(c.ctx, c.done.Call, f) })
}

// timeHere is time for what ends with the command's context, and for posts and
// polls, which are made without end.
func (c *call) timeHere(f func() error) error {
	c.asked = true
	begin := time.Now()
	err := f()
	c.done.Took += time.Since(begin)
	return err
}

// warn records what our own tables say against the command. It does not keep
// the call from being made: the provider's answer is the true one.
func (c *call) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if c.done.Check != "" {
		c.done.Check += "; "
	}
	c.done.Check += text
}

// handler carries out one command.
type handler func(*Session, *call) error

// handlers are the commands by name; a test holds it against command.Commands.
// It is filled by init since repeat and others carry out lines themselves.
var handlers map[string]handler

func init() {
	handlers = map[string]handler{
		"open_device":          (*Session).openDevice,
		"query_device":         (*Session).queryDevice,
		"query_port":           (*Session).queryPort,
		"query_gid":            (*Session).queryGID,
		"query_pkey":           (*Session).queryPKey,
		"get_async_event":      (*Session).getAsyncEvent,
		"fault":                (*Session).fault,
		"capture":              (*Session).capturePackets,
		"save_packets":         (*Session).savePackets,
		"alloc_pd":             (*Session).allocPD,
		"reg_mr":               (*Session).regMR,
		"rereg_mr":             (*Session).reregMR,
		"alloc_mw":             (*Session).allocMW,
		"alloc_dm":             (*Session).allocDM,
		"memcpy_to_dm":         (*Session).memcpyToDM,
		"memcpy_from_dm":       (*Session).memcpyFromDM,
		"write_mem":            (*Session).writeMem,
		"read_mem":             (*Session).readMem,
		"copy_mem":             (*Session).copyMem,
		"input":                (*Session).input,
		"create_comp_channel":  (*Session).createChannel,
		"create_cq":            (*Session).createCQ,
		"poll_cq":              (*Session).pollCQ,
		"req_notify_cq":        (*Session).reqNotifyCQ,
		"get_cq_event":         (*Session).getCQEvent,
		"ack_cq_events":        (*Session).ackCQEvents,
		"cq_mode":              (*Session).cqMode,
		"cq_stats":             (*Session).cqStats,
		"create_srq":           (*Session).createSRQ,
		"modify_srq":           (*Session).modifySRQ,
		"query_srq":            (*Session).querySRQ,
		"post_srq_recv":        (*Session).postSRQRecv,
		"create_qp":            (*Session).createQP,
		"modify_qp":            (*Session).modifyQP,
		"query_qp":             (*Session).queryQP,
		"connect_qps":          (*Session).connectQPs,
		"create_ah":            (*Session).createAH,
		"create_ah_from_wc":    (*Session).createAHFromWC,
		"attach_mcast":         (*Session).attachMcast,
		"detach_mcast":         (*Session).detachMcast,
		"post_send":            (*Session).postSend,
		"post_recv":            (*Session).postRecv,
		"chain":                (*Session).chain,
		"bind_mw":              (*Session).bindMW,
		"pingpong":             (*Session).pingpong,
		"exchange":             (*Session).exchange,
		"exchange_finish":      (*Session).exchangeFinish,
		"peer":                 (*Session).peerByHand,
		"close":                (*Session).closeObject,
		"close_device":         (*Session).closeObject,
		"dealloc_pd":           (*Session).closeObject,
		"dereg_mr":             (*Session).closeObject,
		"dealloc_mw":           (*Session).closeObject,
		"free_dm":              (*Session).closeObject,
		"destroy_comp_channel": (*Session).closeObject,
		"destroy_cq":           (*Session).closeObject,
		"destroy_srq":          (*Session).closeObject,
		"destroy_qp":           (*Session).closeObject,
		"destroy_ah":           (*Session).closeObject,
		"expect wc":            (*Session).expectWC,
		"expect mem":           (*Session).expectMem,
		"expect state":         (*Session).expectState,
		"expect async":         (*Session).expectAsync,
		"expect error":         (*Session).expectError,
		"live":                 (*Session).setLive,
		"sleep":                (*Session).sleep,
		"repeat":               (*Session).repeat,
		"loop":                 (*Session).blockAlone,
		"try":                  (*Session).blockAlone,
		"until":                (*Session).until,
		"end":                  (*Session).blockAlone,
		"save":                 (*Session).save,
		"export c":             (*Session).exportC,
		"export script":        (*Session).exportScript,
		"lab":                  (*Session).labCommand,
		"note":                 (*Session).remark,
		"help":                 (*Session).help,
	}
	maps.Copy(handlers, cmHandlers())
}

// run carries out one line with the slot held, and tells of it.
func (s *Session) run(ctx context.Context, line string) (timeline.CommandDone, error) {
	cmd, err := command.Parse(line)
	s.recorder.begin(ctx, cmd, s.unbidden)
	c := &call{s: s, ctx: ctx, cmd: cmd, done: timeline.CommandDone{Line: line}}
	defer s.recorder.end(c)
	if err == nil && cmd.Spec == nil {
		return c.done, nil
	}
	s.number++
	c.done.Number = s.number
	if err == nil {
		s.recorder.parsed(cmd)
		err = s.carryOut(c)
	}
	s.finish(c, err)
	s.packets.flush() // what the command caused stands before it, as completions do
	done := c.done
	s.emit(timeline.Event{Kind: timeline.KindCommand, Command: &done})
	for _, e := range c.after {
		s.emit(e)
	}
	return done, err
}

func (s *Session) carryOut(c *call) error {
	h := handlers[c.cmd.Spec.Name]
	if h == nil {
		return fmt.Errorf("%s is not carried out by this version", c.cmd.Spec.Name)
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	cmd, err := c.cmd.Resolve(s.lookUp)
	if err != nil {
		return err
	}
	c.cmd = cmd
	if files := cmd.Files(); s.opts.NoFiles && len(files) > 0 {
		return fmt.Errorf("%s: restricted run: no file is read or written, and this line names %s", cmd.Spec.Name, files[0])
	}
	defer s.turn.limit(cmd.Limit())()
	return h(s, c)
}

// lookUp is what a reference stands for.
func (s *Session) lookUp(object, field string) (string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, err := s.graph.find(object)
	if err != nil {
		return "", err
	}
	return n.field(field)
}

// finish fills in what is the same for all commands.
func (s *Session) finish(c *call, err error) {
	if c.cmd.Spec != nil && c.done.Resolved == "" {
		c.done.Resolved = c.cmd.Full()
	}
	if err == nil {
		return
	}
	c.done.Err = wording(err)
	c.done.Errno = verbs.ErrnoName(err)
	var cerr *command.Error
	if errors.As(err, &cerr) && cerr.Hint != "" {
		c.done.Err, c.done.Hint = fmt.Sprintf("column %d: %s", cerr.Column, cerr.Msg), cerr.Hint
		return
	}
	if c.done.Hint == "" {
		c.done.Hint = s.hintFor(c, err)
	}
}

// objectArg returns the object that an argument names. Where it was left out and
// just one fits, that is chosen; fits may be nil.
func (s *Session) objectArg(c *call, name string, fits func(*node) bool) (*node, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	spec := c.cmd.Spec.Arg(name)
	if spec == nil {
		return nil, fmt.Errorf("%s takes no %s", c.cmd.Spec.Name, name)
	}
	if c.cmd.Has(name) {
		return s.graph.find(c.cmd.String(name), spec.Objects...)
	}
	n, err := s.graph.only(fits, spec.Objects...)
	if err != nil {
		return nil, err
	}
	c.choose(name, n.name)
	return n, nil
}

// argAs is objectArg for the body behind the node.
func argAs[T resource](s *Session, c *call, name string, fits func(*node) bool) (T, error) {
	var none T
	n, err := s.objectArg(c, name, fits)
	if err != nil {
		return none, err
	}
	body, ok := n.res.(T)
	if !ok {
		return none, &NameError{Name: n.name, Kinds: c.cmd.Spec.Arg(name).Objects, Is: n.kind}
	}
	return body, nil
}

// deviceArg is the device that a line names, or that of the identifier that it
// names.
func deviceArg(s *Session, c *call) (*device, error) {
	if c.cmd.Spec.Arg("id") == nil || !c.cmd.Has("id") || c.cmd.Given("device") {
		return argAs[*device](s, c, "device", nil)
	}
	i, err := argAs[*cmID](s, c, "id", nil)
	if err != nil {
		return nil, err
	}
	d, err := s.deviceOfID(i)
	if err == nil {
		c.choose("device", d.name)
	}
	return d, err
}

// newName is the name for the object that the command makes.
func (s *Session) newName(c *call, kind command.ObjectKind) (string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	name := c.cmd.String("name")
	if name == "" {
		name = s.graph.freeName(command.NameStem(kind))
		c.choose("name", name)
	}
	if n := s.graph.byName[name]; n != nil {
		return "", fmt.Errorf("the name %s is taken by %s", name, n.kind.Indefinite())
	}
	return name, nil
}

func (s *Session) taken(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.graph.byName[name] != nil
}

func (s *Session) closeObject(c *call) error {
	n, err := s.objectArg(c, "object", nil)
	if err != nil {
		return err
	}
	if closeVerb(n) != "" {
		c.done.Call = closeCall(n)
	}
	if err := s.heldByWindows(n); err != nil {
		return err
	}
	if r, ok := n.res.(*region); ok {
		s.checkUnused(c, r, "they end in an error")
	}
	if err := c.time(func() error { return s.destroy(n) }); err != nil {
		s.hintAttached(c, n)
		return err
	}
	c.done.Result = n.name + " is gone"
	return nil
}

// closeVerb is the C function that gives an object back.
func closeVerb(n *node) string {
	if q, ok := n.res.(*queuePair); ok && q.id != nil {
		return "rdma_destroy_qp"
	}
	return closeVerbs[n.kind]
}

// closeCall is the call that gives an object back.
func closeCall(n *node) string {
	if verb := closeVerb(n); verb != "" {
		return verb + "(" + n.name + ")"
	}
	return "close " + n.name
}

// closeVerbs are the C functions that give objects back.
var closeVerbs = map[command.ObjectKind]string{
	command.KindDevice: "ibv_close_device", command.KindPD: "ibv_dealloc_pd", command.KindMR: "ibv_dereg_mr",
	command.KindMW:      "ibv_dealloc_mw",
	command.KindDM:      "ibv_free_dm",
	command.KindChannel: "ibv_destroy_comp_channel", command.KindCQ: "ibv_destroy_cq",
	command.KindSRQ: "ibv_destroy_srq", command.KindQP: "ibv_destroy_qp", command.KindAH: "ibv_destroy_ah",
	command.KindEvents: "rdma_destroy_event_channel", command.KindID: "rdma_destroy_id",
	command.KindAddrInfo: "rdma_freeaddrinfo",
}
