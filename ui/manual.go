package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/manual"
	"rdmatui/ui/widget"
)

// manual shows a page over the screen, or lists the pages in the console.
func (l *typedLines) manual(name string) (tea.Cmd, error) {
	if name == "" {
		l.Tell("manual", manual.List())
		return nil, nil
	}
	if _, err := manual.Find(name, l.app.helpWide()); err != nil {
		return nil, err
	}
	l.Close()
	layPage(l.app, name)
	return nil, nil
}

// pageOf returns the page of the manual that is about a screen.
func pageOf(screen string) string { return strings.ToLower(screen) }

// layPage shows a page of the manual over the screen.
func layPage(a *App, name string) {
	text, err := manual.Find(name, min(helpWidth, a.w-4)-2)
	if err != nil {
		text = err.Error()
	}
	a.lay("manual: "+name, widget.NewTextPage(a.env.Theme, strings.TrimSuffix(text, "\n"), a.env.Theme.Value))
}
