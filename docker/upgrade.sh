#!/bin/sh
# Upgrades the Posthouse of the compose.yaml in this folder, and rolls back to the previous image if the new one doesn't become healthy:
#   sh upgrade.sh IMAGE
set -eu
image=${1:?usage: sh upgrade.sh IMAGE}
cd "$(dirname "$0")"
previous=posthouse:before-upgrade

say() { echo "==> $*"; }
# docker compose reads .env, so this image is used from now on.
use() {
  touch .env
  grep -v '^POSTHOUSE_IMAGE=' .env > .env.new || true
  echo "POSTHOUSE_IMAGE=$1" >> .env.new
  chmod 600 .env.new
  mv .env.new .env
}
settings() {
  docker inspect --format '{{range .Config.Env}}{{println .}}{{end}}' "$container" | grep -E '^(POSTHOUSE_[A-Z_]+|DATABASE_URL)=.' || true
}

container=$(docker compose ps --quiet posthouse)
[ -n "$container" ] || { echo "Posthouse isn't running: docker compose up -d --wait" >&2; exit 1; }
docker tag "$(docker inspect --format '{{.Image}}' "$container")" "$previous"
docker pull --quiet "$image" || docker image inspect "$image" > /dev/null

say "Backup"
docker exec "$container" posthouse backup || say "No backup. A rollback copy is made before anything changes"

say "Rollback copy. Posthouse keeps running"
settings | docker run --rm --env-file /dev/stdin --pid "container:$container" --network "container:$container" \
  --volumes-from "$container" --env TINI_SUBREAPER=1 "$image" upgrade --no-backup

say "Upgrade"
use "$image"
if docker compose up -d --no-build --wait --wait-timeout 300; then
  say "Upgraded to $image"
  exit 0
fi
docker compose logs --no-log-prefix posthouse | grep -v '"process":"postgres"' | tail -n 30
say "The upgrade failed. Rolling back to the previous image and its data"
use "$previous"
docker compose up -d --no-build --wait --wait-timeout 300
say "The previous version is running again"
exit 1
