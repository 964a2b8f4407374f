import type { Config } from "#server/config.ts";

/**
 * The configuration of our private rspamd: Debian's modules and scores with the operator's changes to them
 * (/etc/rspamd/local.d), but workers on Unix sockets and statistics in SQLite, so that no Redis is needed.
 * One worker scans; several would block each other on SQLite's locks.
 *
 * Bayes takes effect after 50 messages of each kind. Few people move ham out of Junk, so clean mail is
 * learned automatically, but only as much as balances the spam. $ETC, $STATE, $RUNDIR and $DBDIR are set on
 * the command line.
 */
export const RSPAMD_CONF = `lua = "$RULESDIR/rspamd.lua";
.include "$CONFDIR/metrics.conf"
.include "$CONFDIR/actions.conf"
.include "$CONFDIR/groups.conf"
.include "$CONFDIR/composites.conf"
.include "$CONFDIR/modules.conf"
.include "$CONFDIR/settings.conf"

modules {
  path = "$PLUGINSDIR";
  try_path = "$LOCAL_CONFDIR/plugins.d/";
}

classifier "bayes" {
  tokenizer { name = "osb"; }
  backend = "sqlite3";
  cache { type = "sqlite3"; path = "$STATE/learned.sqlite"; }
  min_tokens = 11;
  min_learns = 50;
  learn_condition = 'return require("lua_bayes_learn").can_learn';
  autolearn {
    spam_threshold = 15.0;
    ham_threshold = -0.5;
    check_balance = true;
    min_balance = 0.9;
  }
  statfile { symbol = "BAYES_HAM"; path = "$STATE/ham.sqlite"; spam = false; }
  statfile { symbol = "BAYES_SPAM"; path = "$STATE/spam.sqlite"; spam = true; }
}

options {
  pidfile = "$RUNDIR/rspamd.pid";
  .include "$CONFDIR/options.inc"
  .include(try=true; priority=1,duplicate=merge) "$LOCAL_CONFDIR/local.d/options.inc"
  .include(priority=10) "$ETC/options.inc"
}

logging {
  type = "console";
  level = "warning";
  color = false;
}

worker "normal" {
  bind_socket = "$RUNDIR/normal mode=0600";
  count = 1;
}

worker "controller" {
  bind_socket = "$RUNDIR/controller mode=0600";
  count = 1;
}
`;

/** Options that override both Debian's and the operator's files. */
export function rspamdOptions({ dnsServers }: Pick<Config, "dnsServers">): string {
  const dns = dnsServers && {
    timeout: 1,
    sockets: 16,
    retransmits: 5,
    nameserver: dnsServers.map(({ address, port }) =>
      address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`,
    ),
  };
  return `control_socket = "$RUNDIR/control mode=0600";\n${dns ? `dns = ${JSON.stringify(dns)};\n` : ""}`;
}
