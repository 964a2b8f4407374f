import { beforeEach, expect, test } from "vitest";

import { dmarcCounts, settings } from "#drizzle/schema/index.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { verifyMessage } from "#server/core/mail/authentication/verify-message.ts";
import type { DmarcRow, ReportedResult } from "#server/core/mail/sent-reports/dmarc-reports.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { mxListeners } from "#server/testing/an-mx-listener.ts";
import { aCompany, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";
import { KEY_RECORD, outsideDns, signed } from "#server/testing/signed-mail.ts";
import { smtpDialog } from "#server/testing/smtp-dialog.ts";

import { countDmarc } from "./on-data.ts";

const anMxListener = mxListeners();
const rua = "rua=mailto:dmarc@strict.test";
const { resolver } = await outsideDns({
  "strict.test": { TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
  "_dmarc.strict.test": { TXT: [`v=DMARC1; p=reject; ${rua}`] },
  "s1._domainkey.strict.test": { TXT: [KEY_RECORD] },
  "wary.test": {},
  "_dmarc.wary.test": { TXT: [`v=DMARC1; p=quarantine; ${rua}`] },
  "quiet.test": {},
  "_dmarc.quiet.test": { TXT: ["v=DMARC1; p=reject; rua=https://quiet.test"] },
});
beforeEach(async () => {
  await db().delete(dmarcCounts);
  await db().delete(settings);
});

const from = (domain: string) => `From: a@${domain}\r\nSubject: Hello\r\n\r\nHello\r\n`;

type Given = { ip?: string; action?: Parameters<typeof countDmarc>[2]["action"] };

/** The row that a message is counted in. */
async function rowOf(content: string, { ip = "192.0.2.1", action = "deliver" }: Given = {}) {
  const rows: DmarcRow[] = [];
  const verdict = await verifyMessage(
    {
      message: new Message(Buffer.from(content)),
      sender: "b@strict.test",
      helo: "mx.strict.test",
      clientAddress: ip,
    },
    { resolver, hostname: "mail.here.test", trustedSealers: [] },
  );
  const context = { countDmarc: (row: DmarcRow) => void rows.push(row) };
  countDmarc(context, { clientAddress: ip }, { verdict, action });
  const [row] = rows;
  return row && { ...row, result: JSON.parse(row.result) as ReportedResult };
}

test("a message is counted with its results, for the domain with the record", async () => {
  expect(await rowOf(await signed(from("sub.strict.test"), "strict.test"))).toEqual({
    day: new Date().toISOString().slice(0, 10),
    domain: "strict.test",
    sourceIp: "192.0.2.1",
    result: {
      headerFrom: "sub.strict.test",
      disposition: "none",
      dkim: "pass",
      spf: "pass",
      spfResult: { domain: "strict.test", scope: "mfrom", result: "pass" },
      signatures: [{ domain: "strict.test", selector: "s1", result: "pass" }],
    },
  });
});

test.each<[string, string, Given, Partial<ReportedResult> | undefined]>([
  [
    "rejected by the policy",
    "strict.test",
    { ip: "192.0.2.9", action: null },
    { disposition: "reject" },
  ],
  ["filed in Junk", "wary.test", { action: "junk" }, { disposition: "quarantine", spf: "fail" }],
  ["let pass", "wary.test", { action: "deliver" }, { disposition: "none", dkim: "fail" }],
  ["authenticated, but spam", "strict.test", { action: "junk" }, { disposition: "none" }],
])("mail that was %s is counted as such", async (_, domain, given, result) => {
  expect((await rowOf(from(domain), given))?.result).toMatchObject(result!);
});

test("mail from a domain that asks for no reports by email isn't counted", async () => {
  expect(await rowOf(from("quiet.test"))).toBeUndefined();
  expect(await rowOf(from("none.test"))).toBeUndefined();
});

test("a message is counted once it's accepted, and not while it's deferred", async () => {
  const { id } = await aCompany();
  const domain = await aDomain(id);
  const { address } = await aMailbox(domain);
  await anAdmin(id, { isOwner: true, email: "owner@outside.test" });
  const listener = await anMxListener({ resolver });
  const lines = (await signed(from("strict.test"), "strict.test")).trimEnd().split("\r\n");
  const message = ["C: DATA", "S: 354", ...lines.map((line) => `C: ${line}`), "C: ."];
  const sendTo = (to: string) => ["C: MAIL FROM:<a@none.test>", "S: 250", `C: RCPT TO:<${to}>`];
  await smtpDialog(
    listener.port,
    [
      "S: 220",
      "C: EHLO mx.there.test",
      "S: 250",
      // There is no Dovecot.
      ...sendTo(address),
      "S: 250",
      ...message,
      "S: 451 4.3.0",
      ...sendTo(`postmaster@${domain.name}`),
      "S: 250",
      ...message,
      "S: 250",
    ].join("\n"),
  );
  await listener.stop();
  expect(await db().select().from(dmarcCounts)).toMatchObject([
    { domain: "strict.test", messages: 1 },
  ]);
});

test("equal messages share a row, stored when the listener stops, unless reports are off", async () => {
  const to = (await aMailbox(await aDomain((await aCompany()).id))).address;
  const reject = async () => {
    const listener = await anMxListener({ resolver });
    const message = [
      "C: DATA",
      "S: 354",
      ...from("strict.test")
        .split("\r\n")
        .map((line) => `C: ${line}`),
      "C: .",
      "S: 550 5.7.26",
    ];
    const envelope = ["C: MAIL FROM:<a@none.test>", "S: 250", `C: RCPT TO:<${to}>`, "S: 250"];
    const once = [...envelope, ...message];
    await smtpDialog(
      listener.port,
      ["S: 220", "C: EHLO mx.there.test", "S: 250", ...once, ...once].join("\n"),
    );
    await listener.stop();
  };
  await reject();
  const [row, ...others] = await db().select().from(dmarcCounts);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ domain: "strict.test", sourceIp: "127.0.0.1", messages: 2 });
  await changeSetting(db(), "dmarc_reports", "off");
  await reject();
  expect((await db().select().from(dmarcCounts))[0]!.messages).toBe(2);
});
