// Package store keeps the user's choices (the config, a TOML file that the user may
// edit) and what the program remembers from one run to the next (the state, and the
// history of the console).
//
// A file that cannot be read or parsed is reported once and never overwritten: a
// config stays as it is, a state is moved aside. Every file is replaced in one step.
package store

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/BurntSushi/toml"
	"golang.org/x/sys/unix"

	"rdmatui/verbs/ring"
)

// The files.
const (
	configName  = "config"
	stateName   = "state"
	historyName = "history"
	asideSuffix = ".bad" // of a state that could not be read
)

// maxText bounds the config and the state.
const maxText = 64 << 10

// Keys of the state.
const (
	Strip   = "strip"   // the last mode of the live strip
	Address = "address" // the last address typed on Connections
)

// Store holds the values and writes them. Its methods may be called from any
// goroutine; those of a nil Store do nothing and return the defaults. Choose,
// Remember and AddHistory change values in memory; Save writes them.
type Store struct {
	Settings []Setting
	Folders  Folders

	mu      sync.Mutex
	choices map[string]string
	state   map[string]string
	history []string

	// Changes that are not written yet.
	chosen, remembered map[string]string
	unwritten          map[string]string // choices that an earlier Save could not write, and has reported
	fresh              []string          // lines of the history

	leastLines int // see KeepLonger

	broken map[string]bool // histories that could not be read
	told   map[string]bool // files whose failed write was reported

	saving sync.Mutex // one Save at a time
}

// Open reads the files. It always returns a store, with the defaults if a file is
// invalid; problems has one error for each such file.
func Open(f Folders, settings []Setting) (s *Store, problems []error) {
	s = &Store{
		Settings: settings, Folders: f, choices: map[string]string{}, state: map[string]string{},
		chosen: map[string]string{}, unwritten: map[string]string{}, remembered: map[string]string{},
		broken: map[string]bool{}, told: map[string]bool{},
	}
	for _, err := range []error{s.readConfig(), s.readState(), s.readHistory()} {
		if err != nil {
			problems = append(problems, err)
		}
	}
	return s, problems
}

func (s *Store) readConfig() error {
	file := path(s.Folders.Config, configName)
	if file == "" {
		return nil
	}
	text, err := readWhole(file)
	if err == nil {
		var choices map[string]string
		choices, err = readSettings(file, text, s.Settings)
		maps.Copy(s.choices, choices)
	}
	return err
}

// readWhole reads a text file of bounded length.
func readWhole(file string) ([]byte, error) {
	text, whole, err := read(file, maxText)
	if err == nil && !whole {
		err = problem(file, fmt.Errorf("it is longer than %d bytes", maxText))
	}
	return text, err
}

func (s *Store) readState() error {
	file := path(s.Folders.State, stateName)
	if file == "" {
		return nil
	}
	values, err := stateIn(file)
	maps.Copy(s.state, values)
	return err
}

// stateIn reads a file of the state; without a file the state is empty.
func stateIn(file string) (map[string]string, error) {
	values := map[string]string{}
	text, err := readWhole(file)
	if err != nil {
		return values, err
	}
	decoded, err := decode(file, text)
	for key, v := range decoded {
		if text, ok := v.(string); ok {
			values[key] = text
		}
	}
	return values, err
}

func (s *Store) readHistory() (err error) {
	file := path(s.Folders.State, historyName)
	if file == "" {
		return nil
	}
	s.history, err = readHistory(file, s.mostHistory())
	s.broken[file] = err != nil
	return err
}

func (s *Store) mostHistory() int {
	n, _ := strconv.Atoi(s.value("history"))
	return n
}

// value returns the value of a setting; s.mu must be held, or s not yet shared.
func (s *Store) value(key string) string {
	if v, ok := s.choices[key]; ok {
		return v
	}
	if i := s.setting(key); i >= 0 {
		return s.Settings[i].Default
	}
	return ""
}

func (s *Store) setting(key string) int {
	return slices.IndexFunc(s.Settings, func(t Setting) bool { return t.Key == key })
}

// Choice returns the value of a setting, or its default.
func (s *Store) Choice(key string) string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value(key)
}

// Choose sets a setting.
func (s *Store) Choose(key, value string) error {
	if s == nil {
		return nil
	}
	i := s.setting(key)
	if i < 0 {
		return fmt.Errorf("there is no setting %s", key)
	}
	if err := s.Settings[i].check(value); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choices[key], s.chosen[key] = value, value
	return nil
}

// Recall returns the value remembered under a key of the state, "" for none.
func (s *Store) Recall(key string) string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state[key]
}

// maxRemembered bounds a value of the state.
const maxRemembered = 1 << 10

// Remember keeps a value for the next run.
func (s *Store) Remember(key, value string) {
	if s == nil || len(value) > maxRemembered {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state[key] != value {
		s.state[key], s.remembered[key] = value, value
	}
}

// History returns the lines of the console, oldest first.
func (s *Store) History() []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.history)
}

// AddHistory appends a line.
func (s *Store) AddHistory(line string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	most := s.mostHistory()
	s.history = appendLine(s.history, line, most)
	s.fresh = appendLine(s.fresh, line, most)
}

// Save writes all changes. It may take as long as the file system takes. A file that
// cannot be written is reported once; what belongs there is written by a later Save.
func (s *Store) Save() error {
	if s == nil {
		return nil
	}
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	chosen, unwritten, remembered, fresh, most := s.chosen, s.unwritten, s.remembered, s.fresh, s.mostHistory()
	s.chosen, s.remembered, s.fresh = map[string]string{}, map[string]string{}, nil
	s.mu.Unlock()
	unwritten, config := s.saveConfig(chosen, unwritten)
	state, history := s.saveState(remembered), s.saveHistory(fresh, most)
	s.mu.Lock()
	s.unwritten = unwritten
	if state != nil {
		maps.Copy(remembered, s.remembered) // those are newer
		s.remembered = remembered
	}
	if history != nil {
		s.fresh = ring.Newest(append(fresh, s.fresh...), most)
	}
	s.mu.Unlock()
	return errors.Join(config, s.once(state), s.once(history))
}

// once returns an error only for the first failure of a file.
func (s *Store) once(err error) error {
	var p *Problem
	if errors.As(err, &p) {
		if s.told[p.File] {
			return nil
		}
		s.told[p.File] = true
	}
	return err
}

// saveConfig changes the chosen values in the current file: the user may have edited it
// meanwhile. With them it writes those that an earlier Save could not write. It returns all
// that it could not write, and an error if one of the chosen values is among them.
func (s *Store) saveConfig(chosen, earlier map[string]string) (left map[string]string, err error) {
	file := path(s.Folders.Config, configName)
	all := maps.Clone(earlier)
	maps.Copy(all, chosen)
	if file == "" || len(all) == 0 {
		return all, nil
	}
	if err := makeFolder(s.Folders.Config); err == nil {
		if release, err := lock(s.Folders.Config); err == nil {
			defer release()
		}
	}
	text, failed := readWhole(file)
	left = map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		edited, wrong := text, failed
		if wrong == nil {
			edited, wrong = edit(file, text, &s.Settings[s.setting(key)], all[key])
		}
		if wrong == nil {
			text = edited
			continue
		}
		left[key] = all[key]
		if _, now := chosen[key]; now && err == nil {
			err = wrong
		}
	}
	if len(left) < len(all) {
		if failed = write(file, text); failed != nil {
			left = all
		}
		if len(chosen) > 0 && err == nil {
			err = failed
		}
	}
	if err != nil {
		err = fmt.Errorf("not kept: %w", err)
	}
	return left, err
}

// saveState changes the values in the current file: another instance may have written to it.
func (s *Store) saveState(remembered map[string]string) error {
	if len(remembered) == 0 {
		return nil
	}
	return s.update(stateName, func(file string) ([]byte, error) {
		values, err := stateIn(file)
		if err != nil {
			if err := os.Rename(file, file+asideSuffix); err != nil {
				return nil, err
			}
			s.mu.Lock()
			values = maps.Clone(s.state)
			s.mu.Unlock()
		}
		maps.Copy(values, remembered)
		return toml.Marshal(values)
	})
}

// saveHistory appends to the current file: another instance may have written to it. A
// history that could not be read is left alone.
func (s *Store) saveHistory(fresh []string, most int) error {
	if len(fresh) == 0 || s.broken[path(s.Folders.State, historyName)] {
		return nil
	}
	return s.update(historyName, func(file string) ([]byte, error) {
		lines, err := readHistory(file, most)
		for _, l := range fresh {
			lines = appendLine(lines, l, most)
		}
		return historyText(lines), err
	})
}

// update replaces the text of a file in the state's folder. Other instances do not write to the
// folder meanwhile; if the file system has no locks, they may.
func (s *Store) update(name string, text func(file string) ([]byte, error)) error {
	file := path(s.Folders.State, name)
	if file == "" {
		return nil
	}
	if err := makeFolder(s.Folders.State); err != nil {
		return problem(file, err)
	}
	release, err := lock(s.Folders.State)
	if err != nil {
		return problem(file, err)
	}
	defer release()
	b, err := text(file)
	if err != nil {
		return problem(file, err)
	}
	return write(file, b)
}

// lock keeps other instances from writing to a folder until it is released.
func lock(folder string) (release func(), err error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	_ = unix.Flock(int(f.Fd()), unix.LOCK_EX)
	return func() { f.Close() }, nil
}
