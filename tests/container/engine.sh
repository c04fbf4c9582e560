# shellcheck shell=bash
# A container engine without a daemon, a registry or a system service: buildah
# and podman with their state in one folder.  Sourced by run.sh.
#
# The base image is made from the same Debian archive that this machine's apt
# uses, so an unchanged `FROM debian:bookworm-slim` finds it.

readonly BASE_IMAGE=localhost/debian:bookworm-slim

# configure_engine STATE: points buildah and podman at a folder.  Limits are
# spelled out because the engine's defaults need rights that a host may lack.
configure_engine() {
  state=$1
  local files
  files=$(ulimit -Hn)
  export CONTAINERS_STORAGE_CONF=$state/storage.conf
  export CONTAINERS_CONF=$state/containers.conf
  cat >"$CONTAINERS_STORAGE_CONF" <<CONF
[storage]
driver = "overlay"
graphroot = "$state/images"
runroot = "$state/run"
CONF
  cat >"$CONTAINERS_CONF" <<CONF
[containers]
default_ulimits = ["nofile=$files:$files", "nproc=32768:32768"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[network]
network_backend = "netavark"
CONF
}

archive_address() {
  # shellcheck disable=SC2016  # the format is apt-get's
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
    'Codename: bookworm' 'Component: main' | head -n 1
}

# Makes $BASE_IMAGE unless it is there.
make_base_image() {
  ! podman image exists "$BASE_IMAGE" || return 0
  local root=$state/base
  rm -rf "$root"
  debootstrap --variant=minbase bookworm "$root" "$(archive_address)" \
    >"$state/debootstrap.log" || return 1
  trim_base "$root"
  # Packages inside come from where this machine takes its own.
  rm -f "$root"/etc/{resolv.conf,hostname,apt/sources.list}
  cp /etc/apt/sources.list.d/debian.sources "$root/etc/apt/sources.list.d/"
  cp /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null
  tar -C "$root" --numeric-owner -c . |
    podman import -q --change 'CMD ["bash"]' - "$BASE_IMAGE" >/dev/null
  rm -rf "$root"
}

# What the slim image leaves out.
trim_base() {
  rm -rf "$1"/var/cache/apt/*.bin "$1"/var/cache/apt/archives/*.deb \
    "$1"/var/lib/apt/lists/* "$1"/usr/share/{man,locale,info}/*
  find "$1/usr/share/doc" -mindepth 2 ! -type d ! -name copyright -delete
}
