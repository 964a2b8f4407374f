import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ImapFlow } from "imapflow";

import { findDovecot } from "#mail/dovecot/start-dovecot.ts";
import { appendMessages, type NewMessage } from "#server/gateways/dovecot-imap.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";
import { stopService, untilServiceExited } from "#server/processes/service-process.ts";

import { aFreePort } from "./a-free-port.ts";

/** An IMAP server of someone else: a second Dovecot, where any account has the password `source-password`. */
export type ImapServer = {
  port: number;
  /** Signs in, to prepare or check the account. */
  signIn(account: string): Promise<ImapFlow>;
  stop(): Promise<void>;
};

export const SOURCE_PASSWORD = "source-password";

/**
 * @param separator between the names of a folder's path
 * @param settings added to the configuration
 */
export async function anImapServer({
  separator = ".",
  settings = "",
}: { separator?: string; settings?: string } = {}): Promise<ImapServer> {
  const root = await mkdtemp(join(tmpdir(), "posthouse-imap-"));
  const user = await serviceUser();
  const port = await aFreePort();
  for (const name of ["", "run", "state", "mail"]) {
    await mkdir(join(root, name), { recursive: true });
    await chown(join(root, name), user.uid, user.gid);
  }
  const conf = join(root, "dovecot.conf");
  await writeFile(conf, configuration({ root, port, user: user.name, separator }) + settings);
  const { command, args } = await asServiceUser(
    { command: await findDovecot(), args: ["-c", conf, "-F"] },
    { paths: [conf, root], deathSignal: "TERM" },
  );
  const dovecot = spawn(command, args, {
    cwd: "/",
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const log: string[] = [];
  dovecot.stderr.on("data", (text: Buffer) => log.push(text.toString()));
  const exited = untilServiceExited(dovecot, log);
  const signIn = async (account: string) => {
    const client = new ImapFlow({
      host: "127.0.0.1",
      port,
      secure: false,
      doSTARTTLS: false,
      logger: false,
      auth: { user: account, pass: SOURCE_PASSWORD },
    });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  await untilListening(dovecot, () => signIn("probe@source.example"), log);
  return {
    port,
    signIn,
    async stop() {
      await stopService(dovecot, exited);
      await rm(root, { recursive: true, force: true });
    },
  };
}

const configuration = (given: { root: string; port: number; user: string; separator: string }) =>
  `base_dir = ${given.root}/run
state_dir = ${given.root}/state
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
default_internal_user = ${given.user}
default_internal_group = ${given.user}
default_login_user = ${given.user}
mail_uid = ${given.user}
mail_gid = ${given.user}
first_valid_uid = 1
first_valid_gid = 1
mail_location = sdbox:~/sdbox
mail_max_userip_connections = 50
passdb {
  driver = static
  args = password=${SOURCE_PASSWORD}
}
userdb {
  driver = static
  args = home=${given.root}/mail/%u
}
namespace inbox {
  inbox = yes
  separator = ${given.separator}
  mailbox "Sent Items" {
    special_use = \\Sent
  }
}
service imap-login {
  chroot =
  service_count = 0
  inet_listener imap {
    port = ${given.port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;

async function untilListening(
  dovecot: ChildProcess,
  signIn: () => Promise<ImapFlow>,
  log: string[],
): Promise<void> {
  for (;;) {
    const client = await signIn().catch(() => null);
    if (client) return client.logout();
    if (dovecot.exitCode !== null) throw new Error(`The IMAP server didn't start: ${log.join("")}`);
    await Promise.race([once(dovecot, "exit"), new Promise((resolve) => setTimeout(resolve, 50))]);
  }
}

/** Creates a folder, if it doesn't exist, and adds messages to it. */
export async function fill(
  client: ImapFlow,
  folder: string[],
  messages: NewMessage[],
): Promise<void> {
  const path = folder[0] === "INBOX" ? "INBOX" : (await client.mailboxCreate(folder)).path;
  for (let at = 0; at < messages.length; at += 200)
    await appendMessages(client, path, messages.slice(at, at + 200));
}
