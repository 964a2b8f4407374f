import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdir } from "node:fs/promises";
import { connect, type TLSSocket } from "node:tls";

import { eq } from "drizzle-orm";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";

import { addresses, mailboxMoves, mailHosts, removedStores } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { isStoreExpected, requestMove } from "#server/core/mailboxes/mail-hosts/moves.ts";
import { removeMailStores } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { db } from "#server/db/pool.ts";
import { linkClientOptions } from "#server/gateways/host-link.ts";
import { mailStorePath } from "#server/gateways/mail-store.ts";
import { serviceUser } from "#server/processes/service-user.ts";
import { aFreePort } from "#server/testing/a-free-port.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";

import { type LinkListener, startLinkListener } from "#mail/links/link-listener.ts";

import { endCopies } from "./copy-store.ts";

const link = { host: "127.0.0.1", port: await aFreePort(), secret: randomBytes(32) };
let listener: LinkListener;
let sockets: TLSSocket[];

// This host is mail-2.
beforeEach(async () => {
  await db().delete(addresses);
  await db().delete(mailHosts);
  for (const name of ["mail-1", "mail-2"])
    await db().insert(mailHosts).values({ name, address: "127.0.0.1", certificate: "PEM" });
  sockets = [];
  listener = await startLinkListener({
    ...link,
    bind: "127.0.0.1",
    dataFolder: config().dataFolder,
    log: pino({ level: "silent" }),
    isExpected: (store) => isStoreExpected(db(), "mail-2", store),
  });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await listener.stop();
});

/** A mailbox on mail-1 that is being moved here. */
async function aMovingMailbox() {
  const domain = await aDomain((await aCompany()).id);
  const mailbox = await aMailbox(domain, { storeHost: "mail-1" });
  const actor = { kind: "system", task: "test" } as const;
  await requestMove({ db: db(), actor }, mailbox.address, "mail-2");
  const user = await serviceUser();
  const home = mailStorePath(mailbox.store);
  await mkdir(home, { recursive: true });
  await chown(home, user.uid, user.gid);
  return { ...mailbox, home };
}

/** Connects like a host that copies a mail store here. */
function copyHere(store: string): TLSSocket {
  const { host, port } = link;
  const socket = connect({ host, port, ...linkClientOptions(link, "dsync") });
  socket.on("error", () => {});
  socket.write(`${store}\n`);
  sockets.push(socket);
  return socket;
}

async function isAccepted(socket: TLSSocket): Promise<boolean> {
  const accepted = once(socket, "data").then(() => true);
  return Promise.race([accepted, once(socket, "close").then(() => false)]);
}

test("a copy in progress ends before the mail of a deleted mailbox is removed", async () => {
  const { address, store, home } = await aMovingMailbox();
  const copying = copyHere(store);
  expect(await isAccepted(copying)).toBe(true);
  const closed = once(copying, "close");

  await db().delete(addresses).where(eq(addresses.address, address));
  const createdAt = new Date(Date.now() - 60_000).toISOString();
  await db().insert(removedStores).values({ store, address, storeHost: "mail-2", createdAt });
  await removeMailStores(db(), "mail-2", endCopies);
  await closed;
  expect(existsSync(home)).toBe(false);
  expect(await isAccepted(copyHere(store))).toBe(false);
  expect(existsSync(home)).toBe(false);
});

test("only mailboxes that are moved here are accepted, and stopping ends all copies", async () => {
  const { address, store } = await aMovingMailbox();
  const copying = copyHere(store);
  expect(await isAccepted(copying)).toBe(true);
  const closed = once(copying, "close");
  await endCopies();
  await closed;

  await db().delete(mailboxMoves).where(eq(mailboxMoves.mailbox, address));
  expect(await isAccepted(copyHere(store))).toBe(false);
  expect(await isAccepted(copyHere("example.com/nobody"))).toBe(false);
});
