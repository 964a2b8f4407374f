import { setImmediate } from "node:timers/promises";

import { expect, test } from "vitest";

import { readShownContent } from "./read-shown-content.ts";

const message = (type: string, body: string) =>
  Buffer.from(`MIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n${body}`);

const withFile = (bytes: number) =>
  message(
    "multipart/mixed; boundary=b",
    [
      '--b\r\nContent-Type: text/html\r\n\r\n<img src="cid:logo@here">',
      "--b\r\nContent-Type: image/png; name=a/logo.png\r\nContent-ID: <logo@here>\r\n",
      `${"x".repeat(bytes)}\r\n--b\r\nContent-Type: text/csv\r\nContent-ID: <other@here>\r\n\r\n1,2\r\n--b--\r\n`,
    ].join("\r\n"),
  );

test.each([100, 2_000_000])("reads the text and the files beside %i octets", async (bytes) => {
  const { html, files, isWhole } = await readShownContent(withFile(bytes));
  expect(html).toBe('<img src="cid:logo@here">');
  expect(
    files.map(({ content, ...file }) => ({ ...file, text: Buffer.from(content).toString() })),
  ).toMatchObject([
    { filename: "a_logo.png", contentType: "image/png", contentId: "logo@here" },
    { filename: null, contentType: "text/csv", contentId: null, text: "1,2" },
  ]);
  expect(files[0]!.content).toHaveLength(bytes);
  expect(isWhole).toBe(true);
});

test("connections are served while a large message is read", async () => {
  const hostile = message("multipart/mixed; boundary=b", "--b\r\n".repeat(1_000_000));
  let isRead = false;
  const reading = readShownContent(hostile).finally(() => (isRead = true));
  await setImmediate();
  expect(isRead).toBe(false);
  expect(await reading).toMatchObject({ files: [], isWhole: true });
});
