package export

import (
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rdmatui/session/command"
)

// TestEveryObjectHasItsVariable checks that every kind of object has a variable type.
func TestEveryObjectHasItsVariable(t *testing.T) {
	for _, kind := range command.ObjectKinds {
		if ctypes[kind].ctype == "" {
			t.Errorf("%s has no C type", kind)
		}
		if command.CloseVerb(kind) == "" && kind != command.KindPeer {
			t.Errorf("no call destroys %s", kind.Indefinite())
		}
	}
}

// TestExamplesAreWritten exports the example of each command: in C it is a call, or a
// comment that says why there is none.
func TestExamplesAreWritten(t *testing.T) {
	for _, spec := range command.Commands {
		text := C(Recording{Steps: []*Step{stepOf(t, spec.Example)}})
		if !strings.Contains(text, "int main(") || strings.Contains(text, mark) {
			t.Errorf("%s:\n%s", spec.Example, text)
		}
		if !strings.Contains(text, spec.Name) {
			t.Errorf("%s does not appear:\n%s", spec.Example, text)
		}
	}
}

// stepOf returns a line as if it had run and every reference in it were a number or an address.
func stepOf(t testing.TB, line string) *Step {
	t.Helper()
	cmd, err := command.Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	full, err := cmd.Resolve(func(_, field string) (string, error) {
		if strings.HasSuffix(field, "gid") {
			return "10.9.0.1", nil
		}
		return "1", nil
	})
	if err != nil {
		full = cmd
	}
	step := &Step{Cmd: cmd, Full: full, Ran: true, Times: 1}
	step.Done.Line = line
	if inner := full.String("line"); inner != "" && cmd.Spec != command.Chain {
		step.Inner = []*Step{stepOf(t, inner)}
	}
	return step
}

// TestSnippetsAreWhole checks that each runtime function is in the file of its name,
// and that its dependencies exist.
func TestSnippetsAreWhole(t *testing.T) {
	defines := regexp.MustCompile(`(?m)^(static .*?|struct )([a-z_]+)( \{|\(|\[)`)
	for name, one := range snippets() {
		found := map[string]bool{}
		for _, m := range defines.FindAllStringSubmatch(one.text, -1) {
			found[m[2]] = true
		}
		if !found[name] {
			t.Errorf("runtime/%s.c defines %v", name, slices.Sorted(maps.Keys(found)))
		}
		if !strings.HasSuffix(strings.TrimSpace(one.text), "}") &&
			!strings.HasSuffix(strings.TrimSpace(one.text), ";") {
			t.Errorf("runtime/%s.c is cut off", name)
		}
	}
}

// TestMacrosAreNoVariables checks against the compiler's list of macros that none can
// become a variable's name.
func TestMacrosAreNoVariables(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to ask for its macros")
	}
	headers := map[string]bool{}
	for _, one := range snippets() {
		for _, h := range one.includes {
			headers[h] = true
		}
	}
	for _, h := range headerOf {
		headers[h] = true
	}
	source := ""
	for h := range headers {
		source += "#if __has_include(<" + h + ">)\n#include <" + h + ">\n#endif\n"
	}
	cmd := exec.Command(cc, "-std=gnu11", "-dM", "-E", "-")
	cmd.Stdin = strings.NewReader(source)
	out, err := cmd.Output()
	if err != nil {
		t.Skip("the compiler does not list its macros: ", err)
	}
	for _, m := range regexp.MustCompile(`(?m)^#define ([A-Za-z_][A-Za-z0-9_]*)`).
		FindAllStringSubmatch(string(out), -1) {
		var vars variables
		text := vars.named(m[1], "qp", "struct ibv_qp *", "NULL")
		if got := vars.settle("\nint main(void)\n{\n" + text + "\n}\n"); strings.Contains(got, "\n"+m[1]+"\n") {
			t.Errorf("%s is a macro, and would be a variable's name", m[1])
		}
	}
}
