package lab

import (
	"fmt"
	"io/fs"
	"strings"

	"rdmatui/assets"
)

// readAll parses the scripts of a folder that match a pattern, sorted by name: the path below the
// folder, without its extension.
func readAll[T any](files fs.FS, folder, pattern string, parse func(name, text string) (T, error)) ([]T, error) {
	paths, err := fs.Glob(files, folder+pattern+assets.ScriptExt)
	if err != nil {
		return nil, err
	}
	all := make([]T, len(paths))
	for i, path := range paths {
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(strings.TrimSuffix(path, assets.ScriptExt), folder)
		if all[i], err = parse(name, string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
}

// readHead calls take for each entry of a file's head, and returns what follows the head.
func readHead(text string, take func(key, value string) error) (source string, err error) {
	head, source, ok := strings.Cut(text, "\n\n")
	if !ok {
		return "", fmt.Errorf("no blank line ends the head")
	}
	for _, entry := range entries(head) {
		key, value, ok := strings.Cut(entry, ": ")
		if !ok || value == "" {
			return "", fmt.Errorf("%q is not a KEY: VALUE entry of the head", entry)
		}
		if err := take(key, value); err != nil {
			return "", err
		}
	}
	return source, nil
}

// entries puts the lines of a head together.
func entries(head string) (all []string) {
	for l := range strings.Lines(head) {
		l = strings.TrimPrefix(strings.TrimRight(l, "\n"), "# ")
		if n := len(all); n > 0 && strings.HasPrefix(l, " ") {
			all[n-1] += " " + strings.TrimSpace(l)
			continue
		}
		all = append(all, l)
	}
	return all
}

// difference is what a driver is known to do otherwise, in some versions of the kernel.
type difference struct {
	driver            string
	kernels           KernelRange
	of, value, reason string
}

func (d *difference) isOf(driver Driver) bool {
	return d.driver == driver.Name && d.kernels.Has(driver.Kernel)
}

// differenceStart is the form in which a difference begins; the result and the reason follow.
const differenceStart = "DRIVER [KERNELS]"

// readDifference reads "DRIVER [KERNELS] RESULT; REASON". The meaning of the result is the caller's.
func readDifference(text string) (d difference, result string, err error) {
	what, reason, _ := strings.Cut(text, "; ")
	driver, result, _ := strings.Cut(what, " ")
	d.driver, d.reason = driver, reason
	if first, more, _ := strings.Cut(result, " "); strings.Contains(first, rangeMark) {
		if d.kernels, err = ParseKernelRange(first); err != nil {
			return d, "", err
		}
		result = more
	}
	if driver == "" || result == "" || reason == "" || strings.Contains(result, rangeMark) {
		return d, "", fmt.Errorf("%q is not a difference, which has the form %s RESULT; REASON", text, differenceStart)
	}
	return d, result, nil
}
