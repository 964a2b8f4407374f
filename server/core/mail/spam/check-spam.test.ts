import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { settings } from "#drizzle/schema/index.ts";
import { invalidateSettings } from "#server/core/platform/settings/read-settings.ts";
import type { SettingName } from "#server/core/platform/settings/settings.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";

import { checkSpam, type IncomingMessage } from "./check-spam.ts";

let rspamd: FakeRspamd;
let dns: FakeDns;
const trusted: IncomingMessage["verdict"] = {
  spf: { result: "pass" },
  dkim: { result: "none" },
  dmarc: { result: "none", policy: null },
};
const distrusted = { ...trusted, dmarc: { result: "fail", policy: "quarantine" } };
const forged = { ...trusted, spf: { result: "fail" } };

async function set(name: SettingName, value: string | number): Promise<void> {
  await db()
    .insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value } });
  invalidateSettings();
}

const judge = (verdict = trusted) =>
  checkSpam(
    db(),
    {
      content: Buffer.from("Subject: x\r\n\r\nx\r\n"),
      verdict,
      envelope: {
        sender: "ann@example.org",
        recipients: ["bob@one.example", "cy@two.example"],
        helo: "mx.example.org",
        clientAddress: "1.2.3.4",
      },
    },
    createResolver({ dnsServers: [dns] }, { timeoutMs: 100, tries: 1 }),
  );

beforeEach(async () => {
  await db().delete(settings);
  rspamd = await aRspamd();
  dns = await aDnsServer();
  await set("rspamd_url", rspamd.url);
});

afterEach(async () => {
  await rspamd.stop();
  await dns.close();
});

test("passes the sending host's name to rspamd, which scores hosts without one", async () => {
  dns.records["4.3.2.1.in-addr.arpa"] = { PTR: ["out.example.org"] };
  dns.records["out.example.org"] = { A: ["1.2.3.4"] };
  await judge();
  dns.records["out.example.org"] = { A: ["1.2.3.5"] };
  await judge();

  const [named, nameless] = rspamd.asked;
  expect(named!.headers).toMatchObject({
    ip: "1.2.3.4",
    hostname: "out.example.org",
    rcpt: "<bob@one.example>, <cy@two.example>",
  });
  expect(nameless!.headers).not.toHaveProperty("hostname");
});

test.each([
  [-2, "deliver"],
  [5.9, "deliver"],
  [6, "junk"],
  [9.9, "junk"],
  [10, "quarantine"],
  [14.9, "quarantine"],
  [15, "reject"],
])("a score of %s: %s", async (score, action) => {
  rspamd.answer = { score };
  expect(await judge()).toEqual({ action, score, findings: [], isVirus: false });
});

test("applies the strictest threshold that is reached, whatever their order", async () => {
  await set("spam_reject_score", 3);
  rspamd.answer = { score: 4 };
  expect(await judge()).toMatchObject({ action: "reject" });
  rspamd.answer = { score: 2 };
  expect(await judge()).toMatchObject({ action: "deliver" });
});

test("uses our thresholds, not rspamd's", async () => {
  await set("spam_reject_score", 30);
  await set("spam_quarantine_score", 25);
  rspamd.answer = { score: 20 };
  expect(await judge()).toMatchObject({ action: "junk" });
});

test.each([
  ["reject", "reject"],
  ["quarantine", "quarantine"],
  ["discard", "quarantine"],
  ["greylist", "deliver"],
])(
  "follows an operator's rule in rspamd that returns %s, whatever the score: %s",
  async (returned, action) => {
    rspamd.answer = { score: 1, action: returned };
    expect(await judge()).toMatchObject({ action });
  },
);

test("spam gets a verdict even if rspamd greylists it", async () => {
  rspamd.isGreylisting = true;
  rspamd.answer = { score: 20 };
  expect(await judge()).toMatchObject({ action: "reject", score: 20 });
  expect(await judge()).toMatchObject({ action: "reject", score: 20 });
});

test.each([
  ["soft reject", { score: 0, action: "soft reject" }],
  ["soft reject with a score", { score: 8, action: "soft reject" }],
  ["no score", { score: null }],
])("%s is not a verdict: SPF, DKIM and DMARC decide", async (_, answer) => {
  rspamd.answer = answer;
  expect(await judge(forged)).toEqual({
    action: "junk",
    score: null,
    findings: ["R_SPF_FAIL"],
    isVirus: false,
  });
});

test("lists only findings against the message, strongest first", async () => {
  rspamd.answer = {
    score: 8,
    symbols: { MIME_GOOD: -0.1, TO_DN_NONE: 0, RDNS_NONE: 1, BAYES_SPAM: 5.1, "<b> x": 9 },
  };
  expect(await judge()).toMatchObject({ findings: ["BAYES_SPAM", "RDNS_NONE"] });
});

describe("a virus is always quarantined", () => {
  test.each([
    ["its symbol", { score: 0.2, action: "reject", symbols: { CLAM_VIRUS: 0 } }, "CLAM_VIRUS"],
    [
      "its symbol in a score that refuses",
      { score: 40, symbols: { SOPHOS_VIRUS: 0 } },
      "SOPHOS_VIRUS",
    ],
    [
      "the scanner's words, under a symbol of the operator's",
      {
        score: 1,
        action: "reject",
        symbols: { JUST_EICAR: 1 },
        smtpMessage: 'clamav: virus found: "Win.Test.EICAR_HDB-1"',
      },
      "JUST_EICAR",
    ],
  ])("flags a virus found by %s", async (_, answer, finding) => {
    rspamd.answer = answer;
    const judged = await judge();
    expect(judged).toMatchObject({ action: "quarantine", isVirus: true });
    expect(judged.findings[0]).toBe(finding);
  });

  test.each(["CLAM_VIRUS_FAIL", "CLAM_VIRUS_ENCRYPTED", "RBL_VIRUSFREE_BOTNET"])(
    "does not flag %s",
    async (symbol) => {
      rspamd.answer = { score: 1, symbols: { [symbol]: 1 } };
      expect(await judge()).toMatchObject({ action: "deliver", isVirus: false });
    },
  );
});

test("mail that fails its DMARC policy goes to Junk at least", async () => {
  rspamd.answer = { score: 0 };
  expect(await judge(distrusted)).toEqual({
    action: "junk",
    score: 0,
    findings: ["DMARC_POLICY_QUARANTINE"],
    isVirus: false,
  });
  rspamd.answer = { score: 12 };
  expect(await judge(distrusted)).toMatchObject({ action: "quarantine" });
});

test("with rspamd, SPF alone doesn't decide", async () => {
  expect(await judge(forged)).toMatchObject({ action: "deliver" });
});

describe("without rspamd, authentication results decide", () => {
  const verdicts: [string, IncomingMessage["verdict"], string, string[]][] = [
    ["trusted", trusted, "deliver", []],
    ["DMARC quarantine", distrusted, "junk", ["DMARC_POLICY_QUARANTINE"]],
    [
      "DMARC reject that was let through",
      { ...trusted, dmarc: { result: "fail", policy: "reject" } },
      "junk",
      ["DMARC_POLICY_REJECT"],
    ],
    ["DMARC none", { ...forged, dmarc: { result: "fail", policy: "none" } }, "deliver", []],
    ["SPF fails", forged, "junk", ["R_SPF_FAIL"]],
    ["SPF fails under a signature", { ...forged, dkim: { result: "pass" } }, "deliver", []],
    ["SPF softfails", { ...trusted, spf: { result: "softfail" } }, "deliver", []],
  ];
  test.each(verdicts)("%s", async (_, verdict, action, findings) => {
    const expected = { action, score: null, findings, isVirus: false };
    await set("rspamd_url", "off");
    expect(await judge(verdict)).toEqual(expected);
    expect(rspamd.asked).toEqual([]);

    await set("rspamd_url", rspamd.url);
    rspamd.answer = 500;
    expect(await judge(verdict)).toEqual(expected);
  });
});
