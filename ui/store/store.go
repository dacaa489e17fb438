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
	fresh              []string // lines of the history

	broken map[string]bool // histories that could not be read
	told   map[string]bool // files whose failed write was reported

	saving sync.Mutex // one Save at a time
}

// Open reads the files. It always returns a store, with the defaults if a file is
// invalid; problems has one error for each such file.
func Open(f Folders, settings []Setting) (s *Store, problems []error) {
	s = &Store{
		Settings: settings, Folders: f, choices: map[string]string{}, state: map[string]string{},
		chosen: map[string]string{}, remembered: map[string]string{},
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
	chosen, remembered, fresh, most := s.chosen, s.remembered, s.fresh, s.mostHistory()
	s.chosen, s.remembered, s.fresh = map[string]string{}, map[string]string{}, nil
	s.mu.Unlock()
	state, history := s.saveState(remembered), s.saveHistory(fresh, most)
	s.mu.Lock()
	if state != nil {
		maps.Copy(remembered, s.remembered) // those are newer
		s.remembered = remembered
	}
	if history != nil {
		s.fresh = ring.Newest(append(fresh, s.fresh...), most)
	}
	s.mu.Unlock()
	return errors.Join(s.saveConfig(chosen), s.once(state), s.once(history))
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

// saveConfig changes the values in the current file: the user may have edited it
// meanwhile.
func (s *Store) saveConfig(chosen map[string]string) error {
	file := path(s.Folders.Config, configName)
	if file == "" || len(chosen) == 0 {
		return nil
	}
	text, err := readWhole(file)
	for _, key := range slices.Sorted(maps.Keys(chosen)) {
		if err == nil {
			text, err = edit(file, text, &s.Settings[s.setting(key)], chosen[key])
		}
	}
	if err == nil {
		err = write(file, text)
	}
	if err != nil {
		return fmt.Errorf("not kept: %w", err)
	}
	return nil
}

// saveState changes the values in the current file: another instance may have written to it.
func (s *Store) saveState(remembered map[string]string) error {
	file := path(s.Folders.State, stateName)
	if file == "" || len(remembered) == 0 {
		return nil
	}
	unlock, err := lock(s.Folders.State)
	if err != nil {
		return problem(file, err)
	}
	defer unlock()
	values, err := stateIn(file)
	if err != nil {
		if err := os.Rename(file, file+asideSuffix); err != nil {
			return problem(file, err)
		}
		s.mu.Lock()
		values = maps.Clone(s.state)
		s.mu.Unlock()
	}
	maps.Copy(values, remembered)
	text, err := toml.Marshal(values)
	if err != nil {
		return problem(file, err)
	}
	return write(file, text)
}

// saveHistory appends to the current file: another instance may have written to it. A
// history that could not be read is left alone.
func (s *Store) saveHistory(fresh []string, most int) error {
	file := path(s.Folders.State, historyName)
	if file == "" || len(fresh) == 0 || s.broken[file] {
		return nil
	}
	unlock, err := lock(s.Folders.State)
	if err != nil {
		return problem(file, err)
	}
	defer unlock()
	lines, err := readHistory(file, most)
	if err != nil {
		return err
	}
	for _, l := range fresh {
		lines = appendLine(lines, l, most)
	}
	return write(file, historyText(lines))
}

// lock keeps other instances from writing the state and the history at the same time. If the
// file system has no locks, they are written anyway.
func lock(dir string) (unlock func(), err error) {
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	_ = unix.Flock(int(d.Fd()), unix.LOCK_EX)
	return func() { d.Close() }, nil // releases the lock
}
