import { isIP } from "node:net";

import type { ImapFlow } from "imapflow";

import type { Resolver } from "./dns.ts";
import { guardedLookup, OutgoingFailure } from "./outgoing-http.ts";
import { isPublicAddress } from "./public-address.ts";

const CONNECT_TIMEOUT_MS = 20_000;
const SILENCE_TIMEOUT_MS = 120_000;
/** Without literals; imapflow's own limit is 1 GB. Sources send no long lines: flags, folders and headers of one message. */
const LINE_BYTES_MAX = 1024 * 1024;
const SIGN_IN_BYTES_MAX = LINE_BYTES_MAX;
const WATCH_EVERY_MS = 50;

/** An account on another IMAP server. */
export type ImapAccount = {
  host: string;
  port: number;
  /** `starttls` requires it; `none` sends the password unencrypted. */
  security: "tls" | "starttls" | "none";
  account: string;
  secret: { kind: "password" | "oauth"; value: string };
};

type Options = {
  resolver: Resolver;
  /** Whether the host may have an address that isn't public. */
  allowPrivate: boolean;
  /** Literals above this end the connection, so that no server fills the memory. */
  literalBytesMax: number;
  /** Closes the connection, also while it is being opened. */
  signal?: AbortSignal;
};

/**
 * Connects and signs in to another IMAP server. Its certificate must be valid. Nothing is logged: the dialog contains the
 * password.
 *
 * @throws ImapSourceError
 */
export async function openImapSource(source: ImapAccount, options: Options): Promise<ImapFlow> {
  const { host, port, security, account, secret } = source;
  const { ImapFlow } = await import("imapflow");
  const client = new ImapFlow({
    host,
    port,
    secure: security === "tls",
    doSTARTTLS: security === "starttls",
    auth:
      secret.kind === "oauth"
        ? { user: account, accessToken: secret.value }
        : { user: account, pass: secret.value },
    tls: options.allowPrivate ? {} : lookupOption(options.resolver),
    clientInfo: { name: "Posthouse" },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    maxLineLength: LINE_BYTES_MAX,
    maxLiteralSize: options.literalBytesMax,
    // Of lines and literals together.
    maxResponseSize: options.literalBytesMax + LINE_BYTES_MAX,
  });
  // Also arrives as the error of the command in progress. Without a listener, it would end the process.
  client.on("error", () => {});
  options.signal?.addEventListener("abort", () => client.close(), { once: true });
  try {
    options.signal?.throwIfAborted();
    if (!options.allowPrivate && isIP(host) && !isPublicAddress(host))
      throw new OutgoingFailure("private_address");
    await limitReceived(client, SIGN_IN_BYTES_MAX, () => client.connect());
    return client;
  } catch (error) {
    client.close();
    throw toSourceError(error, secret.value);
  }
}

/**
 * Closes the connection if the server sends more than `bytesMax` meanwhile: imapflow collects a response to LIST in memory,
 * however long it is.
 *
 * @throws ImapSourceError then, and what `work` throws
 */
export async function limitReceived<T>(
  client: ImapFlow,
  bytesMax: number,
  work: () => Promise<T>,
): Promise<T> {
  const limit = client.stats().received + bytesMax;
  const isExceeded = () => client.stats().received > limit;
  const watch = setInterval(() => {
    if (isExceeded()) client.close();
  }, WATCH_EVERY_MS);
  try {
    return await work();
  } catch (error) {
    throw isExceeded() ? new ImapSourceError("refused", "The server sends too much data") : error;
  } finally {
    clearInterval(watch);
  }
}

/** For the connection, although the option is called `tls`. */
const lookupOption = (resolver: Resolver) => ({ lookup: guardedLookup(resolver, []) });

/** What went wrong at the other server. It has no cause, since that may contain the dialog. */
export class ImapSourceError extends Error {
  override name = "ImapSourceError";
  /**
   * - `rejected`: the server rejects the account or password
   * - `refused`: it can't be used as configured: unknown host, private address, invalid certificate, no STARTTLS
   * - `throttled`: it asks for a pause
   * - `denied`: it rejects a command, such as one about a broken message
   * - `unavailable`: anything else; retry
   */
  readonly kind: "rejected" | "refused" | "throttled" | "denied" | "unavailable";
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | null;

  constructor(kind: ImapSourceError["kind"], message: string, retryAfterMs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What imapflow adds to its errors. */
type ImapError = Error & {
  code?: string;
  authenticationFailed?: boolean;
  tlsFailed?: boolean;
  response?: unknown;
  responseStatus?: "NO" | "BAD";
  responseText?: string;
  serverResponseCode?: string;
  throttleReset?: number;
};

/** Codes of RFC 5530 and of Gmail and Microsoft 365. OVERQUOTA is Gmail's word for its bandwidth limit. */
const BUSY_CODES = /^(UNAVAILABLE|INUSE|LIMIT|THROTTLED|OVERQUOTA|SERVERBUG)$/i;
const BUSY_TEXT =
  /\b(UNAVAILABLE|INUSE|LIMIT|THROTTLED|OVERQUOTA)\]|too many|simultaneous|throttl|bandwidth|try again|temporar|not connected/i;
/**
 * At sign-in, where "try again" and "too many" can be about a wrong password: codes, and what Gmail and Microsoft 365 say about
 * connections.
 */
const BUSY_SIGN_IN_TEXT =
  /\[(UNAVAILABLE|INUSE|LIMIT|THROTTLED|OVERQUOTA)\]|too many simultaneous connections|authenticated but not connected/i;
/** "Suggested Backoff Time: 299902 milliseconds", Microsoft 365. */
const BACKOFF_TEXT = /backoff time:?\s*(\d+)\s*milliseconds/i;

const UNUSABLE: [pattern: RegExp, message: (code: string) => string][] = [
  [/^private_address$/, () => "The server's address isn't public"],
  [/^ENOTFOUND$/, () => "The server's name doesn't exist"],
  [
    /CERT|SELF_SIGNED|^UNABLE_TO_|^ERR_TLS_|HOSTNAME_MISMATCH/,
    (code) => `The server's certificate is invalid (${code})`,
  ],
  [/^(EPROTO|ERR_SSL_\w+)$/, () => "The server doesn't use TLS on this port"],
];

/**
 * Translates an error of a connection to another server.
 *
 * @param secret removed from the text, should the server repeat it
 */
export function toSourceError(error: unknown, secret?: string): ImapSourceError {
  if (error instanceof ImapSourceError) return error;
  const failure = error as ImapError;
  const text = textOf(failure, secret);
  return (
    readThrottling(failure, text) ??
    readRefusal(failure, text) ??
    new ImapSourceError(
      failure.responseStatus ? "denied" : "unavailable",
      text || describe(failure.code ?? "", failure.message),
    )
  );
}

function textOf({ response, responseText }: ImapError, secret: string | undefined): string {
  const said = responseText ?? (typeof response === "string" ? response : "");
  return oneLine(secret ? said.replaceAll(secret, "…") : said);
}

function readThrottling(failure: ImapError, text: string): ImapSourceError | null {
  const { authenticationFailed, throttleReset, serverResponseCode = "" } = failure;
  const busyText = authenticationFailed ? BUSY_SIGN_IN_TEXT : BUSY_TEXT;
  const isThrottled =
    throttleReset !== undefined || BUSY_CODES.test(serverResponseCode) || busyText.test(text);
  if (!isThrottled) return null;
  const asked = throttleReset ?? Number(BACKOFF_TEXT.exec(text)?.[1] ?? Number.NaN);
  const retryAfterMs = Number.isFinite(asked) ? asked : null;
  return new ImapSourceError("throttled", `The server is limiting requests: ${text}`, retryAfterMs);
}

function readRefusal(
  { authenticationFailed, code = "", tlsFailed }: ImapError,
  text: string,
): ImapSourceError | null {
  if (authenticationFailed) {
    const reason = text && `: ${text}`;
    return new ImapSourceError("rejected", `The server rejected the account or password${reason}`);
  }
  const unusable = UNUSABLE.find(([pattern]) => pattern.test(code));
  if (unusable) return new ImapSourceError("refused", unusable[1](code));
  return tlsFailed ? new ImapSourceError("refused", "The server doesn't offer STARTTLS") : null;
}

function describe(code: string, message: string): string {
  if (/timeout|ETIMEDOUT/i.test(code)) return "The server didn't respond in time";
  if (code === "ECONNREFUSED") return "The server doesn't accept connections on this port";
  if (/^(NoConnection|EConnectionClosed|ECONNRESET)$/.test(code))
    return "The server closed the connection";
  return oneLine(message);
}

const TEXT_MAX = 300;

/** A server's message as one line, cut to `TEXT_MAX` characters. */
export const oneLine = (text: string) =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, TEXT_MAX);
