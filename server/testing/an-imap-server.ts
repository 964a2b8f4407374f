import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ImapFlow } from "imapflow";

import { type DovecotVersion, findDovecot } from "#server/gateways/find-dovecot.mjs";
import { type AppendedMessage, appendMessages } from "#server/gateways/dovecot-imap.ts";
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
  const { binary, version } = await findDovecot();
  const own = configuration(version, { root, port, user: user.name, separator });
  await writeFile(conf, own + settings);
  const { command, args } = await asServiceUser(
    { command: binary, args: ["-c", conf, "-F"] },
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

/** What differs between the versions of Dovecot. */
const parts = (root: string) => ({
  "2.3": {
    head: "disable_plaintext_auth = no\nmail_location = sdbox:~/sdbox\n",
    users: `passdb {
  driver = static
  args = password=${SOURCE_PASSWORD}
}
userdb {
  driver = static
  args = home=${root}/mail/%u
}
`,
    forever: "service_count = 0",
    anvil: "chroot =",
  },
  "2.4": {
    head: `dovecot_config_version = 2.4.1
dovecot_storage_version = 2.4.1
auth_allow_cleartext = yes
mail_driver = sdbox
mail_path = ~/sdbox
`,
    users: `passdb static {
  static_password = ${SOURCE_PASSWORD}
}
userdb static {
  fields {
    home = ${root}/mail/%{user}
  }
}
`,
    forever: "restart_request_count = unlimited",
    anvil: "",
  },
});

type Given = { root: string; port: number; user: string; separator: string };

function configuration(version: DovecotVersion, { root, port, user, separator }: Given): string {
  const { head, users, forever, anvil } = parts(root)[version];
  return `${head}base_dir = ${root}/run
state_dir = ${root}/state
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl = no
auth_failure_delay = 0
default_internal_user = ${user}
default_internal_group = ${user}
default_login_user = ${user}
mail_uid = ${user}
mail_gid = ${user}
first_valid_uid = 1
first_valid_gid = 1
mail_max_userip_connections = 50
${users}namespace inbox {
  inbox = yes
  separator = ${separator}
  mailbox "Sent Items" {
    special_use = \\Sent
  }
}
service imap-login {
  chroot =
  ${forever}
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  ${anvil}
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;
}

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
  messages: AppendedMessage[],
): Promise<void> {
  const path = folder[0] === "INBOX" ? "INBOX" : (await client.mailboxCreate(folder)).path;
  for (let at = 0; at < messages.length; at += 200)
    await appendMessages(client, path, messages.slice(at, at + 200));
}
