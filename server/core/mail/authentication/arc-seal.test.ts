import { eq } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";

import { dkimKeys } from "#drizzle/schema/index.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { config } from "#server/config.ts";
import { dkimRecord } from "#server/core/sending/dkim/dkim-keys.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { outsideDns } from "#server/testing/signed-mail.ts";

import { addArcSeal } from "./arc-seal.ts";
import { verifyMessage } from "./verify-message.ts";

const { dns, resolver } = await outsideDns({});
const { hostname } = config();
let domain: Awaited<ReturnType<typeof aDomain>>;

beforeAll(async () => {
  domain = await aDomain((await aCompany()).id);
  const [key] = await db().select().from(dkimKeys).where(eq(dkimKeys.domainId, domain.id));
  dns.records[`${key!.selector}._domainkey.${domain.name}`] = { TXT: [dkimRecord(key!)] };
});

const results = (arc: string, host = hostname) =>
  `Authentication-Results: ${host};\r\n\tspf=pass smtp.mailfrom=there.test;\r\n\tarc=${arc}\r\n`;
const MESSAGE =
  "From: ann@there.test\r\nSubject: Hello\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\n\r\nHi  there \r\n\r\n";
const seal = (text: string) =>
  addArcSeal(db(), new Message(Buffer.from(text)), { domainId: domain.id });
const verify = (content: Buffer) =>
  verifyMessage(
    { message: new Message(content), sender: "", helo: "x.test", clientAddress: "192.0.2.1" },
    { resolver, hostname: "mx.there.test", trustedSealers: [] },
  );

test("seals our results and leaves the message unchanged", async () => {
  const sealed = await seal(results("none") + MESSAGE);
  const text = sealed.toString();
  expect(text.endsWith(results("none") + MESSAGE)).toBe(true);
  expect(text).toContain(
    `ARC-Authentication-Results: i=1; ${hostname}; spf=pass smtp.mailfrom=there.test; arc=none`,
  );
  expect((await verify(sealed)).arc.result).toBe("pass");
  expect((await verify(Buffer.from(text.replace("Hi", "Ho")))).arc.result).toBe("fail");
});

test("seals with one time, even if a second passes meanwhile", async () => {
  let calls = 0;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => 1_800_000_000_000 + 1_000 * calls++);
  const sealed = await seal(results("none") + MESSAGE).finally(() => clock.mockRestore());
  expect((await verify(sealed)).arc.result).toBe("pass");
});

test("extends a valid chain", async () => {
  const first = await seal(results("none") + MESSAGE);
  const second = await seal(results("pass") + first.toString());
  expect(second.toString()).toMatch(/^ARC-Seal: i=2; .*cv=pass/s);
  expect((await verify(second)).arc.result).toBe("pass");
});

test.each([
  ["whose chain is broken", results("fail") + MESSAGE],
  ["that we have not checked", MESSAGE],
  [
    "whose newest results are another server's",
    results("none", "mx.there.test") + results("none") + MESSAGE,
  ],
])("leaves a message %s unchanged", async (_, message) => {
  expect((await seal(message)).toString()).toBe(message);
});

test("doesn't seal without a key", async () => {
  const { id } = await aDomain(domain.companyId);
  await db().delete(dkimKeys).where(eq(dkimKeys.domainId, id));
  const content = Buffer.from(results("none") + MESSAGE);
  expect(await addArcSeal(db(), new Message(content), { domainId: id })).toBe(content);
});
