import { expect, test } from "vitest";

import { readRepository } from "./repository.ts";

test.each([
  ["/srv/backup", "/srv/backup"],
  ["sftp://box@backup.example:2222/posthouse", "sftp://box@backup.example:2222//posthouse"],
  ["s3://s3.example.com/bucket/posthouse", "s3:https://s3.example.com/bucket/posthouse"],
  ["s3+http://127.0.0.1:9000/bucket", "s3:http://127.0.0.1:9000/bucket"],
  ["https://backup.example/posthouse", "rest:https://backup.example/posthouse"],
])("%s is restic's %s", (target, location) => {
  expect(readRepository(target)).toMatchObject({ name: target, location });
});

test.each(["", "ftp://host/path", "s3://bucket", "sftp:host"])("rejects %j", (target) => {
  expect(() => readRepository(target)).toThrow(/must be a folder, sftp:/);
});

test.each([
  "sftp://-oProxyCommand=x@host/path",
  "sftp://-oProxyCommand=x/path",
  "sftp://a%20-oProxyCommand=x@host/path",
  "sftp://$(x)/path",
])("rejects %j, which would change ssh's command line", (target) => {
  expect(() => readRepository(target)).toThrow("unexpected characters");
});

test("never shows a password", () => {
  const { name } = readRepository("https://box:hunter2@backup.example/posthouse");
  expect(name).toBe("https://box@backup.example/posthouse");
  expect(() => readRepository("ftp://box:hunter2@host/path")).toThrow(/^(?!.*hunter2)/);
});
