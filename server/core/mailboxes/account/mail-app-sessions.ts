import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  type AccountUser,
  endOtherAccountSessions,
} from "#server/core/access/sessions/account-sessions.ts";
import { dovecotOf, kickMailApps } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { DovecotError } from "#server/gateways/dovecot.ts";

/** Mail apps signed in from one IP address. */
export type MailAppSession = {
  clientAddress: string;
  /** Among `imap`, `pop3` and `sieve`, sorted. */
  services: string[];
  connections: number;
};

/** Null if the mail server doesn't respond. */
export async function listMailAppSessions(
  { db }: Pick<CompanyScope, "db">,
  mailbox: string,
): Promise<MailAppSession[] | null> {
  const dovecot = await dovecotOf(db, mailbox);
  const connections = await nullIfUnreachable(dovecot.connectionsOf(mailbox));
  if (!connections) return null;
  return [...Map.groupBy(connections, ({ clientAddress }) => clientAddress)].map(
    ([clientAddress, from]) => ({
      clientAddress,
      services: [...new Set(from.map(({ service }) => service))].sort(),
      connections: from.length,
    }),
  );
}

/**
 * Disconnects the mail apps at one address. Apps that still have a valid password can sign in again.
 *
 * @throws Refusal `not_found` if no app is connected from there, `mail_server_error`
 */
export async function endMailAppSessionsFrom(ctx: Context, mailbox: string, clientAddress: string) {
  const ended = await nullIfUnreachable(kickMailApps(ctx.db, mailbox, clientAddress));
  if (ended === null) throw unreachable();
  if (ended === 0)
    throw new Refusal("not_found", "No mail app is connected from this address anymore");
  await recordAudit(ctx, "mailbox.sessions_ended", { mailbox, from: clientAddress });
}

/**
 * Ends all of the user's sessions except the current one.
 *
 * @throws Refusal `mail_server_error` if only the browser sessions could be ended
 */
export async function endOtherSessions(ctx: Context, user: AccountUser): Promise<void> {
  await endOtherAccountSessions(ctx, user);
  await recordAudit(ctx, "mailbox.sessions_ended", { mailbox: user.address });
  if ((await nullIfUnreachable(kickMailApps(ctx.db, user.address))) === null) throw unreachable();
}

const unreachable = () =>
  new Refusal("mail_server_error", "Mail apps couldn't be signed out. Try again in a minute");

async function nullIfUnreachable<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof DovecotError) return null;
    throw error;
  }
}
