import crypto, { generateKeyPairSync } from "node:crypto";

import { dkimSign } from "mailauth";
import { afterEach, expect, test, vi } from "vitest";

import { PromiseCache } from "#server/core/shared/caches.ts";

import { type KeyAnswer, verifySignatures } from "./verify-signatures.ts";

afterEach(() => vi.restoreAllMocks());

const NAME = "s1._domainkey.sender.test";

test("parses the key of a record once for many messages", async () => {
  const read = vi.spyOn(crypto, "createPublicKey");
  const key = aKey();
  await expectResult("pass", await signed(key), key.record);
  const readings = read.mock.calls.length;
  await expectResult("pass", await signed(key), key.record);
  expect(readings).toBeGreaterThan(0);
  expect(read).toHaveBeenCalledTimes(readings);
});

test("uses a changed record immediately", async () => {
  const [before, after] = [aKey(), aKey()];
  const message = await signed(after);
  await expectResult("fail", message, before.record);
  await expectResult("pass", message, after.record);
  await expectResult("fail", message, before.record);
});

test("reads a record again after an error", async () => {
  const { record, ...key } = aKey();
  const message = await signed({ record, ...key });
  await expectResult("permerror", message, "v=DKIM1; k=rsa; p=");
  await expectResult("permerror", message, "v=DKIM1; k=rsa; p=");
  await expectResult("pass", message, record);
});

test("large DNS answers aren't kept in memory", async () => {
  const get = vi.spyOn(PromiseCache.prototype, "get");
  const key = aKey();
  const padding = Array.from({ length: 15 }, () => "\0".repeat(4_000));
  await expectResult("pass", await signed(key), [key.record, ...padding]);
  expect(get).toHaveBeenCalled();
  for (const [cached] of get.mock.calls) expect(cached.length).toBeLessThan(100);
});

function aKey() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const der = publicKey.export({ type: "spki", format: "der" });
  return {
    record: `v=DKIM1; k=rsa; p=${der.toString("base64")}`,
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

async function signed({ privateKey }: ReturnType<typeof aKey>): Promise<Buffer> {
  const message = `From: a@sender.test\r\nMessage-ID: <${crypto.randomUUID()}@sender.test>\r\n\r\nHello\r\n`;
  const key = { signingDomain: "sender.test", selector: "s1", privateKey };
  const { signatures } = await dkimSign(message, { ...key, signatureData: [key] });
  return Buffer.from(signatures + message);
}

async function expectResult(
  result: string,
  message: Buffer,
  record: string | string[],
): Promise<void> {
  const keys = new Map<string, KeyAnswer>([[NAME, { records: [record].flat() }]]);
  const { signatures } = await verifySignatures(message, { keys, checksArc: false });
  expect(signatures.map((one) => one.result)).toEqual([result]);
}
