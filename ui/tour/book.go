package tour

import (
	"strconv"

	"rdmatui/ui/store"
)

// Book keeps how far each tour has come, in the store too if there is one. Its
// methods are for the event loop.
type Book struct {
	places map[string]Place
	store  *store.Store
}

// done is what the store has of a tour that was done.
const done = "done"

// NewBook reads what is kept; the store may be nil.
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

// storeKey is that of a tour in the store.
func storeKey(id string) string { return "tour-" + id }

// Place is how far a tour has come.
func (b *Book) Place(id string) Place { return b.places[id] }

// Put keeps how far a tour has come. It reports whether the store has to be saved.
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
