package core

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// Body is what a node of the graph stands for.
type Body interface {
	// close gives the verbs object back. It is called with no lock held.
	Close() error
	// fields are what a reference (name.field) can read.
	Fields() []Field
	// view adds what the object is to a snapshot.
	View(*Snapshot)
}

// Field is one value that a reference can read.
type Field struct {
	Name string
	Text func() (string, error)
}

// reader is a resource whose bytes a reference can read as numbers, at any place.
type reader interface {
	// fieldAt reads what the name says; known is false where it says nothing.
	FieldAt(name string) (text string, known bool, err error)
}

// CutNumber takes be32.8 apart: the layout of a number, and where it lies.
func CutNumber(name string) (form string, offset int, ok bool) {
	form, at, found := strings.Cut(name, ".")
	if !found || command.NumberSize(form) == 0 {
		return "", 0, false
	}
	n, err := strconv.ParseUint(at, 10, 31)
	return form, int(n), err == nil
}

// Node is one named object and what it was made from.
type Node struct {
	Name string
	Kind command.ObjectKind
	Uses []*Node
	Body Body
}

// Graph is the objects of a session in the order in which they were made. Most
// are made from earlier ones only, but an identifier comes to its device later,
// and may change its channel. Names are unique among all kinds.
//
// It is guarded by Session.mu.
type Graph struct {
	Nodes  []*Node
	ByName map[string]*Node
	ByKind map[command.ObjectKind][]*Node // in the order of nodes
	// taken has, for each stem that freeName was asked for, a number below which no
	// name is free.
	taken map[string]int
}

// Add enters a new object. The name must be free.
func (g *Graph) Add(n *Node) {
	if g.ByName == nil {
		g.ByName = map[string]*Node{}
		g.ByKind = map[command.ObjectKind][]*Node{}
		g.taken = map[string]int{}
	}
	g.Nodes = append(g.Nodes, n)
	g.ByName[n.Name] = n
	g.ByKind[n.Kind] = append(g.ByKind[n.Kind], n)
}

// Remove forgets an object.
func (g *Graph) Remove(n *Node) {
	if !g.has(n) {
		return
	}
	g.Nodes = without(g.Nodes, n)
	g.ByKind[n.Kind] = without(g.ByKind[n.Kind], n)
	delete(g.ByName, n.Name)
	g.release(n.Name)
}

// without takes a node from a list. It looks for it among the newest first, since
// those are removed first when all are.
func without(list []*Node, n *Node) []*Node {
	for i, m := range slices.Backward(list) {
		if m == n {
			return slices.Delete(list, i, i+1)
		}
	}
	return list
}

// has reports whether an object is still there.
func (g *Graph) has(n *Node) bool { return g.ByName[n.Name] == n }

// Find returns the named object if it is of one of the kinds; no kinds: any.
func (g *Graph) Find(name string, kinds ...command.ObjectKind) (*Node, error) {
	n := g.ByName[name]
	if n == nil {
		return nil, &NameError{Name: name, Kinds: kinds, Known: g.Names(kinds...)}
	}
	if len(kinds) > 0 && !slices.Contains(kinds, n.Kind) {
		return nil, &NameError{Name: name, Kinds: kinds, Is: n.Kind, Known: g.Names(kinds...)}
	}
	return n, nil
}

// Only returns the object of the given kinds if there is exactly one that fits.
func (g *Graph) Only(fits func(*Node) bool, kinds ...command.ObjectKind) (*Node, error) {
	var found []*Node
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
		names[i] = n.Name
	}
	return nil, &ChoiceError{Kinds: kinds, Names: names}
}

// Names lists the objects of the given kinds, oldest first; no kinds: all.
func (g *Graph) Names(kinds ...command.ObjectKind) []string {
	var names []string
	for _, n := range g.all(kinds) {
		names = append(names, n.Name)
	}
	return names
}

// all lists the objects of the given kinds, oldest first; no kinds: all. Nobody changes it.
func (g *Graph) all(kinds []command.ObjectKind) []*Node {
	switch len(kinds) {
	case 0:
		return g.Nodes
	case 1:
		return g.ByKind[kinds[0]]
	}
	var all []*Node
	for _, n := range g.Nodes {
		if slices.Contains(kinds, n.Kind) {
			all = append(all, n)
		}
	}
	return all
}

// UsersOf names what was made from n, or is bound to it, and still exists.
func (g *Graph) UsersOf(n *Node) []string {
	var users []string
	for _, m := range g.Nodes {
		if slices.Contains(m.Uses, n) || BoundTo(m, n) {
			users = append(users, m.Name)
		}
	}
	return users
}

// Users lists what was made from each object, or is bound to it. It is usersOf for
// all objects at once, in one pass over them.
func (g *Graph) Users() map[*Node][]*Node {
	users := map[*Node][]*Node{}
	for _, m := range g.Nodes {
		for k, n := range m.Uses {
			if !slices.Contains(m.Uses[:k], n) {
				users[n] = append(users[n], m)
			}
		}
		if m.Kind != command.KindMW { // only windows come to need what they were not made from
			continue
		}
		for _, n := range g.Nodes {
			if !slices.Contains(m.Uses, n) && BoundTo(m, n) {
				users[n] = append(users[n], m)
			}
		}
	}
	return users
}

// BoundTo reports whether an object has come to need another that it was not made
// from.
func BoundTo(m, n *Node) bool {
	d, ok := m.Body.(interface{ DependsOn(*Node) bool })
	return ok && d.DependsOn(n)
}

// busy returns the error that says why n cannot be closed yet, nil if it can.
func (g *Graph) busy(n *Node) error {
	if users := g.UsersOf(n); len(users) > 0 {
		return &verbs.BusyError{Object: n.Name, UsedBy: users}
	}
	return nil
}

// TeardownOrder lists all objects, each before what it was made from, and apart
// from that the newest first; but windows before all others, since what they are
// bound to, and on, may be newer.
func (g *Graph) TeardownOrder() []*Node {
	users := map[*Node][]*Node{}
	for _, n := range g.Nodes {
		for _, used := range n.Uses {
			users[used] = append(users[used], n)
		}
	}
	order := make([]*Node, 0, len(g.Nodes))
	seen := map[*Node]bool{}
	var visit func(n *Node)
	visit = func(n *Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, u := range slices.Backward(users[n]) {
			visit(u)
		}
		order = append(order, n)
	}
	for _, n := range slices.Backward(g.Nodes) {
		if n.Kind == command.KindMW {
			visit(n)
		}
	}
	for _, n := range slices.Backward(g.Nodes) {
		visit(n)
	}
	return order
}

// FreeName makes up a name for a new object: stem, stem2, stem3 …, the first that is
// free.
func (g *Graph) FreeName(stem string) string {
	i := max(g.taken[stem], 1)
	name := numbered(stem, i)
	for ; g.ByName[name] != nil; name = numbered(stem, i) {
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
func (g *Graph) release(name string) {
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

// Field reads the value behind a reference.
func (n *Node) Field(name string) (string, error) {
	fields := n.Body.Fields()
	for _, f := range fields {
		if f.Name == name {
			return f.Text()
		}
	}
	if r, ok := n.Body.(reader); ok {
		if text, known, err := r.FieldAt(name); known {
			return text, err
		}
	}
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.Name
	}
	return "", fmt.Errorf("%s is %s and has no %q; it has %s", n.Name, n.Kind.Indefinite(), name, strings.Join(known, ", "))
}

// NameError says that a name is not that of a suitable object.
type NameError struct {
	Name  string
	Kinds []command.ObjectKind // that would do; none: any
	Is    command.ObjectKind   // what the name stands for, "" if nothing
	Known []string             // names that would do
}

// Error names the object and lists the names that would fit.
func (e *NameError) Error() string {
	var s string
	if e.Is != "" {
		s = fmt.Sprintf("%q is %s, %s is needed", e.Name, e.Is.Indefinite(), joinKinds(e.Kinds, command.ObjectKind.Indefinite))
	} else {
		s = fmt.Sprintf("no %s %q", joinKinds(e.Kinds, bareKind), e.Name)
	}
	switch len(e.Known) {
	case 0:
		return s + "; none exists yet"
	case 1:
		return s + "; there is only " + e.Known[0]
	}
	return s + "; there are " + strings.Join(e.Known, ", ")
}

// ChoiceError says that a name was left out where not exactly one object fits.
type ChoiceError struct {
	Kinds []command.ObjectKind
	Names []string // that fit
}

// Error says that no object fits, or lists those that do.
func (e *ChoiceError) Error() string {
	if len(e.Names) == 0 {
		return "no " + joinKinds(e.Kinds, bareKind) + " exists yet"
	}
	return fmt.Sprintf("which %s: %s?", joinKinds(e.Kinds, bareKind), strings.Join(e.Names, " or "))
}

// manyKinds is from how many kinds on a list of them tells less than the word object.
const manyKinds = 5

// bareKind is the kind's name. Whether a device is open is told by the command that asks for it.
func bareKind(k command.ObjectKind) string { return strings.TrimPrefix(string(k), "available ") }

func joinKinds(kinds []command.ObjectKind, spell func(command.ObjectKind) string) string {
	if len(kinds) == 0 || len(kinds) >= manyKinds {
		return spell(command.KindAny)
	}
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = spell(k)
	}
	return strings.Join(words, " or ")
}

// closeError tells which object could not be closed.
func closeError(n *Node, err error) error {
	if err == nil {
		return nil
	}
	var busy *verbs.BusyError
	if errors.As(err, &busy) && busy.Object == n.Name {
		return err
	}
	return fmt.Errorf("%s %s could not be destroyed: %w", n.Kind, n.Name, err)
}

// bySelf reports whether a provider itself knows best if an object is busy: of a
// window bound to a region the session may not have heard that it is void.
func (g *Graph) bySelf(n *Node) bool {
	for _, m := range g.Nodes {
		for _, used := range m.Uses {
			if used == n {
				return false
			}
		}
	}
	return n.Kind == command.KindMR
}

// CloseVerb is the C function that gives an object back.
func CloseVerb(n *Node) string {
	if own, ok := n.Body.(interface{ CloseVerb() string }); ok {
		return own.CloseVerb()
	}
	return command.CloseVerb(n.Kind)
}

// CloseCall is the call that gives an object back.
func CloseCall(n *Node) string {
	if verb := CloseVerb(n); verb != "" {
		return verb + "(" + n.Name + ")"
	}
	return "close " + n.Name
}
