package session

import "rdmatui/session/core"

// labCommands are the commands of the error lab, by name.
var labCommands = core.Handlers{"lab": labCommand}
