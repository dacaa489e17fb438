package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// run runs a program and returns what it prints.
func (r *release) run(env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(r.ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), append(env, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, &stderr)
	}
	return out, nil
}

// forHost is the environment of a build for this machine, whatever flags its user has set.
var forHost = []string{"CGO_ENABLED=0", "GOFLAGS="}

// programs builds the program for each platform, without cgo: it then needs no library to start.
func (r *release) programs() error {
	for _, t := range targets {
		env := []string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch, "GOFLAGS="}
		if _, err := r.run(env, "go", "build", "-trimpath", "-buildvcs=true",
			"-ldflags=-s -w -X main.version="+r.version, "-o", filepath.Join(r.folder(t), "rdmatui"), "."); err != nil {
			return err
		}
	}
	return nil
}

// generated are the documents that the program itself prints.
var generated = []struct {
	file string
	args []string
}{
	{"rdmatui.1", []string{"man"}},
	{"completions/rdmatui.bash", []string{"completion", "bash"}},
	{"completions/_rdmatui", []string{"completion", "zsh"}},
	{"completions/rdmatui.fish", []string{"completion", "fish"}},
}

// titleDate is the date in a manual page's title: of the day on which it was printed.
var titleDate = regexp.MustCompile(`(?m)^(\.TH \S+ \S+ )"[^"]*"`)

// documents adds the manual page, the completions, the README and the licence to each platform's folder.
func (r *release) documents() error {
	own := filepath.Join(r.scratch, "rdmatui")
	if _, err := r.run(forHost, "go", "build", "-trimpath", "-o", own, "."); err != nil {
		return err
	}
	texts := map[string][]byte{}
	for _, g := range generated {
		text, err := r.run(nil, own, g.args...)
		if err != nil {
			return err
		}
		texts[g.file] = titleDate.ReplaceAll(text, []byte(`${1}"`+r.date.Format(time.DateOnly)+`"`))
	}
	for _, file := range []string{"README.md", "CHANGELOG.md", "LICENSE"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		texts[file] = text
	}
	return r.toEach(texts)
}

// toEach writes files to each platform's folder.
func (r *release) toEach(texts map[string][]byte) error {
	for _, t := range targets {
		for file, text := range texts {
			name := filepath.Join(r.folder(t), file)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(name, text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// licenceFile is the name of a file that a module's licence asks to be passed on.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.(md|txt))?$`)

// licences adds the licences of all modules that any platform's program contains, and of Go's standard library.
func (r *release) licences() error {
	root, err := r.run(nil, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	dirs := map[string]string{"go": strings.TrimSpace(string(root))}
	for _, t := range targets {
		b, err := r.run([]string{"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0"}, "go", "list", "-deps",
			"-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", ".")
		if err != nil {
			return err
		}
		for text := range strings.Lines(string(b)) {
			if module, dir, ok := strings.Cut(strings.TrimSpace(text), "\t"); ok {
				dirs[module] = dir
			}
		}
	}
	texts := map[string][]byte{}
	for module, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		found := false
		for _, e := range entries {
			if !e.Type().IsRegular() || !licenceFile.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			found, texts["licences/"+module+"/"+e.Name()] = true, text
		}
		if !found {
			return fmt.Errorf("module %s has no licence file", module)
		}
	}
	return r.toEach(texts)
}

// archives packs each platform's folder.
func (r *release) archives() error {
	for _, t := range targets {
		if err := r.archive(t); err != nil {
			return fmt.Errorf("%s: %w", r.name(t), err)
		}
	}
	return nil
}

func (r *release) archive(t target) (err error) {
	f, err := os.Create(filepath.Join(r.out, r.name(t)+".tar.gz"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	packed := gzip.NewWriter(f)
	archive := tar.NewWriter(packed)
	err = filepath.WalkDir(r.folder(t), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(r.scratch, name)
		if err != nil {
			return err
		}
		mode := int64(0o644)
		if e.Name() == "rdmatui" {
			mode = 0o755
		}
		head := &tar.Header{Name: below, Mode: mode, Size: int64(len(data)), ModTime: r.date, Format: tar.FormatPAX}
		if err := archive.WriteHeader(head); err != nil {
			return err
		}
		_, err = archive.Write(data)
		return err
	})
	return errors.Join(err, archive.Close(), packed.Close())
}

// lists writes for each platform which modules at which versions its program contains.
func (r *release) lists() error {
	for _, t := range targets {
		if _, err := r.run(forHost, "go", "run", lister, "bin", "-json", "-std", "-noserial", "-notimestamp",
			"-version", r.version, "-output", filepath.Join(r.out, r.name(t)+".cdx.json"),
			filepath.Join(r.folder(t), "rdmatui")); err != nil {
			return err
		}
	}
	return nil
}

// checksums writes SHA256SUMS, which "sha256sum -c SHA256SUMS" checks.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, e := range entries {
		sum, err := sumOf(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), sums.Bytes(), 0o644)
}

func sumOf(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return sum.Sum(nil), err
}

// packages makes the packages of each platform.
func (r *release) packages() error {
	for _, t := range targets {
		config := filepath.Join(r.scratch, t.arch+".yaml")
		if err := os.WriteFile(config, r.packageConfig(t), 0o644); err != nil {
			return err
		}
		for _, format := range t.packages {
			if _, err := r.run(forHost, "go", "run", packager, "package", "--config", config, "--packager", format,
				"--target", r.out+"/"); err != nil {
				return err
			}
		}
	}
	return nil
}
