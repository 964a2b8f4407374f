import { createConnection } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { type Mailbox, signInNetworks } from "#drizzle/schema/index.ts";
import { readConfig } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { freePort } from "#server/processes/ports.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { proxyHeaderV2 } from "#server/testing/proxy-header.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";

const PROXY = "127.0.0.2";
const HEADER = "PROXY TCP4 198.51.100.7 192.0.2.1 40000 143\r\n";

let dovecot: TestDovecot;
let mailbox: Mailbox;
beforeAll(async () => {
  const names = ["imap", "imaps", "pop3", "pop3s", "sieve"] as const;
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await portWithRoomAbove()])),
  ) as Record<(typeof names)[number], number>;
  const { proxyProtocol } = readConfig({ POSTHOUSE_PROXY_PROTOCOL: PROXY });
  dovecot = await aDovecot({ ports, proxyProtocol });
  mailbox = await aMailbox(await aDomain((await aCompany()).id));
});
afterAll(() => dovecot.stop());

/** A port whose proxy port, 10,000 above, is also below Linux's ephemeral ports. Test processes 1 to 7 use other ranges. */
const portWithRoomAbove = () => freePort({ first: 20_480, end: 22_016 });

type Client = { port: number; from: string; header?: string | Buffer; tls?: boolean };

/** Signs in and out over IMAP. */
function signIn({ port, from, header, tls = false }: Client): Promise<string> {
  const raw = createConnection({ port, host: "127.0.0.1", localAddress: from });
  if (header) raw.write(header);
  const socket = tls ? connectTls({ socket: raw, rejectUnauthorized: false }) : raw;
  socket.write(`a LOGIN "${mailbox.address}" "test password"\r\nb LOGOUT\r\n`);
  return text(socket);
}

const networks = async () => {
  const rows = await db()
    .select({ network: signInNetworks.network })
    .from(signInNetworks)
    .where(eq(signInNetworks.account, mailbox.address));
  return rows.map(({ network }) => network);
};

test("Dovecot sees the client's address behind a proxy, and the usual ports still work", async () => {
  const port = dovecot.imaps + 10_000;
  expect(await signIn({ port, from: PROXY, header: HEADER, tls: true })).toContain("a OK");
  await vi.waitFor(async () => expect(await networks()).toEqual(["198.51.100.7"]));
  const header = proxyHeaderV2({ addresses: [203, 0, 113, 9, 192, 0, 2, 1, 0x9c, 0x40, 0, 143] });
  expect(await signIn({ port, from: PROXY, header, tls: true })).toContain("a OK");
  await vi.waitFor(async () => expect(await networks()).toContain("203.0.113.9"));
  const { imap } = dovecot;
  expect(await signIn({ port: imap, from: "127.0.0.1" })).toContain("a OK");
  expect(await signIn({ port: imap, from: PROXY, header: HEADER })).toContain("BAD");
});

test("a client behind a proxy can't sign in without TLS", async () => {
  const port = dovecot.imap + 10_000;
  expect(await signIn({ port, from: PROXY, header: HEADER })).toContain("a NO [PRIVACYREQUIRED]");
});

test("a client that isn't a proxy can't use a proxy's port", async () => {
  const port = dovecot.imap + 10_000;
  const answer = signIn({ port, from: "127.0.0.1", header: HEADER });
  // Dovecot may reset the connection before it has read everything.
  expect(await answer.catch(() => "")).toBe("");
});
