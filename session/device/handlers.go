package device

import "rdmatui/session/core"

// Commands are the commands that open a device and ask it, by name.
var Commands = core.Handlers{
	"open_device":        openDevice,
	"query_device":       queryDevice,
	"query_port":         queryPort,
	"query_gid":          queryGID,
	"query_rt_values_ex": queryRTValuesEx,
	"query_pkey":         queryPKey,
	"get_async_event":    getAsyncEvent,
	"fault":              fault,
	"expect async":       expectAsync,
}
