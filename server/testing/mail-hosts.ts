import { type ChildProcess, fork } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { config } from "#server/config.ts";
import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { db } from "#server/db/pool.ts";

import { aFreePort } from "./a-free-port.ts";
import { fileOf } from "./ensure-built.ts";
import { startReport } from "./start-report.ts";

const PORTS = [
  "SMTP_PORT",
  "SUBMISSION_PORT",
  "SUBMISSIONS_PORT",
  "IMAP_PORT",
  "IMAPS_PORT",
  "POP3_PORT",
  "POP3S_PORT",
  "SIEVE_PORT",
];

export type MailHostProcess = {
  /** Its loopback address, which is its name too. */
  name: string;
  dataFolder: string;
  child: ChildProcess;
};

export type SeparateHosts = {
  /** The settings that all hosts have in common. */
  env: Record<string, string>;
  port(variable: string): number;
  /** A data folder of its own, without keys. */
  aFolder(): Promise<string>;
  /** Starts the mail process of another host, or of a known one again. `launcher` is a command that runs it in another system. */
  startMailHost(known?: MailHostProcess, launcher?: string[]): Promise<MailHostProcess>;
  stop(): Promise<void>;
};

/** Hosts of one installation, on loopback addresses of their own, that share a database and the instance key only. */
export async function separateHosts(env: Record<string, string> = {}): Promise<SeparateHosts> {
  const root = await mkdtemp(join(tmpdir(), "posthouse-hosts-"));
  await chmod(root, 0o755);
  await requireInstanceKey(db());
  const key = join(root, "instance.key");
  await cp(join(config().dataFolder, "keys/instance.key"), key);
  const common: Record<string, string> = {
    DATABASE_URL: config().databaseUrl!,
    POSTHOUSE_INSTANCE_KEY_FILE: key,
    ...env,
  };
  for (const name of PORTS) common[name] = String(await aFreePort());
  // Nothing else listens there, so the default of LINK_PORT is free.
  const network = `127.${randomInt(1, 250)}.${randomInt(250)}`;
  const started: ChildProcess[] = [];
  let folders = 0;
  const aFolder = async () => {
    const folder = join(root, String(++folders));
    await mkdir(join(folder, "keys"), { recursive: true });
    return folder;
  };
  return {
    env: common,
    port: (variable) => Number(common[variable]),
    aFolder,
    async startMailHost(known, launcher = []) {
      const dataFolder = known?.dataFolder ?? (await aFolder());
      const name = known?.name ?? `${network}.${folders}`;
      const [execPath, ...execArgv] = [
        ...launcher,
        process.execPath,
        "--disable-warning=ExperimentalWarning",
      ] as const;
      const child = fork(fileOf("mail/main.ts"), {
        execPath,
        execArgv,
        env: {
          ...process.env,
          ...common,
          POSTHOUSE_ROLES: "mail",
          POSTHOUSE_DATA: dataFolder,
          POSTHOUSE_MAIL_HOST: name,
          POSTHOUSE_BIND: name,
        },
        stdio: ["ignore", process.env.SHOW ? "inherit" : "ignore", "inherit", "ipc"],
      });
      started.push(child);
      const report = await startReport(child);
      if (report.type === "failed")
        throw new Error(`The mail host did not start: ${report.message}`);
      return { name, dataFolder, child };
    },
    async stop() {
      for (const child of started) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      await rm(root, { recursive: true, force: true });
    },
  };
}
