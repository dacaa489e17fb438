package post

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/command/syntax"
	"rdmatui/session/preflight"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// payloadWord returns the payload as an argument of write_mem: hex, patterns and
// files unchanged, anything else as text.
func payloadWord(text string) string {
	if path, ok := payloadFile(text); ok {
		if strings.ContainsFunc(path, func(r rune) bool { return r == '"' || r <= ' ' || !unicode.IsPrint(r) }) {
			return filePrefix + syntax.Quote(path)
		}
		return text
	}
	if isData(text) {
		return text
	}
	return syntax.Quote(plainText(text))
}

// readPayload takes every text, and hex and patterns that write_mem takes.
func readPayload(text string) (string, error) {
	if _, isFile := payloadFile(text); isFile || !isData(text) {
		return text, nil
	}
	if _, err := command.WriteMem.Arg("data").Read(text); err != nil {
		return text, fmt.Errorf("payload: %s", strings.TrimPrefix(err.Error(), "data: "))
	}
	return text, nil
}

const filePrefix = "file:"

// payloadFile returns the path of a payload that is read from a file.
func payloadFile(text string) (path string, ok bool) {
	path, ok = strings.CutPrefix(text, filePrefix)
	return path, ok && path != ""
}

func isData(text string) bool {
	digits, hex := strings.CutPrefix(text, "0x")
	_, pattern := strings.CutPrefix(text, "pattern:")
	return (hex && strings.Trim(digits, "0123456789abcdefABCDEF") == "" || pattern) && !strings.ContainsAny(text, " \"")
}

// plainText returns the text meant: for a quoted text, as users of the command line
// type it, with its escapes resolved.
func plainText(text string) string {
	n := len(text)
	if n < 2 || text[0] != '"' || text[n-1] != '"' {
		return text
	}
	if cmd, err := command.Parse("write_mem x " + text); err == nil && cmd.Given("data") && len(cmd.Values) > 1 {
		return string(cmd.Bytes("data"))
	}
	return text[1 : n-1]
}

// payloadLength returns the payload's length in bytes; 0 if it cannot be read.
func (r *request) payloadLength() uint64 {
	text := r.value(payload)
	if path, ok := payloadFile(text); ok {
		return r.files[path].size
	}
	if !isData(text) {
		return uint64(len(plainText(text)))
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		return uint64(len(digits) / 2)
	}
	length, _, _ := strings.Cut(strings.TrimPrefix(text, "pattern:"), ":")
	n, err := verbs.ParseUint(length, 31)
	if err != nil {
		return 0
	}
	return n
}

// fileSeen is the result of examining a payload's file.
type fileSeen struct {
	path  string
	size  uint64 // bytes
	err   string
	stale bool // the file may have changed
}

// unknownFile returns the payload's file if it has not been examined, or not recently.
func (r *request) unknownFile() (path string, ok bool) {
	if path, ok = payloadFile(r.value(payload)); !ok || !r.sends() {
		return "", false
	}
	seen, known := r.files[path]
	return path, !known || seen.stale
}

// ageFiles marks all examined files stale.
func (r *request) ageFiles() {
	for path, seen := range r.files {
		seen.stale = true
		r.files[path] = seen
	}
}

// lookAt returns the job of reading a file.
func lookAt(path string) func() any {
	return func() any {
		size, err := session.PayloadFile(path)
		seen := fileSeen{path: path, size: uint64(max(size, 0))}
		if err != nil {
			seen.err = err.Error()
		}
		return seen
	}
}

// checkPayload checks the payload's file.
func (r *request) checkPayload(c *preflight.Report) {
	path, ok := payloadFile(r.value(payload))
	if !ok || !r.sends() {
		return
	}
	switch seen, known := r.files[path]; {
	case !known:
		c.Unsure("reading %s", path)
	default:
		c.Add(seen.err == "", fmt.Sprintf("%s has %s", path, format.Counted(seen.size, "byte")), seen.err)
	}
}

// asTyped converts a paste for the payload's field: control characters and invalid
// UTF-8 become escapes in quotes, so that none is lost.
func asTyped(field, paste string) (whole string, changed bool) {
	plain := !strings.ContainsFunc(paste, func(r rune) bool {
		return unicode.IsControl(r) || r == unicode.ReplacementChar
	})
	if plain {
		return "", false
	}
	if isData(field) {
		field = "" // text cannot follow it
	}
	return syntax.Quote(plainText(field) + paste), true
}

// piece is one SGE, as far as it can be parsed without the session.
type piece struct {
	region      string // "" for a raw address and for invalid text
	off, length uint64
	toEnd       bool // no length was given
}

func parsePiece(text string) (p piece) {
	words := strings.Split(text, ":")
	if words[0] == "" || words[0][0] == '@' {
		return piece{}
	}
	p.region, p.toEnd = words[0], len(words) < 3
	for i, to := range []*uint64{&p.off, &p.length} {
		if len(words) > i+1 {
			n, err := verbs.ParseUint(words[i+1], 64)
			if err != nil {
				return piece{}
			}
			*to = n
		}
	}
	return p
}

// size returns the bytes that a piece names in a region of the given length.
func (p piece) size(length uint64) uint64 {
	if p.toEnd {
		return length - min(length, p.off)
	}
	return p.length
}

// clip returns the part of n bytes from off that is inside a region of the given
// length, as an offset and a number of bytes.
func clip(off, n, length uint64) (at, count int) {
	off = min(off, length, math.MaxInt64)
	return int(off), int(min(n, length-off, math.MaxInt64))
}

// add saturates at 2⁶⁴−1.
func add(a, b uint64) uint64 {
	if b > math.MaxUint64-a {
		return math.MaxUint64
	}
	return a + b
}
