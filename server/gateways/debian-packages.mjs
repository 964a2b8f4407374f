import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

// Plain JavaScript, since the bootstrap uses it before TypeScript is loaded.

/** Debian's packages of what Posthouse calls, each with a file that it installs. All other programs are in every Debian system. */
export const DEBIAN_PACKAGES = {
  dovecot: {
    "dovecot-core": "/usr/lib/dovecot/auth",
    "dovecot-imapd": "/usr/lib/dovecot/imap",
    "dovecot-pop3d": "/usr/lib/dovecot/pop3",
    "dovecot-lmtpd": "/usr/lib/dovecot/lmtp",
    "dovecot-pgsql": "/usr/lib/dovecot/modules/dict/libdriver_pgsql.so",
    "dovecot-sieve": "/usr/lib/dovecot/modules/lib90_sieve_plugin.so",
    "dovecot-managesieved": "/usr/lib/dovecot/managesieve",
  },
  /** The search indexes of Dovecot 2.4, without which full-text search can't be turned on. Debian 12 doesn't have it. */
  search: { "dovecot-flatcurve": "/usr/lib/dovecot/modules/lib21_fts_flatcurve_plugin.so" },
  /** restic makes the backups; ssh those to another host. */
  backups: { restic: "/usr/bin/restic", "openssh-client": "/usr/bin/ssh" },
  /** With it, the processes return memory allocated during peak load (`server/processes/node-process.ts`). */
  allocator: { libjemalloc2: "/usr/share/doc/libjemalloc2" },
  /** Optional: operators install it themselves. */
  spamFilter: { rspamd: "/usr/bin/rspamd" },
};

/**
 * What webmail and calendars need, in the order of installation: without php-fpm, Roundcube's packages install Apache.
 *
 * @type {Record<"webmail" | "calendar", Record<string, string>[]>}
 */
export const COMPANION_PACKAGES = {
  webmail: [
    { "php-fpm": "/usr/share/doc/php-fpm", lighttpd: "/usr/sbin/lighttpd" },
    {
      "roundcube-core": "/usr/share/roundcube/index.php",
      "roundcube-sqlite3": "/usr/share/doc/roundcube-sqlite3",
      "roundcube-plugins": "/usr/share/roundcube/plugins/archive",
      // For the plugin that downloads all attachments.
      "php-zip": "/usr/share/doc/php-zip",
    },
  ],
  calendar: [
    {
      "python3-radicale": "/usr/lib/python3/dist-packages/radicale",
      "python3-waitress": "/usr/lib/python3/dist-packages/waitress",
    },
  ],
};

/** @param {Record<string, string>} packages @param {(file: string) => boolean} isThere */
export function missingPackages(packages, isThere = existsSync) {
  return Object.keys(packages).filter((name) => !isThere(packages[name] ?? ""));
}

/** Where a program is on the PATH; undefined if it isn't. @param {string} program */
export function findProgram(program, path = process.env.PATH ?? "") {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file));
}

/** @param {Record<string, string> | string[]} packages */
export const installCommand = (packages) =>
  `apt-get install -y --no-install-recommends ${(Array.isArray(packages) ? packages : Object.keys(packages)).join(" ")}`;
