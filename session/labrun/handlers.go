package labrun

import "rdmatui/session/core"

// Commands are the commands of the error lab, by name.
var Commands = core.Handlers{"lab": labCommand}
