import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { storeCommand, storeConf } from "#server/gateways/dovecot.ts";
import { type DovecotVersion, findDovecot } from "#server/gateways/find-dovecot.mjs";
import { replacePrivateFile } from "#server/processes/private-file.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";

import { BackupError } from "./layout.ts";
import { makeOwn } from "./prepare.ts";

const run = promisify(execFile);

/** Messages of the inbox that are read whole. */
const READ_MAX = 20;
const OUTPUT_MAX = 1024 ** 3;

type StoreReader = { conf: string; version: DovecotVersion };

/** Writes a configuration with which doveadm opens mail stores without a server. */
export async function prepareReader(dataFolder: string): Promise<StoreReader> {
  const folder = join(dataFolder, "dovecot/reader");
  await makeOwn(folder);
  const { name } = await serviceUser();
  const { version } = await findDovecot();
  const conf = join(folder, "dovecot.conf");
  replacePrivateFile(conf, storeConf(version, { folder, user: name }));
  return { conf, version };
}

type Store = { home: string; store: string; expected: number };

/**
 * Opens a restored mail store with Dovecot: all its folders, and some messages of the inbox.
 *
 * @returns the number of messages
 * @throws BackupError if there are fewer than expected, or one can't be read
 */
export async function readStore(reader: StoreReader, { home, store, expected }: Store) {
  let found = await countMessages(reader, home);
  // A message that arrived after the index was copied has a file, but isn't in the index yet.
  if (found < expected) {
    await doveadm(reader, home, ["force-resync"], ["*"]);
    found = await countMessages(reader, home);
  }
  if (found !== expected)
    throw new BackupError(`mail/${store} has ${found} of ${expected} messages`);
  const query = ["text", "mailbox", "INBOX", `1:${READ_MAX}`];
  const texts = await doveadm(reader, home, ["fetch"], query);
  if (/\bError: /.test(texts.stderr))
    throw new BackupError(
      `A message in mail/${store} can't be read: ${texts.stderr.split("\n")[0]!}`,
    );
  return found;
}

/** Messages in a mail store: in one folder, or in all by default. */
export async function countMessages(
  reader: StoreReader,
  home: string,
  folder = "*",
): Promise<number> {
  const { stdout } = await doveadm(reader, home, ["mailbox", "status"], ["messages", folder]);
  return [...stdout.matchAll(/ messages=(\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** Runs doveadm as the service user on the mail store in `home`. */
async function doveadm(
  { conf, version }: StoreReader,
  home: string,
  words: string[],
  query: string[],
) {
  const { command, args } = await asServiceUser(
    { command: "doveadm", args: storeCommand(version, { conf, command: words, args: query }) },
    { paths: [conf, home], deathSignal: "TERM" },
  );
  const user = await serviceUser();
  try {
    return await run(command, args, {
      env: { ...process.env, HOME: home, USER: user.name },
      cwd: "/",
      maxBuffer: OUTPUT_MAX,
    });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    throw new BackupError(
      `doveadm ${words.join(" ")} failed: ${stderr.trim().split("\n").at(-1) ?? ""}`,
      {
        cause: error,
      },
    );
  }
}
