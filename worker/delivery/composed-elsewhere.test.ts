import { generateKeyPairSync } from "node:crypto";

import * as fc from "fast-check";
import { dkimVerify } from "mailauth";
import { expect, test } from "vitest";

import { removeSignature, signMessage } from "./dkim.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const signer = { domain: "shop.example", keys: [{ selector: "s2026", privateKey }] };
const now = new Date("2026-11-21T01:02:03Z");
const record = publicKey.export({ type: "spki", format: "der" }).toString("base64");

/** The DKIM results that a receiving server finds for our signatures. */
async function verdicts(message: Buffer): Promise<string[]> {
  const { results } = await dkimVerify(message, {
    curTime: now,
    resolver: (name: string) =>
      name === "s2026._domainkey.shop.example"
        ? Promise.resolve([[`v=DKIM1; k=rsa; p=${record}`]])
        : Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })),
  });
  return results
    .filter(({ signingDomain }) => signingDomain === signer.domain)
    .map(({ status }) => status.result);
}

const sign = (message: Buffer) =>
  signMessage(removeSignature(message, signer), signer, { now, isAutomated: false });
const lines = (...all: string[]) => Buffer.from(all.join("\r\n"), "latin1");

const MESSAGES: [string, Buffer][] = [
  [
    "Outlook",
    lines(
      'From: "M\xfcller, Ann" <ann@shop.example>',
      'To: <bob@example.org>,\r\n\t<cay@example.org>,\r\n\t"Lee, Dan" <dan@example.org>',
      "Subject: RE: Figures",
      "Date: Sat, 21 Nov 2026 02:02:03 +0100",
      "Message-ID: <000001dc5a9f$1a2b3c40$4e81b4c0$@shop.example>",
      'MIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n\tboundary="----=_NextPart_000_0001_01DC5AA7.7BEFA4C0"',
      "X-Mailer: Microsoft Outlook 16.0",
      "Thread-Index: AQHc\r\n\t8Q==\r\nContent-Language: de",
      "",
      "This is a multipart message in MIME format.\r\n",
      "------=_NextPart_000_0001_01DC5AA7.7BEFA4C0",
      'Content-Type: text/plain;\r\n\tcharset="iso-8859-1"\r\nContent-Transfer-Encoding: 8bit\r\n',
      "Sch\xf6ne Gr\xfc\xdfe   \t\r\n\r\n\r\n",
      "------=_NextPart_000_0001_01DC5AA7.7BEFA4C0--",
      "",
      "",
    ),
  ],
  [
    "Apple Mail, with the body's fields before all others",
    lines(
      "Content-Type: text/plain;\r\n\tcharset=utf-8;\r\n\tformat=flowed",
      "Mime-Version: 1.0 (Mac OS X Mail 16.0 \\(3826.200.121\\))",
      "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n =?utf-8?Q?_aus_K=C3=B6ln?=",
      "From: Ann <ann@shop.example>",
      "Date: Sat, 21 Nov 2026 02:02:03 +0100",
      "Content-Transfer-Encoding: quoted-printable",
      "Message-Id: <8B1C@shop.example>",
      "To: bob@example.org",
      "",
      "Hi=20",
      "",
    ),
  ],
  [
    "git send-email",
    lines(
      "From: Ann <ann@shop.example>\r\nTo: list@example.org",
      "Cc: bob@example.org,\r\n\tcay@example.org\r\nCc: again@example.org",
      "Subject: [PATCH v2 1/3] net: fix\r\nDate: Sat, 21 Nov 2026 01:02:03 +0000",
      "Message-ID: <20261121010203.1-1-ann@shop.example>",
      "X-Mailer: git-send-email 2.47.1\r\nIn-Reply-To: <1@x>\r\nReferences: <1@x>\r\n  <2@x>\r\n <3@x>",
      "",
      "---\r\n a.c | 2 +-\r\n\r\n-- \r\n2.47.1\r\n\r\n",
    ),
  ],
  [
    "a message that was sent on, with the trace of its first journey",
    lines(
      "Resent-From: ann@shop.example\r\nResent-To: bob@example.org\r\nResent-Message-ID: <r@shop.example>",
      "Received: from a (b [192.0.2.1])\r\n\tby c with ESMTP id 1;\r\n\tSat, 21 Nov 2026 00:00:00 +0000",
      "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;\r\n\td=shop.example; s=s2026; h=from;\r\n\tbh=x; b=y",
      "DKIM-Signature: v=1; a=rsa-sha256; d=other.example; s=s2026; h=from; bh=x; b=y",
      "Received: from x by y; Sat, 21 Nov 2026 00:00:00 +0000",
      "From: eve@other.example\r\nSubject: Hi",
      "",
      "Hello",
    ),
  ],
  [
    "a script, with odd fields",
    lines(
      "from:ann@shop.example\r\nSUBJECT :  none \t \r\nto:\r\nX-Empty:\r\nReply-To:\r\n bob@example.org",
      `X-Long: ${"word ".repeat(300)}\r\nX-Raw: \xff\xfe\x80`,
      "Date:Sat, 21 Nov 2026 01:02:03 +0000",
      "",
      ".\r\n..\r\n \r\n",
    ),
  ],
  [
    "UTF-8 in the header (RFC 6532), and two From fields",
    Buffer.from(
      "From: Jürgen <ann@shop.example>\r\nFrom: x@shop.example\r\nSubject: Grüße 🎉\r\n\r\nüü\r\n",
    ),
  ],
  ["no header at all", Buffer.from("\r\nHello\r\n")],
  ["no body, and no empty line", lines("From: ann@shop.example", "Subject: x", "")],
];

test.each(MESSAGES)("signs messages composed by %s once", async (_, message) => {
  const isComplete =
    message.includes("\r\n\r\n") || message.subarray(0, 2).equals(Buffer.from("\r\n"));
  const once = await sign(message);
  const again = await sign(once);
  for (const signed of [once, again])
    expect(
      await verdicts(isComplete ? signed : Buffer.concat([signed, Buffer.from("\r\n")])),
    ).toEqual(["pass"]);
  expect(again.equals(once)).toBe(true);
});

test("keeps signatures of others, and of another key of the domain", () => {
  const message = lines(
    "DKIM-Signature: v=1; d=shop.example; s=old; b=x",
    "DKIM-Signature: v=1; d=sub.shop.example; s=s2026; b=x",
    "DKIM-Signature: nonsense",
    "From: ann@shop.example",
    "",
    "DKIM-Signature: v=1; d=shop.example; s=s2026; b=x",
  );
  expect(removeSignature(message, signer)).toBe(message);
});

test("removes only the signature field itself, including its folded lines", () => {
  const own = "dkim-signature:v=1;d=Shop.\r\n Example ;\r\n\ts = S2026;\r\n b=x\r\n";
  const message = lines("A: 1", `${own}B: 2`, "", "x");
  expect(removeSignature(message, signer).toString()).toBe("A: 1\r\nB: 2\r\n\r\nx");
});

test("signs all header fields in any order", async () => {
  const name = fc.constantFrom(
    "From",
    "to",
    "CC",
    "Subject",
    "Date",
    "Message-ID",
    "Reply-To",
    "References",
    "X-Any",
    "MIME-Version",
    "Content-Type",
    "List-Unsubscribe",
    "Received",
    "Sender",
  );
  const octets = (lowest: number, maxLength: number) =>
    fc
      .array(fc.integer({ min: lowest, max: 0xff }), { minLength: 1, maxLength })
      // The verifier treats A0 as white space, which it is not (RFC 6376, 2.8).
      .map((codes) =>
        String.fromCharCode(...codes)
          .replace(/[\r\n]/g, "\r\n")
          .replaceAll("\xa0", "x"),
      );
  const piece = octets(0x20, 30);
  const value = fc
    .array(fc.tuple(piece, fc.constantFrom(" ", "\t", "  ", "\r\n ", "\r\n\t\t", "\r\n x ")), {
      minLength: 1,
      maxLength: 5,
    })
    .map((pieces) => pieces.map((pair) => pair.join("")).join(""));
  const fields = fc.array(fc.tuple(name, fc.constantFrom(":", ": ", " :\t"), value), {
    minLength: 1,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(fields, octets(1, 200), async (all, body) => {
      const header = all.map((field) => field.join("").trimEnd()).join("\r\n");
      const text = `${header}\r\n\r\n${body}\r\n`;
      expect(await verdicts(await sign(Buffer.from(text, "latin1")))).toEqual(["pass"]);
    }),
    { numRuns: 100 },
  );
});
