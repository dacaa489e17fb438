package devices

import "rdmatui/verbs"

// Notes are what providers have to say about how the named device came out; about
// all devices, for "".
func (inv *Inventory) Notes(device string) (all []string) {
	for _, p := range inv.providers {
		all = append(all, verbs.NotesOn(p, device)...)
	}
	return all
}

// checkNotes repeats what providers say: it keeps no device from being used.
func checkNotes(e *examination) (found []Finding) {
	for _, p := range e.inv.providers {
		for _, text := range verbs.NotesOn(p, e.device) {
			found = append(found, Finding{Status: Warn, Looked: "provider " + p.Name() + " says", Meaning: text})
		}
	}
	return found
}
