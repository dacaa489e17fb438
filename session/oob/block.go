package oob

import (
	"fmt"
	"net/netip"
	"strings"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// BlockField is one value of a pasted block that describes a queue pair or a region of another program.
type BlockField struct{ Name, Text string }

// blockFields are the fields of a block, with their other names.
var blockFields = []struct {
	name  string
	also  []string
	check func(string) error
}{
	{"qp_num", []string{"qpn", "remote_qpn"}, number(24)},
	{"psn", nil, number(24)},
	{"lid", nil, number(16)},
	{"gid", nil, func(s string) error { _, err := verbs.ParseGID(s); return err }},
	{"addr", []string{"remote_addr", "address", "va"}, number(64)},
	{"rkey", nil, number(32)},
	{"length", []string{"len"}, number(64)},
	{"host", []string{"ip", "server"}, func(s string) error { _, err := netip.ParseAddr(s); return err }},
	{"port", nil, number(16)},
}

func number(bits int) func(string) error {
	return func(s string) error {
		if _, err := verbs.ParseUint(s, bits); err != nil {
			return fmt.Errorf("not a number of at most %d bits", bits)
		}
		return nil
	}
}

func isIP(s string) bool { _, err := netip.ParseAddr(s); return err == nil }

// maxBlock bounds the length of a paste, in bytes.
const maxBlock = 1024

// ParseBlock parses names with values, such as "addr 0x7f00 rkey 0x1f length 4096", "qp_num=0x11, psn=0x1 gid=10.0.0.2"
// or "host 10.0.0.2 port 7471". A region needs both addr and rkey. An IP address is that of the host, whatever its
// name.
func ParseBlock(text string) ([]BlockField, error) {
	if len(text) > maxBlock {
		return nil,
			fmt.Errorf("it has %s bytes; paste addr and rkey, or qp_num, psn and gid", format.Count(uint64(len(text))))
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;=\"'{}()", r) })
	values := map[string]string{}
	for i := 0; i < len(words); i += 2 {
		at := fieldNamed(strings.TrimSuffix(words[i], ":"))
		if at >= 0 && i+1 < len(words) && blockFields[at].name == "addr" && isIP(words[i+1]) {
			at = fieldNamed("host")
		}
		switch {
		case at < 0:
			return nil,
				fmt.Errorf("%.40q is not a field; paste addr, rkey, length, qp_num, psn, lid, gid, host or port",
					words[i])
		case i+1 == len(words):
			return nil, fmt.Errorf("%s has no value", blockFields[at].name)
		}
		f := &blockFields[at]
		if err := f.check(words[i+1]); err != nil {
			return nil, fmt.Errorf("%s %.40q: %w", f.name, words[i+1], err)
		}
		if _, twice := values[f.name]; twice {
			return nil, fmt.Errorf("%s is given twice", f.name)
		}
		values[f.name] = words[i+1]
	}
	if (values["addr"] == "") != (values["rkey"] == "") {
		return nil, fmt.Errorf("a region needs both addr and rkey")
	}
	var list []BlockField
	for i := range blockFields {
		if v := values[blockFields[i].name]; v != "" {
			list = append(list, BlockField{blockFields[i].name, v})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the paste is empty")
	}
	return list, nil
}

// fieldNamed returns the index of the field with a name; -1 if there is none.
func fieldNamed(word string) int {
	word = strings.ToLower(strings.TrimPrefix(word, "."))
	for i := range blockFields {
		for _, name := range append([]string{blockFields[i].name}, blockFields[i].also...) {
			if word == name {
				return i
			}
		}
	}
	return -1
}
