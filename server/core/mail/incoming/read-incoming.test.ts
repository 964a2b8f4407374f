import { randomBytes, randomInt } from "node:crypto";
import { gzipSync } from "node:zlib";

import fc from "fast-check";
import { expect, test } from "vitest";

import { aZipFile } from "#server/testing/a-zip-file.ts";
import { aDmarcXml, aTlsJson, messageWithFile } from "#server/testing/reports.ts";

import { readIncoming } from "./read-incoming.ts";
import { readInThread } from "./read-in-thread.ts";

const MB = 1024 * 1024;
const xml = aDmarcXml({ domain: "example.com" });

/** Compresses quickly, as some of these are large. */
const gzip = (content: string | Buffer) => gzipSync(content, { level: 1 });

test("finds reports as whole messages, parts, archives and plain files", async () => {
  const zipped = aZipFile([{ name: "report.xml", content: Buffer.from(xml) }]);
  const parts = [
    "Subject: Report",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "Here it is.",
    "--b",
    "Content-Type: application/gzip",
    "Content-Transfer-Encoding: base64",
    "",
    gzip(xml).toString("base64"),
    "--b--",
    "",
  ];
  for (const message of [
    messageWithFile(zipped, "application/zip"),
    messageWithFile(gzip(xml), "application/gzip"),
    messageWithFile(xml, "text/xml"),
    Buffer.from(parts.join("\r\n")),
  ])
    expect(await readIncoming(message)).toMatchObject({
      kind: "reports",
      dmarc: [{ domain: "example.com" }],
    });
  expect(
    await readIncoming(
      messageWithFile(gzip(aTlsJson({ domain: "example.com" })), "application/tlsrpt+gzip"),
    ),
  ).toMatchObject({ kind: "reports", tls: [{ domain: "example.com" }] });
});

const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol">${Array.from(
  { length: 20 },
  (_, at) =>
    `<!ENTITY ${String.fromCharCode(98 + at)} "${`&${String.fromCharCode(97 + at)};`.repeat(10)}">`,
).join("")}]>${xml.replace("google.com", "&u;").slice(21)}`;

test("ignores XML entities declared in the document", async () => {
  const reading = await readIncoming(messageWithFile(laughs));
  expect(JSON.stringify(reading).length).toBeLessThan(5_000);
});

/** All rows differ, so that they compress like real ones. */
const rows = (count: number) =>
  aDmarcXml({
    domain: "example.com",
    rows: Array.from({ length: count }, () => {
      const [a, b, c, d] = randomBytes(4);
      return { ip: `${a}.${b}.${c}.${d}`, count: 1 + randomInt(1_000_000) };
    }),
  });
const within = (inner: string) => messageWithFile(xml.replace("google.com", inner));

test.each<[string, RegExp, Buffer]>([
  ["a gzip bomb", /too large/, messageWithFile(gzip(Buffer.alloc(200 * MB, "<")))],
  ["more than 100,000 rows", /too many rows/, messageWithFile(gzip(rows(100_001)))],
  ["deep XML", /too deep/, within("<a>".repeat(MB))],
  ["an element of 5 MB", /incomplete/, within(`<x ${"y=1 ".repeat(MB)}>`)],
  ["a section without end", /too large/, within("<a/>".repeat(MB))],
  ["nothing but brackets", /Not a DMARC report/, messageWithFile(Buffer.alloc(7 * MB, "<"))],
  ["JSON of brackets", /nested/, messageWithFile(`{"policies":${"[".repeat(4 * MB)}`)],
  ["JSON of open and closed brackets", /values/, messageWithFile(`{"a":[${"[],".repeat(MB)}1]}`)],
  ["a header of 9 MB", /./, Buffer.from(`Subject: ${"x\r\n ".repeat(2 * MB)}\r\n\r\n`)],
  [
    "a message of parts",
    /./,
    Buffer.from(
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\n\r\n".repeat(500_000)}`,
    ),
  ],
  ["lines without end", /./, Buffer.alloc(9 * MB, "a")],
  ["HTML of brackets", /./, Buffer.from(`Content-Type: text/html\r\n\r\n${"<a ".repeat(2 * MB)}`)],
  ["addresses", /./, Buffer.from(`To: ${"a@b.test, ".repeat(20_000)}\r\n\r\n`)],
])("%s has no content, with a reason", async (_, why, message) => {
  expect(await readInThread(message)).toEqual({
    kind: "nothing",
    why: expect.stringMatching(why) as string,
  });
});

test("limits the recipients of a delivery status", async () => {
  const status = "Final-Recipient: rfc822; a@b.test\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n";
  const message = `Content-Type: message/delivery-status\r\n\r\n${status.repeat(100_000)}`;
  const reading = await readInThread(Buffer.from(message));
  expect(reading).toMatchObject({ kind: "bounce" });
  if (reading.kind === "bounce") expect(reading.bounce.failures.length).toBeLessThan(200);
});

test("parsing a report of 100,000 rows doesn't block the event loop", async () => {
  const message = messageWithFile(gzip(rows(100_000)));
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  const reading = await readInThread(message);
  clearInterval(timer);
  expect(reading).toMatchObject({ kind: "reports", dmarc: [{ domain: "example.com" }] });
  expect(turns).toBeGreaterThan(10);
});

test("reads all concurrent messages, also after one that exceeds the limits", async () => {
  const good = messageWithFile(gzip(xml));
  const readings = await Promise.all(
    [good, within("<a>".repeat(MB)), good].map((message) => readInThread(message)),
  );
  expect(readings.map(({ kind }) => kind)).toEqual(["reports", "nothing", "reports"]);
});

test("never throws on damaged messages", async () => {
  const seeds = [
    messageWithFile(gzip(xml)),
    messageWithFile(xml),
    messageWithFile(aZipFile([{ name: "r", content: Buffer.from(xml) }])),
    messageWithFile(aTlsJson({ domain: "example.com", failed: 1 })),
  ];
  const damaged = fc
    .tuple(
      fc.constantFrom(...seeds),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 20 }),
      fc.nat(),
    )
    .map(([seed, changes, cut]) => {
      const bytes = Buffer.from(seed);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      return cut % 3 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes;
    });
  const anything = fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(fc.oneof(damaged, anything), async (message) => {
      expect(await readIncoming(message)).toHaveProperty("kind");
    }),
    { numRuns: 300 },
  );
});

test("never throws on damaged XML or JSON", async () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.json(),
    fc.constantFrom("</", "<![CDATA[", "<!--", "&#x110000;", "<__proto__>", "]]>"),
  );
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(), async (text, at) => {
      const place = at % xml.length;
      const changed = xml.slice(0, place) + text + xml.slice(place);
      const reading = await readIncoming(messageWithFile(at % 2 ? changed : `{${text}`));
      expect(reading).toHaveProperty("kind");
    }),
    { numRuns: 300 },
  );
});

test("reads urgent messages first", async () => {
  const order: string[] = [];
  const read = async (name: string, isUrgent: boolean) => {
    await readInThread(messageWithFile(xml), { isUrgent });
    order.push(name);
  };
  await Promise.all([
    read("in hand", false),
    read("report", false),
    read("another report", false),
    read("bounce", true),
    read("another bounce", true),
  ]);
  expect(order).toEqual(["in hand", "bounce", "another bounce", "report", "another report"]);
});
