import { lookup } from "node:dns/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";

import type { Logger } from "pino";

import type { Config } from "#server/config.ts";
import {
  joinMailHosts,
  listMailHosts,
  requireNoMailHosts,
} from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import { linkTo } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { isStoreExpected } from "#server/core/mailboxes/mail-hosts/moves.ts";
import { removeMailStores } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import type { Db } from "#server/db/client.ts";
import { runLoop } from "#server/processes/run-loop.ts";

import { MAIL_HOST_NAME } from "#mail/dovecot/hosts-conf.ts";
import type { MailHost } from "#mail/dovecot/settings.ts";
import { endCopies } from "#mail/moves/copy-store.ts";
import { runMoves } from "#mail/moves/run-moves.ts";

import { startLinkListener } from "./link-listener.ts";

const RENEW_EVERY_MS = 5_000;

type Settings = Pick<Config, "mailHost" | "dataFolder" | "bind">;

type RunningMailHost = {
  /** Null if it has no name. */
  mailHost: MailHost | null;
  stop(): Promise<void>;
};

/**
 * Makes this host one of the installation's mail hosts, if it has a name: enters it in the database, accepts connections
 * of the other hosts, and deletes the mail of deleted mailboxes from its disk.
 *
 * @param onChange called when another mail host joined, or has another address or certificate
 * @throws MailHostError if this host can't serve the mailboxes
 */
export async function runMailHost(
  db: Db,
  settings: Settings,
  { log, onChange }: { log: Logger; onChange: (mailHost: MailHost) => Promise<void> },
): Promise<RunningMailHost> {
  const { mailHost: name, dataFolder, bind } = settings;
  if (name === null) {
    await requireNoMailHosts(db);
    return { mailHost: null, stop: () => Promise.resolve() };
  }
  let known = await join(db, name, dataFolder);
  const { port, secret } = linkTo(name);
  const isExpected = (store: string) => isStoreExpected(db, name, store);
  const links = await startLinkListener({ port, secret, bind, dataFolder, log, isExpected });
  const renewing = runLoop(
    async () => {
      const current = await join(db, name, dataFolder);
      if (!isDeepStrictEqual(current, known)) await onChange(current);
      known = current;
      await removeMailStores(db, name, endCopies);
    },
    {
      pauseMs: RENEW_EVERY_MS,
      firstPauseMs: RENEW_EVERY_MS,
      ref: false,
      onError: (error, failures) => {
        if (failures === 1) log.warn({ err: error }, "couldn't renew this mail host's entry");
      },
    },
  );
  const moves = runMoves(db, { host: name, dataFolder, log });
  return {
    mailHost: known,
    async stop() {
      // A move continues at the next start.
      await Promise.all([moves.stop(), endCopies()]);
      await renewing.stop();
      await links.stop();
    },
  };
}

/** Enters this mail host in the database, and reads what it says about the other ones. */
async function join(db: Db, name: string, dataFolder: string): Promise<MailHost> {
  const { address } = await lookup(name);
  // In a folder of its own: the one of `tls` is shown to mail apps.
  const folder = path.join(dataFolder, "tls/mail-host");
  const own = { dataFolder: folder, hostname: MAIL_HOST_NAME, now: new Date() };
  const certificate = await loadSelfSigned(own);
  await joinMailHosts(db, { name, address, certificate: certificate.certificate }, dataFolder);
  const peers = (await listMailHosts(db)).filter((host) => host.name !== name);
  return {
    name,
    address,
    certificate,
    peers: peers.map((peer) => ({ address: peer.address, certificate: peer.certificate })),
  };
}
