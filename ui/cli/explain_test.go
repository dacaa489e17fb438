package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// runExplain runs rdmatui explain with arguments.
func runExplain(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	p := &Program{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err}
	status = p.Run(context.Background(), append([]string{"explain"}, args...))
	return status, out.String(), err.String()
}

func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		args string
		want []string // on stdout, in this order
	}{
		{"status 12",
			[]string{"RETRY_EXC_ERR, status of a work completion, 12, IBV_WC_RETRY_EXC_ERR\nthe peer never answered\n",
				"\nmeans", "\nseen by", "\ncauses  1 ", "\ncheck   - ", "\ntry     - ", "\nsource  IBA"}},
		{"vendor_err 129", []string{"mlx5 0x81", "RETRY_EXC_ERR"}},
		{"timeout 14", []string{"14 is 67.1 ms", "537 ms"}},
		{"min_rnr_timer 12", []string{"12 is 640 µs"}},
		{"timeout 0", []string{"0 is for ever"}},
		{"timeout 99", []string{"99 is out of range: timeout takes 0 to 31", "A code from 0 to 31: 14 is 67 ms"}},
		{"retry_cnt 9",
			[]string{"\nwrong   9 is out of range: retry_cnt takes 0 to 7\n", "means   When they are used up"}},
		{"path_mtu 3000", []string{"\nwrong   3000 is out of range: path_mtu takes 256, 512, 1024, 2048, 4096\n",
			"means   A longer"}},
		{"access 0x3", []string{"rdmatui explain access LOCAL_WRITE", "rdmatui explain access REMOTE_WRITE"}},
		{"INIT RTR", []string{"RC needs: ah_attr, path_mtu, dest_qp_num, rq_psn"}},
		{"", []string{"ASK", "status SUCCESS", "rdmatui explain status 12"}},
	} {
		status, out, errs := runExplain(t, strings.Fields(tt.args)...)
		if status != Done || errs != "" {
			t.Errorf("%q: exit status %d, %q", tt.args, status, errs)
		}
		rest := out
		for _, want := range tt.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%q lacks %q:\n%s", tt.args, want, out)
				break
			}
			rest = after
		}
		if strings.Contains(out, "[[") || strings.Contains(out, "{") {
			t.Errorf("%q: a placeholder is left:\n%s", tt.args, out)
		}
	}
}

func TestExplainFitsTerminals(t *testing.T) {
	for _, word := range []string{"RETRY_EXC_ERR", "modify_qp EINVAL", "INIT RTR", "timeout 14", "bnxt_re"} {
		_, out, _ := runExplain(t, word)
		for l := range strings.Lines(out) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(l, "\n")); n > explainWidth {
				t.Errorf("%s has a line of %d columns: %s", word, n, l)
			}
		}
	}
}

func TestExplainUnknown(t *testing.T) {
	for _, tt := range []struct{ word, want string }{
		{"retyr_exc_err", "rdmatui: \"retyr_exc_err\" is unknown; did you mean RETRY_EXC_ERR?\n"},
		{"zzzzzzzz", "rdmatui: \"zzzzzzzz\" is unknown; 'rdmatui explain' lists what can be explained\n"},
	} {
		if status, out, errs := runExplain(t, tt.word); status != Wrong || out != "" || errs != tt.want {
			t.Errorf("%s: exit status %d, %q, %q", tt.word, status, out, errs)
		}
	}
	for _, hostile := range []string{"\x1b[31mred\x07", "\u202eevil", strings.Repeat("x", 100000),
		"\xff\xfe\x9b", "\n\n"} {
		status, out, errs := runExplain(t, hostile)
		if status != Wrong || out != "" || strings.Count(errs, "\n") != 1 ||
			strings.ContainsAny(errs, "\x1b\x07\u202e\u009b") || !utf8.ValidString(errs) || len(errs) > 300 {
			t.Errorf("%.20q: exit status %d, %q, %.300q", hostile, status, out, errs)
		}
	}
}

func TestExplainJSON(t *testing.T) {
	status, out, _ := runExplain(t, "--json", "access 0x3")
	if n := strings.Count(out, "\n"); status != Done || n != 2 {
		t.Fatalf("exit status %d, %d lines:\n%s", status, n, out)
	}
	for l := range strings.Lines(out) {
		var o struct {
			Name, Family, Short, Means, Source string
			Number                             int64
		}
		if err := json.Unmarshal([]byte(l), &o); err != nil || o.Name == "" || o.Family != "access" ||
			o.Short == "" || o.Number == 0 {
			t.Errorf("%v: %s", err, l)
		}
	}
	if status, out, errs := runExplain(t, "--json"); status != Done || errs != "" ||
		!strings.Contains(out, `"family":"wc_status"`) {
		t.Errorf("the list: %d, %s%s", status, out, errs)
	}
}

func TestExplainCompletion(t *testing.T) {
	for begun, want := range map[string]string{"RETRY_E": "RETRY_EXC_ERR", "retry_e": "retry_exc_err",
		"max_qp_r": "max_qp_rd_atom"} {
		names, _ := completeNames(nil, nil, begun)
		found := false
		for _, n := range names {
			found = found || n == want
			if !strings.HasPrefix(n, begun) {
				t.Errorf("%s is completed to %s", begun, n)
			}
		}
		if !found {
			t.Errorf("%s is not completed to %s: %q", begun, want, names)
		}
	}
}

// Who asks help for a name that is no command is told who knows it.
func TestHelpLeadsToExplain(t *testing.T) {
	var out, errs bytes.Buffer
	p := &Program{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	if status := p.Run(context.Background(), []string{"help", "RETRY_EXC_ERR"}); status != Wrong ||
		!strings.Contains(errs.String(), "rdmatui explain RETRY_EXC_ERR") {
		t.Errorf("exit status %d, %q", status, errs.String())
	}
}
