import { randomBytes } from "node:crypto";

import { describe, expect, test } from "vitest";

import { Message } from "#server/core/shared/mime/message.ts";
import { KEY_RECORD, outsideDns, signed } from "#server/testing/signed-mail.ts";

import { verifyMessage } from "./verify-message.ts";

const key = { TXT: [KEY_RECORD] };
const { resolver } = await outsideDns({
  "there.test": { TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
  "_dmarc.there.test": { TXT: ["v=DMARC1; p=reject"] },
  "s1._domainkey.there.test": key,
  "s1._domainkey.mail.there.test": key,
  "strict.test": { TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
  "_dmarc.strict.test": { TXT: ["v=DMARC1; p=quarantine; adkim=s; aspf=s; sp=none"] },
  "mail.strict.test": { TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
  "s1._domainkey.mail.strict.test": key,
  "plain.test": { TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
  "s1._domainkey.plain.test": key,
  "trying.test": {},
  "_dmarc.trying.test": { TXT: ["v=DMARC1; p=reject; pct=0"] },
  "testing.test": {},
  "_dmarc.testing.test": { TXT: ["v=DMARC1; p=reject; t=y"] },
  "odd.test": {},
  "_dmarc.odd.test": { TXT: ["v=DMARC1; p=REJECT "] },
  "silent.test": "TIMEOUT",
  "_dmarc.silent.test": "TIMEOUT",
  "s1._domainkey.silent.test": "TIMEOUT",
  "helo.test": { TXT: ["v=spf1 ip4:192.0.2.1 -all"] },
  "loop.test": { TXT: ["v=spf1 include:loop.test -all"] },
  "split.test": { TXT: ["v=spf1 include:mute.test -all"] },
  "_dmarc.split.test": { TXT: ["v=DMARC1; p=reject"] },
  "mute.test": "SERVFAIL",
  "s1._domainkey.mail_a.there.test": key,
  "s2._domainkey.there.test": { TXT: [`${KEY_RECORD}; n=it's "Ann's" (key`] },
});

const message = (from: string, body = "Hello there.\r\n") =>
  `From: ${from}\r\nTo: bob@here.test\r\nSubject: Hello\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\nMessage-ID: <1@there.test>\r\n\r\n${body}`;

const verify = (
  content: string | Buffer,
  origin: { sender?: string; ip?: string; helo?: string } = {},
) =>
  verifyMessage(
    {
      message: new Message(Buffer.isBuffer(content) ? content : Buffer.from(content, "latin1")),
      sender: origin.sender ?? "",
      helo: origin.helo ?? "mx.elsewhere.test",
      clientAddress: origin.ip ?? "198.51.100.9",
    },
    { resolver, hostname: "mail.here.test", trustedSealers: ["list.test", "forwarder.test"] },
  );

const brief = async (...args: Parameters<typeof verify>) => {
  const { spf, dkim, dmarc, arc, isFromVerified, isSenderVerified } = await verify(...args);
  return [
    `spf=${spf.result} dkim=${dkim.result} dmarc=${dmarc.result}/${dmarc.policy} arc=${arc.result}`,
    ...(isFromVerified ? ["from"] : []),
    ...(isSenderVerified ? ["sender"] : []),
  ].join(" ");
};

const HERS = { sender: "ann@there.test", ip: "192.0.2.1" };

describe("sender verification", () => {
  test.each([
    [
      "her address",
      HERS,
      "ann@there.test",
      "spf=pass dkim=none dmarc=pass/reject arc=none from sender",
    ],
    [
      "her address, as IPv6 writes it",
      { ...HERS, ip: "::ffff:192.0.2.1" },
      "ann@there.test",
      "spf=pass dkim=none dmarc=pass/reject arc=none from sender",
    ],
    [
      "another address",
      { sender: "ann@there.test" },
      "ann@there.test",
      "spf=fail dkim=none dmarc=fail/reject arc=none",
    ],
    [
      "EHLO for the null sender",
      { ip: "192.0.2.1", helo: "helo.test" },
      "ann@helo.test",
      "spf=pass dkim=none dmarc=none/null arc=none from",
    ],
    [
      "a From of another domain",
      HERS,
      "ann@plain.test",
      "spf=pass dkim=none dmarc=none/null arc=none sender",
    ],
    [
      "a From below the domain",
      HERS,
      "Ann <ann@news.there.test>",
      "spf=pass dkim=none dmarc=pass/reject arc=none from sender",
    ],
    [
      "a strict domain from below",
      { sender: "a@mail.strict.test", ip: "192.0.2.1" },
      "a@strict.test",
      "spf=pass dkim=none dmarc=fail/quarantine arc=none sender",
    ],
    [
      "below a strict domain",
      { sender: "a@strict.test" },
      "a@mail.strict.test",
      "spf=fail dkim=none dmarc=fail/none arc=none",
    ],
    [
      "a host with an underscore below a domain with a policy",
      { sender: "root@my_host.there.test" },
      "root@my_host.there.test",
      "spf=none dkim=none dmarc=fail/reject arc=none",
    ],
    [
      "a single label",
      { sender: "root@nas" },
      "root@nas",
      "spf=none dkim=none dmarc=none/null arc=none",
    ],
    ["pct=0", {}, "a@trying.test", "spf=none dkim=none dmarc=fail/quarantine arc=none"],
    ["t=y", {}, "a@testing.test", "spf=none dkim=none dmarc=fail/quarantine arc=none"],
    ["a policy in capitals", {}, "a@odd.test", "spf=none dkim=none dmarc=fail/reject arc=none"],
    [
      "a DNS that says nothing",
      { sender: "a@silent.test" },
      "a@silent.test",
      "spf=temperror dkim=none dmarc=temperror/null arc=none",
    ],
    [
      "SPF that includes itself",
      { sender: "a@loop.test" },
      "a@loop.test",
      "spf=permerror dkim=none dmarc=none/null arc=none",
    ],
    [
      "no From that can be read",
      HERS,
      "unparsable",
      "spf=pass dkim=none dmarc=none/null arc=none sender",
    ],
    [
      "two in From",
      HERS,
      "ann@there.test, bob@there.test",
      "spf=pass dkim=none dmarc=none/null arc=none sender",
    ],
  ])("%s", async (_, origin, from, expected) => {
    expect(await brief(message(from), origin)).toBe(expected);
  });
});

const ANN = message("ann@there.test");

describe("signatures", () => {
  test.each<[string, () => Promise<string>, string]>([
    ["of the domain", () => signed(ANN, "there.test"), "dkim=pass dmarc=pass"],
    ["of a name below it", () => signed(ANN, "mail.there.test"), "dkim=pass dmarc=pass"],
    [
      "of a strict domain's host",
      () => signed(message("a@strict.test"), "mail.strict.test"),
      "dkim=pass dmarc=fail",
    ],
    ["of another domain", () => signed(ANN, "plain.test"), "dkim=pass dmarc=fail"],
    [
      "with a changed body",
      async () => `${await signed(ANN, "there.test")}More.\r\n`,
      "dkim=fail dmarc=fail",
    ],
    [
      "with a changed subject",
      async () => (await signed(ANN, "there.test")).replace("Subject: H", "Subject: J"),
      "dkim=fail dmarc=fail",
    ],
    [
      "without a key",
      () => signed(message("a@nokey.test"), "nokey.test"),
      "dkim=permerror dmarc=none",
    ],
    ["whose key lookup times out", () => signed(ANN, "silent.test"), "dkim=temperror dmarc=fail"],
    [
      "that leave the end of the body open",
      () => signed(ANN, "there.test", { maxBodyLength: 3 }),
      "dkim=none dmarc=fail",
    ],
    [
      "with SHA-1",
      () => signed(ANN, "there.test", { algorithm: "rsa-sha1" }),
      "dkim=none dmarc=fail",
    ],
    [
      "that do not sign From",
      () => signed(ANN, "there.test", { headerList: "subject:to" }),
      "dkim=none dmarc=fail",
    ],
    [
      "of a host with an underscore",
      () => signed(ANN, "mail_a.there.test"),
      "dkim=pass dmarc=pass",
    ],
    [
      "with quotes in its tags and its key's",
      async () => {
        const message = await signed(ANN, "there.test", { selector: "s2" });
        return message.replace("DKIM-Signature: ", `DKIM-Signature: n=it's "odd; `);
      },
      // The changed field is no longer the one that was signed.
      "dkim=fail dmarc=fail",
    ],
    [
      "whose key has quotes",
      () => signed(ANN, "there.test", { selector: "s2" }),
      "dkim=pass dmarc=pass",
    ],
    ...(
      [
        ["one with l=", { maxBodyLength: 3 }],
        ["one with SHA-1", { algorithm: "rsa-sha1" }],
        ["one without From", { headerList: "subject:to" }],
      ] as const
    ).map(([name, inner]): [string, () => Promise<string>, string] => [
      `over ${name}, which isn't checked`,
      async () =>
        signed(await signed(ANN, "plain.test", inner), "there.test", {
          headerList: "dkim-signature:from:to:subject",
        }),
      "dkim=pass dmarc=pass",
    ]),
    [
      "over eight others",
      async () =>
        signed(
          "DKIM-Signature: v=1; a=rsa-sha256; h=from; d=x.test; s=s; bh=; b=AAAA\r\n".repeat(8) +
            ANN,
          "there.test",
          { headerList: `${"dkim-signature:".repeat(8)}from` },
        ),
      "dkim=pass dmarc=pass",
    ],
    [
      "after seven others",
      async () =>
        "DKIM-Signature: v=1; a=rsa-sha256; h=from; d=x.test; s=s; bh=; b=AAAA\r\n".repeat(7) +
        (await signed(ANN, "there.test")),
      "dkim=pass dmarc=pass",
    ],
    [
      "after a thousand others",
      async () =>
        "DKIM-Signature: v=1; a=rsa-sha256; h=from; d=x.test; s=s; bh=; b=AAAA\r\n".repeat(1000) +
        (await signed(ANN, "there.test")),
      "dkim=fail dmarc=fail",
    ],
  ])("%s", async (_, make, expected) => {
    const { dkim, dmarc } = await verify(await make());
    expect(`dkim=${dkim.result} dmarc=${dmarc.result}`).toBe(expected);
  });
});

test("a failed DNS lookup inside an SPF include leaves the result open", async () => {
  const verdict = await verify(message("a@split.test"), { sender: "a@split.test" });
  // So the message gets a 451 instead of the 550 of p=reject.
  expect(verdict).toMatchObject({
    spf: { result: "temperror" },
    isUncertain: true,
    dmarc: { result: "fail", policy: "reject" },
  });
});

test("writes all results into our Authentication-Results field", async () => {
  const { header } = await verify(await signed(ANN, "there.test"), HERS);
  expect(header).toMatch(
    /^Authentication-Results: mail\.here\.test;\r\n\tspf=pass smtp\.mailfrom=there\.test;\r\n\tdkim=pass header\.d=there\.test header\.s=s1 header\.a=rsa-sha256 header\.b="[\w+/]{8}";\r\n\tdmarc=pass \(p=reject\) header\.from=there\.test;\r\n\tarc=none\r\n$/,
  );
});

test("copies no unparsed name of a message into our field", async () => {
  const odd =
    'DKIM-Signature: v=1; a=rsa-sha256 dmarc=pass (; h=from; d=there.test dmarc=pass; s=s\r\n\tdkim=pass; bh=x; b=A"A dmarc=pass\r\n';
  const { header } = await verify(odd + message("ann@there.test (dmarc=pass\r\n\tdmarc=pass)"), {
    sender: "a;dmarc=pass@x.test",
    helo: "x; dmarc=pass",
  });
  expect(header).not.toContain("=pass");
  expect(header.match(/dmarc=/g)).toHaveLength(1);
});

/** How many times the event loop ran other work in between. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

test.each([
  ["of lines", `${randomBytes(57).toString("base64")}\r\n`.repeat(475_000)],
  ["of empty lines", `${"\r\n".repeat(18_000_000)}x\r\n`],
  ["of spaces", `${" ".repeat(998)}\r\n`.repeat(36_000)],
])("checks 35 MiB %s without blocking other messages", async (_, body) => {
  const content = await signed(message("ann@there.test", body), "there.test");
  expect(content.length).toBeGreaterThan(34 * 1024 * 1024);
  let result = "";
  const turns = await turnsDuring(async () => {
    result = (await verify(content)).dkim.result;
  });
  expect(result).toBe("pass");
  expect(turns).toBeGreaterThan(250);
});

const SIGNATURE = "DKIM-Signature: v=1; a=rsa-sha256; d=x.test; s=s; bh=; b=A; h=from";

test.each([
  ["names in h=", `${SIGNATURE}${":a".repeat(20_000)}\r\n${"a: b\r\n".repeat(4_900)}`],
  ["folded lines", `${SIGNATURE}\r\nTo: a\r\n${" b\r\n".repeat(4_900)}`],
])("handles thousands of %s", async (_, header) => {
  const { dkim } = await verify(header + ANN);
  expect(dkim.result).not.toBe("pass");
});
