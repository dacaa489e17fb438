package oob

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseBlock(t *testing.T) {
	for text, want := range map[string]string{
		"addr 0x7f00 rkey 0x1f":                    "[{addr 0x7f00} {rkey 0x1f}]",
		"rkey=31, remote_addr=0x7f00; length=4096": "[{addr 0x7f00} {rkey 31} {length 4096}]",
		" .addr: 0x7f00\r\n.rkey: 0x1f\r\n":        "[{addr 0x7f00} {rkey 0x1f}]",
		"qp_num 0x11 psn 0x6f21a0 gid 10.0.0.2":    "[{qp_num 0x11} {psn 0x6f21a0} {gid 10.0.0.2}]",
		"QPN 17 psn 1 lid 2 gid fe80::1":           "[{qp_num 17} {psn 1} {lid 2} {gid fe80::1}]",
		"address 10.0.0.2 port 7471":               "[{host 10.0.0.2} {port 7471}]",
		"port 7471 address 10.0.0.2":               "[{host 10.0.0.2} {port 7471}]",
		"host ::1 addr 0x7f00 rkey 0x1f":           "[{addr 0x7f00} {rkey 0x1f} {host ::1}]",
	} {
		if got, err := ParseBlock(text); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                             "the paste is empty",
		"hello world":                  `"hello" is not a field`,
		"addr":                         "addr has no value",
		"addr 0x1":                     "both addr and rkey",
		"rkey 1":                       "both addr and rkey",
		"addr 0x1 rkey 0x100000000":    `rkey "0x100000000": not a number of at most 32 bits`,
		"addr 1 rkey 2 addr 3":         "addr is given twice",
		"gid nowhere":                  `gid "nowhere"`,
		"host nowhere":                 `host "nowhere"`,
		"host 10.0.0.2 port 70000":     `port "70000": not a number of at most 16 bits`,
		"addr \x1b[2J rkey 1":          `addr "\x1b[2J"`,
		strings.Repeat("addr 1 ", 200): "it has 1,400 bytes",
	} {
		got, err := ParseBlock(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%.20q: %v, %v", text, got, err)
		}
	}
}

func FuzzParseBlock(f *testing.F) {
	f.Add("addr 0x7f00 rkey 0x1f length 4096")
	f.Add("qp_num=0x11, psn=0x1 gid=10.0.0.2")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseBlock(text)
		if err != nil && strings.ContainsAny(err.Error(), "\x00\x1b\n") {
			t.Errorf("raw bytes in %q", err)
		}
		again := ""
		for _, v := range list {
			again += v.Name + " " + v.Text + " "
		}
		if got, err := ParseBlock(again); len(list) > 0 && len(again) <= maxBlock &&
			(err != nil || fmt.Sprint(got) != fmt.Sprint(list)) {
			t.Errorf("%q reads back as %v, %v", list, got, err)
		}
	})
}
