// Package manual turns the pages of the manual into plain text for a terminal.
package manual

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	gtext "github.com/yuin/goldmark/text"

	"rdmatui/assets"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// List returns a line for each page: its name and its title.
func List() string {
	var b strings.Builder
	for _, name := range assets.PageNames() {
		page, _ := assets.Page(name)
		fmt.Fprintf(&b, "%-16s %s\n", name, assets.PageTitle(page))
	}
	return b.String()
}

// Find returns the page of a name as text at most w cells wide, but for lines of code. Its error says how to list the
// pages.
func Find(name string, w int) (string, error) {
	page, ok := assets.Page(strings.ToLower(strings.ReplaceAll(name, " ", "-")))
	if !ok {
		return "", fmt.Errorf("the manual has no page %q; 'manual' alone lists the pages", name)
	}
	return Text(page, w), nil
}

// Text returns Markdown as text at most w cells wide, but for lines of code. Pictures are left out: a terminal shows
// the screens themselves.
func Text(markdown string, w int) string {
	src := []byte(markdown)
	p := &printer{src: src, w: w}
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(gtext.NewReader(src))
	p.blocks(doc, "")
	return strings.TrimRight(p.out.String(), "\n") + "\n"
}

// printer writes the blocks of a page.
type printer struct {
	src []byte
	w   int
	out strings.Builder
}

// codeIndent is in front of lines of code.
const codeIndent = "    "

func (p *printer) blocks(parent ast.Node, indent string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			p.paragraph(strings.ToUpper(p.inline(n)), indent, indent)
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			p.code(n, indent)
		case *ast.List:
			p.list(n, indent)
		case *east.Table:
			p.table(n, indent)
		default:
			p.paragraph(p.inline(n), indent, indent)
		}
	}
}

// paragraph writes a text and a blank line; nothing for a paragraph of pictures alone.
func (p *printer) paragraph(text, first, rest string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.wrapped(text, first, rest)
	p.out.WriteByte('\n')
}

func (p *printer) wrapped(text, first, rest string) {
	for _, l := range widget.Wrap(nil, text, p.w-len(rest)) {
		p.out.WriteString(strings.TrimRight(first+l, " ") + "\n")
		first = rest
	}
}

func (p *printer) code(n ast.Node, indent string) {
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		p.out.WriteString(indent + codeIndent + string(at.Value(p.src)))
	}
	p.out.WriteByte('\n')
}

// list writes the items with a number or a dash.
func (p *printer) list(n *ast.List, indent string) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		first := indent + mark
		for b := item.FirstChild(); b != nil; b = b.NextSibling() {
			p.wrapped(p.inline(b), first, indent+strings.Repeat(" ", len(mark)))
			first = indent + strings.Repeat(" ", len(mark))
		}
	}
	p.out.WriteByte('\n')
}

// table writes the first columns at the width of their longest cell and wraps the last; where the room for the last is
// too small, it stands below the others.
func (p *printer) table(n *east.Table, indent string) {
	var rows [][]string
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var cells []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, p.inline(c))
		}
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		rows = append(rows, cells)
	}
	last := len(n.Alignments) - 1
	widths := make([]int, last+1)
	for _, r := range rows {
		for i, c := range r {
			if i < last {
				widths[i] = max(widths[i], min(line.Width(c), p.w/2))
			}
		}
	}
	for _, r := range rows {
		p.row(r, widths, indent)
	}
	p.out.WriteByte('\n')
}

// gap is the cells between two columns.
const gap = "  "

func (p *printer) row(cells []string, widths []int, indent string) {
	left := indent
	for i, c := range cells {
		if i == len(widths)-1 {
			p.wrapped(c, left, strings.Repeat(" ", line.Width(left)))
			return
		}
		if line.Width(c) > widths[i] {
			p.wrapped(c, left, strings.Repeat(" ", line.Width(left)))
			left = strings.Repeat(" ", line.Width(left)+widths[i]) + gap
			continue
		}
		left += c + strings.Repeat(" ", widths[i]-line.Width(c)) + gap
	}
	p.out.WriteString(strings.TrimRight(left, " ") + "\n")
}

// inline returns the text of a block without its marks; a line end becomes a blank.
func (p *printer) inline(block ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.CodeSpan:
			b.WriteString(p.codeSpan(n))
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			b.WriteString(strings.ReplaceAll(string(n.Value(p.src)), "\n", " "))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.URL(p.src))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// codeSpan returns code, in quotes if it would be taken for punctuation, such as the key ".".
func (p *printer) codeSpan(n *ast.CodeSpan) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(p.src))
		}
	}
	code := strings.ReplaceAll(b.String(), "\n", " ")
	if strings.IndexFunc(code, func(r rune) bool { return !unicode.IsPunct(r) }) < 0 {
		return "'" + code + "'"
	}
	return code
}
