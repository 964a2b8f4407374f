import type { ImapFlow } from "imapflow";

import type { MailImport } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { doveadmKey } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { linkTo } from "#server/core/mailboxes/mail-hosts/link-to.ts";
import { locateMailbox } from "#server/core/mailboxes/mail-hosts/locate-mailbox.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { openLinkedMailbox, openMailbox } from "#server/gateways/dovecot-imap.ts";
import { type ImapAccount, openImapSource } from "#server/gateways/imap-source.ts";

/** Larger messages aren't imported: imapflow holds a message in memory, several times while it is sent. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

/** For one message: some servers announce less than what they send. */
export const LITERAL_BYTES_MAX = MESSAGE_BYTES_MAX * 1.5;

type ConnectOptions = {
  allowsPrivateHost?: boolean;
  literalBytesMax?: number;
  /** Closes the connection, also while it is being opened. */
  signal?: AbortSignal;
};

/** Connects to an account on another server. Private addresses are for local mode and operators. */
export function connectToSource(
  account: ImapAccount,
  { allowsPrivateHost = false, literalBytesMax = LITERAL_BYTES_MAX, signal }: ConnectOptions = {},
): Promise<ImapFlow> {
  const { dnsServers, localMode } = config();
  return openImapSource(account, {
    resolver: createResolver({ dnsServers }),
    allowPrivate: localMode || allowsPrivateHost,
    literalBytesMax,
    ...(signal && { signal }),
  });
}

/** @throws ImapSourceError; SealError if the instance key has changed */
export function openSource(row: MailImport): Promise<ImapFlow> {
  const { host, port, security, account, secretKind: kind, sealedSecret } = row;
  if (sealedSecret === null) throw new Error(`import ${row.id} is running without a secret`);
  const secret = { kind, value: unseal("import_secret", sealedSecret) };
  const { allowsPrivateHost } = row;
  return connectToSource({ host, port, security, account, secret }, { allowsPrivateHost });
}

/** Opens the mailbox on the host that stores it at the moment. */
export async function openTarget(db: Db, mailbox: string): Promise<ImapFlow> {
  const { address, storeHost } = await locateMailbox(db, mailbox);
  return storeHost === config().mailHost
    ? openMailbox(address)
    : openLinkedMailbox(address, linkTo(storeHost!), doveadmKey());
}
