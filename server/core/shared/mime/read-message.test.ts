import { describe, expect, test } from "vitest";

import { readMessage } from "./read-message.ts";

const bytes = (lines: string[]) => Buffer.from(lines.join("\r\n"), "latin1");
const read = (...lines: string[]) => readMessage(bytes(lines), { filesMax: 100 });
const HEADER = ["From: Ann <ann@x.example>", "Subject: Hello", "MIME-Version: 1.0"];
const text = (...lines: string[]) => read(...HEADER, ...lines).text?.trim();
const html = (...lines: string[]) => read(...HEADER, ...lines).html?.trim();

describe("malformed MIME shows its text", () => {
  const parts = [
    "--Z",
    "Content-Type: text/plain",
    "",
    "Hello text",
    "",
    "--Z",
    "Content-Type: text/html",
    "",
    "<p>Hello html</p>",
    "",
    "--Z--",
  ];

  test.each([
    ["a valid boundary", ['Content-Type: multipart/alternative; boundary="Z"']],
    ["no boundary", ["Content-Type: multipart/alternative"]],
    ["a boundary that isn't there", ['Content-Type: multipart/alternative; boundary="Y"']],
    ["a boundary on an unindented line", ["Content-Type: multipart/alternative;", 'boundary="Z"']],
    ["a boundary with blanks", ['Content-Type: multipart/alternative; boundary="Z  "']],
    ["blanks around it", ["Content-Type: multipart/alternative ; boundary = Z ;"]],
    ["an open quote", ['Content-Type: multipart/alternative; boundary="Z']],
    ["no semicolon", ["Content-Type: multipart/alternative boundary=Z"]],
    [
      "an encoded multipart",
      ["Content-Type: multipart/mixed; boundary=Z", "Content-Transfer-Encoding: 8-bit"],
    ],
  ])("%s", (_, fields) => {
    expect(text(...fields, "", ...parts)).toBe("Hello text");
    expect(html(...fields, "", ...parts)).toBe("<p>Hello html</p>");
    expect(read(...HEADER, ...fields, "", "just text").text).toBe("just text");
  });

  test.each([
    [
      "an unquoted boundary with a semicolon",
      [
        "Content-Type: multipart/mixed; boundary=a;b",
        "",
        "--a;b",
        "Content-Type: text/plain",
        "",
        "Hello",
        "--a;b--",
      ],
    ],
    [
      "a quoted boundary with a semicolon",
      ['Content-Type: multipart/mixed; boundary="a;\\"b"', "", '--a;"b', "", "Hello", '--a;"b--'],
    ],
    ["no type", ["Content-Type: text", "", "Hello"]],
    ["an empty type", ["Content-Type:", "", "Hello"]],
    ["a type without a subtype", ["Content-Type: text/; charset=utf-8", "", "Hello"]],
    ["an unusual type of text", ["Content-Type: text/markdown", "", "Hello"]],
    [
      "a multipart without parts",
      ["Content-Type: multipart/mixed; boundary=Z", "", "Hello", "--Z--"],
    ],
    [
      "text around empty parts",
      ["Content-Type: multipart/mixed; boundary=Z", "", "Hello", "--Z", "", "--Z--"],
    ],
    ["no closing delimiter", ["Content-Type: multipart/mixed; boundary=Z", "", "--Z", "", "Hello"]],
    [
      "a part without an empty line",
      [
        "Content-Type: multipart/mixed; boundary=Z",
        "",
        "--Z",
        "Content-Type: text/plain",
        "Hello",
        "--Z--",
      ],
    ],
    [
      "a part without a header",
      ["Content-Type: multipart/mixed; boundary=Z", "", "--Z", "Hello", "--Z--"],
    ],
    ["no empty line", ["Content-Type: text/plain", "Hello"]],
    ["no empty line before its first paragraph", ["Hello", "", "World"]],
    ["an unknown transfer encoding", ["Content-Transfer-Encoding: utf-8", "", "Hello"]],
    [
      "text that isn't base64",
      ["Content-Transfer-Encoding: base64", "", "Hello, this is text.", "Really!"],
    ],
    ["base64 with junk", ["Content-Transfer-Encoding: base64", "", "SGV!s", " bG8=*"]],
    ["base64 in padded pieces", ["Content-Transfer-Encoding: base64;", "", "SGU=", "bGxv"]],
    [
      "base64 with a footer",
      [
        "Content-Transfer-Encoding: BASE64",
        "",
        "SGVsbG8=",
        "",
        "_____",
        "Unsubscribe at http://x.example",
      ],
    ],
    ["a misspelled encoding", ["Content-Transfer-Encoding: quoted_printable", "", "H=65l=\r\nlo"]],
    [
      "a multipart in base64",
      [
        "Content-Type: multipart/mixed; boundary=Z",
        "Content-Transfer-Encoding: base64",
        "",
        Buffer.from("--Z\r\n\r\nHello\r\n--Z--").toString("base64"),
      ],
    ],
  ])("%s", (_, lines) => {
    expect(text(...lines)).toMatch(/^Hello(?:$|[\s,])/);
  });

  test("bare line feeds, and only a header", () => {
    const message =
      "Subject: x\nContent-Type: multipart/mixed; boundary=Z\n\n--Z\n\nHello\n--Z--\n";
    expect(readMessage(Buffer.from(message), { filesMax: 9 }).text).toBe("Hello");
    expect(read(...HEADER)).toEqual({ text: null, html: null, files: [], filesTotal: 0 });
  });

  test("a message in HTML by its text only", () => {
    expect(html("Content-Type: html", "", "<html><p>x</p>")).toBe("<html><p>x</p>");
  });
});

describe("charsets", () => {
  test.each([
    ["no label: ISO-2022-JP", ["", "\x1b$B$3$l$O\x1b(B"], "これは"],
    ["no label: UTF-8", ["", "Gr\xc3\xbc\xc3\x9fe"], "Grüße"],
    ["no label: windows-1252", ["", "\x93Gr\xfc\xdfe\x94"], "“Grüße”"],
    [
      "quoted-printable without a label",
      ["Content-Transfer-Encoding: quoted-printable", "", "Gr=FC=DFe"],
      "Grüße",
    ],
    [
      "us-ascii that isn't",
      ["Content-Type: text/plain; charset=us-ascii", "", "Gr\xfc\xdfe"],
      "Grüße",
    ],
    [
      "an unknown label",
      ["Content-Type: text/plain; charset=x-foo", "", "Gr\xc3\xbc\xc3\x9fe"],
      "Grüße",
    ],
    ["a label in quotes", ["Content-Type: text/plain; charset=\"'utf8'\"", "", "\xc3\xbc"], "ü"],
    ["cp932", ["Content-Type: text/plain; charset=cp932", "", "\x83e\x83X\x83g"], "テスト"],
    ["gb2312", ["Content-Type: text/plain; charset=gb2312", "", "\x84\x86"], "剢"],
  ])("%s", (_, lines, shown) => {
    expect(text(...lines)).toBe(shown);
  });

  test.each([
    ["<meta charset=windows-1251>\xcf\xf0\xe8", "При"],
    ['<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">\xf0\xd2\xc9', "При"],
    ["<meta charset='utf-8'>m\xeame", "même"],
  ])("HTML: %j", (body, shown) => {
    expect(html("Content-Type: text/html", "", body)).toContain(shown);
  });
});

test("keeps quote depths of flowed text", () => {
  const flowed = [
    "> one ",
    "> two",
    ">> three ",
    ">> four",
    "",
    " >no quote ",
    "end",
    "-- ",
    "Ann",
  ];
  expect(text("Content-Type: text/plain; format=Flowed", "", ...flowed)).toBe(
    ["> one two", ">> three four", "", ">no quote end", "-- ", "Ann"].join("\n"),
  );
  expect(text("Content-Type: text/plain; format=flowed; delsp=yes", "", "日 ", "本")).toMatch(
    /^\S+$/,
  );
});

test("a message with only HTML has no text", () => {
  expect(read(...HEADER, "Content-Type: text/html", "", "<p>x</p>")).toMatchObject({
    text: null,
    html: "<p>x</p>",
  });
});

describe("files", () => {
  const file = (...fields: string[]) => read(...HEADER, ...fields, "", "x").files[0];

  test.each([
    [
      ["Content-Type: image/png; name=a.png", "Content-ID: <a@x>"],
      { filename: "a.png", contentId: "a@x", isInline: null },
    ],
    [
      ["Content-Type: image/png", 'Content-Disposition: INLINE; filename="a b.png"'],
      { filename: "a b.png", isInline: true },
    ],
    [
      ["Content-Type: image/png", "Content-Disposition: form-data; filename=my file.png; size=1"],
      { filename: "my file.png", isInline: false },
    ],
    [
      [
        "Content-Type: application/octet-stream",
        "Content-Disposition: attachment; filename*=utf-8''%C3%BC%20a.pdf",
      ],
      { filename: "ü a.pdf", isInline: false },
    ],
    [
      [
        "Content-Disposition: attachment; filename*0*=iso-8859-1'de'%FC; filename*1=\" x\"; filename*2*=%2Epdf",
      ],
      { type: "application/octet-stream", filename: "ü x.pdf" },
    ],
    // Encoded words are decoded after parsing.
    [
      ["Content-Type: a/b; name==?utf-8?q?a=22=3B_name=3Dx=2Eexe?="],
      { filename: 'a"; name=x.exe' },
    ],
    [['Content-Type: a/b; name="=?utf-8?q?=C3?= =?utf-8?q?=BC=2Epdf?="'], { filename: "ü.pdf" }],
    [['Content-Type: a/b; name="\xfc.pdf"'], { filename: "ü.pdf" }],
    [
      ["Content-Type: text/plain", "Content-Disposition: attachment"],
      { type: "text/plain", isInline: false },
    ],
    [["Content-Type: message/rfc822"], { type: "message/rfc822", isInline: null }],
  ])("%j", (fields, expected) => {
    expect(file(...fields)).toMatchObject(expected);
  });
});

describe("cuts what exceeds a limit", () => {
  const many = (count: number) => [
    ...HEADER,
    "Content-Type: multipart/mixed; boundary=Z",
    "",
    "--Z",
    "",
    "Hello",
    ...Array.from({ length: count }, () => ["--Z", "Content-Type: image/png", "", "x"]).flat(),
    "--Z--",
  ];

  test.each([98, 99, 101, 130, 20_000])("%i files", (count) => {
    const { text, files, filesTotal } = read(...many(count));
    expect([text, files.length]).toEqual(["Hello", Math.min(count, 100)]);
    expect(filesTotal).toBeGreaterThanOrEqual(Math.min(count, 9_999));
  });

  test.each([50, 3_000])("%i nested multiparts", (depth) => {
    const open = Array.from({ length: depth }, (_, i) => [
      `Content-Type: multipart/mixed; boundary=b${i}`,
      "",
      `--b${i}`,
    ]);
    expect(read(...HEADER, ...open.flat(), "", "Hello").text).toContain("Hello");
  });

  test("a huge header", () => {
    const fields = Array.from({ length: 20_000 }, (_, i) => `X-${i}: ${"x".repeat(60)}`);
    expect(read(...fields, "", "Hello").text).toBe("Hello");
  });
});

test.each<[string, (n: number) => Buffer]>([
  [
    "delimiters",
    (n) => bytes(["Content-Type: multipart/mixed; boundary=Z", "", "--Z\r\n".repeat(n)]),
  ],
  ["dashes", (n) => bytes(["Content-Type: multipart/mixed; boundary=Z", "", "--\n".repeat(n)])],
  [
    "nesting",
    (n) =>
      bytes(
        Array.from(
          { length: n / 10 },
          (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}`,
        ),
      ),
  ],
  [
    "one boundary, nested",
    (n) =>
      bytes(
        Array.from(
          { length: n / 10 },
          () => "Content-Type: multipart/mixed; boundary=Z\r\n\r\n--Z",
        ),
      ),
  ],
  ["lines without a colon", (n) => Buffer.from("x\r\n".repeat(n))],
  ["parameters", (n) => bytes([`Content-Type: a/b${";x*0=a".repeat(n)}`, "", "x"])],
  ["base64", (n) => bytes(["Content-Transfer-Encoding: base64", "", "ab=\r\n".repeat(n)])],
  ["flowed", (n) => bytes(["Content-Type: text/plain; format=flowed", "", "> x \r\n".repeat(n)])],
  ["blanks", (n) => bytes(["Content-Transfer-Encoding: quoted-printable", "", " \t=".repeat(n)])],
])("takes linear time for %s", (_, make) => {
  const timeOf = (n: number) => {
    const message = make(n);
    const times = Array.from({ length: 3 }, () => {
      const start = performance.now();
      readMessage(message, { filesMax: 100 });
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  // Quadratic time would grow by 64.
  expect(timeOf(80_000)).toBeLessThan(500 + 24 * timeOf(10_000));
});
