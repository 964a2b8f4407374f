import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:tls";

import { eq } from "drizzle-orm";

import { addresses, mailHosts } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { linkTo } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { db } from "#server/db/pool.ts";
import { linkServerOptions } from "#server/gateways/host-link.ts";

import { aDomain, aMailbox, anAdmin } from "./factories.ts";

/** doveadm's reply to `who` without sessions. */
const NOBODY = '[["doveadmResponse",[],"posthouse"]]';

/**
 * A mailbox of a company on one of two mail hosts, which seem to run, and the session of an owner who isn't an operator.
 * Remove them, because all mailboxes created meanwhile are on these hosts.
 */
export async function aMailboxOnAMailHost(companyId: string) {
  const network = `127.${randomInt(1, 250)}.${randomInt(250)}`;
  const [from, to] = [`${network}.1`, `${network}.2`];
  const seenAt = new Date(Date.now() + 3_600_000).toISOString();
  for (const name of [from, to])
    await db().insert(mailHosts).values({ name, address: name, certificate: "PEM", seenAt });
  const { address } = await aMailbox(await aDomain(companyId), { storeHost: from });
  const owner = await anAdmin(companyId, { isOwner: true });
  const { port, secret } = linkTo(from);
  const dovecot = createServer(linkServerOptions(secret), (client) => {
    client.on("error", () => {});
    client.once("data", () =>
      client.end(`HTTP/1.1 200 OK\r\ncontent-length: ${NOBODY.length}\r\n\r\n${NOBODY}`),
    );
  });
  dovecot.listen(port, from);
  await once(dovecot, "listening");
  return {
    mailbox: address,
    from,
    to,
    owner: await startSession(db(), owner.id),
    remove: async () => {
      dovecot.close();
      await db().delete(addresses).where(eq(addresses.address, address));
      await db().delete(mailHosts);
    },
  };
}
