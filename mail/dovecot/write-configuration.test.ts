import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

import ipaddr from "ipaddr.js";
import { expect, test } from "vitest";

import { serviceUser } from "#server/processes/service-user.ts";

import { dovecotFolders } from "./folders.ts";
import type { DovecotSettings } from "./settings.ts";
import { makeFolders, writeConfiguration } from "./write-configuration.ts";

const certificate = { certificate: "", key: "" };

/** One of several hosts, behind a proxy, with a path that needs escaping. */
const settings = (dataFolder: string): DovecotSettings => ({
  version: "2.3",
  hasSearch: false,
  dataFolder,
  hostname: "mail.example.test",
  baseUrl: "https://mail.example.test",
  bind: "::",
  ports: { imap: 143, imaps: 993, pop3: 110, pop3s: 995, sieve: 4190 },
  proxyProtocol: [[ipaddr.parse("10.0.0.0"), 8]],
  mailHost: {
    name: "mail-1",
    address: "10.0.0.1",
    certificate,
    peers: [{ address: "10.0.0.2", certificate: "" }],
  },
  databaseUrl: "postgres://dovecot:secret@db.example.test/posthouse",
  certificate,
  namedCertificates: new Map([["mail.example.com", certificate]]),
  apiKey: "api-key",
  failureDelaySeconds: 2,
  policy: { port: 1234, key: "policy-key", id: "server" },
  sievePort: 2345,
});

test("the configuration for Dovecot 2.3", async () => {
  const root = await mkdtemp(join(tmpdir(), "posthouse-100%-"));
  const user = await serviceUser();
  await makeFolders(root, user);
  const baseFolder = "/run/posthouse";
  await writeConfiguration(settings(root), { user: { ...user, name: "dovecot" }, baseFolder });
  const { etc } = dovecotFolders(root);
  const texts: string[] = [];
  for (const file of (await readdir(etc)).filter((name) => name.includes("conf")).sort())
    texts.push(`# ${file}\n${await readFile(join(etc, file), "utf8")}`);
  await rm(root, { recursive: true });
  const shown = texts
    .join("\n")
    .replace(/ *\\\n */g, " ")
    .replace(/^ +| +(?= )/gm, "")
    .replaceAll(root.replaceAll("%", "%%"), "/data")
    .replaceAll(root, "/data")
    .replaceAll(`'${hostname()}'`, "'host'");
  await expect(shown).toMatchFileSnapshot("./generated-2.3.txt");
});
