#include <rdma/rdma_cma.h>
#include <string.h>

/* Copies an event to cm_events, overwriting the oldest. */
static void keep_cm_event(const struct rdma_cm_event *event)
{
	struct cm_event *kept = &cm_events[number_cm_events++ % 256];
	const void *data;

	*kept = (struct cm_event){
		.type = event->event, .status = event->status,
		.id = event->id, .listen_id = event->listen_id, .channel = event->id->channel,
	};
	if (event->id->ps == RDMA_PS_UDP || event->id->ps == RDMA_PS_IPOIB) {
		kept->peer_qp_num = event->param.ud.qp_num;
		kept->remote_qkey = event->param.ud.qkey;
		kept->ah_attr = event->param.ud.ah_attr;
		kept->private_data_len = event->param.ud.private_data_len;
		data = event->param.ud.private_data;
	} else {
		kept->responder_resources = event->param.conn.responder_resources;
		kept->initiator_depth = event->param.conn.initiator_depth;
		kept->peer_qp_num = event->param.conn.qp_num;
		kept->private_data_len = event->param.conn.private_data_len;
		data = event->param.conn.private_data;
	}
	if (data)
		memcpy(kept->private_data, data, kept->private_data_len);
	else
		kept->private_data_len = 0;
}
