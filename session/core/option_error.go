package core

// OptionError is a failure that an argument of the line mends, and in a scenario one of its options.
type OptionError struct {
	Err         error
	Arg, Option string // "src=", "bind"; arg is "" where the line itself has none
	Takes       string // what they take
}

// Error returns the text of Err.
func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e *OptionError) Unwrap() error { return e.Err }

// Advice is what follows a hint on the line itself, "" where its arguments mend nothing.
func (e *OptionError) Advice() string {
	if e.Arg == "" {
		return ""
	}
	return "; " + e.Arg + " takes " + e.Takes
}
