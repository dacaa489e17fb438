package tour

import (
	"strconv"

	"rdmatui/ui/store"
)

// Book records the progress of each tour, also in the store if there is one. Only
// the event loop may call its methods.
type Book struct {
	places map[string]Place
	store  *store.Store
}

// done is the value in the store of a completed tour.
const done = "done"

// NewBook reads the progress from the store, which may be nil.
func NewBook(kept *store.Store) *Book {
	b := &Book{places: map[string]Place{}, store: kept}
	for _, t := range All {
		switch text := kept.Recall(storeKey(t.ID)); {
		case text == done:
			b.places[t.ID] = Place{Done: true}
		default:
			if n, err := strconv.Atoi(text); err == nil && n > 0 && n < len(t.Steps) {
				b.places[t.ID] = Place{Step: n}
			}
		}
	}
	return b
}

// storeKey returns the key of a tour in the store.
func storeKey(id string) string { return "tour-" + id }

// Place returns the progress of a tour.
func (b *Book) Place(id string) Place { return b.places[id] }

// Put records the progress of a tour. It reports whether the store must be saved.
func (b *Book) Put(id string, p Place) (changed bool) {
	if b.places[id] == p {
		return false
	}
	b.places[id] = p
	text := strconv.Itoa(p.Step)
	if p.Done {
		text = done
	}
	b.store.Remember(storeKey(id), text)
	return true
}
