import { isIP } from "node:net";

import type { ImapFlow, ListResponse } from "imapflow";

import type { MailImport } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { doveadmKey, linkTo, locateMailbox } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { readOneLine } from "#server/core/shared/text.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import {
  APP_PROVIDERS,
  type AppProvider,
  fetchAppToken,
  readAppCredentials,
} from "#server/gateways/app-tokens.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { openLinkedMailbox, openMailbox } from "#server/gateways/dovecot-imap.ts";
import {
  type ImapAccount,
  ImapSourceError,
  limitReceived,
  openImapSource,
  toSourceError,
} from "#server/gateways/imap-source.ts";
import { createOutgoingHttp, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";

import { mapFolders, type MappedFolder } from "./map-folders.ts";

export type GivenServer = Pick<ImapAccount, "host" | "port" | "security">;

/** An account on another server, and what signs in to it. */
type GivenSource = GivenServer & {
  account: string;
  secret: { kind: SecretKind; value: string };
};

const NAME =
  /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

const PORT_MAX = 65_535;
const ACCOUNT_MAX = 320;

/** OAuth tokens have a few thousand characters. */
const SECRET_MAX = 10_000;

/** @throws Refusal `invalid` */
export const readServer = ({ host, port, security }: GivenServer): GivenServer => ({
  ...readFields({ host: () => readHost(host), port: () => readPort(port) }),
  security,
});

function readHost(given: string): string {
  const host = given.trim().toLowerCase().replace(/\.$/, "");
  if (NAME.test(host) || isIP(host) !== 0) return host;
  throw new Refusal("invalid", "host: must be a hostname, such as imap.example.com");
}

function readPort(port: number): number {
  if (Number.isInteger(port) && port >= 1 && port <= PORT_MAX) return port;
  throw new Refusal("invalid", `port: must be 1 to ${PORT_MAX}`);
}

/** @param prefix of fields: `accounts[3].` */
export const readAccount = (given: string, prefix = ""): string =>
  readOneLine(given, `${prefix}account`, { max: ACCOUNT_MAX });

export type SecretKind = MailImport["secretKind"];

/** @param prefix of fields: `accounts[3].` */
export function readSecret(kind: SecretKind, given: string, prefix = ""): string {
  if (given.length > SECRET_MAX)
    throw new Refusal("invalid", `${prefix}secret: must have at most ${SECRET_MAX} characters`);
  if (kind === "google" || kind === "microsoft") return readAppSecret(kind, given, prefix);
  if (given !== "" && !/[\0\r\n]/.test(given)) return given;
  throw new Refusal(
    "invalid",
    `${prefix}secret: must have 1 to ${SECRET_MAX} characters, on one line`,
  );
}

function readAppSecret(provider: AppProvider, given: string, prefix: string): string {
  try {
    return readAppCredentials(provider, given);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Refusal("invalid", `${prefix}secret: ${error.message}`);
  }
}

const TIMEOUT_MS = 60_000;

/** A folder's name can be a literal. */
const SOURCE_LITERAL_BYTES_MAX = 64 * 1024;

/** Checks run in the web process, and each holds what a server sends. */
const CHECKS_PER_COMPANY_MAX = 2;

/** Number of checks in progress in this process, by company. */
const running = new Map<string, number>();

/**
 * Signs in to an account and lists what would be imported.
 *
 * @throws Refusal `invalid`; its fields say whether the server or the password is the reason. `rate_limit_exceeded` while
 *   others of the company are in progress
 */
export async function checkSource(
  { companyId }: CompanyScope,
  given: GivenSource,
  { timeoutMs = TIMEOUT_MS } = {},
): Promise<CountedFolder[]> {
  const { server, account, value } = readFields({
    server: () => readServer(given),
    account: () => readAccount(given.account),
    value: () => readSecret(given.secret.kind, given.secret.value),
  });
  const secret = { kind: given.secret.kind, value };
  const others = running.get(companyId) ?? 0;
  if (others >= CHECKS_PER_COMPANY_MAX)
    throw new Refusal("rate_limit_exceeded", "Other connection tests are running. Retry shortly", {
      retryAfterSeconds: 5,
    });
  running.set(companyId, others + 1);
  try {
    return await listFolders({ ...server, account, secret }, timeoutMs);
  } finally {
    const left = running.get(companyId)! - 1;
    if (left > 0) running.set(companyId, left);
    else running.delete(companyId);
  }
}

async function listFolders(account: GivenSource, timeoutMs: number): Promise<CountedFolder[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const source = await connectToSource(account, {
      literalBytesMax: SOURCE_LITERAL_BYTES_MAX,
      signal,
    });
    try {
      return await listSourceFolders(source);
    } finally {
      source.close();
    }
  } catch (error) {
    if (signal.aborted)
      throw new Refusal("invalid", "The server didn't respond in time", { field: "host" });
    if (!(error instanceof ImapSourceError)) throw error;
    const field = error.kind === "rejected" ? "secret" : "host";
    throw new Refusal("invalid", error.message, { field });
  }
}

/** As many labels as Gmail allows. */
const FOLDERS_MAX = 10_000;

/** For the folder list, which imapflow holds in memory. */
const LIST_BYTES_MAX = 4 * 1024 * 1024;

export type CountedFolder = MappedFolder & { messages: number };

/** imapflow has this after sign-in; its types don't. */
type Namespaces = Partial<Record<"personal" | "other" | "shared", { prefix: string }[] | false>>;

/**
 * The folders of an account and their targets. Messages of the folder that shows all others aren't counted.
 *
 * @throws ImapSourceError
 */
export async function listSourceFolders(source: ImapFlow): Promise<CountedFolder[]> {
  const listed = await fetchFolderList(source);
  const { namespaces = {} } = source as { namespaces?: Namespaces };
  const prefixes = (kind: keyof Namespaces) =>
    (namespaces[kind] || []).map(({ prefix }) => prefix).filter(Boolean);
  const mapped = mapFolders(listed, {
    prefix: prefixes("personal")[0] ?? "",
    shared: [...prefixes("other"), ...prefixes("shared")],
  });
  const counts = new Map(listed.map(({ path, status }) => [path, status?.messages ?? 0]));
  return mapped.map((folder) => ({
    ...folder,
    messages: folder.isRest ? 0 : counts.get(folder.source)!,
  }));
}

async function fetchFolderList(source: ImapFlow): Promise<ListResponse[]> {
  const listed = await limitReceived(source, LIST_BYTES_MAX, () =>
    source.list({ statusQuery: { messages: true } }),
  ).catch((error: unknown) => {
    throw toSourceError(error);
  });
  if (listed.length > FOLDERS_MAX)
    throw new ImapSourceError("refused", `The account has more than ${FOLDERS_MAX} folders`);
  return listed;
}

/** Larger messages aren't imported: imapflow holds a message in memory, several times while it is sent. */
export const IMPORTED_BYTES_MAX = 64 * 1024 * 1024;

/** For one message: some servers announce less than what they send. */
export const LITERAL_BYTES_MAX = IMPORTED_BYTES_MAX * 1.5;

type ConnectOptions = {
  allowsPrivateHost?: boolean;
  literalBytesMax?: number;
  /** Closes the connection, also while it is being opened. */
  signal?: AbortSignal;
};

/** Connects to an account on another server. Private addresses are for local mode and operators. */
async function connectToSource(
  { secret: { kind, value }, ...source }: GivenSource,
  { allowsPrivateHost = false, literalBytesMax = LITERAL_BYTES_MAX, signal }: ConnectOptions = {},
): Promise<ImapFlow> {
  const { dnsServers, localMode } = config();
  const connect = (secret: ImapAccount["secret"]) =>
    openImapSource(
      { ...source, secret },
      {
        resolver: createResolver({ dnsServers }),
        allowPrivate: localMode || allowsPrivateHost,
        literalBytesMax,
        ...(signal && { signal }),
      },
    );
  if (kind === "password" || kind === "oauth") return connect({ kind, value });
  const app = { credentials: value, account: source.account };
  const token = await fetchAppToken(kind, app, providerHttp());
  return connect({ kind: "oauth", value: token }).catch((error: unknown) => {
    if (!(error instanceof ImapSourceError) || error.kind !== "rejected") throw error;
    const { unopened } = APP_PROVIDERS[kind];
    throw new ImapSourceError("rejected", `The app can't open ${source.account}. ${unopened}`);
  });
}

let http: OutgoingHttp | undefined;

/** Reaches what webhooks can reach. */
const providerHttp = () =>
  (http ??= createOutgoingHttp({
    resolver: createResolver(config()),
    allowedPrivate: config().privateWebhooks,
  }));

/** @throws ImapSourceError; SealError if the instance key has changed */
export function openSource(row: MailImport): Promise<ImapFlow> {
  const { host, port, security, account, secretKind: kind, sealedSecret } = row;
  if (sealedSecret === null) throw new Error(`import ${row.id} is running without a secret`);
  const secret = { kind, value: unseal("import_secret", sealedSecret) };
  const { allowsPrivateHost } = row;
  return connectToSource({ host, port, security, account, secret }, { allowsPrivateHost });
}

/** Opens the mailbox on the host that stores it at the moment. */
export async function openTarget(db: Db, mailbox: string): Promise<ImapFlow> {
  const { address, storeHost } = await locateMailbox(db, mailbox);
  return storeHost === config().mailHost
    ? openMailbox(address)
    : openLinkedMailbox(address, linkTo(storeHost!), doveadmKey());
}
