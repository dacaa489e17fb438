// Site writes the manual as a static site: a page of HTML for each page of the manual, an index, and the pictures. It
// needs no server and no script.
//
//	go run ./ui/manual/site -out dist/site
//
// A link that leads nowhere is an error.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"rdmatui/assets"
)

//go:embed page.html
var layoutText string

var layout = template.Must(template.New("page.html").Parse(layoutText))

// entry is a line of the list of pages.
type entry struct {
	File, Title string
	About       template.HTML // the first paragraph
}

// sheet is what the layout shows.
type sheet struct {
	Title          string
	Body           template.HTML
	File           string
	Pages          []entry
	Previous, Next *entry
}

func main() {
	out := flag.String("out", "dist/site", "the folder to write")
	pictures := flag.String("pictures", "assets", "the folder with the pictures of the pages")
	flag.Parse()
	if err := write(*out, os.DirFS(*pictures)); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// write writes the site; pictures has the files of assets that pages show.
func write(out string, pictures fs.FS) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var list []entry
	bodies := map[string]template.HTML{}
	for _, name := range assets.PageNames() {
		page, _ := assets.Page(name)
		body, about, shown, err := convert(page)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, picture := range shown {
			if err := copyFile(out, pictures, picture); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		list = append(list, entry{File: name + ".html", Title: assets.PageTitle(page), About: about})
		bodies[name+".html"] = body
	}
	for i, e := range list {
		s := sheet{Title: e.Title, Body: bodies[e.File], File: e.File, Pages: list}
		if i > 0 {
			s.Previous = &list[i-1]
		}
		if i+1 < len(list) {
			s.Next = &list[i+1]
		}
		if err := s.write(out); err != nil {
			return err
		}
	}
	return sheet{Title: "The manual of rdmatui", File: "index.html", Pages: list}.write(out)
}

func (s sheet) write(out string) error {
	var b bytes.Buffer
	if err := layout.Execute(&b, s); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, s.File), b.Bytes(), 0o644)
}

// convert returns a page as HTML, its first paragraph, and the pictures that it shows.
func convert(page string) (body, about template.HTML, pictures []string, err error) {
	source := []byte(page)
	doc := markdown.Parser().Parse(text.NewReader(source))
	var wrong []error
	var named []*ast.CodeSpan
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			to, err := target(string(n.Destination))
			wrong = append(wrong, err)
			n.Destination = []byte(to)
		case *ast.Image:
			name := path.Base(string(n.Destination))
			n.Destination = []byte(name)
			pictures = append(pictures, name)
		case *ast.CodeSpan:
			named = append(named, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range named {
		linkPage(n, source)
	}
	render := func(n ast.Node) template.HTML {
		var b bytes.Buffer
		wrong = append(wrong, markdown.Renderer().Render(&b, source, n))
		return template.HTML(b.String()) // of our own pages; goldmark leaves raw HTML out
	}
	body = render(doc)
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindParagraph && n.FirstChild().Kind() != ast.KindImage {
			about = render(n)
			break
		}
	}
	return body, about, pictures, errors.Join(wrong...)
}

// linkPage makes a link of the command that shows a page, as pages name each other for readers in a terminal.
func linkPage(n *ast.CodeSpan, source []byte) {
	var code bytes.Buffer
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			code.Write(t.Value(source))
		}
	}
	name, isCommand := strings.CutPrefix(code.String(), "rdmatui manual ")
	if _, ok := assets.Page(name); !isCommand || !ok {
		return
	}
	link := ast.NewLink()
	link.Destination = []byte(name + ".html")
	n.Parent().ReplaceChild(n.Parent(), n, link)
	link.AppendChild(link, n)
}

// target returns where a link of the manual leads on the site. Pages link to pages, and to addresses elsewhere.
func target(link string) (string, error) {
	if strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "#") {
		return link, nil
	}
	file, fragment, _ := strings.Cut(link, "#")
	name, isPage := strings.CutSuffix(file, ".md")
	if _, ok := assets.Page(name); !isPage || !ok {
		return "", fmt.Errorf("the link %s leads to no page of the manual", link)
	}
	if fragment != "" {
		fragment = "#" + fragment
	}
	return name + ".html" + fragment, nil
}

func copyFile(out string, from fs.FS, name string) error {
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, name), data, 0o644)
}
