import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { findDovecot } from "#server/gateways/find-dovecot.mjs";

import { children } from "./start-child.ts";

/**
 * A private Dovecot 2.3 that stores what it gets over LMTP, without plugins: every address is a mailbox.
 *
 * @param mailFolder where it stores the messages of each address
 */
export async function startPlainDovecot({
  folder,
  mailFolder,
  user,
}: {
  folder: string;
  mailFolder: string;
  user: { name: string; uid: number; gid: number };
}): Promise<{ pid: number; lmtp: string }> {
  await mkdir(folder);
  await mkdir(mailFolder);
  await chown(mailFolder, user.uid, user.gid);
  const conf = join(folder, "dovecot.conf");
  await writeFile(
    conf,
    `protocols = lmtp
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
# As in Posthouse's configuration.
info_log_path = /dev/null
ssl = no
mail_location = sdbox:~/sdbox
mail_uid = ${user.name}
mail_gid = ${user.name}
first_valid_uid = 1
first_valid_gid = 1
auth_username_format = %Lu
service lmtp {
  unix_listener lmtp {
    mode = 0666
  }
}
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=${user.name} gid=${user.name} home=${mailFolder}/%Lu
}
`,
  );
  const { binary } = await findDovecot();
  const dovecot = spawn(binary, ["-F", "-c", conf], { cwd: "/", stdio: "inherit" });
  children.push(dovecot);
  const lmtp = join(folder, "run/lmtp");
  while (!existsSync(lmtp)) await delay(20);
  return { pid: dovecot.pid!, lmtp };
}
