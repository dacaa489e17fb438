package sessiontest

// AConnection has a client with an outstanding SEND that will not complete.
const AConnection = `
rdma_create_event_channel events MODE
rdma_create_id listen channel=events
rdma_bind_addr listen port=7
rdma_listen listen
rdma_create_id id channel=events
rdma_resolve_addr id 10.0.0.2 port=7
rdma_get_cm_event ADDR_RESOLVED id=id
alloc_pd pd id=id
reg_mr mr pd=pd length=8
create_cq scq id=id
create_cq rcq id=id
rdma_create_qp id qp pd=pd send_cq=scq recv_cq=rcq
rdma_resolve_route id
rdma_get_cm_event ROUTE_RESOLVED id=id
rdma_connect id
rdma_get_cm_event CONNECT_REQUEST name=req
rdma_accept req qp_num=5
rdma_get_cm_event ESTABLISHED id=id
rdma_get_cm_event ESTABLISHED id=req
post_send qp SEND wr_id=2 sge=mr
`
