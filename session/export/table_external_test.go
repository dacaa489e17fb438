package export_test

import (
	"rdmatui/session"
	"rdmatui/session/export"
)

func init() { export.C = session.C }
