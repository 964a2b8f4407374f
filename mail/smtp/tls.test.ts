import { createHash } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:tls";

import { describe, expect, onTestFinished, test } from "vitest";

import {
  issue,
  type Issued,
  privateKeyOf,
  type Terms,
} from "#server/testing/certificate-chains.ts";

import { matchesTlsa } from "./tls.ts";

const NAME = "mx.there.test";
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

/** Whether a server with these certificates is authenticated by a DANE-TA record of one of them. */
async function isAccepted(
  [leaf, ...others]: Issued[],
  { anchor, selector = 0 }: { anchor: Issued; selector?: 0 | 1 },
): Promise<boolean> {
  const server = createServer({
    key: await privateKeyOf(leaf!),
    cert: [leaf!, ...others].map(({ pem }) => pem).join("\n"),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", servername: NAME, rejectUnauthorized: false });
  onTestFinished(() => void server.close());
  await once(socket, "secureConnect");
  const content =
    selector === 0
      ? anchor.x509.raw
      : anchor.x509.publicKey.export({ type: "spki", format: "der" });
  const data = createHash("sha256").update(content).digest();
  const records = [{ usage: 2, selector, matchingType: 1, data }];
  const matches = matchesTlsa(socket, { base: NAME, names: [NAME, "there.test"], records });
  socket.destroy();
  return matches;
}

type Changes = Partial<Record<"root" | "ca" | "leaf", Partial<Terms>>>;

/** A root, an authority below it and a server's certificate, each changed as given. */
async function aChain(changes: Changes = {}) {
  const root = await issue({ subject: "CN=Root", authorities: "any", ...changes.root });
  const ca = await issue({ subject: "CN=CA", issuer: root, authorities: 0, ...changes.ca });
  const leaf = await issue({ subject: "CN=Server", issuer: ca, names: [NAME], ...changes.leaf });
  return { root, ca, leaf };
}

describe("A trust anchor authenticates a server", () => {
  test("whose chain leads to it, as root or as intermediate, by certificate or key", async () => {
    const { root, ca, leaf } = await aChain();
    for (const anchor of [root, ca])
      for (const selector of [0, 1] as const)
        expect(await isAccepted([leaf, ca, root], { anchor, selector })).toBe(true);
  });

  test("whose chain has others in it", async () => {
    const { root, ca, leaf } = await aChain();
    const other = await issue({ subject: "CN=Other", authorities: "any" });
    expect(await isAccepted([leaf, other, ca, root], { anchor: root })).toBe(true);
  });

  test("whatever is wrong above it", async () => {
    const { root, ca, leaf } = await aChain({ root: { days: [-9, -1] } });
    expect(await isAccepted([leaf, ca, root], { anchor: ca })).toBe(true);
  });

  test.each<[string, Changes]>([
    ["for the recipients' domain", { leaf: { names: ["there.test"] } }],
    ["for a wildcard", { leaf: { names: ["*.there.test"] } }],
    ["for servers", { leaf: { purposes: [SERVER_AUTH] } }],
  ])("with a certificate %s", async (_, changes) => {
    const { root, ca, leaf } = await aChain(changes);
    expect(await isAccepted([leaf, ca, root], { anchor: root })).toBe(true);
  });
});

describe("A trust anchor doesn't authenticate a server", () => {
  test.each<[string, Changes]>([
    ["for another name", { leaf: { names: ["mx.other.test"] } }],
    ["for a wildcard above the name", { leaf: { names: ["*.test"] } }],
    ["expired", { leaf: { days: [-9, -1] } }],
    ["not valid yet", { leaf: { days: [1, 9] } }],
    ["of an expired authority", { ca: { days: [-9, -1] } }],
    ["below an expired anchor", { root: { days: [-9, -1] } }],
    ["below an anchor that isn't valid yet", { root: { days: [1, 9] } }],
    ["issued by a server's certificate", { ca: { authorities: undefined } }],
    ["issued by more authorities than allowed", { root: { authorities: 0 } }],
    ["for clients only", { leaf: { purposes: [CLIENT_AUTH] } }],
    ["of an authority for clients only", { ca: { purposes: [CLIENT_AUTH] } }],
  ])("with a certificate %s", async (_, changes) => {
    const { root, ca, leaf } = await aChain(changes);
    expect(await isAccepted([leaf, ca, root], { anchor: root })).toBe(false);
  });

  test("that only sends the anchor, and a chain of an authority of the same name", async () => {
    const { root, ca } = await aChain();
    const forged = await aChain();
    expect(await isAccepted([forged.leaf, forged.ca, root], { anchor: root })).toBe(false);
    expect(await isAccepted([forged.leaf, ca, root], { anchor: root })).toBe(false);
    expect(await isAccepted([forged.leaf, ca, root], { anchor: ca })).toBe(false);
  });

  test("that doesn't send it", async () => {
    const { root, ca, leaf } = await aChain();
    expect(await isAccepted([leaf, ca], { anchor: root })).toBe(false);
  });

  test("whose own certificate it is: that takes DANE-EE", async () => {
    const { root, ca, leaf } = await aChain();
    expect(await isAccepted([leaf, ca, root], { anchor: leaf })).toBe(false);
  });
});
