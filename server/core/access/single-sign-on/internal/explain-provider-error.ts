import { OutgoingFailure } from "#server/gateways/outgoing-http.ts";

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
