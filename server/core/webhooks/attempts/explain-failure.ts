/** Explanations of connection errors by code. */
const CONNECTION_PROBLEMS: Record<string, string> = {
  timeout: "It did not answer within 10 seconds.",
  private_address:
    "Its host name leads to a private or internal address. Webhooks are only sent to public ones.",
  certificate:
    "Its TLS certificate is not valid: expired, made out for another name, self-signed, or sent without the certificates that lead to its authority.",
  tls: "No TLS connection came about: its server does not speak TLS on that port, or only old versions.",
  bad_answer: "What it answered is not HTTP, or the head of its answer is too big.",
  ENOTFOUND: "Its host name does not exist in DNS.",
  EAI_AGAIN: "Its host name could not be looked up: the DNS did not answer.",
  ECONNREFUSED: "Its server refused the connection: nothing listens on that port.",
  ECONNRESET: "Its server closed the connection before it answered.",
  EHOSTUNREACH: "Its server cannot be reached over the network.",
  ENETUNREACH: "Its server cannot be reached over the network.",
};

const STATUSES: Record<number, string> = {
  400: "It answered that it does not understand the request (HTTP 400).",
  401: "It answered that it wants other credentials (HTTP 401). Often the signature check fails: compare the signing secret.",
  403: "It refused the request (HTTP 403). Often the signature check fails, or a firewall stands in the way.",
  404: "It answered that there is nothing at this address (HTTP 404). Check the path.",
  405: "It does not take POST requests at this address (HTTP 405).",
  408: "It answered that it waited too long (HTTP 408).",
  410: "It answered that this address is gone for good (HTTP 410).",
  413: "It answered that the event is too large for it (HTTP 413).",
  429: "It answered that it gets too many requests (HTTP 429).",
};

/**
 * Explains why an attempt failed, in a sentence for readers who don't know the codes.
 *
 * @param error as stored with the attempt: `HTTP <status>`, or a short code
 */
export function explainFailure(error: string): string {
  const status = Number(/^HTTP (\d{3})$/.exec(error)?.[1]);
  if (status) return explainHttpStatus(status);
  return CONNECTION_PROBLEMS[error] ?? `The connection to it failed (${error}).`;
}

function explainHttpStatus(status: number): string {
  const known = STATUSES[status];
  if (known) return known;
  if (status >= 500) return `It answered that it has a problem of its own (HTTP ${status}).`;
  if (status >= 300 && status < 400)
    return `It answered with a redirect (HTTP ${status}), and redirects are not followed. Give the address that it leads to.`;
  return `It answered HTTP ${status}. Only a status from 200 to 299 counts as delivered.`;
}
