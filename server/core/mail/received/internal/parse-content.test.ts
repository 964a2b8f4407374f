import { describe, expect, test } from "vitest";

import { parseContent, type ParsedContent } from "./parse-content.ts";

async function parsed(lines: string[]): Promise<ParsedContent> {
  const result = await parseContent(Buffer.from(lines.join("\r\n"), "latin1"));
  if ("problem" in result) throw new Error(result.problem);
  return result.content;
}

const part = (fields: string[], body: string) => ["--b", ...fields, "", body];
const multipart = (...parts: string[][]) => [
  ...["From: Ann <ann@example.org>", "MIME-Version: 1.0"],
  ...['Content-Type: multipart/mixed; boundary="b"', ""],
  ...parts.flat(),
  "--b--",
];

test("parses addresses, header fields, both versions and files", async () => {
  const content = await parsed(
    multipart(
      part(
        ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64"],
        "SMO8",
      ),
      part(["Content-Type: text/html"], "<p>H</p>"),
      part(
        [
          ...["Content-Type: image/png", "Content-Transfer-Encoding: base64"],
          ...['Content-Disposition: inline; filename="logo.png"', "Content-ID: <logo@x>"],
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
    ...{ to: ["bob@shop.example", "cy@shop.example"], cc: ["dee@shop.example"] },
    ...{ bcc: [], replyTo: ["ann@example.net"] },
    ...{
      text: expect.stringContaining("Hü") as string,
      html: expect.stringContaining("<p>H</p>") as string,
    },
    headers: { subject: "Grüße", received: "from a by b, from b by c" },
  });
  expect(
    content.files.map((file) => ({ ...file, content: Buffer.from(file.content).toString("hex") })),
  ).toEqual([
    {
      ...{ filename: "logo.png", contentType: "image/png", isInline: true, contentId: "logo@x" },
      content: "000000",
    },
    {
      ...{ filename: "a.pdf", contentType: "application/pdf", isInline: false, contentId: null },
      content: "78",
    },
  ]);
});

test("names can't inject lines, header fields or types", async () => {
  const { files, headers } = await parsed(
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

describe("limits", () => {
  test("a huge tree of parts is a problem, not a result", async () => {
    const parts = Array.from({ length: 5_000 }, () => part(["Content-Type: text/plain"], "x"));
    expect(await parseContent(Buffer.from(multipart(...parts).join("\r\n")))).toEqual({
      problem: expect.any(String) as string,
    });
  });

  test("a huge header is a problem, not a result", async () => {
    const header = Array.from({ length: 10_000 }, (_, i) => `X-${i}: ${"x".repeat(60)}`);
    expect(await parseContent(Buffer.from(`${header.join("\r\n")}\r\n\r\nx`))).toEqual({
      problem: expect.any(String) as string,
    });
  });

  test("bounds addresses, values and text", async () => {
    const to = Array.from({ length: 500 }, (_, i) => `a${i}@example.org`).join(",\r\n ");
    const content = await parsed([
      ...[`To: ${to}`, `X-Long: ${"y ".repeat(5_000)}`, "Content-Type: text/plain", ""],
      "z".repeat(3 * 1024 * 1024),
    ]);
    expect(content.to).toHaveLength(100);
    expect(content.headers["x-long"]).toHaveLength(4_000);
    expect(content.text).toHaveLength(2 * 1024 * 1024);
  });
});
