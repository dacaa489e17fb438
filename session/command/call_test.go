package command

import (
	"regexp"
	"testing"

	"rdmatui/assets/explain"
)

// oneCommand separates the commands in a text of several commands.
var oneCommand = regexp.MustCompile(`, then |, | and |^client: |^server: `)

// TestExplainedCalls: the commands that explain names for the calls of tutorials
// exist, with the arguments used.
func TestExplainedCalls(t *testing.T) {
	names := []string{"rdma_get_request"}
	for _, spec := range Commands {
		if spec.IsShortForm() {
			names = append(names, spec.Name)
		}
	}
	for _, name := range names {
		found := explain.Lookup(name)
		if len(found) == 0 || found[0].Family != "cm_call" {
			t.Errorf("%s is not explained", name)
			continue
		}
		e := found[0]
		for _, advice := range e.Try {
			for _, line := range oneCommand.Split(advice, -1) {
				c, err := Parse(line)
				name := regexp.MustCompile(`^\S+`).FindString(line)
				if line == "" || line == name && HelpFor(name) != "" {
					continue
				}
				if err != nil || c.Spec == nil {
					t.Errorf("%s: %q: %v", e.Name, line, err)
				}
			}
		}
	}
}
