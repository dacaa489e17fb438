package ccall

import (
	"fmt"
	"strings"

	"rdmatui/session/command"
)

// Returns says how a C function reports a failure.
type Returns uint8

// Ways to report a failure.
const (
	Nothing Returns = iota
	Pointer         // NULL, and errno has the reason
	Errno           // the errno
	Status          // not 0, and errno has the reason
)

// Form is the call of a command that makes one. The function is the command's verb.
type Form struct {
	args    string // names of the command's arguments, structs of theirs, and other C text
	Returns Returns
}

// Args returns the words of the arguments.
func (f Form) Args() []string { return strings.Split(f.args, ", ") }

// Forms are the calls of the commands, by command. The journal writes them with the values of the line, an exported
// program with its variables.
var Forms = map[*command.Spec]Form{
	command.QueryDevice:     {"device, &attr", Errno},
	command.QueryRTValuesEx: {"device, &values", Errno},
	command.QueryPort:       {"device, port_num, &attr", Errno},
	command.QueryPKey:       {"device, port_num, index, &pkey", Status},

	command.AllocPD:      {"device", Pointer},
	command.AllocMW:      {"pd, type", Pointer},
	command.AllocDM:      {"device, &alloc_dm_attr", Pointer},
	command.MemcpyToDM:   {"dm, dm_offset, mr, length", Errno},
	command.MemcpyFromDM: {"mr, dm, dm_offset, length", Errno},

	command.CreateCompChannel: {"device", Pointer},
	command.ResizeCQ:          {"cq, cqe", Errno},
	command.ModifyCQ:          {"cq, &modify_cq_attr", Errno},
	command.ReqNotifyCQ:       {"cq, solicited_only", Errno},
	command.AckCQEvents:       {"cq, n", Nothing},

	command.CreateSRQ: {"pd, &srq_init_attr", Pointer},
	command.ModifySRQ: {"srq, &srq_attr, attr_mask", Errno},
	command.QuerySRQ:  {"srq, &attr", Errno},
	command.QueryQP:   {"qp, &attr, (1 << 21) - 1, &init_attr", Errno},

	command.RDMACreateID:       {"channel, &name, NULL, ps", Status},
	command.RDMABindAddr:       {"id, addr", Status},
	command.RDMAResolveAddr:    {"id, src, dst, timeout", Status},
	command.RDMAResolveRoute:   {"id, timeout", Status},
	command.RDMAListen:         {"id, backlog", Status},
	command.RDMADisconnect:     {"id", Status},
	command.RDMAEstablish:      {"id", Status},
	command.RDMANotify:         {"id, event", Status},
	command.RDMAJoinMulticast:  {"id, addr, NULL", Status},
	command.RDMALeaveMulticast: {"id, addr", Status},
	command.RDMAMigrateID:      {"id, channel", Status},

	command.RDMADestroyEP:   {"id", Nothing},
	command.RDMARegMsgs:     {"id, addr, length", Pointer},
	command.RDMARegRead:     {"id, addr, length", Pointer},
	command.RDMARegWrite:    {"id, addr, length", Pointer},
	command.RDMADeregMR:     {"object", Status},
	command.RDMAPostRecv:    {"id, context, addr, length, mr", Status},
	command.RDMAPostSend:    {"id, context, addr, length, mr, send_flags", Status},
	command.RDMAPostRead:    {"id, context, addr, length, mr, send_flags, remote_addr, rkey", Status},
	command.RDMAPostWrite:   {"id, context, addr, length, mr, send_flags, remote_addr, rkey", Status},
	command.RDMAPostUDSend:  {"id, context, addr, length, mr, send_flags, ah, remote_qpn", Status},
	command.RDMAPostRecvV:   {"id, context, sgl, nsge", Status},
	command.RDMAPostSendV:   {"id, context, sgl, nsge, send_flags", Status},
	command.RDMAPostReadV:   {"id, context, sgl, nsge, send_flags, remote_addr, rkey", Status},
	command.RDMAPostWriteV:  {"id, context, sgl, nsge, send_flags, remote_addr, rkey", Status},
	command.RDMAGetSendComp: {"id, &wc", Status},
	command.RDMAGetRecvComp: {"id, &wc", Status},
}

// structs are the structs that the forms name.
var structs = map[string]*layout{
	"&modify_cq_attr": &modifyCQAttr, "&srq_init_attr": &srqInitAttr, "&srq_attr": &srqAttr,
	"&alloc_dm_attr": &dmAttr,
}

// Of returns the call of a command; the source has the values of its arguments and may
// replace other words of its form.
func Of(spec *command.Spec, v Source) Call {
	c := Call{Func: spec.Verb}
	for _, word := range Forms[spec].Args() {
		value := v(word)
		if s := structs[word]; s != nil {
			value = s.fill(v.named()).Pointer()
		} else if value == nil {
			value = Text(word)
		}
		c.Args = append(c.Args, value)
	}
	return c
}

// Short returns the call of a command with the values of its line; own has those that
// the line does not have as they are passed.
func Short(c command.Command, own map[string]string) string {
	return Of(c.Spec, func(word string) Node {
		if text, ok := own[word]; ok {
			return Text(text)
		}
		return valueOf(c, word)
	}).Short()
}

// valueOf returns the value of an argument, nil if it has none.
func valueOf(c command.Command, name string) Node {
	v, ok := c.Get(name)
	switch {
	case !ok && name == "attr_mask":
		return AttrMask(c.Spec, c.Has)
	case !ok:
		return nil
	}
	switch v.Arg.Type {
	case command.Uint:
		return Dec(c.Uint(name))
	case command.Duration:
		return Text(fmt.Sprint(c.Duration(name).Milliseconds()))
	case command.Bool:
		return Text(Bool(c.Bool(name)))
	case command.Choice:
		return Text(c.CName(name))
	case command.FlagSet:
		return Flags(c.CName(name))
	}
	return Text(v.Text)
}

// attrMasks are the flags that say which attributes a call changes, by argument.
var attrMasks = map[*command.Spec][]struct{ arg, flag string }{
	command.ModifyCQ:  {{"cq_count", "IBV_CQ_ATTR_MODERATE"}},
	command.ModifySRQ: {{"max_wr", "IBV_SRQ_MAX_WR"}, {"srq_limit", "IBV_SRQ_LIMIT"}},
	command.ReregMR: {{"length", "IBV_REREG_MR_CHANGE_TRANSLATION"}, {"pd", "IBV_REREG_MR_CHANGE_PD"},
		{"access", "IBV_REREG_MR_CHANGE_ACCESS"}},
}

// AttrMask returns the flags of what a command changes; has reports whether it has an
// argument.
func AttrMask(spec *command.Spec, has func(arg string) bool) Node {
	var set []string
	for _, m := range attrMasks[spec] {
		if has(m.arg) {
			set = append(set, m.flag)
		}
	}
	if set == nil {
		return Flags("0")
	}
	return Flags(strings.Join(set, "|"))
}
