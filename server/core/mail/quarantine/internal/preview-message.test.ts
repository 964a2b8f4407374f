import { expect, test } from "vitest";

import { findFastGrowth, HTML, MIME } from "#server/testing/growth.ts";

import { previewMessage } from "./preview-message.ts";

const preview = (lines: string[]) =>
  previewMessage(Buffer.from(lines.join("\r\n")), { isWhole: true });

test("decodes the text from any encoding", () => {
  const shown = preview([
    "Content-Type: text/plain; charset=iso-8859-1",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "F=FCr dich",
  ]);
  expect(shown).toMatchObject({ text: "Für dich", isFromHtml: false });
});

test("shows the text of HTML, including hidden text", () => {
  const { text, isFromHtml } = preview([
    "Content-Type: text/html",
    "",
    "<html><head><title>T</title><style>p{}</style></head><body><p>One <b>two</b></p>",
    '<div style="display:none">hidden</div><script>alert(1)</script><img src="https://t.example/x">',
    "<p>&lt;b&gt;</p>",
  ]);
  expect(isFromHtml).toBe(true);
  expect(text.split(/\s+/)).toEqual(["One", "two", "hidden", "<b>"]);
});

test("keeps line breaks of HTML without extra whitespace", () => {
  const shown = preview(["Content-Type: text/html", "", "<p> a </p><br><br> <p>b  c</p>"]);
  expect(shown.text).toBe("a\n\nb c");
});

test("lists attachments without opening them", () => {
  const { attachments } = preview([
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    "Content-Type: application/x-msdownload",
    'Content-Disposition: attachment; filename="../inv\u0000oice.exe"',
    "Content-Transfer-Encoding: base64",
    "",
    "TVo=",
    "--b--",
    "",
  ]);
  expect(attachments).toMatchObject([{ type: "application/x-msdownload", size: 2 }]);
});

test("shows the text of a message with hundreds of parts", () => {
  const parts = Array.from({ length: 500 }, () => "--b\r\n\r\nx").join("\r\n");
  const shown = preview(["Content-Type: multipart/mixed; boundary=b", "", parts]);
  expect(shown.text).toMatch(/^(x\n){499}x$/);
  expect(shown.source).toMatch(/^Content-Type: multipart/);
});

test("tolerates binary data", () => {
  const shown = previewMessage(Buffer.from([0, 255, 13, 10, 13, 10, 0xed, 0xa0, 0x80]), {
    isWhole: true,
  });
  expect(shown.source.isWellFormed()).toBe(true);
  expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
});

test.each([
  ["MIME", MIME, "multipart/mixed; boundary=b"],
  ["HTML", HTML, "text/html"],
  ["text", [" ", "\t", "\r\n", "\n", "a"], "text/plain"],
])("takes time at most linear in the length: %s", { timeout: 120_000 }, async (_, pieces, type) => {
  const fast = await findFastGrowth({
    pieces,
    around: (text) => `Content-Type: ${type}\r\n\r\n${text}`,
    run: (text) => previewMessage(Buffer.from(text, "latin1"), { isWhole: true }),
  });
  expect(fast).toEqual([]);
});
