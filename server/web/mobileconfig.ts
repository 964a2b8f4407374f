import type { IncomingMessage, ServerResponse } from "node:http";

import {
  appleProfile,
  type ProfileOwner,
} from "#server/core/mailboxes/client-settings/apple-profile.ts";
import { findMailAddress } from "#server/core/mailboxes/client-settings/find-mail-domain.ts";
import type { AllowedProtocols } from "#server/core/mailboxes/client-settings/client-settings.ts";
import { readAllowedProtocols } from "#server/core/mailboxes/client-settings/read-allowed-protocols.ts";
import { findAccountUser } from "#server/core/access/sessions/account-sessions.ts";
import { isFromAuthority } from "#server/core/platform/tls/check-certificate.ts";
import { loadCertificate } from "#server/core/platform/tls/certificate.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";

import { answerClient, takesMethod, queryOf } from "./client-answer.ts";

const PATH = /^(\/account)?\/apple\.mobileconfig(?:\?|$)/;

const PROFILE_TYPE = "application/x-apple-aspen-config";

type Asked = { owner: ProfileOwner; allowed?: AllowedProtocols };

/**
 * Serves profiles for Apple's mail apps: `/account/apple.mobileconfig` for the signed-in mailbox user, and
 * `/apple.mobileconfig?email=…` for any address of a company's domain. Returns whether it handled the request.
 */
export function answerMobileconfig(request: IncomingMessage, response: ServerResponse): boolean {
  const match = PATH.exec(request.url ?? "");
  if (!match) return false;
  const isOwn = match[1] !== undefined;
  if (!takesMethod(request, response, ["GET", "HEAD"])) return true;
  answerClient(request, response, "client settings", async () => {
    const asked = isOwn
      ? await signedIn(request)
      : await named(queryOf(request).get("email") ?? "");
    if (!asked) {
      const headers = { location: "/account/sign-in?next=%2Faccount%2Fset-up" };
      return isOwn ? { ...TEXT, status: 302, body: "", headers } : { ...TEXT, ...NO_DOMAIN };
    }
    const profile = appleProfile(asked.owner, asked.allowed);
    if (profile === null) return { ...TEXT, ...NOT_ALLOWED };
    return {
      status: 200,
      type: PROFILE_TYPE,
      body: (await signed(profile)) ?? profile,
      headers: { "content-disposition": `attachment; filename="mail.mobileconfig"` },
    };
  });
  return true;
}

const TEXT = { type: "text/plain" };
const NO_DOMAIN = { status: 404, body: "This server doesn't handle mail for that domain\n" };
const NOT_ALLOWED = { status: 403, body: "Your company does not allow mail apps\n" };

async function signedIn(request: IncomingMessage): Promise<Asked | null> {
  const user = await findAccountUser(db(), request.headers.cookie ?? "");
  return user && { owner: user, allowed: await readAllowedProtocols(db(), user.address) };
}

async function named(typed: string): Promise<Asked | null> {
  const found = await findMailAddress(db(), typed);
  return found && { owner: { ...found, name: null } };
}

/** Signs with the trusted certificate; a self-signed one would only cause a warning. */
async function signed(profile: string): Promise<Buffer | null> {
  const now = new Date();
  const certificate = await loadCertificate(config(), now);
  if (!isFromAuthority(certificate)) return null;
  const { signProfile } = await import("#server/core/mailboxes/client-settings/sign-profile.ts");
  return signProfile(profile, certificate, now);
}
