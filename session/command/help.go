package command

import (
	"slices"
	"strings"
)

// helpWidth is how wide help is set: it fits a terminal of 80 columns.
const helpWidth = 79

// helpColumn is where descriptions begin: after the longest name.
const helpColumn = 24

// topics are what help explains beside commands.
var topics = []struct{ name, title, text string }{
	{"language", "THE LANGUAGE",
		`A line is one command: its name, values by place, then name=value in any order. Commands have the names of the verbs without ibv_, arguments those of the fields of the C structs. # starts a comment. In a script the lines between loop and end are repeated; until LINE leaves the loop.`},
	{"references", "REFERENCES",
		`object.field is a value of an object at the time when the line runs: b.qp_num, dst.addr+16, dst.rkey, peer.psn; soft0.port_num is a device's default port. Bytes can be read as numbers: dst.be32.8 is the number at offset 8 of a region, req.private_data.be32.0 one in a peer's private data (pair.0 and pair.1 are two numbers, both be64 or both be32, depending on the data), cq.imm_data a field of the last completion that was polled.`},
	{"values", "VALUES",
		`Numbers are decimal, 0x hex, 0o octal or 0b binary; a number of bytes may be 64K, 2M or 1G, in powers of 1,024. Times are 1s, 250ms, 10us. Shares are 0.05 or 5%. Flags are joined by |; 0 means none. Text with spaces is quoted: "a b"; within quotes \n \t \r \0 \" \\ and \x41 are escapes. Data is "text", 0x68656c6c6f or pattern:LEN, the bytes 0, 1 … 250 repeated; pattern:LEN:FROM starts at position FROM; be64:src.addr,be32:100 are numbers as in memory: u8, and be or le with 16, 32 or 64 bits; write_mem and expect mem also take file:PATH, the bytes of a file. Memory is name:offset:length, several joined by a comma; name alone is the whole region.`},
	{"names", "NAMES",
		`A name starts with a letter and has letters, digits, _ and -. If only one object fits, its name may be left out; the choice is shown.`},
}

// HelpAll lists all commands under their headings.
func HelpAll() string {
	var b strings.Builder
	for i, group := range groups() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.ToUpper(group) + "\n")
		for _, s := range Commands {
			if s.Group == group {
				writeItem(&b, s.Name, s.Summary, helpColumn)
			}
		}
	}
	for _, t := range topics {
		b.WriteString("\n" + t.title + "\n")
		writeWrapped(&b, t.text, "  ", "  ")
	}
	b.WriteString("\nhelp NAME explains one command.\n")
	return b.String()
}

// HelpFor explains one command, all forms of one, or one of the topics language,
// references, values and names. It is "" for anything else.
func HelpFor(name string) string {
	for _, t := range topics {
		if t.name == name {
			var b strings.Builder
			b.WriteString(t.title + "\n")
			writeWrapped(&b, t.text, "  ", "  ")
			return b.String()
		}
	}
	if s := Find(name); s != nil {
		return s.help()
	}
	var parts []string
	for _, s := range Forms(name) {
		parts = append(parts, s.help())
	}
	return strings.Join(parts, "\n")
}

func groups() []string {
	var names []string
	for _, s := range Commands {
		if g := s.Group; !slices.Contains(names, g) {
			names = append(names, g)
		}
	}
	return names
}

func (s *Spec) help() string {
	var b strings.Builder
	b.WriteString("NAME\n")
	writeWrapped(&b, s.Name+" - "+s.Summary, "  ", "    ")
	b.WriteString("\nSYNOPSIS\n")
	writeWrapped(&b, s.Synopsis(), "  ", "    ")
	if len(s.Args) > 0 {
		b.WriteString("\nARGUMENTS\n")
		for i := range s.Args {
			s.Args[i].writeHelp(&b)
		}
	}
	if s.Verb != "" {
		b.WriteString("\nC CALL\n  " + s.Verb + "(3)\n")
	}
	b.WriteString("\nEXAMPLE\n  " + s.Example + "\n")
	return b.String()
}

// manyArgs is how many optional arguments a synopsis spells out.
const manyArgs = 16

// Synopsis is the command's form in one line, what may be left out in brackets.
func (s *Spec) Synopsis() string {
	words := []string{s.Name}
	optional := 0
	for i := range s.Args {
		a := &s.Args[i]
		if w := a.synopsis(); a.Required || a.Positional {
			words = append(words, w)
		} else if optional++; optional <= manyArgs {
			words = append(words, w)
		}
	}
	if optional > manyArgs {
		words = append(words, "…")
	}
	return strings.Join(words, " ")
}

func (a *Arg) synopsis() string {
	w := strings.ToUpper(a.Name)
	if !a.Positional {
		w = a.Name + "=" + valueNames[a.Type]
	}
	if !a.Required {
		w = "[" + w + "]"
	}
	return w
}

// valueNames say in a synopsis what an argument takes.
var valueNames = [...]string{
	Word: "WORD", Text: "TEXT", NewName: "NAME", Object: "NAME", Uint: "N", Addr: "ADDR", Duration: "TIME",
	Share: "SHARE", Bool: "0|1", Choice: "CHOICE", FlagSet: "FLAGS", GIDValue: "GID", SGEList: "NAME:OFFSET:LENGTH",
	Bytes: "DATA", Backing: "BACKING", Errno: "ERRNO", Line: "LINE",
}

func (a *Arg) writeHelp(b *strings.Builder) {
	label := a.Name
	if a.Positional {
		label = strings.ToUpper(label)
	}
	writeItem(b, label, argDoc(a), helpColumn)
	if len(a.Choices) > 0 {
		indent := strings.Repeat(" ", helpColumn)
		separator := " "
		if a.Type == FlagSet {
			separator = " | "
		}
		writeWrapped(b, strings.Join(a.Choices, separator), indent, indent)
	}
}

// writeItem writes a label and beside it its text, wrapped in its own column.
func writeItem(b *strings.Builder, label, text string, column int) {
	first := "  " + label
	if pad := column - len(first); pad > 0 {
		first += strings.Repeat(" ", pad)
	} else {
		first += "  "
	}
	writeWrapped(b, text, first, strings.Repeat(" ", column))
}

// writeWrapped breaks text at spaces; the first line begins with first, the
// others with rest.
func writeWrapped(b *strings.Builder, text, first, rest string) {
	line, width := first, textWidth(first)
	fresh := true // nothing of the text is on the line yet
	for w := range strings.FieldsSeq(text) {
		n := textWidth(w)
		if !fresh && width+1+n > helpWidth {
			b.WriteString(line + "\n")
			line, width, fresh = rest, textWidth(rest), true
		}
		if !fresh {
			line += " "
			width++
		}
		line += w
		width += n
		fresh = false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// textWidth counts characters: help has none that is wider than a column.
func textWidth(s string) int { return len([]rune(s)) }
