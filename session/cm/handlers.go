package cm

import "rdmatui/session/core"

// Commands are the commands of the connection manager, by name.
var Commands = core.Handlers{
	"rdma_create_event_channel": createEventChannel,
	"rdma_create_id":            createID,
	"rdma_getaddrinfo":          getAddrInfo,
	"rdma_bind_addr":            bindAddr,
	"rdma_resolve_addr":         resolveAddr,
	"rdma_resolve_route":        resolveRoute,
	"rdma_listen":               listenID,
	"rdma_connect":              connectID,
	"rdma_accept":               acceptID,
	"rdma_reject":               rejectID,
	"reject_all":                rejectAll,
	"rdma_disconnect":           disconnectID,
	"rdma_establish":            establishID,
	"rdma_notify":               notifyID,
	"rdma_set_option":           setIDOption,
	"rdma_create_qp":            createManagedQP,
	"rdma_init_qp_attr":         initQPAttr,
	"rdma_join_multicast":       joinMulticast,
	"rdma_leave_multicast":      leaveMulticast,
	"rdma_migrate_id":           migrateID,
	"rdma_get_cm_event":         getCMEvent,
	"rdma_get_request":          getRequest,
	"expect cm":                 expectCM,
	"expect id":                 expectID,
}
