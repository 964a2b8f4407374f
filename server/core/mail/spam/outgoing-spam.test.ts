import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { setOutgoingScan } from "#server/core/access/companies/outgoing-scan.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { findOutgoingSpam } from "./outgoing-spam.ts";

const useRspamd = (url: string) => changeSetting(db(), "rspamd_url", url);

let rspamd: FakeRspamd;
let companyId: string;

beforeAll(async () => {
  rspamd = await aRspamd();
  await useRspamd(rspamd.url);
  companyId = (await aCompany()).id;
  await setOutgoingScan(aContext(companyId), "hold");
});

afterAll(async () => {
  await useRspamd("off");
  await rspamd.stop();
});

beforeEach(() => {
  rspamd.asked.length = 0;
});

const find = (more: { companyId?: string } = {}) =>
  findOutgoingSpam(db(), {
    companyId,
    content: Buffer.from("Subject: x\r\n\r\nx\r\n"),
    clientAddress: null,
    author: "ann@corp.test",
    recipients: ["bob@elsewhere.test"],
    ...more,
  });

test("scans mail as its author's, who is signed in", async () => {
  rspamd.answer = { score: 14.9 };
  expect(await find()).toBeNull();
  const [{ headers }] = rspamd.asked as [(typeof rspamd.asked)[0]];
  expect(headers).toMatchObject({
    user: "ann@corp.test",
    from: "<ann@corp.test>",
    rcpt: "<bob@elsewhere.test>",
  });
  for (const name of ["ip", "helo", "hostname"]) expect(headers).not.toHaveProperty(name);
});

test.each([
  ["a score of the setting", { score: 15 }, "The message looks like spam (score 15.0 of 15)"],
  ["a virus", { score: 0, symbols: { CLAM_VIRUS: 0 } }, "The message contains a virus"],
  [
    "an operator's rule",
    { score: 2, action: "reject" },
    "The message looks like spam (score 2.0 of 15)",
  ],
])("finds spam by %s", async (_name, answer, reason) => {
  rspamd.answer = answer;
  expect(await find()).toEqual({ action: "hold", reason });
  await setOutgoingScan(aContext(companyId), "reject");
  expect(await find()).toEqual({ action: "reject", reason });
  await setOutgoingScan(aContext(companyId), "hold");
});

test("doesn't ask rspamd for other companies", async () => {
  rspamd.answer = { score: 100 };
  expect(await find({ companyId: (await aCompany()).id })).toBeNull();
  await setOutgoingScan(aContext(companyId), "off");
  expect(await find()).toBeNull();
  await setOutgoingScan(aContext(companyId), "hold");
  expect(rspamd.asked).toEqual([]);
});

test("lets mail pass without rspamd", async () => {
  await useRspamd("off");
  expect(await find()).toBeNull();
  await useRspamd("http://127.0.0.1:1");
  expect(await find()).toBeNull();
});
