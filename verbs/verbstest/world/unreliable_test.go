package world

import "rdmatui/verbs"

// unreliable in the private data of a request means an unreliable connection: the manager's messages do not contain the
// type.
const unreliable = "unreliable"

// beyondUC are the attributes that the manager returns but only reliable connections have.
const beyondUC = verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer | verbs.AttrTimeout | verbs.AttrRetryCnt |
	verbs.AttrRNRRetry | verbs.AttrMaxQPRDAtomic

// move takes the queue pair of an unreliable connection to a state, with the attributes that the manager would set.
func (i *ident) move(to verbs.QPState) bool {
	w := i.m.w
	attr, err := i.id.InitQPAttr(to)
	if !w.Must("init_qp_attr", err) {
		return false
	}
	attr.Mask &^= beyondUC
	return w.Must("modify_qp "+to.String(), i.end.qp.Modify(attr))
}

// moveUp takes the queue pair from INIT to RTS, unless it was moved to ERR in the meantime.
func (i *ident) moveUp() bool {
	return i.end.state() == verbs.QPInit && i.move(verbs.QPInit) && i.move(verbs.QPRTR) && i.move(verbs.QPRTS)
}

// establish completes a connection whose queue pair the manager does not move.
func (i *ident) establish() {
	if i.uc && i.end != nil && !i.moveUp() {
		i.reject()
		return
	}
	if i.m.w.Must("establish", i.id.Establish()) {
		i.enter(up)
		i.adopt(nil)
	}
}
