package format

import "strings"

// OneLine returns the text of an error in one line, with one space for each run of white space; "" for nil.
func OneLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// Problems returns the text of an error in one line: joined errors are separated by semicolons.
func Problems(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
