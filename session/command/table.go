package command

import (
	"slices"
	"strings"
	"sync"
)

// Commands is the table: every command, in the order in which help shows them.
var Commands = slices.Concat(deviceCommands, packetCommands, memoryCommands, completionCommands, sharedReceiveCommands,
	queuePairCommands, multicastCommands,
	requestCommands, cmCommands, cmEventCommands, shortCommands, peerCommands, closeCommands, checkCommands, cmChecks,
	sessionCommands)

// known returns the parser's index of the commands, made when a line is first parsed. It is
// passed to the parser because the checks of some commands, which are in the table, parse nested lines.
var known = sync.OnceValue(func() *vocabulary { return newVocabulary(Commands) })

// vocabulary is an index of commands.
type vocabulary struct {
	specs    []*Spec
	byName   map[string]*Spec
	words    []string        // first words of commands, without duplicates
	reserved map[string]bool // words that cannot be names
}

func newVocabulary(specs []*Spec) *vocabulary {
	k := &vocabulary{specs: specs, byName: map[string]*Spec{}, reserved: map[string]bool{}}
	for _, s := range specs {
		k.byName[s.Name] = s
		if first, _, _ := strings.Cut(s.Name, " "); !slices.Contains(k.words, first) {
			k.words = append(k.words, first)
		}
		k.reserve(s)
	}
	return k
}

// reserve reserves positional keywords of a command, such as the states of modify_qp
// and the opcodes of post_send: objects with these names would be ambiguous.
func (k *vocabulary) reserve(s *Spec) {
	for i := range s.Args {
		if a := &s.Args[i]; a.Positional && a.Type == Choice {
			for _, c := range a.Choices {
				k.reserved[c] = true
			}
		}
	}
}

// forms returns the commands that are forms of one word.
func (k *vocabulary) forms(word string) []*Spec {
	var forms []*Spec
	for _, s := range k.specs {
		if first, _, ok := strings.Cut(s.Name, " "); ok && first == word {
			forms = append(forms, s)
		}
	}
	return forms
}

// Find returns the command with the given name, nil where there is none.
func Find(name string) *Spec { return known().byName[name] }

// Forms returns the commands that are the forms of one word: "expect" has
// "expect wc", "expect mem" …
func Forms(word string) []*Spec { return known().forms(word) }
