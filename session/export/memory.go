package export

import (
	"fmt"
	"math/bits"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// RegMR translates reg_mr.
func RegMR(t *line) {
	pd := t.object("pd")
	o := t.make(command.KindMR, t.newName(command.KindMR), pd)
	o.pd = pd
	length, access := t.uint("length"), flags(t, "access")
	o.setAccess(t.full.Access("access"), access)
	if t.hasArg("dm") {
		regDM(t, o, pd, length, access)
		return
	}
	call := fmt.Sprintf("reg_mr(%s, %s, %s)", pd.expr, length, access)
	if memory := t.memory(length); memory != "" {
		call = fmt.Sprintf("reg_mapped(%s, %s, %s, %s)", pd.expr, memory, length, access)
	}
	b := t.full.Backing()
	if b.Kind == verbs.DMABuf {
		call = fmt.Sprintf("reg_dmabuf(%s, %d, %s, %s, %s)", pd.expr, b.FD, t.uint("offset"), length, access)
		if b.FD == verbs.NewDMABuf {
			call = fmt.Sprintf("reg_udmabuf(%s, %s, %s, %s)", pd.expr, t.uint("offset"), length, access)
		}
	}
	t.creates(o, call, label(b.Verb(), pd.expr))
}

// setAccess records a region's access if it gives a peer a right.
func (o *object) setAccess(access verbs.Access, text string) {
	if o.remote = ""; access&(verbs.RemoteWrite|verbs.RemoteRead|verbs.RemoteAtomic) != 0 {
		o.remote = text
	}
}

// memory returns the call that maps what a region is registered over, "" for newly
// allocated memory.
func (t *line) memory(length string) string {
	switch b := t.full.Backing(); b.Kind {
	case verbs.FileMapping:
		return fmt.Sprintf("map_file(%s, %s, %s)", quoted(b.Path), t.uint("offset"), length)
	case verbs.SharedMemory:
		return fmt.Sprintf("map_shm(%s, %s, %s)", quoted(b.Path), t.uint("offset"), length)
	case verbs.HugePages:
		return fmt.Sprintf("map_huge(%s, %d)", length, max(bits.Len64(b.PageSize), 1)-1)
	}
	return ""
}

// at returns an address in a region.
func at(region *object, offset string) string {
	if offset == "" || offset == "0" {
		return region.expr + "->addr"
	}
	return fmt.Sprintf("(char *)%s->addr + %s", region.expr, offset)
}

// room returns how many bytes a region has from an offset on.
func room(region *object, offset string) string {
	if offset == "" || offset == "0" {
		return region.expr + "->length"
	}
	return fmt.Sprintf("%s->length - %s", region.expr, offset)
}

// bytesOf is a value of type Bytes in C.
type bytesOf struct {
	length  string // C
	from    string // of a pattern: where it begins, C
	pattern bool
	data    []byte   // of text and hex
	forms   []string // of numbers: the layouts
	numbers []string // likewise: the values, C
}

// bytes analyses a value of type Bytes.
func (t *line) bytes(arg string) bytesOf {
	typed, _ := t.cmd.Get(arg)
	full, _ := t.full.Get(arg)
	if typed.Arg == nil || typed.Quoted {
		return plainBytes(t.full.Bytes(arg))
	}
	if rest, ok := strings.CutPrefix(typed.Text, "pattern:"); ok {
		length, from, _ := strings.Cut(rest, ":")
		resolved, _, _ := strings.Cut(strings.TrimPrefix(full.Text, "pattern:"), ":")
		if from == "" {
			from = "0"
		}
		return bytesOf{pattern: true, length: t.number(length, resolved), from: from}
	}
	form, _, ok := strings.Cut(typed.Text, ":")
	if !ok || command.NumberSize(form) == 0 {
		return plainBytes(t.full.Bytes(arg))
	}
	var b bytesOf
	size := 0
	resolved := strings.Split(full.Text, ",")
	for i, part := range strings.Split(typed.Text, ",") {
		form, value, _ := strings.Cut(part, ":")
		_, known, _ := strings.Cut(resolved[i], ":")
		b.forms, b.numbers = append(b.forms, form), append(b.numbers, t.number(value, known))
		size += command.NumberSize(form)
	}
	b.length = fmt.Sprint(size)
	return b
}

func plainBytes(data []byte) bytesOf { return bytesOf{length: fmt.Sprint(len(data)), data: data} }

// store writes numbers one after the other; base is a C pointer.
func (t *translator) store(b bytesOf, base, offset string) {
	at := 0
	for i, form := range b.forms {
		where := base
		if offset != "" && offset != "0" {
			where += " + " + offset
		}
		if at > 0 {
			where += fmt.Sprintf(" + %d", at)
		}
		t.put("%s(%s, %d, %s);", byteOrder("store", form), where, command.NumberSize(form), b.numbers[i])
		at += command.NumberSize(form)
	}
}

// WriteMem translates write_mem.
func WriteMem(t *line) {
	mr := t.object("mr")
	offset := t.uint("offset")
	if path, ok := t.full.FilePath("data"); ok {
		t.put("%s", fmt.Sprintf("load_file(%s, %s, %s);", quoted(path), at(mr, offset), room(mr, offset)))
		return
	}
	switch b := t.bytes("data"); {
	case b.pattern:
		t.put("fill_pattern(%s, %s, %s);", at(mr, offset), b.length, b.from)
	case b.forms != nil:
		t.store(b, "(char *)"+mr.expr+"->addr", offset)
	default:
		t.put("%s", fmt.Sprintf("memcpy(%s, %s, %s);", at(mr, offset), literal(b.data), b.length))
	}
}

// ReadMem translates read_mem.
func ReadMem(t *line) {
	mr := t.object("mr")
	offset, length := t.uint("offset"), t.uint("length")
	t.put(`show_bytes("%s", %s, %s, %s);`, mr.expr, mr.expr, offset, length)
}

// ExpectMem translates expect mem.
func ExpectMem(t *line) {
	mr := t.object("mr")
	what := "what " + mr.name + " holds"
	offset := t.uint("offset")
	if t.hasArg("like") {
		like := t.object("like")
		t.condition(fmt.Sprintf("!memcmp(%s, %s->addr, %s->length)", at(mr, offset), like.expr, like.expr), what)
		return
	}
	if path, ok := t.full.FilePath("data"); ok {
		t.condition(fmt.Sprintf("is_file(%s, %s, %s)", quoted(path), at(mr, offset), room(mr, offset)), what)
		return
	}
	switch b := t.bytes("data"); {
	case b.pattern:
		t.condition(fmt.Sprintf("is_pattern(%s, %s, %s)", at(mr, offset), b.length, b.from), what)
	case b.forms != nil:
		var all []string
		skip := 0
		for i, form := range b.forms {
			place := fmt.Sprintf("(char *)%s->addr + %s", mr.expr, offset)
			if skip > 0 {
				place += fmt.Sprintf(" + %d", skip)
			}
			size := command.NumberSize(form)
			all = append(all, fmt.Sprintf("%s(%s, %d) == %s", byteOrder("load", form), place, size, b.numbers[i]))
			skip += size
		}
		t.condition(strings.Join(all, " &&\n\t"), what)
	default:
		t.condition(fmt.Sprintf("!memcmp(%s, %s, %s)", at(mr, offset), literal(b.data), b.length), what)
	}
}

// CopyMem translates copy_mem.
func CopyMem(t *line) {
	from := t.object("from")
	to := t.object("to")
	t.put("copy_bytes(%s, %s, %s, %s, %s);", to.expr, t.uint("to_offset"), from.expr,
		t.uint("from_offset"), t.uint("length"))
}

// Input translates input.
func Input(t *line) {
	mr := t.object("mr")
	end := "NULL"
	if t.hasArg("end") {
		end = quoted(t.full.String("end"))
	}
	t.put("%s", fmt.Sprintf("read_line(%s, %s, %s);", mr.expr, quoted(t.full.String("prompt")), end))
}
