package core

// OptionError is a failure that one of the line's arguments, or of a scenario's
// options, can fix.
type OptionError struct {
	Err         error
	Arg, Option string // "src=", "bind"; Arg is "" if the line itself has none
	Takes       string // the values that they accept
}

// Error returns the text of Err.
func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e *OptionError) Unwrap() error { return e.Err }

// Advice returns a hint for the line itself, "" if no argument can fix it.
func (e *OptionError) Advice() string {
	if e.Arg == "" {
		return ""
	}
	return "; " + e.Arg + " takes " + e.Takes
}
