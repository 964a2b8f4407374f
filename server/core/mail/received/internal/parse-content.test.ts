import { describe, expect, test } from "vitest";

import { parseContent, type ParsedContent } from "./parse-content.ts";

function parsed(lines: string[]): ParsedContent {
  const result = parseContent(Buffer.from(lines.join("\r\n"), "latin1"));
  if ("problem" in result) throw new Error(result.problem);
  return result.content;
}

const part = (fields: string[], body: string) => ["--b", ...fields, "", body];
const multipart = (...parts: string[][]) => [
  "From: Ann <ann@example.org>",
  "MIME-Version: 1.0",
  'Content-Type: multipart/mixed; boundary="b"',
  "",
  ...parts.flat(),
  "--b--",
];

test("parses addresses, header fields, both versions and files", () => {
  const content = parsed(
    multipart(
      part(
        ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64"],
        "SMO8",
      ),
      part(["Content-Type: text/html"], "<p>H</p>"),
      part(
        [
          "Content-Type: image/png",
          "Content-Transfer-Encoding: base64",
          'Content-Disposition: inline; filename="logo.png"',
          "Content-ID: <logo@x>",
        ],
        "AAAA",
      ),
      part(
        ["Content-Type: application/pdf", "Content-Disposition: attachment; filename=a.pdf"],
        "x",
      ),
    ).toSpliced(
      2,
      0,
      "To: Bob <bob@shop.example>, team: cy@shop.example;",
      "Cc: dee@shop.example",
      "Reply-To: ann@example.net",
      "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=",
      "Received: from a by b",
      "Received: from b by c",
    ),
  );

  expect(content).toMatchObject({
    to: ["bob@shop.example", "cy@shop.example"],
    cc: ["dee@shop.example"],
    bcc: [],
    replyTo: ["ann@example.net"],

    text: expect.stringContaining("Hü") as string,
    html: expect.stringContaining("<p>H</p>") as string,
    headers: { subject: "Grüße", received: "from a by b, from b by c" },
  });
  expect(
    content.files.map((file) => ({ ...file, content: Buffer.from(file.content).toString("hex") })),
  ).toEqual([
    {
      filename: "logo.png",
      contentType: "image/png",
      isInline: true,
      contentId: "logo@x",
      content: "000000",
    },
    {
      filename: "a.pdf",
      contentType: "application/pdf",
      isInline: false,
      contentId: null,
      content: "78",
    },
  ]);
});

test("names can't inject lines, header fields or types", () => {
  const { files, headers } = parsed(
    multipart(
      part(
        [
          "Content-Type: text/html<script>; charset=x",
          "Content-Disposition: attachment; filename*=utf-8''a%0D%0AX-Evil:%201.html",
        ],
        "x",
      ),
    ).toSpliced(1, 0, "Subject: =?utf-8?Q?a=0D=0ABcc:_x@y?=", "__proto__: x"),
  );

  expect(files[0]).toMatchObject({ filename: "a X-Evil: 1.html" });
  expect(files[0]!.contentType).toMatch(/^[\w.+-]+\/[\w.+-]+$/);
  expect(headers["subject"]).toBe("a Bcc: x@y");
  expect(Object.hasOwn(headers, "__proto__")).toBe(true);
});

test("structured fields are parsed before they are decoded", () => {
  const name = "=?utf-8?q?CEO_=3Cceo=40victim=2Ecom=3E=2C_x?=";
  const { to, replyTo, headers } = parsed([
    `From: ${name} <bob@sender.net>`,
    `To: ${name} <ann@shop.example>`,
    `Sender: ${name}`,
    `Reply-To: ${name} <bob@sender.net>`,
    `X-Original-From: ${name} <bob@sender.net>`,
    `List-Id: ${name} <list.sender.net>`,
    `List-Post: <mailto:a@sender.net> (${name})`,
    `Content-Type: text/plain; name="=?utf-8?q?=22=3B_charset=3Dutf-7?="`,
    "",
    "x",
  ]);
  const shown = '"CEO <ceo@victim.com>, x"';
  expect([to, replyTo]).toEqual([["ann@shop.example"], ["bob@sender.net"]]);
  expect(headers).toMatchObject({
    from: `${shown} <bob@sender.net>`,
    "reply-to": `${shown} <bob@sender.net>`,
    "x-original-from": `${shown} <bob@sender.net>`,
    "list-id": `${shown} <list.sender.net>`,
    sender: `${shown} <>`,
    "list-post": `<mailto:a@sender.net> (${name})`,
    "content-type": 'text/plain; name="=?utf-8?q?=22=3B_charset=3Dutf-7?="',
  });
});

test("without a disposition, a file is inline only if the HTML shows it", () => {
  const image = (...fields: string[]) => part(["Content-Type: image/jpg", ...fields], "x");
  const html = '<img src="cid:a%28b)%40x"><img src="cid:c&#64;x"><p style="x:url(cid:d@x)">';
  const { files } = parsed(
    multipart(
      part(["Content-Type: text/html"], html),
      ...["a(b)@x", "c@x", "d@x", "e@x"].map((id) => image(`Content-ID: <${id}>`)),
      image("Content-Disposition: attachment", "Content-ID: <c@x>"),
      image("Content-Disposition: inline"),
    ),
  );
  expect(files.map(({ isInline }) => isInline)).toEqual([true, true, true, null, false, true]);
});

describe("limits", () => {
  test("attachments over the limit are left out and reported", () => {
    const image = part(["Content-Type: image/png"], "x");
    const message = multipart(part([], "Hello"), ...Array.from({ length: 130 }, () => image));
    const { text, files, problem } = parsed(message.toSpliced(1, 0, "To: bob@shop.example"));
    expect([text, files.length]).toEqual(["Hello", 100]);
    expect(problem).toBe("Only the first 100 of 130 attachments are shown");
  });

  test("of a huge header, the first fields are kept", () => {
    const header = Array.from({ length: 10_000 }, (_, i) => `X-${i}: ${"x".repeat(60)}`);
    const content = parsed([...header, "", "Hello"]);
    expect([content.text, Object.keys(content.headers).length]).toEqual(["Hello", 200]);
  });

  test("bounds addresses, values and text", () => {
    const to = Array.from({ length: 500 }, (_, i) => `a${i}@example.org`).join(",\r\n ");
    const content = parsed([
      `To: ${to}`,
      `X-Long: ${"y ".repeat(5_000)}`,
      "Content-Type: text/plain",
      "",
      "z".repeat(3 * 1024 * 1024),
    ]);
    expect(content.to).toHaveLength(100);
    expect(content.headers["x-long"]).toHaveLength(4_000);
    expect(content.text).toHaveLength(2 * 1024 * 1024);
  });
});
