import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { pino } from "pino";

import { startSubmissionListener } from "#mail/submission/submission-listener.ts";
import { COMPANION_PACKAGES, missingPackages } from "#server/gateways/debian-packages.mjs";
import { db } from "#server/db/pool.ts";

import type { TestDovecot } from "./a-dovecot.ts";

/** An unprivileged user and group: php-fpm doesn't run as root. */
const UNPRIVILEGED = 65_534;

/** The socket of a Roundcube in this folder. */
export const webmailSocket = (folder: string) => join(folder, "data/http.sock");

/**
 * Starts Debian's Roundcube as its image does, on the test's Dovecot and a submission listener of its own.
 *
 * @param folder an empty folder that other users can enter
 * @param url of the web process that serves it
 */
export async function aWebmail(
  folder: string,
  { dovecot, url }: { dovecot: TestDovecot; url: string },
): Promise<{ stop(): Promise<void> }> {
  const submission = await startSubmissionListener({
    db: db(),
    log: pino({ level: "silent" }),
    hostname: "mail.example.test",
    certificate: dovecot.certificate,
    bind: "127.0.0.1",
    port: 0,
    isImplicitTls: true,
  });
  const ports = { imaps: dovecot.imaps, submissions: submission.port };
  const roundcube = await startRoundcube(folder, { url, ...ports }).catch(
    async (error: unknown) => {
      await submission.stop();
      throw error;
    },
  );
  return {
    async stop() {
      await Promise.all([roundcube.stop(), submission.stop()]);
    },
  };
}

/**
 * Starts Debian's Roundcube as its image does, in an empty folder that other users can enter; or the image itself, in the network of this
 * process, if `WEBMAIL_IMAGE` names one.
 */
export async function startRoundcube(
  folder: string,
  { url, imaps, submissions }: { url: string; imaps: number; submissions: number },
): Promise<{ pid: number; stop(): Promise<void> }> {
  for (const name of ["data", "run"]) mkdirSync(join(folder, name));
  const start = process.env.WEBMAIL_IMAGE ? startImage : startProgram;
  const child = start(folder, {
    WEBMAIL_IMAP: `127.0.0.1:${imaps}`,
    WEBMAIL_SMTP: `127.0.0.1:${submissions}`,
    POSTHOUSE_APPLIANCE: url,
    POSTHOUSE_HOSTNAME: new URL(url).host,
  });
  const ended = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => (output += text.toString()));
  const stop = async () => {
    child.kill();
    await ended;
  };
  for (let waited = 0; !existsSync(webmailSocket(folder)); waited += 20) {
    if (child.exitCode !== null || waited > 25_000) {
      await stop();
      throw new Error(`Roundcube doesn't start: ${output}`);
    }
    await sleep(20);
  }
  return { pid: child.pid!, stop };
}

function startProgram(folder: string, settings: Record<string, string>) {
  const missing = COMPANION_PACKAGES.webmail.flatMap((packages) => missingPackages(packages));
  if (missing.length > 0)
    throw new Error(`Webmail needs ${missing.join(", ")}. \`npm test\` installs what tests need`);
  const program = join(folder, "program");
  cpSync(join(import.meta.dirname, "../../docker/webmail"), program, { recursive: true });
  const [data, run] = [join(folder, "data"), join(folder, "run")];
  const isRoot = process.getuid!() === 0;
  if (isRoot) for (const each of [folder, data, run]) chownSync(each, UNPRIVILEGED, UNPRIVILEGED);
  return spawn(join(program, "start.sh"), {
    env: { ...process.env, ...settings, WEBMAIL_DATA: data, WEBMAIL_RUN: run },
    ...(isRoot && { uid: UNPRIVILEGED, gid: UNPRIVILEGED }),
  });
}

/** The user in the image. */
const IMAGE_USER = 901;

/** With the restrictions of compose.yaml, except those on the network. */
function startImage(folder: string, settings: Record<string, string>) {
  const data = join(folder, "data");
  chownSync(data, IMAGE_USER, IMAGE_USER);
  const locked =
    "--read-only --tmpfs=/tmp --tmpfs=/run --cap-drop=ALL --security-opt=no-new-privileges";
  const env = Object.entries(settings).map(([name, value]) => `--env=${name}=${value}`);
  const args = ["--rm", "--network=host", ...locked.split(" "), `--volume=${data}:/data`, ...env];
  return spawn("docker", ["run", ...args, process.env.WEBMAIL_IMAGE!]);
}
