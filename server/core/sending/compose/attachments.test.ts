import * as fc from "fast-check";
import { simpleParser } from "mailparser";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { describe, expect, test } from "vitest";

import type { Attachment } from "./attachment-part.ts";
import { aComposableEmail } from "#server/testing/composable-email.ts";

import { type ComposableEmail, composeMessage } from "./compose-message.ts";

const aFile = (file: Partial<Attachment> = {}): Attachment => ({
  filename: "order.pdf",
  contentType: null,
  contentId: null,
  content: Buffer.from("Hello"),
  ...file,
});
const withFile = (file: Partial<Attachment>) => aComposableEmail({ attachments: [aFile(file)] });
const withLogo = (email: Partial<ComposableEmail> = {}) =>
  aComposableEmail({
    html: '<img src="cid:logo">',
    attachments: [aFile({ contentId: "logo" })],
    ...email,
  });

const composed = async (email: ComposableEmail) => (await composeMessage(email)).toString("latin1");

/** The attachments as a recipient's mail app reads them. */
async function filesOf(message: Buffer) {
  const mail = await simpleParser(message, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
  });
  return mail.attachments.map((file) => ({
    filename: file.filename,
    type: file.contentType,
    disposition: file.contentDisposition,
    cid: file.cid,
    related: file.related,
    content: file.content.toString("latin1"),
  }));
}

const isText = (filename: string | null, contentType: string | null) =>
  contentType?.startsWith("text/") ?? /\.(?:ics|html)$/.test(filename ?? "");

/** The same email composed by nodemailer. */
function composeByLibrary({ addressHeaders, attachments, ...email }: ComposableEmail) {
  const composer = new MailComposer({
    ...addressHeaders,
    subject: email.subject,
    ...(email.text && { text: email.text }),
    ...(email.html && { html: email.html }),
    attachments: attachments.map(({ filename, contentType, contentId, content }) => ({
      content,
      contentDisposition:
        contentId !== null && email.html && !isText(filename, contentType)
          ? "inline"
          : "attachment",
      ...(filename !== null && { filename }),
      ...(contentType !== null && { contentType }),
      ...(contentId !== null && { cid: contentId }),
    })),
  });
  return composer.compile().build();
}

/** Describes how a message is nested: `multipart/mixed(text/plain, application/pdf)`. */
function nestingOf(entity: string): string {
  const end = entity.indexOf("\r\n\r\n");
  const head = entity.slice(0, end).replace(/\r\n[ \t]+/g, " ");
  const type = /^Content-Type: ([^;\r]+)/m.exec(head)![1]!;
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1];
  if (boundary === undefined) return type;
  const parts = `\r\n${entity.slice(end + 4)}`.split(`\r\n--${boundary}`).slice(1, -1);
  return `${type}(${parts.map((part) => nestingOf(part.slice(2))).join(", ")})`;
}

describe("nests the parts as mail programs expect", () => {
  const html = "<p>Thank you</p>";
  const file = aFile();

  test.each([
    [
      "text and a file",
      aComposableEmail({ attachments: [file] }),
      "mixed(text/plain, application/pdf)",
    ],
    [
      "html and a file",
      aComposableEmail({ text: "", html, attachments: [file] }),
      "mixed(text/html, application/pdf)",
    ],
    [
      "text, html and two files",
      aComposableEmail({ html, attachments: [file, file] }),
      "mixed(multipart/alternative(text/plain, text/html), application/pdf, application/pdf)",
    ],
    ["html and what it shows", withLogo({ text: "" }), "related(text/html, application/pdf)"],
    [
      "text, html and what it shows",
      withLogo(),
      "related(multipart/alternative(text/plain, text/html), application/pdf)",
    ],
    [
      "all of them, what is shown given last",
      withLogo({ attachments: [file, aFile({ contentId: "logo", filename: "a.png" })] }),
      "mixed(multipart/related(multipart/alternative(text/plain, text/html), image/png), application/pdf)",
    ],
    [
      "text, html and a file with an id that html doesn't mention",
      withLogo({ attachments: [aFile({ contentId: "invoice" })] }),
      "mixed(multipart/alternative(text/plain, text/html), application/pdf)",
    ],
    ["what no html shows", withLogo({ html: null }), "mixed(text/plain, application/pdf)"],
  ])("%s", async (_, email, nesting) => {
    expect(nestingOf(await composed(email))).toBe(`multipart/${nesting}`);
  });

  test("and states the type of a related part's first part", async () => {
    expect(await composed(withLogo())).toContain(
      'multipart/related;\r\n type="multipart/alternative";\r\n boundary=',
    );
    expect(await composed(withLogo({ text: "" }))).toContain('type="text/html";');
  });
});

describe("writes an attachment", () => {
  test("in the expected form", async () => {
    const message = await composed(withFile({ content: Buffer.alloc(60, "a") }));

    expect(message).toContain(
      [
        'Content-Type: application/pdf; name="order.pdf"',
        "Content-Transfer-Encoding: base64",
        'Content-Disposition: attachment; filename="order.pdf"',
        "",
        "YWFh".repeat(19),
        "YWFh",
        "--=_",
      ].join("\r\n"),
    );
  });

  test("that html references, with its Content-ID", async () => {
    expect(await composed(withLogo())).toMatch(
      /Content-ID: <logo>\r\nContent-Disposition: inline; filename="order.pdf"\r\n/,
    );
  });

  test("that html doesn't reference as an attachment, even if it has a Content-ID", async () => {
    expect(await composed(withLogo({ html: '<img src="cid:logo2">' }))).toMatch(
      /Content-ID: <logo>\r\nContent-Disposition: attachment; filename="order.pdf"\r\n/,
    );
  });

  test.each([
    ["pdf", "a.pdf", "application/pdf"],
    ["png, in capitals", "A.PNG", "image/png"],
    ["csv", "a.b.csv", "text/csv"],
    ["an unknown ending", "a.nosuchthing", "application/octet-stream"],
    ["a mail, which may not be encoded", "a.eml", "application/octet-stream"],
  ])("with the type derived from its name: %s", async (_, filename, type) => {
    expect(await composed(withFile({ filename }))).toContain(`Content-Type: ${type}; name=`);
  });

  test.each([
    ["as given", "Text/CSV", "text/csv; name="],
    ["with parameters", "text/csv; charset=utf-8", "text/csv; charset=utf-8; name="],
    ["with quoted ones", 'text/csv; x="a; b"', 'text/csv; x="a; b"; name='],
    ["without another name", 'text/csv; NAME="b.exe"; x=1', "text/csv; x=1; name="],
    ["not as a message", "message/rfc822", "application/octet-stream; name="],
    ["not as a multipart", "multipart/mixed; boundary=x", "application/octet-stream; name="],
    ["not as nonsense", "a\r\nBcc: eve@example.org", "application/octet-stream; name="],
  ])("with the type %s", async (_, contentType, field) => {
    expect(await composed(withFile({ contentType }))).toContain(`Content-Type: ${field}`);
  });

  test.each([
    ["its place", null, 'filename="attachment-1.bin"'],
    ["its place and type", "image/png", 'filename="attachment-1.png"'],
    ["its place and an unregistered type", "image/jpg", 'filename="attachment-1.jpg"'],
  ])("without a name, using %s", async (_, contentType, parameter) => {
    expect(await composed(withFile({ filename: null, contentType }))).toContain(parameter);
  });

  test("with a non-ASCII name for both old and new readers", async () => {
    const message = await composed(withFile({ filename: "Größe.pdf" }));

    expect(message).toContain("filename*=utf-8''Gr%C3%B6%C3%9Fe.pdf\r\n");
    expect(message).toContain('name="=?UTF-8?B?R3LDtsOfZS5wZGY=?="\r\n');
  });

  test("with a long name in sections that do not split characters", async () => {
    const filename = `${"请求🎉".repeat(30)}.pdf`;
    const message = await composed(withFile({ filename }));

    const sections = [...message.matchAll(/filename\*\d+\*=([^;\r]+)/g)].map(([, part]) => part!);
    expect(sections.length).toBeGreaterThan(3);
    expect(sections.map((part) => decodeURIComponent(part.replace("utf-8''", ""))).join("")).toBe(
      filename,
    );
  });

  test("that html references as an attachment if it is text, so that apps don't merge it into the body", async () => {
    const [file] = await filesOf(
      await composeMessage(
        withLogo({ attachments: [aFile({ filename: "a.html", contentId: "logo" })] }),
      ),
    );

    expect(file).toMatchObject({ disposition: "attachment", cid: "logo", content: "Hello" });
  });

  test.each([
    ["a line end in its name", { filename: "a\r\nBcc: eve@example.org" }],
    ["a line end in its id", { contentId: "a>\r\nBcc: <eve" }],
  ])("throws on %s", async (_, file) => {
    await expect(composeMessage(withFile(file))).rejects.toThrow();
  });

  test("with the same bytes each time", async () => {
    const email = withLogo({ attachments: [aFile(), aFile({ contentId: "logo" })] });

    expect(await composeMessage(email)).toEqual(await composeMessage(email));
  });

  test("of millions of bytes, unchanged", async () => {
    const content = Buffer.from(Uint8Array.from({ length: 3_000_001 }, (_, i) => (i * 7919) >> 3));

    const [file] = await filesOf(await composeMessage(withFile({ content })));
    expect(file!.content === content.toString("latin1")).toBe(true);
  });
});

const name = fc
  .string({ unit: "binary", minLength: 1, maxLength: 255 })
  .map((text) => text.toWellFormed().replace(/[/\\\p{Cc}\u2028\u2029]/gu, "_"));
const endings = fc.constantFrom(".pdf", ".PNG", ".tar.gz", ".ics", ".html", "", ".x-y");
const file = fc.record<Attachment>({
  filename: fc.option(fc.tuple(name, endings).map((parts) => parts.join(""))),
  contentType: fc.constantFrom(null, "image/png", "text/csv; charset=utf-8", "application/x-a+b"),
  contentId: fc.option(fc.stringMatching(/^[A-Za-z0-9._@-]{1,100}$/)),
  content: fc.uint8Array({ minLength: 1, maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
});

describe("with any files", () => {
  const email = fc
    .record({
      attachments: fc.array(file, { minLength: 1, maxLength: 5 }),
      html: fc.constantFrom(null, "<p>Thank you</p>"),
    })
    .map(({ attachments, html }) => {
      const images = attachments.map(({ contentId }) => `<img src="cid:${contentId}">`);
      return { attachments, html: html && html + images.join("") };
    });

  test("agrees with nodemailer", async () => {
    await fc.assert(
      fc.asyncProperty(email, async (fields) => {
        // nodemailer names unnamed files differently.
        for (const file of fields.attachments) file.filename ??= "order.pdf";
        const [ours, theirs] = await Promise.all([
          composeMessage(aComposableEmail(fields)),
          composeByLibrary(aComposableEmail(fields)),
        ]);
        expect(await filesOf(ours)).toEqual(await filesOf(theirs));
      }),
      { numRuns: 150 },
    );
  });

  test("is read as the original files, within SMTP's line length and byte limits", async () => {
    await fc.assert(
      fc.asyncProperty(email, async (fields) => {
        const message = await composeMessage(aComposableEmail(fields));
        const given = fields.attachments.map(({ content }) => content.toString("latin1")).sort();

        expect((await filesOf(message)).map(({ content }) => content).sort()).toEqual(given);
        expect(message.toString("latin1")).toMatch(/^(?:[\t\x20-\x7e]{0,998}\r\n)+$/);
      }),
      { numRuns: 150 },
    );
  });
});
