package command

import (
	"slices"
	"strings"
	"sync"
)

// Commands is the table: every command, in the order in which help shows them.
var Commands = slices.Concat(deviceCommands, faultCommands, packetCommands, memoryCommands, completionCommands,
	sharedReceiveCommands, queuePairCommands, multicastCommands, requestCommands, cmCommands, cmEventCommands, peerCommands, closeCommands, checkCommands, cmChecks, sessionCommands)

// Find returns the command with the given name, nil where there is none.
func Find(name string) *Spec {
	for i := range Commands {
		if Commands[i].Name == name {
			return &Commands[i]
		}
	}
	return nil
}

// Forms returns the commands that are the forms of one word: "expect" has
// "expect wc", "expect mem" …
func Forms(word string) []*Spec {
	var forms []*Spec
	for i := range Commands {
		if first, _, ok := strings.Cut(Commands[i].Name, " "); ok && first == word {
			forms = append(forms, &Commands[i])
		}
	}
	return forms
}

// firstWords lists what a line can begin with, each once.
func firstWords() []string {
	var words []string
	for i := range Commands {
		first, _, _ := strings.Cut(Commands[i].Name, " ")
		if !slices.Contains(words, first) {
			words = append(words, first)
		}
	}
	return words
}

// reservedWords are what stands by place among names in some command, such as
// the states of modify_qp and the opcodes of post_send: an object of that name
// could not be told from them.
var reservedWords = sync.OnceValue(func() map[string]bool {
	reserved := map[string]bool{}
	for i := range Commands {
		for j := range Commands[i].Args {
			if a := &Commands[i].Args[j]; a.Positional && a.Type == Choice {
				for _, c := range a.Choices {
					reserved[c] = true
				}
			}
		}
	}
	return reserved
})
