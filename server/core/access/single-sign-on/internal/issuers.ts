import { Refusal } from "#server/core/shared/refusals.ts";

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
