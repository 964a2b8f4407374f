import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type ClientRequest, type IncomingMessage, request, type RequestOptions } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";

import { config } from "#server/config.ts";

import type { DovecotVersion } from "./find-dovecot.mjs";
import { type HostLink, linkClientOptions } from "./host-link.ts";

const ANSWER_TIMEOUT_MS = 10_000;

/** An invalid address, so no mailbox has it. */
const UNKNOWN_MAILBOX = "@";

/** Dovecot can't be reached or rejects a command. */
export class DovecotError extends Error {
  override name = "DovecotError";
  /** From the system, HTTP or doveadm: `ECONNREFUSED`, `HTTP 401`, `exit code 75`. Safe to show. */
  readonly code: string;

  constructor(message: string, { code, cause }: { code: string; cause?: unknown }) {
    super(message, { cause });
    this.code = code;
  }
}

type MailSession = { username: string; service: string; connections: number };

/** One connection of a mail app: `imap`, `pop3` or `sieve`. */
type MailConnection = { service: string; clientAddress: string };

/** A process of Dovecot, `imap`, `pop3` or `managesieve`, that serves a connection. */
export type SessionProcess = {
  username: string;
  service: string;
  /** Empty for the appliance itself, on its own socket (dovecot-imap.ts). */
  clientAddress: string;
  /** In the process namespace of the mail process. */
  pid: number;
};

/** A script uploaded by a mail app (RFC 5804). */
export type SieveScript = { name: string; isActive: boolean };

export type DovecotAdmin = {
  ping(): Promise<void>;
  /** Makes Dovecot look up a user that doesn't exist. Any answer shows that its parts work together. */
  lookUpUnknownUser(): Promise<void>;
  /**
   * Ends the mail app sessions of a mailbox, or only those from one address. The mail process does it (mail/dovecot/session-socket.ts),
   * since doveadm's `kick` of 2.4 doesn't end sessions that have opened a shared mailbox. Returns how many there were.
   */
  kick(address: string, clientAddress?: string): Promise<number>;
  /** Reloads configuration and certificate without ending sessions. Errors appear in Dovecot's log only. */
  reload(): Promise<void>;
  /** Lists all signed-in mail apps. */
  who(): Promise<MailSession[]>;
  /** Lists the processes that serve connections of one mailbox, or of all. */
  sessionProcesses(address?: string): Promise<SessionProcess[]>;
  /** Lists the connections of one mailbox. */
  connectionsOf(address: string): Promise<MailConnection[]>;
  /** Lets the groups `read:` and `write:` followed by the store's name open the mailbox. Safe to repeat. */
  allowSharing(mailbox: { address: string; store: string }): Promise<void>;
  /** Lists the scripts that the mailbox user manages with a mail app. */
  sieveScripts(address: string): Promise<SieveScript[]>;
  /** Reads one of these scripts. */
  sieveScript(address: string, name: string): Promise<string>;
};

/**
 * Programs that serve one session each, by their service in doveadm's `who`: `sieve` in 2.3, `managesieve` in 2.4. Not among
 * them, but listed by 2.4: the login processes, each of which passes many sessions on to another mail host.
 */
const SESSION_PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["imap", "imap"],
  ["pop3", "pop3"],
  ["sieve", "managesieve"],
  ["managesieve", "managesieve"],
]);

/** The file with the API key of the doveadm socket. */
export const apiKeyFile = (dataFolder: string) => join(dataFolder, "keys/dovecot-api.key");

/**
 * The administrative commands of the Dovecot that runs on a data folder, over its doveadm socket. Each
 * throws DovecotError if it fails.
 */
export function dovecotAdmin(dataFolder = config().dataFolder): DovecotAdmin {
  return adminOver(async (service) => ({
    key: await readFile(apiKeyFile(dataFolder), "utf8"),
    connection: { socketPath: dovecotSocket(dataFolder, ADMIN_SOCKETS[service]) },
  }));
}

/** The same for the Dovecot of another mail host. */
export function linkedDovecotAdmin(link: HostLink, key: string): DovecotAdmin {
  const { host, port } = link;
  return adminOver((service) => ({
    key,
    connection: {
      createConnection: () => connect({ host, port, ...linkClientOptions(link, service) }),
    },
  }));
}

/** The sockets that answer administrative commands: Dovecot's own, and the one of the mail process for `kick`. */
const ADMIN_SOCKETS = { doveadm: "http", sessions: "sessions" } as const;
type AdminService = keyof typeof ADMIN_SOCKETS;

/** The key of the doveadm API, and how to connect to it. Determined for each request: a socket may move. */
type Access = {
  key: string;
  connection: Pick<RequestOptions, "socketPath" | "createConnection">;
};

function adminOver(access: (service: AdminService) => Access | Promise<Access>): DovecotAdmin {
  const ask = (
    command: string,
    parameters: Record<string, unknown>,
    service: AdminService = "doveadm",
  ) => askDoveadm(() => access(service), command, parameters);
  /** One row per connection, since Dovecot 2.3 returns broken JSON for several mailboxes otherwise. */
  const sessionProcesses = async (address?: string): Promise<SessionProcess[]> => {
    const mask = address === undefined ? {} : { mask: [address] };
    const answer = await ask("who", { ...mask, separateConnections: true });
    return requireDone("who", answer)
      .map(({ username, service, ip, pid }) => ({
        username: String(username),
        service: SESSION_PROGRAMS.get(String(service)) ?? "",
        clientAddress: String(ip),
        pid: Number(pid),
      }))
      .filter(
        ({ username, service }) =>
          service !== "" && (address === undefined || username === address),
      );
  };
  const mailApps = async (address?: string) =>
    (await sessionProcesses(address))
      .filter(({ clientAddress }) => clientAddress !== "")
      .map(({ username, service, clientAddress }) => ({
        username,
        service: service === "managesieve" ? "sieve" : service,
        clientAddress,
      }));
  return {
    async ping() {
      requireDone("who", await ask("who", { mask: [UNKNOWN_MAILBOX] }));
    },
    async lookUpUnknownUser() {
      await ask("user", { userMask: [UNKNOWN_MAILBOX] });
    },
    async kick(address, clientAddress) {
      const answer = await ask("kick", { address, clientAddress }, "sessions");
      return requireDone("kick", answer).length;
    },
    sessionProcesses,
    async reload() {
      requireDone("reload", await ask("reload", {}));
    },
    async who() {
      const sessions = Map.groupBy(
        await mailApps(),
        ({ username, service }) => `${username} ${service}`,
      );
      return [...sessions.values()].map((connections) => ({
        username: connections[0]!.username,
        service: connections[0]!.service,
        connections: connections.length,
      }));
    },
    async connectionsOf(address) {
      const rows = await mailApps(address);
      return rows.map(({ service, clientAddress }) => ({ service, clientAddress }));
    },
    async allowSharing({ address, store }) {
      for (const [group, right] of Object.entries(SHARE_RIGHTS)) {
        const id = `group=${group}:${store}`;
        requireDone("aclSet", await ask("aclSet", { user: address, mailbox: "INBOX", id, right }));
      }
    },
    async sieveScripts(address) {
      const rows = requireDone("sieveList", await ask("sieveList", { user: address }));
      return rows.map(({ script, active }) => ({
        name: String(script),
        isActive: active === "ACTIVE",
      }));
    },
    async sieveScript(user, scriptname) {
      const [row] = requireDone("sieveGet", await ask("sieveGet", { user, scriptname }));
      return row?.["sieve script"] as string;
    },
  };
}

/** Names of doveadm-acl(1). Not `post` and `admin`. */
const SHARE_RIGHTS = {
  read: ["lookup", "read"],
  write: [
    "lookup",
    "read",
    "write",
    "write-seen",
    "write-deleted",
    "insert",
    "expunge",
    "create",
    "delete",
  ],
};

type Row = Record<string, unknown>;

type Answer = { rows: Row[]; exitCode: number };

function requireDone(command: string, { rows, exitCode }: Answer): Row[] {
  if (exitCode !== 0)
    throw new DovecotError(`Dovecot rejected ${command} (exit code ${exitCode}). See its log`, {
      code: `exit code ${exitCode}`,
    });
  return rows;
}

async function askDoveadm(
  access: () => Access | Promise<Access>,
  command: string,
  parameters: Record<string, unknown>,
): Promise<Answer> {
  try {
    const { key, connection } = await access();
    const asked = request({
      ...connection,
      path: "/doveadm/v1",
      method: "POST",
      headers: {
        authorization: `X-Dovecot-API ${Buffer.from(key).toString("base64")}`,
        "content-type": "application/json",
      },
      timeout: ANSWER_TIMEOUT_MS,
    });
    asked.once("timeout", () =>
      asked.destroy(Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" })),
    );
    asked.end(JSON.stringify([[command, parameters, "posthouse"]]));
    return readAnswer(command, await answerTo(command, asked));
  } catch (error) {
    if (error instanceof DovecotError) throw error;
    throw new DovecotError(`Dovecot can't run ${command}: ${reasonOf(error)}`, {
      code: codeOf(error),
      cause: error,
    });
  }
}

async function answerTo(command: string, asked: ClientRequest): Promise<string> {
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  if (response.statusCode === 200) return text(response);
  response.on("error", () => asked.destroy());
  asked.destroy();
  throw new DovecotError(`Dovecot returned HTTP ${response.statusCode!} for ${command}`, {
    code: `HTTP ${response.statusCode!}`,
  });
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Any other error is reported as a broken answer (EPROTO of errno(3)). */
const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error ? String(error.code) : "EPROTO";

/** `[["doveadmResponse", rows, tag]]` or `[["error", {type, exitCode}, tag]]`, both with status 200. */
function readAnswer(command: string, body: string): Answer {
  const [[kind, result]] = JSON.parse(body) as [[string, Row[] | Row, string]];
  if (kind === "doveadmResponse") return { rows: result as Row[], exitCode: 0 };
  const { type, exitCode } = result as { type?: string; exitCode?: number };
  if (type === "exitCode") return { rows: [], exitCode: exitCode! };
  throw new DovecotError(`Dovecot rejected ${command}: ${String(type)}`, {
    code: String(type),
  });
}

/** sun_path of unix(7) without its closing NUL. */
export const SOCKET_PATH_MAX = 107;

/**
 * LMTP, LMTP that creates no folders, the doveadm API, and IMAP for the appliance itself. `sessions` is the mail process's own
 * (mail/dovecot/session-socket.ts).
 */
export type DovecotSocket = "lmtp" | "lmtp-existing" | "http" | "imap" | "sessions";

/**
 * The path of one of Dovecot's sockets. Call it before each connection, like `socketIn`.
 *
 * @throws Error if Dovecot has never run on this data folder, so the path is unknown
 */
export function dovecotSocket(dataFolder: string, name: DovecotSocket): string {
  try {
    return socketIn(join(dataFolder, "dovecot/run"), name);
  } catch (error) {
    throw new Error(`Dovecot is not running on ${dataFolder}`, { cause: error });
  }
}

/**
 * The path of a socket in a service's run folder. If the data folder's path is too long for sockets, the
 * run folder is a link to a short path that changes at each start of the service, so call it before each
 * connection.
 *
 * @throws Error when that link does not exist
 */
export function socketIn(run: string, name: string): string {
  const path = join(run, name);
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return path;
  return join(readlinkSync(run), name);
}

/** The settings for the location of a mail store and its Sieve scripts, by version of Dovecot. */
const STORES = {
  "2.3": `mail_location = sdbox:~/sdbox
plugin {
  sieve = file:~/sieve;active=~/.dovecot.sieve
}
`,
  "2.4": `dovecot_config_version = 2.4.1
dovecot_storage_version = 2.3.19
mail_home = %{env:HOME}
mail_driver = sdbox
mail_path = ~/sdbox
sieve_script personal {
  path = ~/sieve
  active_path = ~/.dovecot.sieve
}
`,
};

/**
 * The configuration with which doveadm opens a mail store without a server, and without looking up its user: the
 * store's folder is HOME.
 *
 * @param folder for sockets and state, quoted if it has special characters
 * @param user the service user
 */
export const storeConf = (
  version: DovecotVersion,
  { folder, user }: { folder: string; user: string },
): string => `${STORES[version]}base_dir = ${folder}
state_dir = ${folder}
log_path = /dev/stderr
ssl = no
default_internal_user = ${user}
default_internal_group = ${user}
default_login_user = ${user}
first_valid_uid = 1
first_valid_gid = 1
stats_writer_socket_path =
namespace inbox {
  inbox = yes
  separator = /
}
`;

/** The arguments for a command of doveadm with this configuration. */
export const storeCommand = (
  version: DovecotVersion,
  { conf, command, args = [] }: { conf: string; command: string[]; args?: string[] },
): string[] => {
  const without = version === "2.4" ? ["--no-userdb-lookup"] : [];
  return ["-c", conf, "-f", "flow", ...command, ...without, ...args];
};
