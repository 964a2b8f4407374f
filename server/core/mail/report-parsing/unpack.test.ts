import { gzipSync } from "node:zlib";

import { expect, test } from "vitest";

import { aZipFile } from "#server/testing/a-zip-file.ts";

import { unpack, UnpackError } from "./unpack.ts";

const MB = 1024 * 1024;
const xml = Buffer.from("<feedback/>");
const zeros = (bytes: number) => Buffer.alloc(bytes);

/** Compresses to 1/150 of its size. */
const wordy = (bytes: number) => Buffer.alloc(bytes, `${"report ".repeat(20)}${Math.random()}`);

test("detects gzip and zip by their first bytes and returns other files as is", async () => {
  expect(await unpack(xml)).toEqual([xml]);
  expect(await unpack(gzipSync(xml))).toEqual([xml]);
  const two = aZipFile([
    { name: "a.xml", content: xml },
    { name: "b.xml", content: Buffer.from("<b/>") },
  ]);
  expect(await unpack(two)).toEqual([xml, Buffer.from("<b/>")]);
  expect(await unpack(Buffer.alloc(0))).toEqual([Buffer.alloc(0)]);
});

const repeated = (content: Buffer) =>
  Array.from({ length: 6 }, (_, at) => ({ name: `${at}.xml`, content }));

test.each([
  ["a gzip bomb", gzipSync(zeros(100 * MB))],
  ["a gzip file over the ratio", gzipSync(zeros(5 * MB))],
  ["a zip bomb", aZipFile([{ name: "a", content: zeros(100 * MB) }])],
  ["a zip bomb in parts", aZipFile(repeated(zeros(20 * MB)).slice(0, 5))],
  ["too many files", aZipFile(repeated(xml))],
  ["a gzip file in a gzip file", gzipSync(gzipSync(xml))],
  ["a zip file in a zip file", aZipFile([{ name: "a", content: aZipFile(repeated(xml)) }])],
  ["a zip file in a gzip file", gzipSync(aZipFile(repeated(xml)))],
  ["a zip file that says less", aZipFile([{ name: "a", content: wordy(MB), claimedBytes: 10 }])],
  ["a zip file that says more", aZipFile([{ name: "a", content: xml, claimedBytes: MB }])],
  ["a cut gzip file", gzipSync(wordy(MB)).subarray(0, 100)],
  ["a cut zip file", aZipFile([{ name: "a", content: wordy(MB) }]).subarray(0, 100)],
  ["a path out of its folder", aZipFile([{ name: "../../etc/passwd", content: xml }])],
])("rejects %s", async (_, file) => {
  // Compare the count only, to keep large files out of failure messages.
  const unpacked = unpack(file).then((files) => files.length);
  await expect(unpacked).rejects.toThrow(UnpackError);
});
