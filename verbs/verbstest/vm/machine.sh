# Process 1 of the machine: sets up the network and rxe0, runs the command, powers off.
# Kernel messages and this script's own output go to the console; the command's output goes to separate ports.
exec </dev/null >/dev/console 2>&1
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
share=/run/rdmatui-vm

power_off() {
  sync
  busybox poweroff -f
}

# up COMMAND...: a step of the setup; if it fails, the machine powers off without running the command.
up() {
  "$@" && return
  echo "inside the machine: $* failed" >"$share/failure"
  power_off
}

has_ipv4_gid() {
  local try
  for try in {1..100}; do
    grep -qs "^0000:0000:0000:0000:0000:ffff:0a09:000$number\$" /sys/class/infiniband/rxe0/ports/1/gids/* && return
    sleep 0.1
  done
  return 1
}

# lay_wire makes d0, whose other end is in the namespace "peer" or, in a pair, in the other machine.
lay_wire() {
  if [ -n "$pair" ]; then
    up ip link set "$(ls /sys/class/net | grep -m 1 -e eth0 -e vec0)" name d0
    return
  fi
  up ip netns add peer
  up ip link add d0 type veth peer name d1
  up ip link set d1 netns peer
  up ip -n peer link set lo up
  up ip -n peer addr add 10.9.0.2/24 dev d1
  up ip -n peer link set d1 up
}

# second_answers waits until the second machine takes commands.
second_answers() {
  until (: <>/dev/tcp/10.9.0.2/9) 2>/dev/null; do
    [ "$SECONDS" -lt 300 ] || return
    sleep 0.2
  done
}

# User-Mode Linux does not tell the processor's frequency, without which perftest's programs report 0 for everything.
if [ -n "$mhz" ]; then
  { cat /proc/cpuinfo; echo "cpu MHz		: $mhz"; } >/run/cpuinfo
  up mount --bind /run/cpuinfo /proc/cpuinfo
fi

pair=$(cat "$share/number" 2>/dev/null)
number=${pair:-1}
ulimit -l unlimited
up ip link set lo up
lay_wire
up ip addr add "10.9.0.$number/24" dev d0
up ip link set d0 up
up rdma link add rxe0 type rxe netdev d0
up has_ipv4_gid
[ ! -e "$share/siw" ] || up rdma link add siw0 type siw netdev d0
[ "$pair" != 1 ] || up second_answers

# Two ports of qemu or two terminals of User-Mode Linux lead out of the machine.
ports=(/dev/vport*p[12])
if [ ! -e "${ports[0]}" ]; then
  ports=(/dev/tty1 /dev/tty2)
  for port in "${ports[@]}"; do up stty -F "$port" raw -echo; done
fi
# A port can be opened only once, but programs reopen /dev/stdout. So the command writes to pipes, from which copiers read.
mkfifo /run/vm-stdout /run/vm-stderr
cat /run/vm-stdout >"${ports[0]}" &
copiers=" $! "
cat /run/vm-stderr >"${ports[1]}" &
copiers+="$! "

/bin/bash "$share/command" >/run/vm-stdout 2>/run/vm-stderr
status=$?

# Remaining processes of the command would keep the pipes open for ever.
for process in /proc/[0-9]*; do
  id=${process#/proc/}
  [ "$id" = 1 ] || [[ $copiers = *" $id "* ]] || kill -KILL "$id" 2>/dev/null
done
wait
echo "$status" >"$share/status"
power_off
