/**
 * No answer came. `code` is short and safe to show:
 *
 * | code | what happened |
 * | --- | --- |
 * | `timeout` | the time ran out before the status line |
 * | `private_address` | the host is, or has among its addresses, one that is not public |
 * | `not_https` | the address is not an `https:` URL |
 * | `ENOTFOUND` | the host has no address |
 * | `EAI_AGAIN` | the host could not be looked up |
 * | `ECONNREFUSED`, `ECONNRESET`, `EHOSTUNREACH`, … | the connection failed, as the system names it |
 * | `certificate` | the host's certificate is not valid for it |
 * | `tls` | no TLS connection came about |
 * | `bad_answer` | what came is not HTTP, or its head is too big |
 * | `failed` | anything else |
 */
export class OutgoingFailure extends Error {
  override name = "OutgoingFailure";
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(`The request failed: ${code}`, { cause });
    this.code = code;
  }
}

/** The first match counts. */
const KINDS: [RegExp, string][] = [
  [/^(UND_ERR_\w+_TIMEOUT|ETIMEDOUT)$/, "timeout"],
  [/^(EPROTO|ERR_SSL_\w+)$/, "tls"],
  [
    /^UNABLE_TO_|CERT|CRL|^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/,
    "certificate",
  ],
  [/^(UND_ERR_SOCKET|EPIPE)$/, "ECONNRESET"],
  [/^(HPE_\w+|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES\w+)$/, "bad_answer"],
];

/** Converts an error of the HTTP client to an OutgoingFailure. */
export function readFailure(error: unknown): OutgoingFailure {
  if (error instanceof OutgoingFailure) return error;
  if (!(error instanceof Error)) return new OutgoingFailure("failed", error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const kind = KINDS.find(([pattern]) => pattern.test(code))?.[1];
  return new OutgoingFailure(kind ?? (/^E[A-Z]+$/.test(code) ? code : "failed"), error);
}
