package cli

import (
	"context"
	"errors"
	"os"

	"github.com/charmbracelet/x/term"

	"rdmatui/session/capture"
	"rdmatui/session/trace"
)

// screen reports whether wire opens the screen: on a terminal, unless a flag asks for
// text.
func (f *wireFlags) screen(c *call) bool {
	if c.json || f.summary || f.requests || f.ends || f.print || f.count > 0 || f.filter != "" || f.write != "" {
		return false
	}
	out, ok := c.Stdout.(*os.File)
	return ok && term.IsTerminal(out.Fd())
}

// wireScreen opens the screen on an interface, or on captures.
func wireScreen(ctx context.Context, c *call, names []string, on string) error {
	sources, err := captureSources(ctx, c, names, on)
	if err != nil {
		return err
	}
	providers, err := c.providers()
	if err != nil {
		return errors.Join(err, closeAll(sources))
	}
	return c.Screen(ctx, providers, "", sources)
}

// captureSources opens an interface, or captures: what cannot be read is told before the
// screen opens.
func captureSources(ctx context.Context, c *call, names []string, on string) (sources []trace.Source, err error) {
	if on != "" {
		r, err := capture.Live(on)
		return []trace.Source{{Name: on, Reader: r}}, err
	}
	for _, name := range names {
		from, r, err := openCapture(ctx, name, c.Stdin)
		if err != nil {
			return nil, errors.Join(err, closeAll(sources))
		}
		sources = append(sources, trace.Source{Name: inputName(name), Reader: r, File: from})
	}
	return sources, nil
}

func closeAll(sources []trace.Source) (err error) {
	for i := range sources {
		err = errors.Join(err, sources[i].Close())
	}
	return err
}
