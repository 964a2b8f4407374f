import { Refusal } from "#server/core/shared/refusals.ts";

import { connectProvider } from "./internal/connect-provider.ts";
import { explainProviderError } from "./internal/explain-provider-error.ts";
import { readIssuer } from "./internal/issuers.ts";

export type ProviderMetadata = {
  issuer: string;
  /** Where admins are redirected to. */
  authorizationEndpoint: string;
  tokenEndpoint: string;
};

/**
 * Reads the metadata of a provider. The client ID and secret can only be checked by signing in.
 *
 * @throws Refusal `invalid` beginning with `issuer`, for an unsuitable issuer or one that can't be reached
 */
export async function checkProvider(typed: string): Promise<ProviderMetadata> {
  const url = readIssuer(typed);
  // Reading the metadata sends neither the client ID nor the secret.
  const client = { issuer: url, clientId: "posthouse", clientSecret: "" };
  const { configuration } = await connectProvider(client).catch((error: unknown) => {
    const { host } = new URL(url);
    throw new Refusal("invalid", `issuer: ${host}: ${explainProviderError(error)}`);
  });
  const {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    jwks_uri: keys,
  } = configuration.serverMetadata();
  if (!authorization || !token || !keys)
    throw new Refusal(
      "invalid",
      "issuer: doesn't support the authorization code flow, which Posthouse needs. Enable it, or use another provider",
    );
  return { issuer, authorizationEndpoint: authorization, tokenEndpoint: token };
}
