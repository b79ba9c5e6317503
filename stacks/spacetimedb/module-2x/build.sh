#!/usr/bin/env bash
# Builds the module beside it into a folder.
# argument: the folder, which exists. result: FOLDER/module.wasm
# fails with one line on stderr when the compiler, or its target for WebAssembly, cannot be had.
set -euo pipefail

readonly target=wasm32-unknown-unknown
cd "$(dirname "$0")"

command -v cargo >/dev/null || {
  echo 'cargo is not on PATH: https://rustup.rs' >&2
  exit 1
}
if ! [[ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]]; then
  rustup target add "$target" >&2 || {
    echo "the compiler lacks the target $target: type: rustup target add $target" >&2
    exit 1
  }
fi
cargo build --release --locked --target "$target" >&2
cp "${CARGO_TARGET_DIR:-target}/$target/release/ladderbench_module_2x.wasm" "$1/module.wasm"
