package command

import (
	"strings"
	"testing"
)

func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"be64:0x102,le32:3,u8:255": "\x00\x00\x00\x00\x00\x00\x01\x02\x03\x00\x00\x00\xff",
		"be16:258,le16:258":        "\x01\x02\x02\x01",
		"le64:1":                   "\x01\x00\x00\x00\x00\x00\x00\x00",
		"be32:0xfffffffe":          "\xff\xff\xff\xfe",
		"be33:1":                   "be33:1", // no layout: plain text
	} {
		if got := string(mustParse(t, "write_mem m "+text).Bytes("data")); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"u8:256": "too large", "be32:x": "not a number",
		"be32:1,": "is not a number such as be32:100", "be32:1,z": "is not a number such as be32:100",
		"be32:1,be32": `"be32" is not a number such as be32:100`,
		"be32:1,z:3":  `"z:3" is not a number such as be32:100`,
		"be16:65536":  "too large", "be32:": "not a number", "u8:1" + strings.Repeat(",u8:1", maxNumbers): "too many",
	} {
		if _, err := Parse("write_mem m " + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
}

// TestReadNumber reads back the numbers that were written.
func TestReadNumber(t *testing.T) {
	for _, form := range NumberForms {
		p := mustParse(t, "write_mem m "+form+":200").Bytes("data")
		if len(p) != NumberSize(form) {
			t.Errorf("%s takes %d bytes, not %d", form, len(p), NumberSize(form))
		}
		if n, ok := ReadNumber(form, append(p, 0xff)); n != 200 || !ok {
			t.Errorf("%s: %d, %v", form, n, ok)
		}
		if _, ok := ReadNumber(form, p[:len(p)-1]); ok {
			t.Errorf("%s was read from too few bytes", form)
		}
	}
	if _, ok := ReadNumber("be8", []byte{1}); ok {
		t.Error("be8 is not a number format")
	}
}
