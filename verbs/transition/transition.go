// Package transition is the state machine of queue pairs: which attributes each
// transition requires and allows, and whether a modify is valid.
//
// It holds the kernel's table and the checks against it. It keeps no state and
// never calls a provider.
package transition

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// Move holds the attributes of one transition of a queue pair.
type Move struct {
	Required verbs.AttrMask // must be in the mask
	Optional verbs.AttrMask // may be in the mask
}

// Allowed returns every bit that the mask may contain, AttrState included.
func (m Move) Allowed() verbs.AttrMask { return m.Required | m.Optional | verbs.AttrState }

// Find returns the attributes of a transition for the given queue pair type. ok
// is false if the transition is invalid, and for types other than RC, UC and
// UD, which the table does not contain.
func Find(t verbs.QPType, from, to verbs.QPState) (tr Move, ok bool) {
	if tr, ok = transitions[stateEdge{from, to}][t]; ok {
		return tr, true
	}
	anywhere := (to == verbs.QPReset || to == verbs.QPErr) && slices.Contains(transitionAnywhere, from)
	return Move{}, anywhere && hasTransitions(t)
}

func hasTransitions(t verbs.QPType) bool { return t == verbs.RC || t == verbs.UC || t == verbs.UD }

// Next returns the states that a queue pair may move to from the given one,
// including that state itself if the transition is valid.
func Next(t verbs.QPType, from verbs.QPState) []verbs.QPState {
	var next []verbs.QPState
	for to := verbs.QPReset; to <= verbs.QPErr; to++ {
		if _, ok := Find(t, from, to); ok {
			next = append(next, to)
		}
	}
	return next
}

// Error is the reason why a modify is invalid.
type Error struct {
	QPType     verbs.QPType
	From, To   verbs.QPState
	Invalid    bool           // there is no such transition
	Missing    verbs.AttrMask // required and not in the mask
	NotAllowed verbs.AttrMask // in the mask and neither required nor optional
}

// Error describes the failure in one line.
func (e *Error) Error() string {
	move := fmt.Sprintf("%s %s → %s", e.QPType, e.From, e.To)
	if e.Invalid {
		return fmt.Sprintf("%s is not a valid transition; from %s: %s", move, e.From,
			joinStates(Next(e.QPType, e.From)))
	}
	var parts []string
	if e.Missing != 0 {
		parts = append(parts, "missing "+fieldNames(e.Missing))
	}
	if e.NotAllowed != 0 {
		parts = append(parts, "not allowed "+fieldNames(e.NotAllowed))
	}
	return move + ": " + strings.Join(parts, "; ")
}

func joinStates(states []verbs.QPState) string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = s.String()
	}
	return strings.Join(names, ", ")
}

// fieldNames names mask bits by the first C field of each, the name that a
// command uses.
func fieldNames(m verbs.AttrMask) string {
	var names []string
	for bit := verbs.AttrMask(1); bit != 0 && bit <= m; bit <<= 1 {
		if m&bit == 0 {
			continue
		}
		if bit == verbs.AttrAV {
			names = append(names, "ah_attr (dgid, sgid_index …)")
		} else if fs := fields.QPOf(bit); len(fs) > 0 {
			names = append(names, fs[0].Name)
		} else {
			names = append(names, bit.String())
		}
	}
	return strings.Join(names, ", ")
}

// Check checks a modify against the table: it returns nil or a *Error. from is
// the current state; a mask without AttrState means from → from. Types that the
// table does not contain pass.
func Check(t verbs.QPType, from verbs.QPState, attr verbs.QPAttr) error {
	if !hasTransitions(t) {
		return nil
	}
	to := from
	if attr.Mask&verbs.AttrState != 0 {
		to = attr.QPState
	}
	tr, ok := Find(t, from, to)
	if !ok {
		return &Error{QPType: t, From: from, To: to, Invalid: true}
	}
	missing := tr.Required &^ attr.Mask
	notAllowed := attr.Mask &^ tr.Allowed()
	if missing == 0 && notAllowed == 0 {
		return nil
	}
	return &Error{QPType: t, From: from, To: to, Missing: missing, NotAllowed: notAllowed}
}
