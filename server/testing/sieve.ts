import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { findDovecot } from "#server/gateways/find-dovecot.mjs";

const run = promisify(execFile);

/** An unprivileged user: Pigeonhole's tools refuse to run as root. */
const NOBODY = 65_534;

export type SieveTools = {
  /** Rejects with the compiler's errors. */
  compile(script: string): Promise<void>;
  /** The actions of the script for a message, as Pigeonhole prints them: `store message in folder: …`. */
  actions(script: string, message: string): Promise<string>;
  stop(): Promise<void>;
};

/** Pigeonhole's compiler and interpreter, in their own folder. */
export async function sieveTools(own: string): Promise<SieveTools> {
  const folder = await mkdtemp(join(tmpdir(), "posthouse-sieve-"));
  await chmod(folder, 0o777);
  const uid = process.getuid!() || NOBODY;
  const gid = process.getgid!() || NOBODY;
  const conf = join(folder, "dovecot.conf");
  const { version } = await findDovecot();
  const settings = {
    "2.3": `mail_location = sdbox:${folder}/mail\nplugin {\n  sieve_max_redirects = 5\n}\n`,
    "2.4": `dovecot_config_version = 2.4.1\ndovecot_storage_version = 2.4.1
mail_driver = sdbox\nmail_path = ${folder}/mail\nsieve_max_redirects = 5\n`,
  };
  await writeFile(
    conf,
    `${settings[version]}mail_uid = ${uid}\nmail_gid = ${gid}\nfirst_valid_uid = 1\nfirst_valid_gid = 1
mail_home = ${folder}\nlog_path = /dev/stderr
lda_mailbox_autocreate = yes
`,
  );
  let scripts = 0;
  const write = async (script: string) => {
    const file = join(folder, `${(scripts += 1)}.sieve`);
    await writeFile(file, script);
    return file;
  };
  return {
    async compile(script) {
      const file = await write(script);
      await run("sievec", ["-c", conf, file, `${file}.bin`]);
    },
    async actions(script, message) {
      const file = await write(script);
      await writeFile(join(folder, "message"), message);
      const sender = ["-f", "sender@example.net", "-a", own, "-r", own];
      const { stdout } = await run("sieve-test", [
        "-c",
        conf,
        ...sender,
        file,
        join(folder, "message"),
      ]);
      return stdout;
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
