package session

// optionError is a failure that an argument of the line mends, and in a scenario one of its options.
type optionError struct {
	err         error
	arg, option string // "src=", "bind"; arg is "" where the line itself has none
	takes       string // what they take
}

func (e *optionError) Error() string { return e.err.Error() }
func (e *optionError) Unwrap() error { return e.err }

// advice is what follows a hint on the line itself, "" where its arguments mend nothing.
func (e *optionError) advice() string {
	if e.arg == "" {
		return ""
	}
	return "; " + e.arg + " takes " + e.takes
}
