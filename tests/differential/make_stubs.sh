#!/usr/bin/env bash
# Generates the Python modules of scatterd's messages and services.
#
# Usage: tests/differential/make_stubs.sh FOLDER
set -euo pipefail

readonly folder=${1:?the folder for the modules}
cd "$(dirname "$0")/../.."
mkdir -p "$folder"
protoc -I proto --python_out="$folder" --grpc_out="$folder" \
  --plugin=protoc-gen-grpc="$(command -v grpc_python_plugin)" \
  proto/scatterd/v1/*.proto
