package ccall

import (
	"fmt"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// structs are the structs that the forms name.
var structs = map[string]*layout{
	"&modify_cq_attr": &modifyCQAttr, "&srq_init_attr": &srqInitAttr, "&srq_attr": &srqAttr,
	"&alloc_dm_attr": &dmAttr, "&qp_init_attr": &qpInitAttr, "&conn_param": &connParam,
}

// Of returns the call of a command; the source has the values of its arguments and may
// replace other words of its form.
func Of(spec *command.Spec, v Source) Call {
	c := Call{Func: spec.Verb}
	for _, word := range spec.Call.Words() {
		value := v(word)
		if s := structs[word]; s != nil {
			value = s.fill(v.Named()).Pointer()
		} else if value == nil {
			value = Text(word)
		}
		c.Args = append(c.Args, value)
	}
	return c
}

// Line returns the call of a command with the values of its line; own has those that
// the line does not have as they are passed.
func Line(c command.Command, own map[string]string) Node {
	return Lazy(func() Node {
		return Of(c.Spec, func(word string) Node {
			if text, ok := own[word]; ok {
				return Text(text)
			}
			return valueOf(c, word)
		})
	})
}

// valueOf returns the value of an argument, nil if it has none.
func valueOf(c command.Command, name string) Node {
	v, ok := c.Get(name)
	switch {
	case !ok && name == "attr_mask":
		return AttrMask(c.Spec, c.Has)
	case !ok && name == "private_data_len" && c.Has("private_data"):
		return Dec(len(c.Bytes("private_data")))
	case !ok:
		return nil
	case name == "qp_num" && c.Uint(name) != 0:
		return Text(verbs.QPN(c.Uint(name)).String())
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
	case command.GIDValue:
		return Text(GID(c.GID(name)))
	case command.Bytes:
		return Text(c.QuotedBytes(name))
	}
	return Text(v.Text)
}

// QP returns the call of create_qp with the values of its line; device is that of its domain.
func QP(c command.Command, device string) Node {
	return Lazy(func() Node { return CreateQP(device, c.String("pd"), valuesOf(c).Named()) })
}

// CQ returns the call of create_cq with the values of its line.
func CQ(c command.Command) Node {
	return Lazy(func() Node { return CreateCQ(c.String("device"), c.CQWCFlags("wc_flags"), valuesOf(c)) })
}

// valuesOf returns a source with the values of a line.
func valuesOf(c command.Command) Source { return func(name string) Node { return valueOf(c, name) } }

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
