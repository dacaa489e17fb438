package export

// C translates a recording with the session's table of commands, which is above this package: an external test sets it.
var C func(Recording) string
