import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { config } from "#server/config.ts";

import { dovecotSocket } from "./service-socket.ts";

const ANSWER_TIMEOUT_MS = 10_000;

/** sysexits(3) as doveadm means them: nobody to kick, no such user. */
const NOT_FOUND = 68;
const UNKNOWN_USER = 67;

/** No mailbox has such a name. */
const NOBODY = "@";

/** Dovecot cannot be reached or refuses a command. */
export class DovecotError extends Error {
  override name = "DovecotError";
  /** Of the system, of HTTP or of doveadm: `ECONNREFUSED`, `HTTP 401`, `exit code 75`. Fit to be told. */
  readonly code: string;

  constructor(message: string, { code, cause }: { code: string; cause?: unknown }) {
    super(message, { cause });
    this.code = code;
  }
}

/** A mail app that is signed in. */
type MailSession = { username: string; service: string; connections: number };

/** One connection of a mail app: `imap`, `pop3` or `sieve`. */
type MailConnection = { service: string; clientAddress: string };

/** A script that a mail app has put there (RFC 5804). */
export type SieveScript = { name: string; isActive: boolean };

export type DovecotAdmin = {
  /** Does nothing but be answered. */
  ping(): Promise<void>;
  /** Makes Dovecot look up a user that doesn't exist. Any answer shows that its parts work together. */
  lookUpNobody(): Promise<void>;
  /** Ends the mail app sessions of a mailbox, those from one place when it is named; how many there were. */
  kick(address: string, clientAddress?: string): Promise<number>;
  /** Reads configuration and certificate again; sessions go on. A mistake in them shows in the log only. */
  reload(): Promise<void>;
  /** Who is signed in with a mail app. */
  who(): Promise<MailSession[]>;
  /** What is connected to one mailbox. */
  connectionsOf(address: string): Promise<MailConnection[]>;
  /** The scripts that a mailbox's person manages with a mail app. */
  sieveScripts(address: string): Promise<SieveScript[]>;
};

/** Where the key to the doveadm socket is kept. */
export const apiKeyFile = (dataFolder: string) => join(dataFolder, "keys/dovecot-api.key");

/**
 * The administrative commands of the Dovecot that runs on a data folder, through its doveadm socket.
 * Each throws DovecotError when it cannot be carried out.
 */
export function dovecotAdmin(dataFolder = config().dataFolder): DovecotAdmin {
  const ask = (command: string, parameters: Record<string, unknown>) =>
    askDoveadm(dataFolder, command, parameters);
  return {
    async ping() {
      requireDone("who", await ask("who", { mask: [NOBODY] }));
    },
    async lookUpNobody() {
      await ask("user", { userMask: [NOBODY] });
    },
    async kick(address, clientAddress) {
      const mask = clientAddress === undefined ? [address] : [address, clientAddress];
      const answer = await ask("kick", { mask });
      if (answer.exitCode === NOT_FOUND || answer.exitCode === UNKNOWN_USER) return 0;
      return requireDone("kick", answer).length;
    },
    async reload() {
      requireDone("reload", await ask("reload", {}));
    },
    async who() {
      return requireDone("who", await ask("who", {})).map((row) => ({
        username: String(row.username),
        service: String(row.service),
        connections: Number(row.connections),
      }));
    },
    async connectionsOf(address) {
      const rows = await ask("who", { mask: [address], separateConnections: true });
      return requireDone("who", rows)
        .filter(({ username }) => username === address)
        .map(({ service, ip }) => ({
          service: String(service) === "managesieve" ? "sieve" : String(service),
          clientAddress: String(ip),
        }));
    },
    async sieveScripts(address) {
      const rows = requireDone("sieveList", await ask("sieveList", { user: address }));
      return rows.map(({ script, active }) => ({
        name: String(script),
        isActive: active === "ACTIVE",
      }));
    },
  };
}

type Row = Record<string, unknown>;
type Answer = { rows: Row[]; exitCode: number };

function requireDone(command: string, { rows, exitCode }: Answer): Row[] {
  if (exitCode !== 0)
    throw new DovecotError(`Dovecot refused ${command} (exit code ${exitCode}); its log says why`, {
      code: `exit code ${exitCode}`,
    });
  return rows;
}

async function askDoveadm(
  dataFolder: string,
  command: string,
  parameters: Record<string, unknown>,
): Promise<Answer> {
  try {
    const key = await readFile(apiKeyFile(dataFolder), "utf8");
    const asked = request({
      socketPath: dovecotSocket(dataFolder, "http"),
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
    throw new DovecotError(`Dovecot cannot be asked to ${command}: ${reasonOf(error)}`, {
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
  throw new DovecotError(`Dovecot answered ${response.statusCode!} to ${command}`, {
    code: `HTTP ${response.statusCode!}`,
  });
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Whatever else goes wrong on the way is a broken answer (EPROTO of errno(3)). */
const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error ? String(error.code) : "EPROTO";

/** `[["doveadmResponse", rows, tag]]` or `[["error", {type, exitCode}, tag]]`, both with status 200. */
function readAnswer(command: string, body: string): Answer {
  const [[kind, result]] = JSON.parse(body) as [[string, Row[] | Row, string]];
  if (kind === "doveadmResponse") return { rows: result as Row[], exitCode: 0 };
  const { type, exitCode } = result as { type?: string; exitCode?: number };
  if (type === "exitCode") return { rows: [], exitCode: exitCode! };
  throw new DovecotError(`Dovecot does not take ${command}: ${String(type)}`, {
    code: String(type),
  });
}
