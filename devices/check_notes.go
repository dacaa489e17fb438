package devices

import "rdmatui/verbs"

// Notes are what the providers have to say about how their devices came out.
func (inv *Inventory) Notes() (all []string) {
	for _, p := range inv.providers {
		if n, ok := p.(verbs.Noter); ok {
			all = append(all, n.Notes()...)
		}
	}
	return all
}

// checkNotes repeats what providers say: it keeps no device from being used.
func checkNotes(e *examination) (found []Finding) {
	for _, p := range e.inv.providers {
		n, ok := p.(verbs.Noter)
		if !ok {
			continue
		}
		for _, text := range n.Notes() {
			found = append(found, Finding{Status: Warn, Looked: "provider " + p.Name() + " says", Meaning: text})
		}
	}
	return found
}
