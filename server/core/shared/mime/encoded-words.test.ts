import { describe, expect, test } from "vitest";

import { decodeText } from "./charsets.ts";
import { decodeWords } from "./encoded-words.ts";

const JAPANESE = "GyRCJUYlOSVIGyhC";

describe("encoded words", () => {
  test.each([
    // Each word returns to ASCII, and joining them would put escape sequences in a row.
    [`=?ISO-2022-JP?B?${JAPANESE}?=\r\n =?ISO-2022-JP?B?${JAPANESE}?=`, "テストテスト"],
    [`=?iso-2022-jp?B?${JAPANESE}?==?iso-2022-jp?B?${JAPANESE}?= x`, "テストテスト x"],
    // A character split between two words.
    ["=?utf-8?q?Gr=C3?= =?utf-8?q?=BC=C3?= =?UTF-8?q?=9Fe?=", "Grüße"],
    ["=?shift_jis?q?=83=65=83?= =?shift_jis?q?=58=83g?=", "テスト"],
    ["=?gb2312?B?1tA=?= =?gb2312?B?zsQ=?=", "中文"],
    ["=?utf-8?q?=C3?= =?iso-8859-1?q?=FC?=", "Ãü"],
    // Names that real mail uses.
    ["=?cp932?B?g2WDWINn?=", "テスト"],
    ["=?ks_c_5601-1987?B?x9Gx24xj?=", "한글똠"],
    ["=?gb2312?B?hIY=?=", "剢"],
    ["=?iso-8859-8-i?B?+ezl7Q==?=", "שלום"],
    ["=?unicode-1-1-utf-7?Q?Gr+APwA3w-e?=", "Grüße"],
    ["=?utf8?q?=C3=BC?= =?cp1252?q?=80?= =?win-1251?q?=E0?=", "ü€а"],
    ["=?x-mac-roman?q?=9F?= =?iso-8859-1?q?=92?= =?cp850?q?=81?=", "ü’ü"],
    ["=?us-ascii?q?=FC?= =?unknown-8bit?q?=C3=BC?=", "üü"],
    ["=?x-no-such-charset?q?Gr=C3=BC=C3=9Fe?=", "Grüße"],
    ["=?utf-8?q?Gr=FC=DFe?=", "Grüße"],
    ["=?utf-8?q?=C3=BC=FF?=", "ü\ufffd"],
  ])("%s", (value, text) => {
    expect(decodeWords(value)).toBe(text);
  });

  test.each([
    ["Gr\xc3\xbc\xc3\x9fe", "Grüße"],
    ["Gr\xfc\xdfe \x84x\x93", "Grüße „x“"],
    ["\x1b$B%F%9%H\x1b(B", "テスト"],
    ["=?utf-8?q?=C3=BC?= \xfc", "ü ü"],
  ])("bytes: %j", (value, text) => {
    expect(decodeWords(value)).toBe(text);
  });

  test("cuts long text between characters", () => {
    expect(decodeWords(`x${"\xc3\xbc".repeat(15_000)}`)).toMatch(/^xü{9000,}$/);
  });
});

test.each([
  ' "UTF-8" ',
  "utf8",
  "UTF_8",
  "'utf-8'",
  "utf-8;",
  "charset=utf-8",
  "unicode-1-1-utf-8",
  "us-ascii",
  "ANSI_X3.4-1968",
  "7bit",
  "x-unknown",
  "",
  "base64",
  "__proto__",
  "constructor",
])("reads UTF-8 labeled %j", (label) => {
  expect(decodeText(Buffer.from("Grüße"), label)).toBe("Grüße");
});

test("reads text without a label by its bytes", () => {
  const latin1 = (text: string) => Buffer.from(text, "latin1");
  expect(decodeText(latin1("\x1b$B$3$l\x1b(B"), null)).toBe("これ");
  expect(decodeText(latin1("\x93Gr\xfc\xdfe\x94"), null)).toBe("“Grüße”");
  expect(decodeText(latin1("\xcf\xf0\xe8"), null, () => "koi8-u")).toBe("оПХ".normalize());
  expect(decodeText(latin1("\xcf\xf0\xe8"), null, () => "windows-1251")).toBe("При");
  expect(decodeText(latin1("\xcf\xf0\xe8"), "x-none", () => "utf-8")).toBe("Ïðè");
});
