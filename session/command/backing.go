package command

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
)

// Prefixes and keywords of Backing values.
const (
	anonymousBacking = "anonymous"
	hugeBacking      = "hugetlb"
	sharedPrefix     = "shm:"
	bufferPrefix     = "dmabuf:"
	newBuffer        = bufferPrefix + "udmabuf"
)

// backingForms lists the forms of values, for completion.
var backingForms = []struct{ text, doc string }{
	{anonymousBacking, "new zeroed memory"},
	{syntax.FilePrefix, "PATH of a file, mapped shared"},
	{sharedPrefix + "/", "NAME of shared memory; created if it does not exist, then removed with the region"},
	{hugeBacking, "new zeroed memory in huge pages"},
	{hugeBacking + ":2M", "new zeroed memory in pages of that size"},
	{newBuffer, "a new dma-buf from /dev/udmabuf"},
}

// sharedRoot is where shared memory objects are files.
const sharedRoot = "/dev/shm"

// parseBacking parses what a region is to be registered over.
func parseBacking(text string) (verbs.Backing, error) {
	path, isFile := strings.CutPrefix(text, syntax.FilePrefix)
	name, isShared := strings.CutPrefix(text, sharedPrefix)
	size, isHuge := strings.CutPrefix(text, hugeBacking)
	fd, isBuffer := strings.CutPrefix(text, bufferPrefix)
	switch {
	case text == anonymousBacking:
		return verbs.Backing{}, nil
	case isFile && path == "":
		return verbs.Backing{}, errors.New("file: needs a path")
	case isFile:
		return verbs.Backing{Kind: verbs.FileMapping, Path: path}, nil
	case isShared && (len(name) < 2 || name[0] != '/' || strings.ContainsFunc(name[1:], notInName)):
		return verbs.Backing{},
			fmt.Errorf("%s is not a name for shared memory; write one such as /buffer", syntax.Show(name))
	case isShared:
		return verbs.Backing{Kind: verbs.SharedMemory, Path: name}, nil
	case text == newBuffer:
		return verbs.Backing{Kind: verbs.DMABuf, FD: verbs.NewDMABuf}, nil
	case isBuffer:
		n, err := verbs.ParseUint(fd, 31)
		if err != nil {
			return verbs.Backing{},
				fmt.Errorf("%s is not a descriptor: write dmabuf:N for one that rdmatui inherited, or dmabuf:udmabuf for a new buffer", syntax.Show(fd))
		}
		return verbs.Backing{Kind: verbs.DMABuf, FD: int(n)}, nil
	case isHuge && size == "":
		return verbs.Backing{Kind: verbs.HugePages}, nil
	case isHuge && size[0] == ':':
		n, err := parsePageSize(size[1:])
		return verbs.Backing{Kind: verbs.HugePages, PageSize: n}, err
	}
	return verbs.Backing{},
		fmt.Errorf("%s is not a kind of memory; write anonymous, file:PATH, shm:/NAME, hugetlb, hugetlb:2M, dmabuf:N or dmabuf:udmabuf", syntax.Show(text))
}

// notInName reports whether r is not allowed in a shared memory name: a slash, or a character that would need quotes.
func notInName(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`/"#;`, r) }

// sizeUnits are the suffixes of sizes, as shifts.
var sizeUnits = map[byte]int{'K': 10, 'M': 20, 'G': 30}

// parseSize reads 2M, 1G, 64K or a number of bytes.
func parseSize(text string) (uint64, error) {
	digits, shift := text, 0
	if text != "" {
		if s, ok := sizeUnits[text[len(text)-1]&^0x20]; ok {
			digits, shift = text[:len(text)-1], s
		}
	}
	n, err := verbs.ParseUint(digits, 64-shift)
	return n << shift, err
}

// parsePageSize reads a size that is a power of 2.
func parsePageSize(text string) (uint64, error) {
	n, err := parseSize(text)
	if err != nil || bits.OnesCount64(n) != 1 {
		return 0, fmt.Errorf("%s is not a page size; write one such as 2M or 1G", syntax.Show(text))
	}
	return n, nil
}

// Backing returns what a region is to be registered over.
func (c Command) Backing() verbs.Backing {
	b, given := other[verbs.Backing](c, "backing")
	if given {
		b.Offset = c.Uint("offset")
	}
	return b
}

// isSized reports whether memory may have a length of its own.
func isSized(b verbs.Backing) bool {
	return b.Kind == verbs.FileMapping || b.Kind == verbs.SharedMemory || b.Kind == verbs.DMABuf &&
		b.FD != verbs.NewDMABuf
}

// backedUsage returns whether an argument applies to the memory chosen so far: a backing, or device memory.
func backedUsage(b *binder, name string) use {
	text, device := b.boundText("backing"), b.boundText("dm") != ""
	memory, _ := parseBacking(text)
	sized := device || isSized(memory)
	switch {
	case name == "length" && !sized:
		return needed
	case name == "offset" && !sized, name == "backing" && device, name == "dm" && text != "":
		return notAllowed
	}
	return allowed
}

// checkRegMR requires a length if the memory has none of its own, and allows an offset only into a file or similar.
func checkRegMR(p *parser, c *Command) *syntax.Error {
	if v, given := c.value("backing"); given && c.Has("dm") {
		e := p.errorAt(v, "give either dm or backing, not both")
		e.Token = v.Arg.Name
		return e
	}
	sized := isSized(c.Backing()) || c.Has("dm")
	if v, given := c.value("offset"); given && !sized {
		e := p.errorAt(v, "offset needs a file, shared memory, a dma-buf or device memory")
		e.Token, e.Hint = v.Arg.Name, "for example: backing=file:PATH offset=4096"
		return e
	}
	if !c.Has("length") && !sized {
		e := p.missing("%s needs length: at least 1", c.Spec.Name)
		e.Hint = "for example: " + c.Spec.Example
		return e
	}
	return nil
}
