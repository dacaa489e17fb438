package export

import (
	"slices"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// object is a named object in the program.
type object struct {
	kind command.ObjectKind
	name string
	expr string // C, usually the variable
	uses []*object
	// perhaps says that it may be NULL at the end, because it was made in a block.
	perhaps bool
	gone    bool

	device   *object // of a pd, cq, channel; of an identifier, once something was made on it
	id       *object // that a queue pair was made on
	pd       *object
	shown    [2]string // of a memory window: where what it shows begins for a peer, and its length; C
	region   *object   // likewise: what it is bound to
	overDM   bool      // of a region: over device memory
	qpType   verbs.QPType
	sendOps  verbs.SendOps // what ibv_wr_* posts
	port     string        // that a queue pair was put on, in C; "" before it is
	groups   [][2]string   // of a queue pair: C texts of gid and lid
	unacked  int           // events of a cq
	psnSet   string        // what sq_psn was set to, in C
	datagram bool          // of an identifier
	sync     bool          // likewise: its calls wait for their events
	endpoint bool          // likewise: rdma_destroy_ep destroys it
	live     bool          // likewise: it is connected, or may be
	part     bool          // librdmacm creates and destroys it with the identifiers that it uses
	channel  *object       // likewise: that it migrated to
	own      *ownChannel   // likewise, where its channel is no object of the user's
	pending  string        // event that its last call leads to and that nothing has taken
	server   bool          // of a peer
	held     bool          // likewise: the exchange is not finished
	posted   int           // of a queue pair: RECVs that were posted
	maxRecv  int           // likewise: how many there may be
	address  string        // likewise: the own address, in C
	tells    bool          // likewise: the exchange has regions
	remote   string        // of a region: its access in C, "" where it gives a peer no right
}

// objects are those of the program so far.
type objects struct {
	made   []*object // in the order in which they were made
	byName map[string]*object
}

// enter adds an object and replaces an earlier one with that name.
func (all *objects) enter(o *object) {
	if old := all.byName[o.name]; old != nil && old != o {
		old.gone = true
	}
	all.byName[o.name] = o
	all.made = append(all.made, o)
}

// make enters a new object.
func (t *translator) make(kind command.ObjectKind, name string, uses ...*object) *object {
	o := &object{
		kind: kind, name: name, expr: t.vars.object(kind, name), uses: uses, perhaps: t.loops > 0 || t.tries > 0,
	}
	t.enter(o)
	return o
}

// find returns the existing object with a name, nil if there is none.
func (t *translator) find(name string) *object {
	if o := t.byName[name]; o != nil && !o.gone {
		return o
	}
	return t.unseenRequest(name)
}

// named returns the existing object with a name.
func (t *translator) named(name string) *object {
	o := t.find(name)
	if o == nil {
		panic(leftOut(name + " was not created in it"))
	}
	return o
}

// object returns what an argument names.
func (t *line) object(arg string) *object {
	if o := t.objectIfAny(arg); o != nil {
		return o
	}
	if name := t.full.String(arg); name != "" {
		return t.named(name)
	}
	panic(leftOut("no " + arg + " was named"))
}

// objectIfAny returns what an argument names, nil if there is none; in a line that was
// never carried out an omitted one is the newest of its kind.
func (t *line) objectIfAny(arg string) *object {
	if name := t.full.String(arg); name != "" {
		return t.find(name)
	}
	spec := t.cmd.Spec.Arg(arg)
	for _, o := range slices.Backward(t.made) {
		if spec != nil && !o.gone && slices.Contains(spec.Objects, o.kind) {
			return o
		}
	}
	return nil
}

// newName returns the name of the object that the command makes.
func (t *line) newName(kind command.ObjectKind) string {
	if name := t.full.String("name"); name != "" {
		return name
	}
	return command.NameStem(kind)
}

// deviceOf returns the device that a command uses.
func (t *line) deviceOf() *object {
	if t.full.Has("id") {
		id := t.object("id")
		return t.managedDevice(id)
	}
	if name := t.full.String("device"); name != "" {
		if o := t.find(name); o != nil {
			return o
		}
		for _, o := range slices.Backward(t.made) { // opened by the connection manager
			if o.kind == command.KindID && !o.gone {
				return t.managedDevice(o)
			}
		}
	}
	return t.object("device")
}

// managedDevice returns the device that an identifier is bound to.
func (t *line) managedDevice(id *object) *object {
	t.await(id)
	if id.device == nil {
		id.device = &object{kind: command.KindDevice, name: id.name, expr: id.expr + "->verbs", uses: []*object{id}}
	}
	return id.device
}

// teardown lists the remaining objects, each before those it was made from, otherwise
// newest first.
func (all *objects) teardown() []*object {
	var order []*object
	seen := map[*object]bool{}
	var visit func(o *object)
	visit = func(o *object) {
		if seen[o] {
			return
		}
		seen[o] = true
		for _, user := range slices.Backward(all.made) {
			if !user.gone && user.needs(o) {
				visit(user)
			}
		}
		order = append(order, o)
	}
	for _, o := range slices.Backward(all.made) {
		if !o.gone {
			visit(o)
		}
	}
	return order
}

// needs reports whether o was made from other.
func (o *object) needs(other *object) bool {
	for _, u := range o.uses {
		if u == other || u.kind == command.KindDevice && slices.Contains(u.uses, other) {
			return true
		}
	}
	return o.channel == other
}
