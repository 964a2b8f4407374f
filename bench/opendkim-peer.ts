import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import type { KeyObject } from "node:crypto";
import { join } from "node:path";

import { freePort } from "#server/processes/ports.ts";

import { untilListening } from "./postfix-peer.ts";
import { children } from "./start-child.ts";

/**
 * A private OpenDKIM that signs what Postfix accepts. Returns Postfix' settings for it.
 *
 * @throws Error when OpenDKIM is not installed
 */
export async function startOpenDkim({
  folder,
  domain,
  key: { selector, privateKey },
}: {
  folder: string;
  domain: string;
  key: { selector: string; privateKey: KeyObject };
}): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const keyFile = join(folder, "key.pem");
  await writeFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const settings = {
    Mode: "s",
    Syslog: "no",
    Background: "no",
    RequireSafeKeys: "no",
    Socket: `inet:${port}@127.0.0.1`,

    Domain: domain,
    Selector: selector,
    KeyFile: keyFile,
    Canonicalization: "relaxed/relaxed",
  };
  const file = join(folder, "opendkim.conf");
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(file, lines.join(""));
  const opendkim = spawn("opendkim", ["-f", "-x", file], { stdio: "inherit" });
  opendkim.once("error", () => console.error("OpenDKIM cannot run: apt-get install opendkim"));
  children.push(opendkim);
  await untilListening(port);
  return { smtpd_milters: `inet:127.0.0.1:${port}`, milter_default_action: "tempfail" };
}
