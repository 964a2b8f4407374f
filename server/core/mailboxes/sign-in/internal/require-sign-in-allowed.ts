import { config } from "#server/config.ts";

import type { MailService } from "#server/core/mailboxes/sign-in/authenticate-mailbox.ts";
import type { KnownMailbox } from "./find-mailbox.ts";
import { SignInError } from "#server/core/access/sign-in/sign-in-error.ts";

/**
 * Checks whether a user with correct credentials can sign in to the service. Dovecot's password queries
 * (mail/dovecot/sql-conf.ts) apply the same rules in the same order.
 *
 * @throws SignInError
 */
export function requireSignInAllowed(
  mailbox: KnownMailbox,
  { kind, service }: { kind: "password" | "app_password"; service: MailService },
): void {
  if (mailbox.isSuspended) throw new SignInError("suspended", "This mailbox is suspended.");
  if (service === "account") {
    if (kind === "app_password")
      throw new SignInError("not_allowed", "App passwords are for mail apps only.");
    return;
  }
  if (kind === "password" && mailbox.isProviderRequired)
    throw new SignInError(
      "not_allowed",
      `Your company requires single sign-on. Use an app password: ${config().baseUrl}/account`,
    );
  const needsNoPassword = kind === "app_password" && mailbox.signsInWithProvider;
  if (mailbox.forcePasswordChange && !needsNoPassword)
    throw new SignInError(
      "must_change_password",
      `Set a new password first: ${config().baseUrl}/account`,
    );
  if (!isServiceAllowed(mailbox, service))
    throw new SignInError("not_allowed", "Your company does not allow this protocol.");
  requireCredentialAllowed(mailbox, kind);
}

function requireCredentialAllowed(
  { hasSecondFactor, policy }: KnownMailbox,
  kind: "password" | "app_password",
): void {
  if (kind === "app_password" && !policy.appPasswordsAllowed)
    throw new SignInError("not_allowed", "Your company does not allow app passwords.");
  if (kind === "password" && hasSecondFactor && policy.appPasswordsAllowed)
    throw new SignInError(
      "not_allowed",
      `Two-factor authentication is on. Use an app password: ${config().baseUrl}/account`,
    );
}

function isServiceAllowed(
  { policy }: KnownMailbox,
  service: Exclude<MailService, "account">,
): boolean {
  switch (service) {
    case "smtp":
      return policy.submissionAllowed;
    case "imap":
      return policy.imapAllowed;
    case "pop3":
      return policy.pop3Allowed;
    case "sieve":
      return policy.imapAllowed || policy.pop3Allowed;
  }
}
