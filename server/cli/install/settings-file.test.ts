import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { readConfig } from "#server/config.ts";

import { readSettingsFile, serviceSettings, writeSettingsFile } from "./settings-file.ts";

const folder = mkdtempSync(join(tmpdir(), "posthouse-settings-"));
const file = join(folder, "etc/posthouse/posthouse.env");
const gid = process.getgid!();

afterAll(() => rmSync(folder, { recursive: true }));

test("the settings of a new installation use the standard ports and make a valid configuration", () => {
  const chosen = { POSTHOUSE_HOSTNAME: "mail.example.com", PORT: "8443" };
  const settings = serviceSettings({}, { chosen, dataFolder: "/var/lib/posthouse" });
  expect(readConfig(settings)).toMatchObject({
    hostname: "mail.example.com",
    baseUrl: "https://mail.example.com",
    dataFolder: "/var/lib/posthouse",
    httpPort: 80,
    ports: { web: 8443, smtp: 25, submission: 587, submissions: 465, imaps: 993 },
  });
});

test("a second run keeps what an admin changed", () => {
  const first = serviceSettings(
    {},
    { chosen: { POSTHOUSE_HOSTNAME: "a.example" }, dataFolder: "/d" },
  );
  expect(writeSettingsFile(file, first, gid)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  const text = readFileSync(file, "utf8").replace(
    "IMAP_PORT=143",
    "# Behind a proxy\nIMAP_PORT=10143",
  );
  writeFileSync(file, `${text}POSTHOUSE_DNS=127.0.0.1\n`);

  const again = serviceSettings(readSettingsFile(file), {
    chosen: { POSTHOUSE_HOSTNAME: "b.example" },
    dataFolder: "/other",
  });
  expect(writeSettingsFile(file, again, gid)).toBe(true);
  expect(readFileSync(file, "utf8")).toContain("# Behind a proxy\nIMAP_PORT=10143\n");
  expect(readSettingsFile(file)).toMatchObject({
    POSTHOUSE_HOSTNAME: "b.example",
    POSTHOUSE_DATA: "/d",
    POSTHOUSE_DNS: "127.0.0.1",
  });
  expect(writeSettingsFile(file, again, gid)).toBe(false);
});

test.each(["a b", "a#b", "a$b", 'a"b', "a\nb"])(
  "a value that needs quoting is rejected: %j",
  (value) => {
    const other = join(folder, "other.env");
    expect(() => writeSettingsFile(other, { POSTHOUSE_RELAY_URL: value }, gid)).toThrow(
      "POSTHOUSE_RELAY_URL can't contain",
    );
    expect(readSettingsFile(other)).toEqual({});
  },
);
