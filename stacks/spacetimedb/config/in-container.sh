#!/bin/sh
# in-container.sh <command…>: makes the data folder, which a fresh volume gives to root, the server's own, puts its
# configuration there, and runs the command as the user of the image.
# environment: DATA the folder; CONFIG the file; AS the user.
set -eu
mkdir -p "$DATA"
cp "$CONFIG" "$DATA/config.toml"
chown -R "$AS" "$(dirname "$DATA")"
# Not `su`: the server stays the process that the container's end signals.
exec setpriv --reuid "$AS" --regid "$(id -g "$AS")" --init-groups -- env HOME="/home/$AS" "$@"
