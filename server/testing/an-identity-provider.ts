import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { CERTIFICATE, PRIVATE_KEY } from "./self-signed.ts";

type Claims = Record<string, unknown>;
type Grant = { parameters: URLSearchParams; claims: Claims };

export type TestProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The certificate that clients must trust, PEM. */
  certificate: string;
  /** The claims about the user who signs in next. */
  user: Claims;
  /** Changes the next ID tokens: overrides claims, or signs with a key that isn't published. */
  script: { claims: Claims; usesForeignKey: boolean };
  /** Requests so far, as `METHOD path`. */
  received: string[];
  /** Signs the user in as a browser would, and returns the parameters of the redirect. */
  authorize(url: string): { code: string; state: string; iss: string };
  close(): Promise<void>;
};

const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An OpenID Connect provider on loopback, which signs in without asking and redirects at once. */
export async function anIdentityProvider(): Promise<TestProvider> {
  const [own, foreign] = [newKey(), newKey()];
  const grants = new Map<string, Grant>();
  const server = createServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (request, response) => {
    handle(request)
      .then(({ status = 200, location, body }) => {
        response.writeHead(status, {
          "content-type": "application/json",
          ...(location && { location }),
        });
        response.end(JSON.stringify(body ?? null));
      })
      .catch((error: unknown) => response.destroy(error as Error));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const provider: TestProvider = {
    issuer,
    clientId: "posthouse",
    clientSecret: randomUUID(),
    certificate: CERTIFICATE,
    user: {},
    script: { claims: {}, usesForeignKey: false },
    received: [],
    authorize,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  async function handle(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url!, issuer);
    provider.received.push(`${request.method} ${url.pathname}`);
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return { body: metadata(issuer) };
      case "/keys":
        return { body: { keys: [{ ...own.publicKey.export({ format: "jwk" }), kid: "own" }] } };
      case "/authorize": {
        const location = new URL(url.searchParams.get("redirect_uri")!);
        location.search = new URLSearchParams(authorize(url.href)).toString();
        return { status: 302, location: location.href };
      }
      case "/token":
        return redeem(new URLSearchParams(await text(request)));
      default:
        return { status: 404 };
    }
  }

  function authorize(url: string) {
    const { searchParams: parameters } = new URL(url);
    const code = randomUUID();
    grants.set(code, { parameters, claims: { ...provider.user } });
    return { code, state: parameters.get("state")!, iss: issuer };
  }

  function redeem(form: URLSearchParams): Answer {
    const { clientId, clientSecret, script } = provider;
    if (form.get("client_id") !== clientId || form.get("client_secret") !== clientSecret)
      return { status: 401, body: { error: "invalid_client" } };
    const grant = grants.get(form.get("code") ?? "");
    grants.delete(form.get("code") ?? "");
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "");
    if (
      grant?.parameters.get("code_challenge") !== challenge.digest("base64url") ||
      grant.parameters.get("redirect_uri") !== form.get("redirect_uri")
    )
      return { status: 400, body: { error: "invalid_grant" } };
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: grant.parameters.get("nonce"),
      ...grant.claims,
      ...script.claims,
    };
    const key = script.usesForeignKey ? foreign.privateKey : own.privateKey;
    const body = { access_token: randomUUID(), token_type: "Bearer", id_token: jwt(claims, key) };
    return { body };
  }
  return provider;
}

type Answer = { status?: number; location?: string; body?: unknown };

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
  token_endpoint_auth_methods_supported: ["client_secret_post"],
  authorization_response_iss_parameter_supported: true,
});

function jwt(claims: Claims, key: KeyObject): string {
  const content = `${encode({ alg: "ES256", kid: "own", typ: "JWT" })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(content), { key, dsaEncoding: "ieee-p1363" });
  return `${content}.${signature.toString("base64url")}`;
}
