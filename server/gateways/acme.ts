import { rootCertificates, getCACertificates } from "node:tls";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction } from "node:net";

import type * as AcmeClient from "acme-client";

import type { Resolver } from "./dns.ts";

export type ChallengeType = "http-01" | "tls-alpn-01" | "dns-01";

/** What the authority checks to verify that a name is ours. */
export type Challenge = {
  name: string;
  token: string;
} & (
  | { type: "http-01"; /** The response body (RFC 8555, 8.3). */ body: string }
  | { type: "tls-alpn-01"; /** Certificate and key (RFC 8737, 3), PEM. */ pem: string }
  | {
      type: "dns-01";
      /** The TXT record at `_acme-challenge.<name>` (RFC 8555, 8.4). */ text: string;
    }
);

export type Order = {
  directoryUrl: string;
  accountKey: string;
  /** Null to create the account. */
  accountUrl: string | null;
  email: string | null;
  binding: { keyId: string; hmacKey: string } | null;
  names: string[];
  /** In order of preference. The first that the authority offers is used. */
  types: ChallengeType[];
  /** Publishes the response to a challenge, for the authority to fetch. */
  publish: (challenge: Challenge) => Promise<void>;
  /** Called once the account exists, before the order. */
  onAccount: (accountUrl: string) => Promise<void>;
  resolver: Resolver;
  /** How often the state of the order is polled. */
  pollMs?: number;
};

/** The authority rejected the order, or couldn't be reached. The message is for admins. */
export class AcmeError extends Error {
  override name = "AcmeError";
  /** The type of the problem, such as `rateLimited` (RFC 8555, 6.7); null if the authority reported none. */
  readonly problem: string | null;
  /** The authority never responded. */
  readonly isUnreachable: boolean;
  /** How long the authority asked to wait. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    {
      problem = null,
      isUnreachable = false,
      retryAfterMs = 0,
      cause,
    }: {
      problem?: string | null;
      isUnreachable?: boolean;
      retryAfterMs?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.problem = problem;
    this.isUnreachable = isUnreachable;
    this.retryAfterMs = retryAfterMs;
  }
}

type LastProblem = { type: string | null; retryAfterMs: number };
type Received = { hasResponse: boolean; lastProblem: LastProblem };

const REQUEST_TIMEOUT_MS = 30_000;
const POLL_MS = 2_000;
/** About two minutes, with the pauses between them. */
const POLLS_MAX = 40;

/** Creates a private key for an account or a certificate: P-256, PKCS#8 PEM. */
export async function createAcmeKey(): Promise<string> {
  const { crypto } = await loadClient();
  return (await crypto.createPrivateEcdsaKey("P-256")).toString();
}

/**
 * Orders a certificate (RFC 8555): creates the account if there is none, answers one challenge per name,
 * and returns the chain and its new key, both PEM. Orders in one process must not overlap.
 *
 * @throws AcmeError
 */
export async function orderCertificate(order: Order): Promise<{ chain: string; key: string }> {
  const acme = await loadClient();
  const received = configureHttp(acme, order.resolver);
  try {
    return await placeOrder(acme, order);
  } catch (error) {
    if (error instanceof AcmeError) throw error;
    const { type, retryAfterMs } = received.lastProblem;
    const isUnreachable = !received.hasResponse;
    throw new AcmeError(reasonOf(error), {
      problem: type,
      isUnreachable,
      retryAfterMs,
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // If several addresses refuse connections, the error has a code but no message.
  return error.message || ("code" in error ? String(error.code) : error.name);
}

async function placeOrder(acme: typeof AcmeClient, order: Order) {
  const { pollMs = POLL_MS } = order;
  const client = new acme.Client({
    directoryUrl: order.directoryUrl,
    accountKey: order.accountKey,
    ...(order.accountUrl && { accountUrl: order.accountUrl }),
    ...(order.binding && {
      externalAccountBinding: { kid: order.binding.keyId, hmacKey: order.binding.hmacKey },
    }),
    backoffAttempts: POLLS_MAX,
    backoffMin: pollMs,
    backoffMax: pollMs,
  });
  if (!order.accountUrl) {
    await client.createAccount({
      termsOfServiceAgreed: true,
      ...(order.email && { contact: [`mailto:${order.email}`] }),
    });
    await order.onAccount(client.getAccountUrl());
  }
  const placed = await client.createOrder({
    identifiers: order.names.map((value) => ({ type: "dns", value })),
  });
  for (const authorization of await client.getAuthorizations(placed))
    if (authorization.status !== "valid") await authorize(acme, client, authorization, order);
  const [key, csr] = await acme.crypto.createCsr(
    { altNames: order.names },
    await acme.crypto.createPrivateEcdsaKey("P-256"),
  );
  const ready = await client.waitForValidStatus(placed);
  const finalized = await client.finalizeOrder({ ...ready, url: placed.url }, csr);
  return { chain: await client.getCertificate(finalized), key: key.toString() };
}

async function authorize(
  acme: typeof AcmeClient,
  client: AcmeClient.Client,
  authorization: AcmeClient.Authorization,
  { types, publish }: Order,
): Promise<void> {
  const type = types.find((wanted) => authorization.challenges.some((one) => one.type === wanted));
  const challenge = authorization.challenges.find((one) => one.type === type);
  if (!type || !challenge)
    throw new AcmeError(`The certificate authority offers none of ${types.join(", ")}`);
  const answer = await client.getChallengeKeyAuthorization(challenge);
  const { token } = challenge;
  const name = authorization.identifier.value;
  if (type === "http-01") await publish({ type, name, token, body: answer });
  else if (type === "dns-01") await publish({ type, name, token, text: answer });
  else {
    const key = await acme.crypto.createPrivateEcdsaKey("P-256");
    const [, certificate] = await acme.crypto.createAlpnCertificate(authorization, answer, key);
    await publish({ type, name, token, pem: `${key.toString()}\n${certificate.toString()}` });
  }
  await client.completeChallenge(challenge);
  await client.waitForValidStatus({ ...challenge, url: challenge.url });
}

/** Loaded on demand: it is needed for seconds every few weeks. */
async function loadClient(): Promise<typeof AcmeClient> {
  const loaded: unknown = await import("acme-client");
  // It is CommonJS, although its types don't say so.
  return (loaded as { default: typeof AcmeClient }).default;
}

/**
 * Sets up the client's HTTP, which is global to the module: our DNS, all trusted roots, no retries of its own.
 *
 * @returns an object that later responses update, because acme-client's own errors carry only a problem's text
 */
function configureHttp(acme: typeof AcmeClient, resolver: Resolver): Received {
  const received: Received = { hasResponse: false, lastProblem: { type: null, retryAfterMs: 0 } };
  const { axios } = acme;
  const lookup = lookupWith(resolver);
  axios.defaults.httpAgent = new HttpAgent({ lookup });
  axios.defaults.httpsAgent = new HttpsAgent({ lookup, ca: trustedRoots() });
  axios.defaults.proxy = false;
  axios.defaults.timeout = REQUEST_TIMEOUT_MS;
  // The client's own repeat requests for as long as a Retry-After says, which can be hours.
  axios.interceptors.request.clear();
  axios.interceptors.response.clear();
  axios.interceptors.response.use((response) => {
    received.hasResponse = true;
    if (response.status >= 400) received.lastProblem = readProblem(response.data, response.headers);
    return response;
  });
  return received;
}

function readProblem(body: unknown, headers: Record<string, unknown>): LastProblem {
  const type =
    typeof body === "object" && body !== null && "type" in body ? String(body.type) : null;
  const header = headers["retry-after"];
  const given = typeof header === "string" ? header : "";
  const waitMs = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now();
  return {
    type: type?.replace(/^urn:ietf:params:acme:error:/, "") ?? null,
    retryAfterMs: waitMs > 0 ? waitMs : 0,
  };
}

/** Those of Node, of the system, and of NODE_EXTRA_CA_CERTS, for authorities inside a company. */
const trustedRoots = () => [
  ...new Set([...rootCertificates, ...getCACertificates("system"), ...getCACertificates("extra")]),
];

function lookupWith(resolver: Resolver): LookupFunction {
  return (hostname, options, callback) => {
    findAddresses(resolver, hostname).then(
      (found) => {
        const [first] = found;
        if (!first)
          callback(
            Object.assign(new Error(`${hostname} was not found`), { code: "ENOTFOUND" }),
            [],
          );
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, []),
    );
  };
}

async function findAddresses(resolver: Resolver, hostname: string) {
  if (/(^|\.)localhost$/.test(hostname)) return [{ address: "127.0.0.1", family: 4 }];
  const [v4, v6] = await Promise.all([resolver.a(hostname), resolver.aaaa(hostname)]);
  return [
    ...(v4.kind === "found" ? v4.records : []).map((address) => ({ address, family: 4 })),
    ...(v6.kind === "found" ? v6.records : []).map((address) => ({ address, family: 6 })),
  ];
}
