import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The system user that Postgres and Dovecot run as when the appliance is started by root. */
const SERVICE_USER = "posthouse";

export type ServiceUser = { name: string; uid: number; gid: number };

export type ServiceCommand = { command: string; args: string[] };

/**
 * The unprivileged user for the services: `posthouse`, made at first use when root asks, else the
 * user this process already runs as. Both services refuse to run as root.
 */
export async function serviceUser(): Promise<ServiceUser> {
  const uid = process.getuid!();
  if (uid !== 0) return { name: await nameOf(uid), uid, gid: process.getgid!() };
  return (await findUser(SERVICE_USER)) ?? (await createServiceUser());
}

async function findUser(name: string): Promise<ServiceUser | null> {
  const entry = await run("getent", ["passwd", name]).then(
    ({ stdout }) => stdout,
    () => null,
  );
  if (!entry) return null;
  const [, , uid, gid] = entry.split(":");
  return { name, uid: Number(uid), gid: Number(gid) };
}

async function nameOf(uid: number): Promise<string> {
  const { stdout } = await run("id", ["-un", String(uid)]);
  return stdout.trim();
}

/** Two starts at once may both try: whoever finds the user made by the other is content. */
async function createServiceUser(): Promise<ServiceUser> {
  const options = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"];
  for (let attempt = 1; ; attempt++) {
    const failure = await run("useradd", [...options, "--shell", "/usr/sbin/nologin", SERVICE_USER])
      .then(() => null)
      .catch((error: unknown) => error);
    const user = await findUser(SERVICE_USER);
    if (user) return user;
    if (attempt === 5)
      throw new Error(`The user ${SERVICE_USER} could not be created`, { cause: failure });
    await new Promise((resolve) => setTimeout(resolve, 200 * attempt));
  }
}

/**
 * The command line that runs `command` as the service user and ends it when this process dies, even
 * by kill -9.
 *
 * @param paths what the command must be able to reach. Where a parent folder is closed to other users
 *   (a clone under /root, say) the command may pass it, by CAP_DAC_READ_SEARCH and nothing more.
 * @param deathSignal sent to the command when this process dies
 */
export async function asServiceUser(
  { command, args }: ServiceCommand,
  {
    paths,
    deathSignal,
    lowPorts = false,
  }: { paths: string[]; deathSignal: "TERM" | "INT"; lowPorts?: boolean },
): Promise<ServiceCommand> {
  const options = ["--pdeathsig", deathSignal];
  if (process.getuid!() === 0) {
    const user = await serviceUser();
    options.push("--reuid", user.name, "--regid", user.name, "--clear-groups");
    const capabilities = [];
    if (!(await canReach(user, paths))) capabilities.push("+dac_read_search");
    if (lowPorts) capabilities.push("+net_bind_service");
    if (capabilities.length > 0)
      options.push("--inh-caps", capabilities.join(","), "--ambient-caps", capabilities.join(","));
  }
  return { command: "setpriv", args: [...options, "--", command, ...args] };
}

/** Whether the user may pass every folder above `paths`. */
export async function canReach(user: ServiceUser, paths: string[]): Promise<boolean> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
      folders.add(folder);
  for (const folder of folders) {
    const { mode, uid, gid } = await stat(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
  }
  return true;
}
