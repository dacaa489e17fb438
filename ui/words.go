package ui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets"
	"rdmatui/session"
	"rdmatui/session/command/syntax"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
)

// own is a command of the program itself: it concerns the screen, and the session
// never sees it. run returns an error for what was typed wrong.
type own struct {
	names []string // the first is the one that is shown
	arg   string   // as help names it, "" for none
	doc   string
	run   func(l *typedLines, arg string) (tea.Cmd, error)
}

// owns returns the program's own commands, then one for each screen. It is a function because
// the commands use the list themselves.
func owns() []own {
	all := []own{
		{[]string{"quit", "q"}, "", "quit; asks if that destroys objects",
			func(l *typedLines, _ string) (tea.Cmd, error) { return l.app.quit(), nil }},
		{[]string{"quit!", "q!"}, "", "leave at once",
			func(*typedLines, string) (tea.Cmd, error) { return tea.Quit, nil }},
		{[]string{"write", "w"}, "FILE", "write the session: .c a program, .rdma a script, .pcapng the packets, .md the newest incident with its packets, .json the journal, .txt the console",
			(*typedLines).writeFile},
		{[]string{explainWord}, "WORD", "explain a name, a number, an errno or a log", (*typedLines).explainTyped},
		{[]string{"manual"}, "PAGE", "show a page of the manual; without a name list them", (*typedLines).manual},
		{[]string{"theme"}, "NAME", "choose the colours; without a name try them", (*typedLines).chooseTheme},
		{[]string{"set"}, "NAME=VALUE", "change a setting; without a value show it", (*typedLines).set},
	}
	for id := range screen.Count {
		name := strings.ToLower(screen.Names[id])
		all = append(all, own{
			[]string{name, fmt.Sprint(int(id)), strings.ToLower(screen.ShortNames[id])}, "",
			"show the screen " + screen.Names[id],
			func(l *typedLines, _ string) (tea.Cmd, error) { l.Close(); return l.app.goTo(id), nil },
		})
	}
	return all
}

// ownWord finds the program's own command that a line is.
func ownWord(text string) (o *own, arg string, ok bool) {
	word, arg, _ := strings.Cut(strings.TrimSpace(text), " ")
	all := owns()
	i := slices.IndexFunc(all, func(o own) bool { return slices.Contains(o.names, strings.ToLower(word)) })
	if i < 0 {
		return nil, "", false
	}
	return &all[i], strings.TrimSpace(arg), true
}

// acceptOwn carries out a command of the program's own; one that was typed wrong
// stays to be corrected.
func (l *typedLines) acceptOwn(o *own, text, arg string) tea.Cmd {
	if o.arg == "" && arg != "" {
		l.Fail(fmt.Sprintf("%s takes no argument", o.names[0]), len(text)-len(arg), nil)
		return nil
	}
	cmd, err := o.run(l, arg)
	if err != nil {
		l.Fail(err.Error(), len(text), nil)
		return nil
	}
	l.ran(text)
	return tea.Batch(cmd, l.app.env.Save())
}

// ownCandidates completes the program's own commands and their arguments.
func (l *typedLines) ownCandidates(text string, cursor int) (out []widget.Candidate) {
	before := text[:min(cursor, len(text))]
	word, begun, named := strings.Cut(before, " ")
	if named {
		switch word {
		case "theme":
			return beginning(theme.Names, begun, len(before))
		case "set":
			return l.settingCandidates(begun, len(before))
		case "manual":
			return beginning(assets.PageNames(), begun, len(before))
		}
		return explainCandidates(text, cursor)
	}
	if before == "" {
		return nil
	}
	for _, o := range owns() {
		for _, name := range o.names {
			if strings.HasPrefix(name, before) {
				out = append(out, widget.Candidate{Text: name, Help: o.doc, To: len(before)})
				break
			}
		}
	}
	return out
}

// beginning lists the words with a beginning.
func beginning(words []string, begun string, cursor int) (out []widget.Candidate) {
	for _, w := range words {
		if strings.HasPrefix(w, begun) {
			out = append(out, widget.Candidate{Text: w, From: cursor - len(begun), To: cursor})
		}
	}
	return out
}

func (l *typedLines) settingCandidates(begun string, cursor int) (out []widget.Candidate) {
	if l.app.env.Store == nil {
		return nil
	}
	for _, s := range l.app.env.Store.Settings {
		values := s.Values
		if len(values) == 0 { // a number
			values = []string{l.app.env.Store.Choice(s.Key)}
		}
		for _, v := range values {
			if text := s.Key + "=" + v; strings.HasPrefix(text, begun) {
				out = append(out, widget.Candidate{Text: text, Help: s.Doc, From: cursor - len(begun), To: cursor})
			}
		}
	}
	return out
}

// writers say what each extension of a file stands for: a command of the session, or
// text that the screen has.
var writers = map[string]struct {
	command string
	text    func(*typedLines) []byte
}{
	".c":      {command: "export c"},
	".rdma":   {command: "export script"},
	".pcapng": {command: "save_packets"},
	".md":     {command: "save_incident"},
	".json":   {text: (*typedLines).journalJSON},
	".txt":    {text: func(l *typedLines) []byte { return []byte(l.Text()) }},
}

// writeFile writes a new file, of what its extension says.
func (l *typedLines) writeFile(path string) (tea.Cmd, error) {
	path = strings.Trim(path, `"`)
	w, ok := writers[strings.ToLower(filepath.Ext(path))]
	switch {
	case path == "":
		return nil, fmt.Errorf("write needs a file: its extension says what to write, .c .rdma .pcapng .md .json .txt")
	case !ok:
		return nil, fmt.Errorf("%s: the extension says what to write: .c a program, .rdma a script, .pcapng the packets, .md the newest incident, .json the journal, .txt the console", path)
	case w.command != "":
		return l.execTyped(w.command + " " + syntax.Quote(path)), nil
	}
	text := w.text(l)
	return func() tea.Msg {
		f, err := session.CreateFile(path)
		if err == nil {
			_, err = f.Write(text)
			err = f.Finish(err)
		}
		return told{"write " + path, count(len(text)) + " bytes written", err}
	}, nil
}

// told is the answer to a command of the program's own.
type told struct {
	line, answer string
	err          error
}

// tellOwn shows an answer in the console, or at the bottom where that is closed.
func (l *typedLines) tellOwn(msg told) {
	switch {
	case msg.err != nil && l.IsOpen():
		l.Warn(msg.line, msg.err.Error())
	case msg.err != nil:
		l.app.say(screen.FlashMsg{Level: timeline.LevelError, Text: oneLine(msg.err.Error())})
	case l.IsOpen():
		l.Tell(msg.line, msg.answer)
	default:
		l.app.say(screen.FlashMsg{Text: oneLine(msg.line, msg.answer)})
	}
}

// journalJSON is the journal, one JSON object a line, as rdmatui run --json prints it.
func (l *typedLines) journalJSON() (out []byte) {
	events := l.app.env.Session.Timeline().Snapshot()
	for i := range events {
		out = append(events[i].AppendJSON(out), '\n')
	}
	return out
}

// chooseTheme changes the colours and keeps them.
func (l *typedLines) chooseTheme(name string) (tea.Cmd, error) {
	if name == "" {
		l.Close()
		l.app.openThemes()
		return nil, nil
	}
	if name != theme.Auto && !slices.Contains(theme.Names, name) {
		return nil, fmt.Errorf("unknown theme %s: %s", name, syntax.DidYouMean(name, theme.Names))
	}
	return nil, l.app.choose("theme", name)
}

// set changes a setting, or shows it.
func (l *typedLines) set(arg string) (tea.Cmd, error) {
	key, value, given := strings.Cut(arg, "=")
	if key == "" && l.app.env.Store != nil {
		var all []string
		for _, s := range l.app.env.Store.Settings {
			all = append(all, s.Key+"="+l.app.env.Store.Choice(s.Key)+"  "+s.Doc)
		}
		l.Tell("set", strings.Join(all, "\n"))
		return nil, nil
	}
	if given {
		return nil, l.app.choose(key, value)
	}
	l.Tell("set "+key, key+"="+l.app.env.Store.Choice(key))
	return nil, nil
}

// choose gives a setting a value, and what shows it takes it up.
func (a *App) choose(key, value string) error {
	if err := a.env.Store.Choose(key, value); err != nil {
		return err
	}
	switch key {
	case "theme", "glyphs":
		a.retheme()
	case "strip":
		a.restoreStrip()
	case "incidents", "recorder":
		a.setRecorder()
	}
	return nil
}

// setRecorder gives the session what was chosen for its flight recorder.
func (a *App) setRecorder() {
	number := func(key string) int {
		n, _ := strconv.Atoi(a.env.Store.Choice(key)) // the store has checked it
		return n
	}
	a.env.Session.WriteIncidents(".", number("incidents"))
	a.env.Session.LimitPackets(number("recorder"))
}

// retheme draws in the colours and signs that were chosen.
func (a *App) retheme() {
	a.env.Theme.Become(theme.Chosen(a.getenv, a.env.Store.Choice("theme"), a.env.Store.Choice("glyphs")))
	if a.knowsBack && a.env.Store.Choice("theme") == theme.Auto {
		a.env.Theme.Become(a.env.Theme.WithBackground(a.dark))
	}
	a.dirty = true
}
