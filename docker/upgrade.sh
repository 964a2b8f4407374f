#!/bin/sh
# Upgrades the Posthouse of the compose.yaml in this folder, and rolls back to the previous image if the new one doesn't become healthy:
#   sh upgrade.sh IMAGE
# Then upgrades webmail and calendars, if they run, to the images with -webmail and -calendar before the same tag.
set -eu
image=${1:?usage: sh upgrade.sh IMAGE}
cd "$(dirname "$0")"
previous=posthouse:before-upgrade

say() { echo "==> $*"; }
# docker compose reads .env, so this image is used from now on.
use() {
  touch .env
  grep -v "^$1=" .env > .env.new || true
  echo "$1=$2" >> .env.new
  chmod 600 .env.new
  mv .env.new .env
}
fetch() { docker pull --quiet "$1" || docker image inspect "$1" > /dev/null; }
start() { docker compose up -d --no-build --wait --wait-timeout 300 "$@"; }
upgrade_companion() {
  running=$(docker compose ps --quiet "$1") || return 0 # not in this compose.yaml
  [ -n "$running" ] || return 0
  new=$(echo "$image" | sed -E "s#(:[^/:]*)?\$#-$1\1#")
  variable=POSTHOUSE_$(echo "$1" | tr a-z A-Z)_IMAGE
  fetch "$new" || { say "$1 keeps its image: there is no $new"; return 0; }
  docker tag "$(docker inspect --format '{{.Image}}' "$running")" "posthouse-$1:before-upgrade"
  use "$variable" "$new"
  if start "$1"; then
    say "Upgraded $1 to $new"
  else
    say "$1 didn't become healthy and keeps its image: docker compose logs $1"
    use "$variable" "posthouse-$1:before-upgrade"
    start "$1" || say "$1 doesn't start: docker compose logs $1"
  fi
}
settings() {
  docker inspect --format '{{range .Config.Env}}{{println .}}{{end}}' "$container" | grep -E '^(POSTHOUSE_[A-Z_]+|DATABASE_URL)=.' || true
}

container=$(docker compose ps --quiet posthouse)
[ -n "$container" ] || { echo "Posthouse isn't running: docker compose up -d --wait" >&2; exit 1; }
docker tag "$(docker inspect --format '{{.Image}}' "$container")" "$previous"
fetch "$image"

say "Backup"
docker exec "$container" posthouse backup || say "No backup. A rollback copy is made before anything changes"

say "Rollback copy. Posthouse keeps running"
settings | docker run --rm --env-file /dev/stdin --pid "container:$container" --network "container:$container" \
  --volumes-from "$container" --env TINI_SUBREAPER=1 "$image" upgrade --no-backup

say "Upgrade"
use POSTHOUSE_IMAGE "$image"
if start; then
  say "Upgraded to $image"
  for companion in webmail calendar; do upgrade_companion "$companion"; done
  exit 0
fi
docker compose logs --no-log-prefix posthouse | grep -v '"process":"postgres"' | tail -n 30
say "The upgrade failed. Rolling back to the previous image and its data"
use POSTHOUSE_IMAGE "$previous"
start
say "The previous version is running again"
exit 1
