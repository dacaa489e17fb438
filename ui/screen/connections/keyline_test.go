package connections

import (
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// keyLine is the bottom line of 80 columns.
func (x *bench) keyLine() string {
	block := &widget.Func{Line: func(b *line.Buf, _, _, _ int) { b.Space(1); widget.DrawHints(b, x.s.Context(), "") }}
	return uitest.Text(widget.Render(theme.New("none", true), block, 80, 1))
}

// The bottom line names the keys that can be used: answers if a request waits,
// disconnect if there is a connection.
func TestKeyLine(t *testing.T) {
	serve := func(x *bench, name, port string) {
		x.channel(x.sess)
		x.do("rdma_create_id "+name+" channel=events ps=TCP", "rdma_bind_addr "+name+" port="+port, "rdma_listen "+name)
	}
	for name, c := range map[string]struct {
		set  func(*bench)
		want string
	}{
		"nothing": {func(*bench) {}, " c connect  l listen  W wait for peer  J join peer  : command  ? help  q quit"},
		"draft":   {faces["draft"], " enter run  e edit  b run all  c connect  l listen  : command  ? help  q quit"},
		"listening": {func(x *bench) { x.serve() },
			" c connect  l listen  D destroy id  v this id only  : command  ? help  q quit"},
		"two": {func(x *bench) { serve(x, "listen", "7471"); serve(x, "listen2", "7473") },
			" c connect  l listen  o other id  D destroy id  : command  ? help  q quit"},
		"asked": {faces["request"], " a accept  R reject  enter run  e edit  b run all  : command  ? help  q quit"},
		"asked elsewhere": {func(x *bench) { x.client(session.IDAddrResolved); x.serve(); x.ask() },
			" a accept  R reject  enter run  e edit  b run all  : command  ? help  q quit"},
		"connecting": {faces["connecting"],
			" c connect  l listen  D destroy id  v this id only  : command  ? help  q quit"},
		"connected": {func(x *bench) { x.client(session.IDConnected) },
			" d disconnect  c connect  l listen  D destroy id  : command  ? help  q quit"},
		"datagrams": {datagrams, " d disconnect  enter run  e edit  b run all  : command  ? help  q quit"},
		"over": {func(x *bench) { x.client(session.IDDisconnected) },
			" enter run  e edit  b run all  c connect  l listen  : command  ? help  q quit"},
	} {
		run(t, plain, func(x *bench) {
			c.set(x)
			if got := x.keyLine(); got != c.want {
				t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
			}
		})
	}
	runOn(t, plain, func(*manager) []verbs.Provider { return []verbs.Provider{noManager{}} }, func(x *bench) {
		if got, want := x.keyLine(), " / filter  E explain  y copy  z zoom  : command  ? help  q quit"; got != want {
			t.Errorf("without a manager:\n%s, want\n%s", got, want)
		}
	})
}

// datagrams connects an identifier whose queue pair is UD.
func datagrams(x *bench) {
	x.channel(x.sess)
	x.channel(x.peer)
	x.theirs("rdma_create_id listen channel=events ps=UDP", "rdma_bind_addr listen port=7472", "rdma_listen listen")
	x.do("rdma_create_id id channel=events ps=UDP", "rdma_resolve_addr id 127.0.0.1 port=7472", "rdma_resolve_route id",
		"alloc_pd pd id=id", "create_cq cq id=id cqe=64", "rdma_create_qp id qp pd=pd send_cq=cq recv_cq=cq",
		"rdma_connect id")
	x.theirs("rdma_accept listen-1 qp_num=0x99")
}
