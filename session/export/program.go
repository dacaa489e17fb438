package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rdmatui/session/command"
)

// Program writes a recording as a C program, which needs libibverbs and, if the
// session used the connection manager, librdmacm.
func (all Translations) Program(r Recording) string {
	t := &translator{commands: all, objects: objects{byName: map[string]*object{}}}
	t.indent = 1
	t.scan(r.Steps)
	t.gid = cmp.Or(t.gid, "0")
	t.steps(r.Steps)
	t.after().takeWhatCame(r.Came)
	t.after().end()
	return t.program(r)
}

// end destroys all remaining objects.
func (t *line) end() {
	order := t.teardown()
	if len(order) > 0 {
		t.put("")
		t.comment("Destroy each object before those that it was created from.")
	}
	for _, o := range order {
		if o.live {
			t.put("rdma_disconnect(%s);", o.expr)
		}
	}
	for _, o := range order {
		t.giveBack(o)
	}
}

func (t *line) giveBack(o *object) {
	if command.CloseVerb(o.kind) == "" {
		return
	}
	perhaps := o.perhaps
	o.perhaps = false // not read any more
	if perhaps {
		t.open("if (%s) {", o.expr)
	}
	switch {
	case o.part:
	case o.endpoint:
		destroyEndpoint(t, o)
	default:
		destroyObject(t, o)
	}
	if perhaps {
		t.close()
	}
}

// destroyObject writes the calls that destroy an object.
func destroyObject(t *line, o *object) {
	t.leaveGroups(o)
	if o.unacked > 0 {
		t.put("ibv_ack_cq_events(%s, %d);", o.expr, o.unacked)
	}
	t.closing(o)
}

// locals are the variables of main that statements use under these names.
var locals = []struct{ name, declaration string }{
	{"bad_wr", "struct ibv_send_wr *bad_wr;"},
	{"bad_recv_wr", "struct ibv_recv_wr *bad_recv_wr;"},
	{"taken", "struct taken_wc *taken;"},
	{"event", "struct cm_event *event;"},
	{"err", "int err;"},
}

// program assembles the parts.
func (t *translator) program(r Recording) string {
	body := t.vars.withoutIdle(t.text.String())
	code := placeholder().ReplaceAllString(body+t.vars.declarations(body), " ")
	helpers, headers := closure(code)
	var helperText strings.Builder
	for _, name := range helpers {
		helperText.WriteString(snippets()[name].text + "\n\n")
	}
	words := map[string]bool{}
	for _, w := range usedWords(code) {
		words[w] = true
	}
	var options []option
	for _, o := range t.options() {
		if words[o.variable] {
			options = append(options, o)
		}
	}
	includes := map[string]bool{"infiniband/verbs.h": true, "stdlib.h": true}
	for _, h := range headers {
		includes[h] = true
	}
	for w := range words {
		if h := headerOf[w]; h != "" {
			includes[h] = true
		}
		if strings.HasPrefix(w, "rdma_") {
			includes["rdma/rdma_cma.h"] = true
		}
		if s := command.Find(w); s != nil && s.IsShortForm() {
			includes["rdma/rdma_verbs.h"] = true
		}
	}
	if len(options) > 0 {
		includes["stdint.h"], includes["stdio.h"], includes["unistd.h"] = true, true, true
	}
	var b strings.Builder
	b.WriteString(head(r, len(options) > 0, includes["rdma/rdma_cma.h"]))
	for _, h := range slices.Sorted(maps.Keys(includes)) {
		b.WriteString("#include <" + h + ">\n")
	}
	t.defines(&b, options, words)
	for _, o := range options {
		b.WriteString(o.declaration + "\n")
	}
	if len(options) > 0 {
		b.WriteString("\n")
	}
	b.WriteString(helperText.String())
	t.main(&b, body, options, words)
	return t.vars.settle(b.String())
}

var placeholder = pattern(mark + "[^" + mark + "]*" + mark)

// headerOf maps the C library functions that statements call to their headers.
var headerOf = map[string]string{
	"errno": "errno.h", "fcntl": "fcntl.h", "htonl": "arpa/inet.h", "ntohl": "arpa/inet.h", "ntohs": "arpa/inet.h",
	"memcpy": "string.h", "memcmp": "string.h", "printf": "stdio.h", "puts": "stdio.h",
	"uint8_t": "stdint.h", "uintptr_t": "stdint.h", "munmap": "sys/mman.h",
	"EINVAL": "errno.h",
}

func head(r Recording, options, manager bool) string {
	libraries := "-libverbs"
	if manager {
		libraries = "-lrdmacm -libverbs"
	}
	var w writer
	text := []string{
		"A session of rdmatui as a C program. Above each call is the line of the session, and after the arrow what it returned then; " +
			"addresses, keys and queue pair numbers differ in each run.",
		"gcc -std=gnu11 -O2 -Wall -Wextra -o session session.c " + libraries,
	}
	if options {
		text = append(text, "Values that depend on the host are defined below: set them with -D, or with an option when you start the program.")
	}
	if r.Cut {
		text = append(text, "The session was longer than what rdmatui keeps: this is its beginning.")
	}
	var lines []string
	for _, p := range text {
		lines = append(lines, strings.Join(wrap(commentText(p), commentWidth), "\n * "))
	}
	w.put("%s", "/*\n * "+strings.Join(lines, "\n *\n * ")+"\n */")
	return w.text.String()
}

func (t *translator) main(b *strings.Builder, body string, options []option, words map[string]bool) {
	args := "void"
	if len(options) > 0 {
		args = "int argc, char **argv"
	}
	fmt.Fprintf(b, "int main(%s)\n{\n", args)
	b.WriteString(t.vars.declarations(body))
	for _, l := range locals {
		if words[l.name] {
			b.WriteString("\t" + l.declaration + "\n")
		}
	}
	if len(options) > 0 {
		b.WriteString("\tint option;\n")
		takeOptions(b, options)
	}
	if body != "" {
		b.WriteString("\n" + body)
	}
	b.WriteString("\treturn 0;\n}\n")
}
