#!/usr/bin/env bash
# Installs the Debian packages that scatterd needs: the one home of their names.
#
# Usage: deploy/install_packages.sh [--list] SET...
#   build      compile the server, the client library and scatterctl
#   test       compile and run the tests, linters and fuzzers
#   container  build the image and run it without a container engine's daemon
#   runtime    run the server and scatterctl
# --list prints the names and installs nothing.
#
# Installs what is missing, as root or through sudo; when nothing is missing it
# asks neither for rights nor for the network.
set -euo pipefail

packages_of() {
  case $1 in
    build) echo g++ cmake ninja-build ccache libgrpc++-dev libprotobuf-dev \
      libprotoc-dev protobuf-compiler protobuf-compiler-grpc libabsl-dev \
      libspdlog-dev libtbb-dev libcli11-dev ;;
    test) echo git libgtest-dev libgmock-dev libbenchmark-dev clang \
      clang-format clang-tidy shellcheck yamllint python3-venv \
      python3-numpy python3-grpcio python3-protobuf ;;
    container) echo buildah podman runc debootstrap catatonit netavark \
      golang-github-containers-common slirp4netns ;;
    runtime) echo libgrpc++1.51 libprotobuf32 libspdlog1.10 libtbb12 ;;
    *) echo "install_packages.sh: no set '$1'" >&2; return 2 ;;
  esac
}

# The given packages that are not installed.
missing() {
  local installed
  # shellcheck disable=SC2016  # the format is dpkg-query's
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" \
    2>/dev/null | sed -n 's/^installed //p') || true
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "install_packages.sh: run as root, or install sudo; missing:" \
      "${wanted[*]}" >&2
    exit 1
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q \
    -o Dpkg::Use-Pty=0 "$@"
}

install() {
  apt install -y --no-install-recommends "${wanted[@]}"
}

list_only=false
if [ "${1:-}" = --list ]; then
  list_only=true
  shift
fi
if [ $# -eq 0 ]; then
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
fi

names=()
for set in "$@"; do
  list=$(packages_of "$set")
  read -ra some <<<"$list"
  names+=("${some[@]}")
done
if $list_only; then
  printf '%s\n' "${names[@]}"
  exit
fi

if ! command -v apt-get >/dev/null; then
  echo "install_packages.sh: this is not Debian; install the equivalents of:" \
    "${names[*]}" >&2
  exit 1
fi
mapfile -t wanted < <(missing "${names[@]}")
[ ${#wanted[@]} -gt 0 ] || exit 0

echo "installing ${#wanted[@]} packages: ${wanted[*]}"
# The package lists may be absent, or older than the archive.
if ! apt-get install -s --no-install-recommends "${wanted[@]}" \
    >/dev/null 2>&1 || ! install; then
  apt update
  install
fi
