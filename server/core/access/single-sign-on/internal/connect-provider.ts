import type * as OpenIdClient from "openid-client";
import type { ClientAuth, Configuration, CustomFetch } from "openid-client";

import { config } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { createResolver } from "#server/gateways/dns.ts";
import {
  createOutgoingHttp,
  OutgoingFailure,
  type OutgoingHttp,
} from "#server/gateways/outgoing-http.ts";
import { requireSimpleJson } from "#server/universal/parse-json.ts";

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 256 * 1024;

/** Statuses whose responses have no body; `Response` rejects even an empty one. */
const WITHOUT_BODY = [101, 204, 205, 304];

export type ProviderClient = { issuer: string; clientId: string; clientSecret: string };

export type ConnectedProvider = {
  openid: typeof OpenIdClient;
  configuration: Configuration;
};

let http: OutgoingHttp | undefined;

/** Reaches what webhooks can reach: public addresses, and private ones that POSTHOUSE_PRIVATE_WEBHOOKS allows. */
const providerHttp = () =>
  (http ??= createOutgoingHttp({
    resolver: createResolver(config()),
    allowedPrivate: config().privateWebhooks,
  }));

/**
 * Reads the provider's metadata and returns a client that verifies the signatures of ID tokens.
 *
 * @throws an error that `explainProviderError` explains
 */
export async function connectProvider({
  issuer,
  clientId,
  clientSecret,
}: ProviderClient): Promise<ConnectedProvider> {
  const openid = await import("openid-client");
  const authentication: ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    // Basic is the default of the specification.
    const takesPost = methods?.includes("client_secret_post") ?? false;
    const { ClientSecretPost, ClientSecretBasic } = openid;
    return (takesPost ? ClientSecretPost : ClientSecretBasic)(clientSecret)(server, ...rest);
  };
  const configuration = await openid.discovery(
    ...([new URL(issuer), clientId, undefined, authentication] as const),
    { [openid.customFetch]: fetchGuarded },
  );
  openid.enableNonRepudiationChecks(configuration);
  return { openid, configuration };
}

const fetchGuarded: CustomFetch = async (url, { method, headers, body }) => {
  const answer = await providerHttp().request({
    url,
    method: method as "GET" | "POST",
    headers,
    ...(body != null && { body: String(body as string | URLSearchParams) }),
    timeoutMs: TIMEOUT_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  });
  if (answer.isCut) throw new TypeError("The response is too large or incomplete");
  if (answer.headers["content-type"]?.includes("json"))
    requireSimpleJson(answer.body.toString("latin1"));
  return new Response(WITHOUT_BODY.includes(answer.status) ? null : new Uint8Array(answer.body), {
    status: answer.status,
    headers: answer.headers,
  });
};

const CONNECTION_PROBLEMS: Record<string, string> = {
  timeout: "it didn't respond within 10 seconds. Try again, or ask the provider's admin",
  private_address:
    "its address is private. Ask the operator of this server to add its network to POSTHOUSE_PRIVATE_WEBHOOKS",
  certificate:
    "its TLS certificate is invalid or not trusted on this server. Ask the provider's admin to check it, or the operator of this server to trust the authority that issued it",
  ENOTFOUND: "its hostname doesn't exist in DNS. Check the issuer URL with the provider's admin",
  ECONNREFUSED: "it refused the connection. Try again later, or ask the provider's admin",
};

/** Error codes of a token endpoint (RFC 6749, 5.2). */
const TOKEN_PROBLEMS: Record<string, string> = {
  invalid_client:
    "it rejected the client ID or client secret. Ask an owner to correct them under Settings, Access",
  unauthorized_client:
    "it doesn't allow this client to sign users in. Ask the provider's admin to allow the authorization code flow",
  invalid_grant: "the sign-in has expired or was already used. Sign in again",
};

type ProviderError = Error & { code?: string; error?: string; status?: number };

/** What went wrong with the provider, and what to do or whom to ask. Follows a colon. */
export function explainProviderError(thrown: unknown): string {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof OutgoingFailure)
      return (
        CONNECTION_PROBLEMS[error.code] ??
        `the connection failed (${error.code}). Try again, or ask the operator of this server`
      );
    const { error: reason } = error as ProviderError;
    if (typeof reason === "string")
      return (
        TOKEN_PROBLEMS[reason] ??
        `it responded with the error ${reason.slice(0, 100)}. Ask the provider's admin to check the client`
      );
    if (/^JWT_|^OAUTH_JWT_/.test((error as ProviderError).code ?? ""))
      return "its ID token isn't valid for this sign-in. Try again. If it fails again, ask the provider's admin and the operator of this server to check their clocks";
  }
  return "its response isn't valid for OpenID Connect. Check the issuer URL with the provider's admin";
}

const DISCOVERY_PATH = "/.well-known/openid-configuration";

const ENTRA_HOSTS = [
  "login.microsoftonline.com",
  "login.microsoftonline.us",
  "login.partner.microsoftonline.cn",
  "sts.windows.net",
];

/** One tenant's issuer; `common` and `organizations` admit every tenant. */
const ENTRA_TENANT = /^\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\/v2\.0\/?$/i;

/** The tenant of all personal Microsoft accounts. */
const ENTRA_PERSONAL = "9188040d-6c67-4c5b-b112-36a304b66dad";

export const isGoogle = (issuer: string) => hostOf(issuer) === "accounts.google.com";
export const isEntra = (issuer: string) => ENTRA_HOSTS.includes(hostOf(issuer));

const hostOf = (issuer: string) => new URL(issuer).hostname;

/**
 * Reads a typed issuer, or the URL of its discovery document.
 *
 * @throws Refusal `invalid` beginning with `issuer`
 */
export function readIssuer(typed: string): string {
  const text = typed.trim();
  const url = URL.parse(
    text.endsWith(DISCOVERY_PATH) ? text.slice(0, -DISCOVERY_PATH.length) : text,
  );
  if (url?.protocol !== "https:" || hasExtras(url))
    throw new Refusal(
      "invalid",
      "issuer: must be an https URL, such as https://accounts.google.com",
    );
  if (isEntra(url.href) && !isOwnTenant(url.pathname))
    throw new Refusal(
      "invalid",
      "issuer: must name your tenant: https://login.microsoftonline.com/<Directory (tenant) ID>/v2.0",
    );
  return url.href;
}

const hasExtras = ({ username, password, search, hash }: URL) =>
  [username, password, search, hash].some((part) => part !== "");

const isOwnTenant = (path: string) =>
  ENTRA_TENANT.test(path) && !path.toLowerCase().includes(ENTRA_PERSONAL);
