/** Explanations of connection errors by code. */
const CONNECTION_PROBLEMS: Record<string, string> = {
  timeout: "The endpoint did not respond within 10 seconds.",
  private_address:
    "The hostname resolves to a private or internal address. Webhooks are sent only to public addresses.",
  certificate:
    "The TLS certificate is invalid: expired, issued for another name, self-signed, or sent without intermediate certificates.",
  tls: "The TLS handshake failed: the server doesn’t support TLS on this port, or only outdated versions.",
  bad_answer: "The response is not valid HTTP, or its headers are too large.",
  interrupted: "The attempt was interrupted twice. Posthouse retries it later.",
  ENOTFOUND: "The hostname does not exist in DNS.",
  EAI_AGAIN: "The hostname could not be resolved because DNS did not respond.",
  ECONNREFUSED: "The server refused the connection: nothing is listening on this port.",
  ECONNRESET: "The server closed the connection before it responded.",
  EHOSTUNREACH: "The server is unreachable.",
  ENETUNREACH: "The server is unreachable.",
};

const STATUSES: Record<number, string> = {
  400: "The endpoint rejected the request as invalid (HTTP 400).",
  401: "The endpoint requires authentication (HTTP 401). Often, signature verification fails: check the signing secret.",
  403: "The endpoint rejected the request (HTTP 403). Often, signature verification fails or a firewall blocks the request.",
  404: "The endpoint was not found (HTTP 404). Check the path.",
  405: "The endpoint doesn’t accept POST requests (HTTP 405).",
  408: "The endpoint timed out waiting for the request (HTTP 408).",
  410: "The endpoint no longer exists (HTTP 410).",
  413: "The event is too large for the endpoint (HTTP 413).",
  429: "The endpoint is rate limiting requests (HTTP 429).",
};

/**
 * Explains why an attempt failed, in a sentence for readers who don't know the codes.
 *
 * @param error as stored with the attempt: `HTTP <status>`, or a short code
 */
export function explainFailure(error: string): string {
  const status = Number(/^HTTP (\d{3})$/.exec(error)?.[1]);
  if (status) return explainHttpStatus(status);
  return CONNECTION_PROBLEMS[error] ?? `The connection failed: ${error}.`;
}

function explainHttpStatus(status: number): string {
  const known = STATUSES[status];
  if (known) return known;
  if (status >= 500) return `The endpoint failed with a server error (HTTP ${status}).`;
  if (status >= 300 && status < 400)
    return `The endpoint redirects (HTTP ${status}), and redirects are not followed. Use the URL it redirects to.`;
  return `The endpoint responded with HTTP ${status}. Only a status from 200 to 299 counts as delivered.`;
}
