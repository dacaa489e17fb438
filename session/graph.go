package session

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// resource is what a node of the graph stands for.
type resource interface {
	// close gives the verbs object back. It is called with no lock held.
	close() error
	// fields are what a reference (name.field) can read.
	fields() []objectField
	// view adds what the object is to a snapshot.
	view(*Snapshot)
}

// objectField is one value that a reference can read.
type objectField struct {
	name string
	text func() (string, error)
}

// reader is a resource whose bytes a reference can read as numbers, at any place.
type reader interface {
	// fieldAt reads what the name says; known is false where it says nothing.
	fieldAt(name string) (text string, known bool, err error)
}

// cutNumber takes be32.8 apart: the layout of a number, and where it lies.
func cutNumber(name string) (form string, offset int, ok bool) {
	form, at, found := strings.Cut(name, ".")
	if !found || command.NumberSize(form) == 0 {
		return "", 0, false
	}
	n, err := strconv.ParseUint(at, 10, 31)
	return form, int(n), err == nil
}

// node is one named object and what it was made from.
type node struct {
	name string
	kind command.ObjectKind
	uses []*node
	res  resource
}

// graph is the objects of a session in the order in which they were made. Most
// are made from earlier ones only, but an identifier comes to its device later,
// and may change its channel. Names are unique among all kinds.
//
// It is guarded by Session.mu.
type graph struct {
	nodes  []*node
	byName map[string]*node
	byKind map[command.ObjectKind][]*node // in the order of nodes
	// taken has, for each stem that freeName was asked for, a number below which no
	// name is free.
	taken map[string]int
}

// add enters a new object. The name must be free.
func (g *graph) add(n *node) {
	if g.byName == nil {
		g.byName = map[string]*node{}
		g.byKind = map[command.ObjectKind][]*node{}
		g.taken = map[string]int{}
	}
	g.nodes = append(g.nodes, n)
	g.byName[n.name] = n
	g.byKind[n.kind] = append(g.byKind[n.kind], n)
}

// remove forgets an object.
func (g *graph) remove(n *node) {
	if !g.has(n) {
		return
	}
	g.nodes = without(g.nodes, n)
	g.byKind[n.kind] = without(g.byKind[n.kind], n)
	delete(g.byName, n.name)
	g.release(n.name)
}

// without takes a node from a list. It looks for it among the newest first, since
// those are removed first when all are.
func without(list []*node, n *node) []*node {
	for i, m := range slices.Backward(list) {
		if m == n {
			return slices.Delete(list, i, i+1)
		}
	}
	return list
}

// has reports whether an object is still there.
func (g *graph) has(n *node) bool { return g.byName[n.name] == n }

// find returns the named object if it is of one of the kinds; no kinds: any.
func (g *graph) find(name string, kinds ...command.ObjectKind) (*node, error) {
	n := g.byName[name]
	if n == nil {
		return nil, &NameError{Name: name, Kinds: kinds, Known: g.names(kinds...)}
	}
	if len(kinds) > 0 && !slices.Contains(kinds, n.kind) {
		return nil, &NameError{Name: name, Kinds: kinds, Is: n.kind, Known: g.names(kinds...)}
	}
	return n, nil
}

// only returns the object of the given kinds if there is exactly one that fits.
func (g *graph) only(fits func(*node) bool, kinds ...command.ObjectKind) (*node, error) {
	var found []*node
	for _, n := range g.all(kinds) {
		if fits == nil || fits(n) {
			found = append(found, n)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, n := range found {
		names[i] = n.name
	}
	return nil, &ChoiceError{Kinds: kinds, Names: names}
}

// names lists the objects of the given kinds, oldest first; no kinds: all.
func (g *graph) names(kinds ...command.ObjectKind) []string {
	var names []string
	for _, n := range g.all(kinds) {
		names = append(names, n.name)
	}
	return names
}

// all lists the objects of the given kinds, oldest first; no kinds: all. Nobody changes it.
func (g *graph) all(kinds []command.ObjectKind) []*node {
	switch len(kinds) {
	case 0:
		return g.nodes
	case 1:
		return g.byKind[kinds[0]]
	}
	var all []*node
	for _, n := range g.nodes {
		if slices.Contains(kinds, n.kind) {
			all = append(all, n)
		}
	}
	return all
}

// usersOf names what was made from n, or is bound to it, and still exists.
func (g *graph) usersOf(n *node) []string {
	var users []string
	for _, m := range g.nodes {
		if slices.Contains(m.uses, n) || boundTo(m, n) {
			users = append(users, m.name)
		}
	}
	return users
}

// users lists what was made from each object, or is bound to it. It is usersOf for
// all objects at once, in one pass over them.
func (g *graph) users() map[*node][]*node {
	users := map[*node][]*node{}
	for _, m := range g.nodes {
		for k, n := range m.uses {
			if !slices.Contains(m.uses[:k], n) {
				users[n] = append(users[n], m)
			}
		}
		if m.kind != command.KindMW { // only windows come to need what they were not made from
			continue
		}
		for _, n := range g.nodes {
			if !slices.Contains(m.uses, n) && boundTo(m, n) {
				users[n] = append(users[n], m)
			}
		}
	}
	return users
}

// boundTo reports whether an object has come to need another that it was not made
// from.
func boundTo(m, n *node) bool {
	d, ok := m.res.(interface{ dependsOn(*node) bool })
	return ok && d.dependsOn(n)
}

// busy returns the error that says why n cannot be closed yet, nil if it can.
func (g *graph) busy(n *node) error {
	if users := g.usersOf(n); len(users) > 0 {
		return &verbs.BusyError{Object: n.name, UsedBy: users}
	}
	return nil
}

// teardownOrder lists all objects, each before what it was made from, and apart
// from that the newest first; but windows before all others, since what they are
// bound to, and on, may be newer.
func (g *graph) teardownOrder() []*node {
	users := map[*node][]*node{}
	for _, n := range g.nodes {
		for _, used := range n.uses {
			users[used] = append(users[used], n)
		}
	}
	order := make([]*node, 0, len(g.nodes))
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, u := range slices.Backward(users[n]) {
			visit(u)
		}
		order = append(order, n)
	}
	for _, n := range slices.Backward(g.nodes) {
		if n.kind == command.KindMW {
			visit(n)
		}
	}
	for _, n := range slices.Backward(g.nodes) {
		visit(n)
	}
	return order
}

// freeName makes up a name for a new object: stem, stem2, stem3 …, the first that is
// free.
func (g *graph) freeName(stem string) string {
	i := max(g.taken[stem], 1)
	name := numbered(stem, i)
	for ; g.byName[name] != nil; name = numbered(stem, i) {
		i++
	}
	if g.taken != nil {
		g.taken[stem] = i
	}
	return name
}

// numbered is the i-th of the names that freeName makes of a stem.
func numbered(stem string, i int) string {
	if i == 1 {
		return stem
	}
	return stem + strconv.Itoa(i)
}

// release makes a name known to freeName as free.
func (g *graph) release(name string) {
	if g.taken[name] > 1 {
		g.taken[name] = 1
	}
	for i := len(name) - 1; i > 0 && '0' <= name[i] && name[i] <= '9'; i-- {
		stem := name[:i]
		if n, err := strconv.Atoi(name[i:]); err == nil && n < g.taken[stem] && numbered(stem, n) == name {
			g.taken[stem] = n
		}
	}
}

// field reads the value behind a reference.
func (n *node) field(name string) (string, error) {
	fields := n.res.fields()
	for _, f := range fields {
		if f.name == name {
			return f.text()
		}
	}
	if r, ok := n.res.(reader); ok {
		if text, known, err := r.fieldAt(name); known {
			return text, err
		}
	}
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.name
	}
	return "", fmt.Errorf("%s is %s and has no %q; it has %s", n.name, n.kind.Indefinite(), name, strings.Join(known, ", "))
}

// NameError says that a name is not that of a suitable object.
type NameError struct {
	Name  string
	Kinds []command.ObjectKind // that would do; none: any
	Is    command.ObjectKind   // what the name stands for, "" if nothing
	Known []string             // names that would do
}

func (e *NameError) Error() string {
	var s string
	if e.Is != "" {
		s = fmt.Sprintf("%q is %s, %s is needed", e.Name, e.Is.Indefinite(), joinKinds(e.Kinds, command.ObjectKind.Indefinite))
	} else {
		s = fmt.Sprintf("there is no %s %q", joinKinds(e.Kinds, bareKind), e.Name)
	}
	if len(e.Known) == 0 {
		return s + "; none exists yet"
	}
	return s + "; there is " + strings.Join(e.Known, ", ")
}

// ChoiceError says that a name was left out where not exactly one object fits.
type ChoiceError struct {
	Kinds []command.ObjectKind
	Names []string // that fit
}

func (e *ChoiceError) Error() string {
	if len(e.Names) == 0 {
		return "no " + joinKinds(e.Kinds, bareKind) + " exists yet"
	}
	return fmt.Sprintf("which %s: %s?", joinKinds(e.Kinds, bareKind), strings.Join(e.Names, " or "))
}

func bareKind(k command.ObjectKind) string { return string(k) }

func joinKinds(kinds []command.ObjectKind, spell func(command.ObjectKind) string) string {
	if len(kinds) == 0 {
		return "object"
	}
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = spell(k)
	}
	return strings.Join(words, " or ")
}

// closeError tells which object could not be closed.
func closeError(n *node, err error) error {
	if err == nil {
		return nil
	}
	var busy *verbs.BusyError
	if errors.As(err, &busy) && busy.Object == n.name {
		return err
	}
	return fmt.Errorf("%s %s could not be destroyed: %w", n.kind, n.name, err)
}

// bySelf reports whether a provider itself knows best if an object is busy: of a
// window bound to a region the session may not have heard that it is void.
func (g *graph) bySelf(n *node) bool {
	for _, m := range g.nodes {
		for _, used := range m.uses {
			if used == n {
				return false
			}
		}
	}
	return n.kind == command.KindMR
}

// closeVerb is the C function that gives an object back.
func closeVerb(n *node) string {
	if own, ok := n.res.(interface{ CloseVerb() string }); ok {
		return own.CloseVerb()
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
