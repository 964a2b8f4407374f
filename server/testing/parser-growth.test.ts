import { randomUUID } from "node:crypto";

import { decode } from "dns-packet";
import { expect, test } from "vitest";

import {
  readTags,
  readDmarc as readDmarcRecord,
} from "#server/core/domains/records/txt-records.ts";
import { readSpf } from "#server/core/domains/spf/spf.ts";
import { verifyMessage } from "#server/core/mail/authentication/verify-message.ts";
import { readIncoming } from "#server/core/mail/incoming/read-incoming.ts";
import { readDmarcReport } from "#server/core/mail/report-parsing/read-dmarc.ts";
import { readTls } from "#server/core/mail/report-parsing/read-tls.ts";
import { readReply } from "#server/core/mail/replies/read-reply.ts";
import { compileRules } from "#server/core/mailboxes/mailbox-rules/compile-rules.ts";
import { trackSource } from "#server/core/sending/compose/track-source.ts";
import { trackHtml } from "#server/core/sending/tracking/rewrite-html.ts";
import { explainReply } from "#server/core/sending/server-replies/explain-reply.ts";
import { textVersion } from "#server/core/sending/compose/compose-message.ts";
import { parseText } from "#server/core/sending/templates/template-content.ts";
import { readGivenAddress } from "#server/core/shared/addresses/given-address.ts";
import { parseAddress, readReversePath } from "#server/core/shared/addresses/parse-address.ts";
import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import { decodeWords } from "#server/core/shared/mime/encoded-words.ts";
import { editParts } from "#server/core/shared/mime/edit-parts.ts";
import { toFileName } from "#server/core/shared/mime/parameters.ts";
import { parseMessage } from "#server/core/shared/mime/parse-message.ts";
import { plainText as oneLine } from "#server/core/shared/text.ts";
import { formatAddresses, readAddresses } from "#server/core/shared/mime/read-addresses.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { containsPattern } from "#server/core/shared/paging/pages.ts";
import { toSevenBit, withShortLines } from "#server/core/shared/mime/seven-bit.ts";
import { parseBytes } from "#server/http/parse-bytes.ts";
import { parseTable } from "#server/universal/imports/parse-table.ts";
import { requireSafeContent } from "#mail/mx/check-content.ts";
import { encodeContent } from "#mail/smtp/content.ts";
import { readPolicy } from "#worker/delivery/mx/mta-sts.ts";

import { findFastGrowth, HTML, MIME, type Parser } from "./growth.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");

const ADDRESS = ["a", ",", ";", ":", '"', "\\", "(", ")", "<", ">", "@", ".", " ", "[", "=?"];
const WORDS = [
  "=?utf-8?q?a?=",
  "=?utf-8?b?YQ==?=",
  "=?",
  "?=",
  "?",
  " ",
  "_",
  "=E4",
  "\t",
  "\r\n ",
];
const FIELD = [
  "a",
  ":",
  ";",
  "=",
  '"',
  " ",
  "\t",
  "\r\n ",
  "\r\n",
  "(",
  ")",
  "\\",
  ",",
  "*0*=",
  "'",
];
/** Without line breaks: mailauth takes longer per line the more lines there are, so arriving messages have a limit of lines. */
const UNFOLDED = FIELD.filter((piece) => !piece.includes("\r"));
const TAGS = ["a", "=", ";", " ", "v=", "+", "include:", "%{", "}", "/", ":", ",", "ip4:1.2.3.4/"];
const JSON_PIECES = [
  "[",
  "]",
  "{",
  "}",
  '"',
  "\\",
  '\\"',
  "\\u0000",
  "\\ud83d",
  ",",
  ":",
  "1",
  "a",
  '"":',
];

const RULES = {
  forwardTo: ["a@b.example"],
  keepCopy: true,
  vacation: {
    isOn: true,
    subject: "Away",
    text: "Back soon",
    startsOn: null,
    endsOn: null,
    timeZone: "UTC",
  },
};
const compileFilter = (text: string) =>
  compileRules(
    {
      ...RULES,
      filters: [
        {
          name: text,
          isOn: true,
          match: "all",
          conditions: [{ field: "subject", test: "contains", value: text }],
          action: { kind: "file", folder: text },
        },
      ],
    },
    ["a@b.example"],
  );

const DNS_PIECES = [
  "\x01a",
  "\xc0\x0c",
  "\xc0\x0e",
  "\0",
  "\xff",
  "\x3f",
  "\0\x10\0\x01",
  "\0\0\0\0",
];
/** A response with as many answers as possible. */
const dnsResponse = (answers: string) =>
  Buffer.from(`\0\x01\x84\0\0\0\xff\xff\0\0\0\0${answers}`, "latin1");

/** An answer full of pointers to the pointer before (RFC 1035, 4.1.4), and answers whose names begin at the last one. */
function dnsPointers(chars: number): Buffer {
  const count = Math.floor(chars / 4);
  const pointer = (to: number) => String.fromCharCode(0xc0 | (to >> 8), to & 0xff);
  const fields = (octets: number) =>
    `\xff\0\0\x01\0\0\0\0${String.fromCharCode(octets >> 8, octets & 0xff)}`;
  const first = 12 + 1 + 10;
  const chain = Array.from({ length: count }, (_, at) => pointer(at ? first + 2 * (at - 1) : 12));
  const answer = `${pointer(first + 2 * (count - 1))}${fields(0)}`;
  const rest = Math.floor((chars - 2 * count) / answer.length);
  return dnsResponse(`\0${fields(2 * count)}${chain.join("")}${answer.repeat(Math.max(rest, 0))}`);
}

const html = (pieces: string) => `<html><body>${pieces}`;
const withHeader = (pieces: string) =>
  `From: Ann <ann@example.com>\r\nSubject: ${pieces}\r\n\r\nHello\r\n`;
const inBody = (pieces: string) =>
  `From: a@example.com\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\n${pieces}\r\n`;
const signed = (pieces: string) =>
  `DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=s; h=from; bh=AAAA; b=AAAA${pieces}\r\nFrom: Ann <ann@example.com>\r\n\r\nHello\r\n`;
const offline = {
  resolve: () => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" })),
};
const verify = (text: string) =>
  verifyMessage(
    {
      message: new Message(bytes(text)),
      clientAddress: "192.0.2.1",
      helo: "mx.example",
      sender: "",
    },
    { resolver: offline, hostname: "mail.here.test", trustedSealers: [] },
  );

const TRACKING = { emailId: randomUUID(), baseUrl: "https://here.test", opens: true, clicks: true };

const PARSERS: (Parser & { name: string })[] = [
  { name: "JSON", pieces: JSON_PIECES, run: (text) => parseBytes(bytes(text)) },
  { name: "TLS report", pieces: JSON_PIECES, run: (text) => readTls(bytes(text), new Date()) },
  {
    name: "DMARC report",
    pieces: [...HTML, "<record>", "<?", "?>"],
    around: (text) => `<feedback>${text}`,
    run: (text) => readDmarcReport(text, new Date()),
  },
  { name: "address of the API", pieces: ADDRESS, run: readGivenAddress },
  { name: "address", pieces: ADDRESS, run: parseAddress },
  { name: "return path", pieces: ADDRESS, run: readReversePath },
  { name: "address field", pieces: [...ADDRESS, ...WORDS], run: readAddresses },
  {
    name: "shown addresses",
    pieces: [...ADDRESS, ...WORDS],
    run: (text) => formatAddresses(text, 1_000),
  },
  { name: "encoded words", pieces: WORDS, run: decodeWords },
  {
    name: "header",
    pieces: [...FIELD, "=?utf-8?q?a?="],
    around: withHeader,
    run: (text) => new Message(bytes(text)).header,
  },
  {
    name: "message header",
    pieces: FIELD,
    around: (text) => `Content-Type: text/plain; ${text}\r\n\r\n`,
    run: (text) => parseMessage(bytes(text)),
  },
  { name: "MIME", pieces: MIME, around: inBody, run: (text) => parseMessage(bytes(text)) },
  {
    name: "parts",
    pieces: MIME,
    around: inBody,
    run: (text) => editParts(bytes(text), (part) => part),
  },
  {
    name: "8 bit MIME",
    pieces: [...MIME, "\xe4"],
    around: inBody,
    run: (text) => toSevenBit(bytes(text)),
  },
  {
    name: "bounce or complaint",
    pieces: [
      ...MIME,
      "Content-Type: message/delivery-status\r\n\r\n",
      "Final-Recipient: rfc822; a@b.example\r\n",
      "a\r\n\r\n",
    ],
    around: inBody,
    run: (text) => readIncoming(bytes(text)),
  },
  {
    name: "plain bounce",
    pieces: ["<a@b.example>", "550 ", "5.1.1", ":", "\r\n", " ", "a", "@", "<", ">:"],
    around: (text) => `From: MAILER-DAEMON@x.example\r\nSubject: Undelivered\r\n\r\n${text}`,
    run: (text) => readIncoming(bytes(text)),
  },
  { name: "DKIM signature", pieces: [...UNFOLDED, ...TAGS], around: signed, run: verify },
  {
    name: "signed From",
    pieces: ADDRESS,
    around: (text) => signed("").replace("Ann <ann@example.com>", text),
    run: verify,
  },
  {
    name: "signed body",
    pieces: [" ", "\t", "\r\n", " \r\n", "a"],
    around: (text) => signed("") + text,
    run: verify,
  },
  {
    name: "ARC",
    pieces: [...UNFOLDED, ...TAGS],
    around: (text) =>
      `ARC-Seal: i=1; a=rsa-sha256; cv=none; d=x.example; s=s; b=AAAA\r\nARC-Message-Signature: i=1; a=rsa-sha256; d=x.example; s=s; h=from; bh=AAAA; b=AAAA\r\nARC-Authentication-Results: i=1; x.example; ${text}\r\nFrom: a@example.com\r\n\r\n`,
    run: verify,
  },
  {
    name: "SPF record",
    pieces: TAGS,
    around: (text) => `v=spf1 ${text}`,
    charsMax: 4_096,
    run: readSpf,
  },
  { name: "tags of a record", pieces: TAGS, run: readTags, charsMax: 4_096 },
  {
    name: "DMARC record",
    pieces: TAGS,
    around: (text) => `v=DMARC1; ${text}`,
    charsMax: 4_096,
    run: readDmarcRecord,
  },
  {
    name: "MTA-STS policy",
    pieces: ["mx: *.a.example", "\r\n", "\n", ":", " ", "a", "version: STSv1\n"],
    run: readPolicy,
  },
  {
    name: "CSV",
    pieces: ['"', '""', ",", ";", "\t", "|", "\n", "\r\n", "a", "\r"],
    run: parseTable,
  },
  {
    name: "lines of JSON",
    pieces: ["{}", "[", "\n", '"', ",", " "],
    around: (text) => `{${text}`,
    run: parseTable,
  },
  {
    name: "text from HTML",
    pieces: HTML,
    around: html,
    run: (text) => textVersion({ html: text, text: null }),
  },
  { name: "tracked links", pieces: HTML, around: html, run: (text) => trackHtml(text, TRACKING) },
  {
    name: "tracked source",
    pieces: [...MIME, ...HTML.slice(0, 6)],
    around: (text) => inBody(`Content-Type: text/html\r\n\r\n${text}`),
    run: (text) => trackSource(bytes(text), TRACKING),
  },
  {
    name: "reply to an email",
    pieces: ["<", ">", "@", " ", "\r\n ", "01a1fbff-8df0-7482-a0e8-4cc16f3af9af", "a"],
    around: (text) => `References: ${text}\r\nFrom: a@example.com\r\n\r\nHello\r\n`,
    run: (text) => readReply(new Message(bytes(text)), "a@example.com", []),
  },
  { name: "content references", pieces: HTML, around: html, run: contentReferences },
  { name: "placeholders", pieces: ["{", "}", "{{", "}}", "{{{", " ", "a", "\n"], run: parseText },
  {
    name: "reply of a server",
    charsMax: 500,
    pieces: [
      "5",
      ".",
      "1",
      " ",
      "550",
      "-",
      "a",
      "/",
      ":",
      "http://",
      "[",
      "]",
      "(",
      "spam",
      "block",
      "\n",
    ],
    run: (message) => explainReply({ dsn: "5.0.0", message, domain: "", isDelayed: false }),
  },
  {
    name: "filters as a Sieve script",
    pieces: ['"', "\\", "\r\n", "\n", "a", "  fileinto :create ", "redirect :copy ", "{", ";"],
    run: compileFilter,
  },
  {
    name: "DNS packet",
    pieces: DNS_PIECES,
    charsMax: 8_192,
    run: (text) => decode(dnsResponse(text)),
  },
  {
    name: "DNS packet of pointers",
    pieces: ["."],
    charsMax: 8_192,
    run: ({ length }) => decode(dnsPointers(length)),
  },
  { name: "search text", pieces: ["%", "_", "\\", "\0", " ", "a", "\u0130"], run: containsPattern },
  { name: "file name", pieces: ["/", "\\", ".", " ", "a", "\n", "\u2028"], run: toFileName },
  { name: "one line", pieces: [" ", "\t", "\n", "a", "\0", "\u202e"], run: oneLine },
];

test.each(PARSERS)(
  "the time to parse is at most linear in the length: $name",
  { timeout: 120_000 },
  async (parser) => {
    expect(await findFastGrowth(parser)).toEqual([]);
  },
);

const spin = (rounds: number) => {
  let sum = 0;
  for (let at = 0; at < rounds; at++) sum += at & 7;
  return sum;
};

test("time that grows with the square of the length is found, one step isn't", async () => {
  const growthOf = (roundsFor: (chars: number) => number) =>
    findFastGrowth({ pieces: ["a"], run: ({ length }) => spin(roundsFor(length)) });
  expect(await growthOf((chars) => chars ** 2 / 20)).toHaveLength(2);
  expect(await growthOf((chars) => 500 * chars * (chars > 20_000 ? 5 : 1))).toEqual([]);
});

const LARGEST_BYTES = 35 * 1024 * 1024;
const filled = (line: string) =>
  Buffer.alloc(Math.floor(LARGEST_BYTES / line.length) * line.length, line);
const withBody = (type: string, line: string) =>
  Buffer.concat([
    bytes(`From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n`),
    filled(line),
    bytes(`--b\r\n\r\n\xe4${"x".repeat(1_200)}\r\n`),
  ]);
const delimiters = () => withBody("multipart/mixed; boundary=b", "--b\r\n");
const enclosed = () => withBody("message/rfc822", "Content-Type: message/rfc822\r\n\r\n");
const enclosedMultiparts = () =>
  withBody(
    "multipart/mixed; boundary=b",
    `--b\r\nContent-Type: message/rfc822\r\n\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${"--c\r\n".repeat(5_000)}`,
  );
const longHeaders = () =>
  withBody("multipart/mixed; boundary=b", `--b\r\n${"ab:\r\n".repeat(4_000)}\r\n`);

/** Several times what they take, for slow machines; unlimited work takes ten seconds and more. */
const CPU_MS_MAX = 4_000;

/** The smallest of some runs: the first ones include compilation. */
function cpuMsOf(run: () => unknown): number {
  let least = Infinity;
  for (let runs = 0; runs < 3 && least > CPU_MS_MAX; runs++) {
    const start = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(start);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

test.each<[name: string, make: () => Buffer, run: (message: Buffer) => unknown]>([
  [
    "the Message-ID of a header without an end",
    () => filled("ab:\r\n"),
    (message) => new Message(message).messageId,
  ],
  [
    "checks of short lines",
    () => withBody("text/plain", ".\r\n"),
    (message) => requireSafeContent(new Message(message)),
  ],
  ["SMTP content of dots", () => filled(".\r\n"), encodeContent],
  ...[delimiters, enclosed, enclosedMultiparts, longHeaders].flatMap(
    (make): [string, () => Buffer, (message: Buffer) => unknown][] => [
      [`short lines of ${make.name}`, make, withShortLines],
      [`7 bit of ${make.name}`, make, toSevenBit],
      [`tracking of ${make.name}`, make, (message) => trackSource(message, TRACKING)],
    ],
  ),
])("the largest hostile message takes little CPU time: %s", (_name, make, run) => {
  const message = make();
  expect(cpuMsOf(() => run(message))).toBeLessThan(CPU_MS_MAX);
});
