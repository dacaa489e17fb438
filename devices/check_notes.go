package devices

import "rdmatui/verbs"

// Notes returns the providers' notes about the named device, or about all devices if
// device is "".
func (inv *Inventory) Notes(device string) (all []string) {
	for _, p := range inv.asked(device) {
		all = append(all, verbs.NotesOn(p, device)...)
	}
	return all
}

// checkNotes repeats the providers' notes. They keep no device from being used.
func checkNotes(e *examination) (found []Finding) {
	for _, p := range e.inv.providers {
		for _, text := range verbs.NotesOn(p, e.device) {
			found = append(found, Finding{Status: Warn, Looked: "note from provider " + p.Name(), Meaning: text})
		}
	}
	return found
}
