import type * as OpenIdClient from "openid-client";
import type { ClientAuth, Configuration, CustomFetch } from "openid-client";

import { config } from "#server/config.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { createOutgoingHttp, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";
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
    ...{ resolver: createResolver(config()), allowedPrivate: config().privateWebhooks },
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
    ...{ url, method: method as "GET" | "POST", headers },
    ...(body != null && { body: String(body as string | URLSearchParams) }),
    ...{ timeoutMs: TIMEOUT_MS, answerBytesMax: ANSWER_BYTES_MAX },
  });
  if (answer.isCut) throw new TypeError("The response is too large or incomplete");
  if (answer.headers["content-type"]?.includes("json"))
    requireSimpleJson(answer.body.toString("latin1"));
  return new Response(WITHOUT_BODY.includes(answer.status) ? null : new Uint8Array(answer.body), {
    status: answer.status,
    headers: answer.headers,
  });
};
