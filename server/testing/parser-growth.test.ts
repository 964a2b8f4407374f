import { randomUUID } from "node:crypto";

import { expect, test } from "vitest";

import { readTags } from "#server/core/domains/records/tag-list.ts";
import { readDmarc as readDmarcRecord } from "#server/core/domains/records/read-dmarc.ts";
import { readSpf } from "#server/core/domains/spf/read-spf.ts";
import { verifyMessage } from "#server/core/mail/authentication/verify-message.ts";
import { readIncoming } from "#server/core/mail/incoming/read-incoming.ts";
import { readDmarc } from "#server/core/mail/report-parsing/read-dmarc.ts";
import { readTls } from "#server/core/mail/report-parsing/read-tls.ts";
import { readReply } from "#server/core/mail/replies/read-reply.ts";
import { trackSource } from "#server/core/sending/compose/track-source.ts";
import { trackHtml } from "#server/core/sending/tracking/rewrite-html.ts";
import { explainReply } from "#server/core/sending/replies/explain-reply.ts";
import { plainText } from "#server/core/sending/compose/compose-message.ts";
import { parseText } from "#server/core/sending/templates/variables.ts";
import { readGivenAddress } from "#server/core/shared/addresses/given-address.ts";
import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { readReversePath } from "#server/core/shared/addresses/reverse-path.ts";
import { contentReferences } from "#server/core/shared/mime/content-references.ts";
import { decodeWords } from "#server/core/shared/mime/decode-words.ts";
import { editParts } from "#server/core/shared/mime/edit-parts.ts";
import { toFileName } from "#server/core/shared/mime/file-parameter.ts";
import { parseMessage } from "#server/core/shared/mime/parse-message.ts";
import { plainText as oneLine } from "#server/core/shared/mime/plain-text.ts";
import { formatAddresses, readAddresses } from "#server/core/shared/mime/read-addresses.ts";
import { readHeader } from "#server/core/shared/mime/read-header.ts";
import { toSevenBit } from "#server/core/shared/mime/seven-bit.ts";
import { parseBytes } from "#server/http/parse-bytes.ts";
import { parseTable } from "#server/universal/imports/parse-table.ts";
import { readPolicy } from "#worker/delivery/mx/mta-sts/read-policy.ts";

/** A parser of untrusted text. */
type Parser = {
  name: string;
  /** What its inputs consist of: separators, quotes and beginnings that wait for an end. */
  pieces: string[];
  /** Puts the pieces into a whole input. */
  around?: (pieces: string) => string;
  /** Longer inputs are rejected before they get here. */
  charsMax?: number;
  run: (text: string) => unknown;
};

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
const MIME = [
  "--b\r\n",
  "--b--\r\n",
  "\r\n",
  "a: b\r\n",
  " \t\r\n",
  "--",
  "=\r\n",
  "=4",
  "\r\n.",
  "-- \r\n",
];
const HTML = [
  "<",
  ">",
  "<a ",
  "<a href='",
  "<b>",
  "</b>",
  "<!--",
  "-->",
  "&",
  "&#",
  ";",
  '"',
  "=",
  " ",
  "a",
  "/",
  "<table><tr><td>",
  "<style>",
  "<![CDATA[",
  "cid:",
  "\n",
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
    { content: bytes(text), clientAddress: "192.0.2.1", helo: "mx.example", sender: "" },
    { resolver: offline, hostname: "mail.here.test", trustedSealers: [] },
  );

const TRACKING = { emailId: randomUUID(), baseUrl: "https://here.test", opens: true, clicks: true };

const PARSERS: Parser[] = [
  { name: "JSON", pieces: JSON_PIECES, run: (text) => parseBytes(bytes(text)) },
  { name: "TLS report", pieces: JSON_PIECES, run: (text) => readTls(bytes(text), new Date()) },
  {
    name: "DMARC report",
    pieces: [...HTML, "<record>", "<?", "?>"],
    around: (text) => `<feedback>${text}`,
    run: (text) => readDmarc(text, new Date()),
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
    run: (text) => readHeader(bytes(text)),
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
    run: (text) => plainText({ html: text, text: null }),
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
    run: (text) => readReply(bytes(text), "a@example.com", []),
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
  { name: "file name", pieces: ["/", "\\", ".", " ", "a", "\n", "\u2028"], run: toFileName },
  { name: "one line", pieces: [" ", "\t", "\n", "a", "\0", "\u202e"], run: oneLine },
];

const CHARS_MAX = 32 * 1024;
/** What takes less at full length isn't measured. */
const NEGLIGIBLE_MS = 10;
/** The clock of CPU time is coarse, so short runs are repeated until they have taken this long. */
const MEASURABLE_MS = 16;
const RUNS_MAX = 100;
/** Twice the length may take twice the time, and something for the garbage collector. */
const GROWTH_MAX = 3;
const RETRIES = 3;

const ignoringErrors = (run: Parser["run"]) => async (text: string) => {
  try {
    await run(text);
  } catch {
    // Only the time counts.
  }
};

/** Each piece alone, and with some others: all pairs would take minutes. */
const inputsOf = (pieces: string[]) =>
  pieces.flatMap((one, at) => [
    one,
    ...[1, 3].map((distance) => one + pieces[(at + distance) % pieces.length]!),
  ]);

test.each(PARSERS)(
  "the time to parse grows with the length: $name",
  { timeout: 120_000 },
  async (parser) => {
    const tooFast: string[] = [];
    for (const unit of new Set(inputsOf(parser.pieces))) {
      const growth = await measureGrowth({ ...parser, run: ignoringErrors(parser.run) }, unit);
      if (growth > GROWTH_MAX) tooFast.push(`${JSON.stringify(unit)}: ${growth.toFixed(1)}`);
    }
    expect(tooFast).toEqual([]);
  },
);

/** Time at 2n divided by time at n, over two doublings; 1 if even the longest input takes no time worth measuring. */
async function measureGrowth(parser: Parser, unit: string): Promise<number> {
  const { run, around = (pieces: string) => pieces, charsMax = CHARS_MAX } = parser;
  const inputOf = (chars: number) =>
    around(unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars));
  const [short, long] = [inputOf(charsMax / 4), inputOf(charsMax)];
  const start = performance.now();
  await run(long);
  if (performance.now() - start < NEGLIGIBLE_MS) return 1;
  let growth = Infinity;
  for (let retry = 0; retry <= RETRIES && growth > GROWTH_MAX; retry++) {
    const [once, fourTimes] = [await cpuMsOf(run, short), await cpuMsOf(run, long)];
    if (fourTimes < NEGLIGIBLE_MS) return 1;
    growth = Math.min(growth, Math.sqrt(fourTimes / once));
  }
  return growth;
}

/** CPU time of this thread, which other programs on the machine don't change. */
async function cpuMsOf(run: Parser["run"], text: string): Promise<number> {
  const start = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    await run(text);
    const { user, system } = process.threadCpuUsage(start);
    const ms = (user + system) / 1_000;
    if (ms >= MEASURABLE_MS || runs === RUNS_MAX) return ms / runs;
  }
}
