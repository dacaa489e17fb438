package export

import (
	"strings"
	"testing"
)

func TestCommentText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                         "plain",
		"a */ b":                        "a * / b",
		"a /* b":                        "a / * b",
		"**//":                          "** //",
		"??/":                           "? ?/",
		"???":                           "? ? ?",
		"tab\there\nand there":          `tab here\x0aand there`,
		"ends in \\":                    "ends in",
		"ends in \\ \\ ":                "ends in",
		"3 µs → done…":                  "3 us -> done...",
		"\u202e evil":                   "U+202E evil",
		"*\x01/":                        `*\x01/`,
		"*\u202e/":                      "*U+202E/",
		"\xff\xfe":                      "?",
		"a\x7fb\u0080":                  `a\x7fbU+0080`,
		strings.Repeat("y", maxComment): strings.Repeat("y", maxComment),
		strings.Repeat("x", 2000):       strings.Repeat("x", maxComment) + " ...",
		strings.Repeat("*", 3) + "/ /":  "*** / /",
	} {
		if got := commentText(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestLiteral(t *testing.T) {
	for in, want := range map[string]string{
		"":            `""`,
		"hello":       `"hello"`,
		`"\`:          `"\"\\"`,
		"\x001":       `"\0001"`,
		"\xff\n?":     `"\377\n\077"`,
		"*/ ??/":      `"*/ \077\077/"`,
		"per %d cent": `"per %d cent"`,
		" ~":          `" ~"`,

		strings.Repeat("x", literalWidth):   `"` + strings.Repeat("x", literalWidth) + `"`,
		strings.Repeat("x", literalWidth+1): `"` + strings.Repeat("x", literalWidth) + "\"\n\t\"x\"",
	} {
		if got := literal([]byte(in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	long := literal([]byte(strings.Repeat("0123456789", 20)))
	for line := range strings.SplitSeq(long, "\n") {
		if len(line) > 80 {
			t.Errorf("%d characters on a line: %s", len(line), line)
		}
	}
	if strings.ReplaceAll(strings.ReplaceAll(long, "\"\n\t\"", ""), `"`, "") != strings.Repeat("0123456789", 20) {
		t.Error(long)
	}
}

func TestNumbersHaveTheirType(t *testing.T) {
	for n, want := range map[uint64][2]string{
		0: {"0", "0x0"}, 1<<31 - 1: {"2147483647", "0x7fffffff"}, 1 << 31: {"2147483648LL", "0x80000000"},
		1<<32 - 1: {"4294967295LL", "0xffffffff"}, 1 << 32: {"4294967296LL", "0x100000000ULL"},
		1<<63 - 1: {"9223372036854775807LL", "0x7fffffffffffffffULL"},
		1 << 63:   {"0x8000000000000000ULL", "0x8000000000000000ULL"},
	} {
		if got := [2]string{numberLike("9", n), numberLike("0X9", n)}; got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestNamesAreVariables(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "A": "A", "my-qp": "my_qp", "int": "int_qp", "errno": "errno_qp", "stdin": "stdin_qp",
		"linux": "linux_qp", "__builtin_trap": "builtin_trap", "_": "qp", "NULL": "NULL_qp", "EINVAL": "EINVAL_qp",
		"err": "err_qp", "memcpy": "memcpy_qp", "ibv_reg_mr": "the_ibv_reg_mr", "a--b__c": "a_b_c", "PD": "PD_qp",
		"isalpha": "the_isalpha", "wr_id": "wr_id", "mlx5.0": "mlx5_0",
	} {
		var vars variables
		text := vars.named(name, "qp", "struct ibv_qp *", "NULL")
		got := vars.settle("\nint main(void)\n{\n\tint err; memcpy(taken->wr_id);\n\t= " + text + ";\n}\n")
		if !strings.Contains(got, "= "+want+";") {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	var vars variables
	text := vars.named("a-b", "qp", "int ", "0") + "|" + vars.named("a_b", "qp", "int ", "0") + "|" +
		vars.named("a_b", "mr", "int ", "0")
	if got := vars.settle("\nint main(void)\n" + text); !strings.HasSuffix(got, "a_b|a_b_qp|a_b_mr") {
		t.Error(got)
	}
}
