import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { storeConf } from "#server/gateways/dovecot.ts";
import { replacePrivateFile } from "#server/processes/private-file.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";

import { BackupError } from "./layout.ts";
import { makeOwn } from "./prepare.ts";

const run = promisify(execFile);

/** Messages of the inbox that are read whole. */
const READ_MAX = 20;
const OUTPUT_MAX = 1024 ** 3;

/** Writes a configuration with which doveadm opens mail stores without a server. Returns its path. */
export async function prepareReader(dataFolder: string): Promise<string> {
  const folder = join(dataFolder, "dovecot/reader");
  await makeOwn(folder);
  const { name } = await serviceUser();
  const file = join(folder, "dovecot.conf");
  replacePrivateFile(file, storeConf(folder, name));
  return file;
}

type Store = { home: string; store: string; expected: number };

/**
 * Opens a restored mail store with Dovecot: all its folders, and some messages of the inbox.
 *
 * @returns the number of messages
 * @throws BackupError if there are fewer than expected, or one can't be read
 */
export async function readStore(configuration: string, { home, store, expected }: Store) {
  let found = await countMessages(configuration, home);
  // A message that arrived after the index was copied has a file, but isn't in the index yet.
  if (found < expected) {
    await doveadm(configuration, home, ["force-resync", "*"]);
    found = await countMessages(configuration, home);
  }
  if (found !== expected)
    throw new BackupError(`mail/${store} has ${found} of ${expected} messages`);
  const texts = await doveadm(configuration, home, [
    "fetch",
    "text",
    "mailbox",
    "INBOX",
    `1:${READ_MAX}`,
  ]);
  if (/\bError: /.test(texts.stderr))
    throw new BackupError(
      `A message in mail/${store} can't be read: ${texts.stderr.split("\n")[0]!}`,
    );
  return found;
}

/** Messages in a mail store: in one folder, or in all by default. */
export async function countMessages(
  configuration: string,
  home: string,
  folder = "*",
): Promise<number> {
  const { stdout } = await doveadm(configuration, home, ["mailbox", "status", "messages", folder]);
  return [...stdout.matchAll(/ messages=(\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** Runs doveadm as the service user on the mail store in `home`. */
async function doveadm(configuration: string, home: string, args: string[]) {
  const { command, args: own } = await asServiceUser(
    { command: "doveadm", args: ["-c", configuration, "-f", "flow", ...args] },
    { paths: [configuration, home], deathSignal: "TERM" },
  );
  const user = await serviceUser();
  try {
    return await run(command, own, {
      env: { ...process.env, HOME: home, USER: user.name },
      cwd: "/",
      maxBuffer: OUTPUT_MAX,
    });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    throw new BackupError(`doveadm ${args[0]!} failed: ${stderr.trim().split("\n").at(-1) ?? ""}`, {
      cause: error,
    });
  }
}
