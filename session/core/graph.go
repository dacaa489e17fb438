package core

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/verbs"
)

// Body is the object behind a node of the graph.
type Body interface {
	// Close destroys the verbs object. It is called with no lock held.
	Close() error
	// Fields returns what a reference (name.field) can read.
	Fields() []Field
	// View adds the object to a snapshot.
	View(*Snapshot)
}

// Field is one value that a reference can read.
type Field struct {
	Name string
	Text func() (string, error)
}

// reader is an object whose bytes a reference can read as numbers, at any offset.
type reader interface {
	// FieldAt reads the number that name describes; known is false if it describes
	// none.
	FieldAt(name string) (text string, known bool, err error)
}

// CutNumber splits be32.8 into the layout of a number and its offset.
func CutNumber(name string) (form string, offset int, ok bool) {
	form, at, found := strings.Cut(name, ".")
	if !found || command.NumberSize(form) == 0 {
		return "", 0, false
	}
	n, err := strconv.ParseUint(at, 10, 31)
	return form, int(n), err == nil
}

// Node is a named object and the objects it was made from.
type Node struct {
	Name string
	Kind command.ObjectKind
	Uses []*Node
	Body Body
	Made command.Command // the line that made it, with references resolved and chosen values added
}

// Graph holds the objects of a session in the order in which they were made. Most use
// earlier ones only, but an identifier gets its device later, and may change its
// channel. Names are unique among all kinds.
//
// It is guarded by Session.mu.
type Graph struct {
	Nodes  []*Node
	ByName map[string]*Node
	ByKind map[command.ObjectKind][]*Node // in the order of nodes
	// taken maps each stem passed to FreeName to a number below which no name is
	// free.
	taken map[string]int
}

// Add adds a new object. The name must be free.
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

// Remove removes an object.
func (g *Graph) Remove(n *Node) {
	if !g.has(n) {
		return
	}
	g.Nodes = without(g.Nodes, n)
	g.ByKind[n.Kind] = without(g.ByKind[n.Kind], n)
	delete(g.ByName, n.Name)
	g.release(n.Name)
}

// without removes a node from a list. It searches from the end, since the newest are
// removed first when all are.
func without(list []*Node, n *Node) []*Node {
	for i, m := range slices.Backward(list) {
		if m == n {
			return slices.Delete(list, i, i+1)
		}
	}
	return list
}

// has reports whether an object still exists.
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

// all lists the objects of the given kinds, oldest first; no kinds: all. Callers must
// not change it.
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

// UsersOf names the existing objects that were made from n or are bound to it.
func (g *Graph) UsersOf(n *Node) []string {
	var users []string
	for _, m := range g.Nodes {
		if slices.Contains(m.Uses, n) || BoundTo(m, n) {
			users = append(users, m.Name)
		}
	}
	return users
}

// Users lists what was made from, or is bound to, each object. It is UsersOf for all
// objects in one pass.
func (g *Graph) Users() map[*Node][]*Node {
	users := map[*Node][]*Node{}
	for _, m := range g.Nodes {
		for k, n := range m.Uses {
			if !slices.Contains(m.Uses[:k], n) {
				users[n] = append(users[n], m)
			}
		}
		if m.Kind != command.KindMW { // only windows come to use objects that they were not made from
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

// BoundTo reports whether an object uses another that it was not made from.
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

// TeardownOrder lists all objects, each before those it was made from, otherwise
// newest first; windows come before everything, since the region and queue pair that
// they are bound to may be newer.
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

// FreeName returns an unused name for a new object: the first free one of stem,
// stem2, stem3 …
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

// numbered returns the i-th name that FreeName derives from a stem.
func numbered(stem string, i int) string {
	if i == 1 {
		return stem
	}
	return stem + strconv.Itoa(i)
}

// release tells FreeName that a name is free again.
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

// Field returns the value of a reference.
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
	return "",
		fmt.Errorf("%s is %s and has no %q; it has %s", n.Name, n.Kind.Indefinite(), name, strings.Join(known, ", "))
}

// NameError reports a name that does not belong to a suitable object.
type NameError struct {
	Name  string
	Kinds []command.ObjectKind // accepted kinds; none: any
	Is    command.ObjectKind   // the kind of the named object, "" if there is none
	Known []string             // suitable names
}

// Error names the object and lists the names that would fit.
func (e *NameError) Error() string {
	var s string
	if e.Is != "" {
		s = fmt.Sprintf("%q is %s, %s is needed", e.Name, e.Is.Indefinite(),
			joinKinds(e.Kinds, command.ObjectKind.Indefinite))
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

// ChoiceError reports an omitted name when not exactly one object fits.
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

// manyKinds is the number of kinds from which an error says "object" instead of
// listing them.
const manyKinds = 5

// bareKind returns the kind's name without "available ".
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

// closeError adds to an error which object could not be closed.
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

// bySelf reports whether the provider decides whether an object is busy: a protection
// domain that is in use always is, which a rule of the specification tests, and the
// session may not know that a window bound to a region was invalidated.
func (g *Graph) bySelf(n *Node) bool {
	if n.Kind == command.KindPD {
		return true
	}
	for _, m := range g.Nodes {
		for _, used := range m.Uses {
			if used == n {
				return false
			}
		}
	}
	return n.Kind == command.KindMR
}

// CloseVerb returns the C function that destroys an object.
func CloseVerb(n *Node) string {
	if own, ok := n.Body.(interface{ CloseVerb() string }); ok {
		return own.CloseVerb()
	}
	return command.CloseVerb(n.Kind)
}

// CloseCall returns the call that destroys an object.
func CloseCall(n *Node) ccall.Node {
	if verb := CloseVerb(n); verb != "" {
		return ccall.Text(verb + "(" + n.Name + ")")
	}
	return ccall.Text("close " + n.Name)
}
