package export

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/command/syntax"
)

// compiles checks that a C program compiles without a warning. full includes the
// warnings that need optimization, which takes longer.
func compiles(t testing.TB, text string, full bool) {
	t.Helper()
	cc := compiler(t)
	source := filepath.Join(t.TempDir(), "session.c")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source}
	if full {
		args = append([]string{"-O2", "-o", os.DevNull, "-c"}, args[:4]...)
		args = append(args, source)
	}
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
}

func compiler(t testing.TB) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if runtime.GOOS != "linux" {
		t.Skip("the headers are Linux's")
	}
	for _, h := range []string{"infiniband/verbs.h", "rdma/rdma_cma.h"} {
		if err == nil {
			probe := exec.Command(cc, "-E", "-o", os.DevNull, "-x", "c", "-")
			probe.Stdin = strings.NewReader("#include <" + h + ">\n")
			err = probe.Run()
		}
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no C compiler with the headers of libibverbs and librdmacm: ", err)
		}
		t.Skip("no C compiler with the headers of libibverbs-dev and librdmacm-dev")
	}
	return cc
}

// TestExamplesCompile exports the examples of all commands in one session, in the
// order of the table, with the objects that they need.
func TestExamplesCompile(t *testing.T) {
	compiles(t, C(everyExample(t)), true)
}

// everyExample is the example of each command after lines that make the objects it
// names.
func everyExample(t testing.TB) Recording {
	t.Helper()
	lines := []string{
		"open_device soft0", "alloc_pd pd", "reg_mr src pd=pd length=4096", "reg_mr dst pd=pd length=4096",
		"reg_mr mr pd=pd length=64", "reg_mr buf pd=pd length=64",
		"create_comp_channel ch device=soft0", "create_cq cq device=soft0 channel=ch", "create_srq srq pd=pd",
		"create_qp a pd=pd send_cq=cq srq=srq",
		"create_qp b pd=pd send_cq=cq", "create_qp u pd=pd send_cq=cq qp_type=UD", "create_qp qp pd=pd send_cq=cq",
		"create_ah ah pd=pd dgid=b.gid",
		"rdma_create_event_channel events", "rdma_create_event_channel events2", "rdma_create_id id channel=events",
		"rdma_create_id listen channel=events",
		"rdma_create_id listen-1 channel=events", "peer peer qp_num=1", "rdma_reg_msgs m id=id length=64",
	}
	made := map[string]bool{}
	var r Recording
	for _, line := range lines {
		step := stepOf(t, line)
		r.Steps = append(r.Steps, step)
		made[step.Full.String("name")] = true
	}
	for _, spec := range command.Commands {
		if spec.Group == "close" || spec.Name == "loop" || spec.Name == "try" || spec.Name == "end" ||
			spec.Name == "until" {
			continue
		}
		step := stepOf(t, spec.Example)
		if name := step.Full.String("name"); made[name] && spec.Arg("name") != nil {
			step.Full = step.Full.With("name", name+"9")
		}
		r.Steps = append(r.Steps, step)
	}
	return r
}

// hostile are texts that end comments and literals, or are reserved names.
var hostile = []string{
	"*/ int x; /*", `"; abort(); "`, "\\", "\\\n", "??/", "??'??(", "%s%n", "\x00\x01\xff", "\u202e\u2066", "//", "/*",
	"*/*/", "#include <x>",
	"\r\n#error", "'\"'", strings.Repeat("?", 9), strings.Repeat("*/", 50), "\x1b[2J", "é", "\n",
}

// badNames are object names that cannot be variable names.
var badNames = []string{
	"int", "errno", "main", "die", "expect", "poll_cq", "reg_mr", "err", "taken", "event", "bad_wr", "argc", "argv",
	"option", "optarg", "getopt",
	"NULL", "EINVAL", "IBV_QPT_RC", "stdin", "stdout", "linux", "unix", "PORT", "DEVICE", "GID_INDEX", "SERVER",
	"device_name", "gid_index", "port_num",
	"uint8_t", "size_t", "bool", "true", "ibv_context", "memcpy", "memcmp", "printf", "exit", "a-b", "a_b", "_", "__",
	"-x"[1:], "x-", "do", "asm",
	"typeof", "attr", "gid", "mask", "data", "row", "round", "time", "n", "ibv_reg_mr", "rdma_cm_id", "struct", "I",
	"b_psn", "b", "s6_addr", "isalpha",
}

// TestHostileNamesAndTextsCompile exports sessions with pseudo-random hostile names
// and texts.
func TestHostileNamesAndTextsCompile(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	for seed := range rounds {
		text := C(hostileRecording(t, rand.New(rand.NewPCG(uint64(seed), 7))))
		for _, bad := range []string{"abort();\n", "\n#error", "\x1b", "\u202e"} {
			if strings.Contains(text, bad) {
				t.Errorf("%q was not escaped:\n%s", bad, text)
			}
		}
		compiles(t, text, seed == 0)
	}
}

// hostileRecording returns a session with hostile object names.
func hostileRecording(t testing.TB, rng *rand.Rand) Recording {
	used := map[string]bool{}
	name := func() string {
		for {
			n := badNames[rng.IntN(len(badNames))]
			if rng.IntN(4) == 0 {
				n += fmt.Sprint(rng.IntN(9))
			}
			if !used[n] {
				used[n] = true
				return n
			}
		}
	}
	word := func() string { return syntax.Quote(hostile[rng.IntN(len(hostile))] + hostile[rng.IntN(len(hostile))]) }
	pd, mr, cq, a, b, id, events := name(), name(), name(), name(), name(), name(), name()
	lines := []string{
		"open_device soft0", "alloc_pd " + pd, "reg_mr " + mr + " pd=" + pd + " length=4096",
		"create_cq " + cq + " device=soft0",
		"create_qp " + a + " pd=" + pd + " send_cq=" + cq, "create_qp " + b + " pd=" + pd + " send_cq=" + cq,
		"modify_qp " + a + " RTR dest_qp_num=" + b + ".qp_num rq_psn=" + b + ".psn dgid=" + b + ".gid sgid_index=1",
		"write_mem " + mr + " " + word(), "expect mem " + mr + " 0 " + word(), "note " + word(), "note " + word(),
		"post_send " + a + " SEND wr_id=18446744073709551615 sge=" + mr + ":0:5," + mr,
		"poll_cq " + cq + " n=2 timeout=1s",
		"post_send " + a + " RDMA_READ wr_id=1 sge=" + mr + " remote_addr=18446744073709551615 rkey=0xffffffff",
		"expect wc cq=" + cq + " qp=" + b + " wr_id=7 status=SUCCESS byte_len=5", "read_mem " + mr,
		"rdma_create_event_channel " + events, "rdma_create_id " + id + " channel=" + events,
		"rdma_resolve_addr " + id + " " + word() + " port=7471", "rdma_get_cm_event ADDR_RESOLVED id=" + id,
		"rdma_connect " + id + " private_data=" + word(), "rdma_reject " + id + " private_data=be32:7",
		"exchange peer qp=" + a + " address=" + word(), "query_qp " + a,
		"rdma_resolve_addr " + id + " second.host port=1",
	}
	var r Recording
	for _, line := range lines {
		if _, err := command.Parse(line); err != nil {
			continue // such a name is refused
		}
		step := stepOf(t, line)
		step.Why = hostile[rng.IntN(len(hostile))]
		step.Done.Result = hostile[rng.IntN(len(hostile))]
		step.Done.Check = hostile[rng.IntN(len(hostile))]
		if rng.IntN(4) == 0 && step.Cmd.Spec.Arg("name") == nil {
			step.Done.Err, step.Done.Errno, step.Asked = hostile[rng.IntN(len(hostile))], "EINVAL", rng.IntN(2) == 0
		}
		r.Steps = append(r.Steps, step)
	}
	return r
}

// TestFunctionsCompileAlone: a program that uses only one of the runtime functions
// compiles without a warning.
func TestFunctionsCompileAlone(t *testing.T) {
	for name, one := range snippets() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ordered, includes := closure(name)
			var text strings.Builder
			text.WriteString("#include <stdlib.h>\n") // in every program
			for _, h := range includes {
				fmt.Fprintf(&text, "#include <%s>\n", h)
			}
			text.WriteString("static const char *path __attribute__((unused));\n")
			for _, each := range ordered {
				text.WriteString(snippets()[each].text + "\n")
			}
			if strings.Contains(one.text, name+"(") { // otherwise it is a type, with its own functions
				fmt.Fprintf(&text, "int main(void)\n{\n\t(void)%s;\n\treturn 0;\n}\n", name)
				compiles(t, text.String(), true)
			}
		})
	}
}
