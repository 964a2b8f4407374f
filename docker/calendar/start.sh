#!/bin/bash
# Runs Radicale on a socket that only its user can open. CALENDAR_DATA is the folder of the socket and the collections.
set -eu
export HOME="${CALENDAR_DATA:-/calendars}" RADICALE_CONFIG=radicale.conf
cd "$(dirname "$(readlink -f "$0")")"
umask 077
exec > >(exec sed -u 's/^/calendar: /') 2>&1
mkdir -p "$HOME/collections"
exec /usr/bin/python3 -m waitress --unix-socket="$HOME/http.sock" --unix-socket-perms=600 --threads=8 \
  --url-prefix=/dav limited:application
