package main

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"rdmatui/assets"
)

// place is what a file of the site has: the targets of its links and pictures, and the names that links can lead to.
type place struct {
	links []string
	ids   map[string]bool
}

func readPlace(t *testing.T, name string) place {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := html.Parse(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p := place{ids: map[string]bool{}}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "href", "src":
				p.links = append(p.links, a.Val)
			case "id":
				if p.ids[a.Val] {
					t.Errorf("%s: two elements are called %s", name, a.Val)
				}
				p.ids[a.Val] = true
			}
		}
	}
	return p
}

// readSite reads the pages of a site; its other files have no names that links can lead to.
func readSite(t *testing.T, folder string) map[string]place {
	t.Helper()
	files, err := fs.Glob(os.DirFS(folder), "*")
	if err != nil {
		t.Fatal(err)
	}
	site := map[string]place{}
	for _, name := range files {
		site[name] = place{}
		if filepath.Ext(name) == ".html" {
			site[name] = readPlace(t, filepath.Join(folder, name))
		}
	}
	return site
}

// TestSite: no link of the site is dead, and each page can be reached from the index.
func TestSite(t *testing.T) {
	out := filepath.Join(t.TempDir(), "site")
	if err := write(out, os.DirFS("../../../assets")); err != nil {
		t.Fatal(err)
	}
	site := readSite(t, out)
	pictures, between := 0, 0
	for name, p := range site {
		for _, link := range p.links {
			at, err := url.Parse(link)
			if err != nil || at.Scheme != "" && at.Scheme != "https" {
				t.Errorf("%s: the link %s: %v", name, link, err)
				continue
			}
			if at.Scheme != "" {
				continue
			}
			file := at.Path
			if file == "" {
				file = name
			}
			to, ok := site[file]
			if !ok || at.Fragment != "" && !to.ids[at.Fragment] {
				t.Errorf("%s: the link %s is dead", name, link)
			}
			if filepath.Ext(file) == ".svg" {
				pictures++
			}
		}
		if name == "settings.html" && strings.Count(strings.Join(p.links, " "), "recorder.html") > 1 {
			between++ // in the text too, beside the list of pages
		}
	}
	if pictures < 5 || between != 1 {
		t.Errorf("%d pictures, and settings names the page of the recorder %d times", pictures, between)
	}
	index := strings.Join(site["index.html"].links, " ")
	for _, name := range assets.PageNames() {
		if !strings.Contains(index, name+".html") {
			t.Errorf("the index does not lead to %s", name)
		}
	}
}

// TestSiteRefuses: a link that leads nowhere and a picture that is missing are errors.
func TestSiteRefuses(t *testing.T) {
	for link, want := range map[string]string{
		"wire.md": "wire.html", "wire.md#keys": "wire.html#keys", "#keys": "#keys",
		"https://example.com/x.md": "https://example.com/x.md",
		"nothing.md":               "", "wire.html": "", "../README.md": "", "http://example.com": "",
	} {
		if got, err := target(link); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", link, got, err)
		}
	}
	if _, _, _, err := convert("# A\n\nsee [b](b.md)\n"); err == nil {
		t.Error("a page with a dead link is taken")
	}
	if err := write(t.TempDir(), fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), ".svg") {
		t.Errorf("without pictures: %v", err)
	}
}

// TestConvert: raw HTML of a page is left out, and what a page says of itself is its first paragraph.
func TestConvert(t *testing.T) {
	const page = "# A `b`\n\n![x](../x.svg)\n\nSee <script>x</script> `rdmatui manual wire`.\n\n| a |\n|---|\n| 1 < 2 |\n"
	body, about, pictures, err := convert(page)
	if err != nil || len(pictures) != 1 || pictures[0] != "x.svg" {
		t.Fatalf("%v, %v", pictures, err)
	}
	if strings.Contains(string(body), "<script") {
		t.Errorf("raw HTML is kept: %s", body)
	}
	for _, want := range []string{`<h1 id="a-b">A <code>b</code></h1>`, `<img src="x.svg" alt="x">`,
		"<td>1 &lt; 2</td>", `<a href="wire.html"><code>rdmatui manual wire</code></a>`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	if !strings.HasPrefix(string(about), "<p>See ") || strings.Contains(string(about), "<table") {
		t.Errorf("about: %s", about)
	}
}
