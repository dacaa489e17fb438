package verbs

import (
	"fmt"
	"slices"
	"strings"
)

// Transition is what one move of a queue pair takes.
type Transition struct {
	Required AttrMask // must be in the mask
	Optional AttrMask // may be in the mask
}

// Allowed returns every bit that the mask may have, AttrState included.
func (t Transition) Allowed() AttrMask { return t.Required | t.Optional | AttrState }

// FindTransition returns what a queue pair of the given type needs to move
// between two states; ok is false where the move is not valid, and for types
// other than RC, UC and UD, which the table does not hold.
func FindTransition(t QPType, from, to QPState) (tr Transition, ok bool) {
	if tr, ok = transitions[stateEdge{from, to}][t]; ok {
		return tr, true
	}
	anywhere := (to == QPReset || to == QPErr) && slices.Contains(transitionAnywhere, from)
	return Transition{}, anywhere && hasTransitions(t)
}

func hasTransitions(t QPType) bool { return t == RC || t == UC || t == UD }

// NextStates returns the states that a queue pair may move to from the given
// one, itself included where that is a move.
func NextStates(t QPType, from QPState) []QPState {
	var next []QPState
	for to := QPReset; to <= QPErr; to++ {
		if _, ok := FindTransition(t, from, to); ok {
			next = append(next, to)
		}
	}
	return next
}

// TransitionError says why a modify does not fit the transition table.
type TransitionError struct {
	QPType     QPType
	From, To   QPState
	Invalid    bool     // there is no such move
	Missing    AttrMask // required and not in the mask
	NotAllowed AttrMask // in the mask and neither required nor optional
}

func (e *TransitionError) Error() string {
	move := fmt.Sprintf("%s %s → %s", e.QPType, e.From, e.To)
	if e.Invalid {
		return fmt.Sprintf("%s is no valid transition; from %s: %s", move, e.From, joinStates(NextStates(e.QPType, e.From)))
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

func joinStates(states []QPState) string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = s.String()
	}
	return strings.Join(names, ", ")
}

// fieldNames names mask bits by the first C field that each brings, which is
// what one writes in a command.
func fieldNames(m AttrMask) string {
	var names []string
	for bit := AttrMask(1); bit != 0 && bit <= m; bit <<= 1 {
		if m&bit == 0 {
			continue
		}
		if bit == AttrAV {
			names = append(names, "ah_attr (dgid, sgid_index …)")
		} else if fs := QPFieldsOf(bit); len(fs) > 0 {
			names = append(names, fs[0].Name)
		} else {
			names = append(names, bit.String())
		}
	}
	return strings.Join(names, ", ")
}

// CheckTransition holds a modify against the table: nil if it fits, otherwise
// a *TransitionError. from is the state the queue pair is in; a mask without
// AttrState means from → from. Types that the table does not hold pass.
func CheckTransition(t QPType, from QPState, attr QPAttr) error {
	if !hasTransitions(t) {
		return nil
	}
	to := from
	if attr.Mask&AttrState != 0 {
		to = attr.QPState
	}
	tr, ok := FindTransition(t, from, to)
	if !ok {
		return &TransitionError{QPType: t, From: from, To: to, Invalid: true}
	}
	missing := tr.Required &^ attr.Mask
	notAllowed := attr.Mask &^ tr.Allowed()
	if missing == 0 && notAllowed == 0 {
		return nil
	}
	return &TransitionError{QPType: t, From: from, To: to, Missing: missing, NotAllowed: notAllowed}
}
