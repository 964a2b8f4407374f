import { execFile } from "node:child_process";
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs all processes except the supervisor when root starts the appliance. */
export const SERVICE_USER = "posthouse";

export type ServiceUser = { name: string; uid: number; gid: number };

export type ServiceCommand = { command: string; args: string[] };

/**
 * The unprivileged user for the services: `posthouse` if this process is root (created at first use), otherwise the current
 * user. Dovecot and Postgres refuse to run as root.
 */
export async function serviceUser(): Promise<ServiceUser> {
  const uid = process.getuid!();
  if (uid !== 0) return { name: await nameOf(uid), uid, gid: process.getgid!() };
  return ensureUser(SERVICE_USER);
}

/** A system user with a group of its own, created at first use. */
export const ensureUser = async (name: string): Promise<ServiceUser> =>
  (await findUser(name)) ?? (await createUser(name));

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

/** Two concurrent starts may both try; the second one uses the user that the first one created. */
async function createUser(name: string): Promise<ServiceUser> {
  const options = ["--system", "--no-create-home", "--home-dir", "/nonexistent"];
  const shell = ["--shell", "/usr/sbin/nologin"];
  for (let attempt = 1; ; attempt++) {
    // The group may exist: deleting a user keeps its group while that has other members.
    const failure = await run("groupadd", ["--system", "--force", name])
      .then(() => run("useradd", [...options, ...shell, "--gid", name, name]))
      .then(() => null)
      .catch((error: unknown) => error);
    const user = await findUser(name);
    if (user) return user;
    if (attempt === 5) throw new Error(`The user ${name} could not be created`, { cause: failure });
    await new Promise((resolve) => setTimeout(resolve, 200 * attempt));
  }
}

/** Numbers of the capabilities that services may get (capabilities(7)). */
const CAPABILITIES = { dac_read_search: 2, net_bind_service: 10 };

type Capability = keyof typeof CAPABILITIES;

/**
 * The command line that runs `command` as the service user, and ends it when this process dies, even by SIGKILL. Drops all
 * capabilities that it does not need.
 *
 * @param paths that the command must reach. CAP_DAC_READ_SEARCH is granted if a parent folder is closed to other users,
 *   such as a clone under /root
 * @param deathSignal sent to the command when this process dies
 * @param lowPorts whether it listens on ports below 1024
 */
export async function asServiceUser(
  { command, args }: ServiceCommand,
  access: { paths: string[]; deathSignal: "TERM" | "INT" | "KILL"; lowPorts?: boolean },
): Promise<ServiceCommand> {
  const options = ["--pdeathsig", access.deathSignal];
  options.push(...(process.getuid!() === 0 ? await switchUser(access) : await dropSurplus(access)));
  return { command: "setpriv", args: [...options, "--", command, ...args] };
}

type Access = { paths: string[]; lowPorts?: boolean };

async function switchUser(access: Access): Promise<string[]> {
  const user = await serviceUser();
  const options = ["--reuid", user.name, "--regid", user.name, "--init-groups"];
  const needed = await neededCapabilities(user, access);
  if (needed.length > 0) options.push(...changeCapabilities("+", needed));
  // Without no_setuid_fixup, access(2) ignores capabilities of ordinary users, and Next.js finds no files.
  // It would let programs with the set-user-ID bit keep capabilities, so the command may not run those.
  if (needed.includes("dac_read_search"))
    options.push("--securebits", "+no_setuid_fixup", "--no-new-privs");
  return options;
}

/** Programs inherit this process's ambient capabilities unless they are dropped. */
async function dropSurplus(access: Access): Promise<string[]> {
  const ambient = await ambientCapabilities();
  if (ambient.length === 0) return [];
  const needed = await neededCapabilities(await serviceUser(), access);
  const surplus = ambient.filter((name) => !needed.includes(name));
  return surplus.length > 0 ? changeCapabilities("-", surplus) : [];
}

const changeCapabilities = (sign: "+" | "-", names: Capability[]) => {
  const list = names.map((name) => sign + name).join(",");
  return ["--inh-caps", list, "--ambient-caps", list];
};

async function neededCapabilities(
  user: ServiceUser,
  { paths, lowPorts = false }: Access,
): Promise<Capability[]> {
  const needed: Capability[] = [];
  if (!(await canReach(user, paths))) needed.push("dac_read_search");
  if (lowPorts) needed.push("net_bind_service");
  return needed;
}

async function ambientCapabilities(): Promise<Capability[]> {
  const status = await readFile("/proc/self/status", "utf8");
  const bits = BigInt(`0x${/^CapAmb:\s*(\w+)/m.exec(status)?.[1] ?? "0"}`);
  const names = Object.keys(CAPABILITIES) as Capability[];
  return names.filter((name) => (bits >> BigInt(CAPABILITIES[name])) & 1n);
}

/** Whether the user can enter all parent folders of `paths` and of their link targets. */
export async function canReach(user: ServiceUser, paths: string[]): Promise<boolean> {
  const folders = new Set<string>();
  for (const path of paths)
    for (const end of [path, await realpath(path).catch(() => path)])
      for (let folder = dirname(end); folder !== dirname(folder); folder = dirname(folder))
        folders.add(folder);
  for (const folder of folders) {
    const { mode, uid, gid } = await stat(folder);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
  }
  return true;
}
