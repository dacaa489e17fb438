# shellcheck shell=bash disable=SC2034,SC2154 # shares its variables with run
# The machine of "run" as User-Mode Linux: the newest kernel that Debian has, built from its source with uml.config. Sourced
# by run.

packages+=(make gcc libc6-dev flex bison bc xz-utils)

# known lists the versions for which the tests know what differs; a kernel of another version is described as unknown.
known='7.3 7.2'

# newest_series prints the newest known version that the suite has the source of, otherwise the newest that it has.
newest_series() {
  local served series
  served=$(suite_apt apt-cache --names-only search '^linux-source-[0-9.]+$' | sed 's/^linux-source-//; s/ .*//' | sort -rV)
  for series in $known; do
    grep -qx "$series" <<<"$served" && echo "$series" && return
  done
  head -n 1 <<<"$served" | grep .
}

# dont_spin lets a thread that waits for a mutex sleep. User-Mode Linux holds one while it runs a process's thread; to spin
# on it takes a processor from those that have work, the host's other programs too. The option has no prompt.
dont_spin() {
  sed -i '/^config \(MUTEX\|RWSEM\)_SPIN_ON_OWNER$/,/depends on/ s/depends on/& !UML \&\&/' kernel/Kconfig.locks
}

# build_kernel leaves the kernel in the cache, all or nothing.
build_kernel() {
  local series stage=$work/kernel version
  series=$(newest_series) || { echo "no source of a kernel in $archives" >"$work/log" && return 1; }
  rm -rf "$stage" && mkdir -p "$stage/deb" "$stage/source"
  (cd "$stage/deb" && suite_apt apt-get download "linux-source-$series" >/dev/null) || return 1
  version=$(dpkg-deb -f "$stage"/deb/*.deb Version)
  dpkg-deb --fsys-tarfile "$stage"/deb/*.deb | tar -xO "./usr/src/linux-source-$series.tar.xz" |
    tar -xJ -C "$stage/source" --strip-components=1 --exclude='*/drivers/gpu/*.[ch]' --exclude='*/Documentation/*.rst'
  (
    cd "$stage/source" && dont_spin && export ARCH=um KBUILD_BUILD_USER=rdmatui KBUILD_BUILD_HOST=rdmatui
    make tinyconfig && scripts/kconfig/merge_config.sh -m .config "$here/uml.config" && make olddefconfig &&
      make -j"$(nproc)" linux
  ) >"$work/log" 2>&1 || return 1
  cp "$stage/source/linux" "$kernels/new" && mv "$kernels/new" "$kernels/linux-${version%%-*}-$built_from"
  rm -rf "$stage"
}

# A kernel is kept by its version and by what it was built from.
built_from=$({ cat "$here/uml.config" && echo "$known" && declare -f dont_spin build_kernel; } | sha256sum | cut -c -12)

find_kernel() {
  kernel=$(find "$kernels" -maxdepth 1 -name "linux-*-$built_from" 2>/dev/null | sort -V | tail -n 1)
  [ -n "$kernel" ] || return 1
  release=${kernel##*/linux-}
  release=${release%-*}
}

# kernel_works boots only the kernel, which panics within moments because it has no root file system. A host that
# forbids ptrace or seccomp stops it before that.
kernel_works() {
  local said
  said=$(timeout -k 1 20 "$kernel" mem=64M seccomp=on con=null con0=null,fd:1 quiet </dev/null 2>&1) || true
  grep -q 'Kernel panic' <<<"$said" || { grep . <<<"$said" | tail -n 1 >"$work/log" && return 1; }
}

# prepare_kernel builds under a lock of its own, so that other worlds need not wait for it.
prepare_kernel() {
  exec 9>"$kernels/lock"
  flock -w "$prepare_limit" 9 || fail "another run has been building a kernel for ${prepare_limit}s"
  export known built_from
  export -f build_kernel newest_series dont_spin
  find_kernel || fetch build_kernel "or build Debian's newest kernel as User-Mode Linux"
  find_kernel || fail "no kernel in $kernels"
  kernel_works || fail "User-Mode Linux does not start here: $(cat "$work/log")"
}

describe_kernel() {
  local note=
  [[ " $known " = *" ${release%.*} "* ]] || note=", a version that the tests do not know"
  echo "Linux $release as User-Mode Linux$note"
}

build_initrd() {
  [[ $work$suite_root != *[,[:space:]]* ]] || fail "User-Mode Linux wants paths without commas and spaces: $work, $suite_root"
  lay_out_initrd "$work/initrd.d"
  pack_initrd "$work/initrd.d" >"$work/initrd"
}

# lay_wire ARG...: starts run again with its arguments, and with two connected sockets as descriptors 7 and 8. This wire
# loses nothing: a sender waits while the receiver's socket is full.
lay_wire() {
  [ "${RDMATUI_VM_WIRE:-}" != $$ ] || { unset RDMATUI_VM_WIRE && return; }
  exec perl -MSocket -MPOSIX=dup2 -e '
    socketpair(my $one, my $two, AF_UNIX, SOCK_SEQPACKET, PF_UNSPEC) or die "vm/run: socketpair: $!\n";
    dup2(fileno $one, 7) && dup2(fileno $two, 8) or die "vm/run: dup2: $!\n";
    $ENV{RDMATUI_VM_WIRE} = $$;
    exec @ARGV or die "vm/run: exec: $!\n"' "${BASH_SOURCE[-1]}" "$@"
}

# boot DIRECTORY NUMBER: starts a machine whose share, output and console are in the directory; its id is in $spawned. In a
# pair each has an end of the wire.
boot() {
  local dir=$1 wire=() mhz
  mhz=$(awk -F: '/^cpu MHz/ { print $2 + 0; exit }' /proc/cpuinfo)
  [ -z "$pair" ] || wire=("vec0:transport=fd,fd=$((6 + $2)),mac=52:54:00:09:00:0$2")
  spawn "$kernel" mem="${memory}M" ncpus=2 seccomp=on quiet rcupdate.rcu_expedited=1 bonding.max_bonds=0 \
    initrd="$work/initrd" suite="$suite_root" share="$dir/share" mhz="$mhz" \
    con=null con0=null,fd:1 con1=null,fd:5 con2=null,fd:6 "${wire[@]}" \
    </dev/null >"$dir/console" 2>&1 5>"$dir/stdout" 6>"$dir/stderr"
}
