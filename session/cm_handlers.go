package session

// managerCommands are the commands of the connection manager, by name.
var managerCommands = Handlers{
	"rdma_create_event_channel": (*Session).createEventChannel,
	"rdma_create_id":            (*Session).createID,
	"rdma_getaddrinfo":          (*Session).getAddrInfo,
	"rdma_bind_addr":            (*Session).bindAddr,
	"rdma_resolve_addr":         (*Session).resolveAddr,
	"rdma_resolve_route":        (*Session).resolveRoute,
	"rdma_listen":               (*Session).listenID,
	"rdma_connect":              (*Session).connectID,
	"rdma_accept":               (*Session).acceptID,
	"rdma_reject":               (*Session).rejectID,
	"reject_all":                (*Session).rejectAll,
	"rdma_disconnect":           (*Session).disconnectID,
	"rdma_establish":            (*Session).establishID,
	"rdma_notify":               (*Session).notifyID,
	"rdma_set_option":           (*Session).setIDOption,
	"rdma_create_qp":            (*Session).createManagedQP,
	"rdma_init_qp_attr":         (*Session).initQPAttr,
	"rdma_join_multicast":       (*Session).joinMulticast,
	"rdma_leave_multicast":      (*Session).leaveMulticast,
	"rdma_migrate_id":           (*Session).migrateID,
	"rdma_get_cm_event":         (*Session).getCMEvent,
	"rdma_get_request":          (*Session).getRequest,
	"expect cm":                 (*Session).expectCM,
	"expect id":                 (*Session).expectID,
}
