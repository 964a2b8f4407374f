#!/bin/bash
# Runs Roundcube in php-fpm behind lighttpd, as the current user. Environment variables:
#   WEBMAIL_IMAP         host:port of IMAP with TLS
#   WEBMAIL_SMTP         host:port of submission with TLS
#   POSTHOUSE_APPLIANCE  URL of the appliance
#   POSTHOUSE_HOSTNAME   its hostname
#   WEBMAIL_DATA         folder of the database, its key, and the socket on which it listens
#   WEBMAIL_RUN          folder of sessions, uploads and sockets, emptied at each start
set -eu
export WEBMAIL_DATA=${WEBMAIL_DATA:-/data} WEBMAIL_RUN=${WEBMAIL_RUN:-/run/posthouse-webmail}
WEBMAIL_PROGRAM=$(dirname "$(readlink -f "$0")")
export WEBMAIL_PROGRAM ROUNDCUBE_CONFIG_DIR=$WEBMAIL_RUN/config
umask 007
# php-fpm opens /proc/self/fd/2 again, which fails if it is the journal's socket. A pipe works.
exec > >(exec sed -u 's/^/webmail: /') 2>&1

rm -rf "$WEBMAIL_RUN"/*
mkdir -p "$WEBMAIL_RUN"/{config,plugins,sessions,temp}
ln -s /etc/roundcube/{defaults.inc,mimetypes}.php "$WEBMAIL_PROGRAM/config.inc.php" "$ROUNDCUBE_CONFIG_DIR"
ln -s /usr/share/roundcube/plugins/* "$WEBMAIL_PROGRAM/posthouse" "$WEBMAIL_RUN/plugins"

[ -s "$WEBMAIL_DATA/des_key" ] || printf %s "$(head -c 24 /dev/urandom | base64)" > "$WEBMAIL_DATA/des_key"
# Written by `posthouse restore`.
if [ -f "$WEBMAIL_DATA/restored.db" ]; then
  rm -f "$WEBMAIL_DATA"/roundcube.db*
  # Backups open the database as another user of the group. SQLite gives the files that it creates beside it the same mode.
  install -m 660 "$WEBMAIL_DATA/restored.db" "$WEBMAIL_DATA/roundcube.db"
  rm -f "$WEBMAIL_DATA/restored.db"
fi
php -d "auto_prepend_file=$WEBMAIL_PROGRAM/paths.php" /usr/share/roundcube/bin/updatedb.sh --package roundcube --dir /usr/share/roundcube/SQL

/usr/sbin/php-fpm* --nodaemonize --fpm-config "$WEBMAIL_PROGRAM/php-fpm.conf" &
/usr/sbin/lighttpd -D -f "$WEBMAIL_PROGRAM/lighttpd.conf" &
trap 'kill $(jobs -p) 2>/dev/null' TERM INT EXIT
wait -n
