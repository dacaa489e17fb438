# shellcheck shell=bash disable=SC2034,SC2154 # shares its variables with run
# The machine of "run" as qemu, with one of Debian's own kernels. Sourced by run.

packages+=(qemu-system-x86 kmod zstd xz-utils)
module_packages=(make gcc bash dash coreutils sed grep gawk findutils tar diffutils base-files) # and headers and source of the kernel

# fetch_kernel unpacks Debian's current kernel package into the cache, all or nothing.
fetch_kernel() {
  local package stage=$work/kernel apt=${suite:+suite_apt}
  apt=${apt:-here_apt}
  package=$($apt apt-cache depends linux-image-amd64 |
    awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ { print $2; exit }')
  [ -n "$package" ] || return 1
  rm -rf "$stage" && mkdir -p "$stage/deb" "$stage/root/usr/lib"
  ln -s usr/lib "$stage/root/lib" # newer suites have the modules in usr/lib
  (cd "$stage/deb" && $apt apt-get download "$package" >/dev/null) || return 1
  dpkg-deb --fsys-tarfile "$stage"/deb/*.deb | tar -x -C "$stage/root" --keep-directory-symlink
  depmod -b "$stage/root" "$(ls "$stage/root/lib/modules")"
  # Copy to the cache's file system first, so that the last step is a single rename.
  rm -rf "$kernels/new" && cp -r "$stage/root" "$kernels/new" && mv "$kernels/new" "$kernels/$package"
  rm -rf "$stage"
}

find_kernel() {
  kernel_root=$(find "$kernels" -maxdepth 1 -name 'linux-image-*' 2>/dev/null | sort -V | tail -n 1)
  [ -n "$kernel_root" ] || return 1
  kernel=$(echo "$kernel_root"/boot/vmlinuz-*)
  release=$(ls "$kernel_root/lib/modules")
}

# fetch_siw builds the module with the suite's own compiler, in a separate root directory; if not run by root, in a user namespace.
fetch_siw() {
  local root=$work/build source
  source=linux-source-${release%.*}
  unpack "$root" "linux-headers-$release" "$source" "${module_packages[@]}" || return 1
  ln -sf gawk "$root/usr/bin/awk"
  mkdir "$root/siw"
  tar -xJ -C "$root/siw" --strip-components=5 -f "$root/usr/src/$source.tar.xz" "$source/drivers/infiniband/sw/siw"
  local become=()
  [ "$(id -u)" = 0 ] || become=(unshare -r)
  "${become[@]}" chroot "$root" /usr/bin/make -C "/usr/src/linux-headers-$release" M=/siw CONFIG_RDMA_SIW=m modules >"$work/log" 2>&1 ||
    return 1
  mkdir -p "$work/siw/$release" && cp "$root/siw/siw.ko" "$work/siw/$release"
  keep "$work/siw" siw
  rm -rf "$root"
}

# kvm_works boots only the kernel: if kvm works, the kernel panics within moments because it has no
# root file system, and qemu exits. Opening /dev/kvm is not enough: nested virtualisation may accept
# a guest and never run it. The result is valid until the host reboots.
kvm_works() {
  [ -w /dev/kvm ] || return 1
  local answer boot
  boot=$(cat /proc/sys/kernel/random/boot_id)
  if [ "$(cut -d' ' -f1 "$cache/kvm" 2>/dev/null)" != "$boot" ]; then
    answer=no
    # In a shell of its own, which does not report a qemu that aborts.
    (timeout -k 1 8 qemu-system-x86_64 -M q35,accel=kvm -cpu max -m 512 -nic none -display none \
      -serial null -monitor none -no-reboot -kernel "$kernel" -append "panic=-1 quiet" \
      </dev/null) >/dev/null 2>&1 && answer=yes
    echo "$boot $answer" >"$cache/kvm"
  fi
  [ "$(cut -d' ' -f2 "$cache/kvm")" = yes ]
}

prepare_kernel() {
  export -f fetch_kernel fetch_siw
  export release
  find_kernel || fetch fetch_kernel "Debian's ${suite:+$suite }linux-image-amd64"
  find_kernel || fail "no kernel in $kernels"
  [ -z "$siw" ] || [ -s "$cache/$suite/siw/$release/siw.ko" ] ||
    fetch "$(declare -p module_packages); fetch_siw" "what builds Soft-iWARP for Linux $release"
  if kvm_works; then accel=kvm; else accel=tcg; fi
}

describe_kernel() { echo "Linux $release in qemu ($accel)"; }

# The initial RAM disk also holds the modules with their dependencies.
required=(virtio_pci virtio_console virtio_net 9pnet_virtio 9p overlay veth sch_netem sch_prio cls_u32 bonding 8021q macvlan ib_uverbs rdma_ucm rdma_rxe)
# rdma_rxe requests crc32 from the crypto layer by name, so it is not among the module dependencies.
optional=(crc32_generic crc32_pclmul ib_umad dummy iw_cm libcrc32c crc32c_generic) # the last three for siw

build_initrd() {
  local root=$work/initrd.d module file
  lay_out_initrd "$root"
  for module in "${required[@]}" "${optional[@]}"; do
    # Optional modules differ between kernels, so only a missing required module is an error.
    modprobe -d "$kernel_root" -S "$release" --show-depends "$module" 2>>"$work/log" ||
      [[ " ${required[*]} " != *" $module "* ]] || fail "kernel $release has no module $module"
  done >"$work/modules"
  awk '$1 == "insmod" && !seen[$2]++ { print $2 }' "$work/modules" | while read -r file; do
    case $file in
      *.xz) xz -dc "$file" ;;
      *.zst) zstd -q -dc "$file" ;;
      *) cat "$file" ;;
    esac >"$root/modules/$(basename "${file%%.ko*}").ko"
    basename "${file%%.ko*}" >>"$root/modules/order"
  done
  if [ -n "$siw" ]; then # by its path: modprobe does not know the module
    cp "$cache/$suite/siw/$release/siw.ko" "$root/modules/" && echo siw >>"$root/modules/order"
  fi
  pack_initrd "$root" | zstd -1 -q >"$work/initrd"
}

# lay_wire has nothing to do: the two machines make their wire.
lay_wire() { :; }

# boot DIRECTORY NUMBER: starts a machine whose share, output and console are in the directory; its id is in $spawned. In a
# pair the second is started first and listens for the first at the other end of the wire.
boot() {
  local dir=$1 suite_share=() wire=() server=off
  [ -z "$suite" ] || suite_share=(
    -fsdev "local,id=suite,path=${suite_root//,/,,},security_model=none,readonly=on"
    -device virtio-9p-pci,fsdev=suite,mount_tag=suite)
  [ "$2" = 1 ] || server=on
  [ -z "$pair" ] || wire=(-netdev "stream,id=wire,server=$server,addr.type=unix,addr.path=${work//,/,,}/wire"
    -device "virtio-net-pci,netdev=wire,mac=52:54:00:09:00:0$2")
  spawn qemu-system-x86_64 -M "q35,accel=$accel" -cpu max -smp 2 -m "$memory" \
    -nic none -display none -monitor none -no-reboot -serial "file:$dir/console" \
    -kernel "$kernel" -initrd "$work/initrd" -append "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check tsc=reliable" \
    -fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
    -device virtio-9p-pci,fsdev=host,mount_tag=host "${suite_share[@]}" \
    -fsdev "local,id=share,path=${dir//,/,,}/share,security_model=none" \
    -device virtio-9p-pci,fsdev=share,mount_tag=share \
    -device virtio-serial-pci \
    -chardev "file,id=stdout,path=${dir//,/,,}/stdout" -device virtserialport,nr=1,chardev=stdout \
    -chardev "file,id=stderr,path=${dir//,/,,}/stderr" -device virtserialport,nr=2,chardev=stderr \
    "${wire[@]}" </dev/null >"$dir/machine" 2>&1
  [ "$server" = off ] || until [ -S "$work/wire" ]; do
    kill -0 "$spawned" 2>/dev/null || fail "the second machine does not start: $(tail -n 1 "$dir/machine")"
    sleep 0.1
  done
}
