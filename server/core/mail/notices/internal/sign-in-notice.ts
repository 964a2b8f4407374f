import type { NoticeText } from "./notice-text.ts";
import type { PersonalNotice } from "#server/core/platform/notices/notify-admins.ts";

const CHANGES: Record<PersonalNotice, { subject: string; sentence: string }> = {
  password_changed: {
    subject: "Your password was changed",
    sentence: "Your Posthouse password was changed, and all your other sessions were signed out.",
  },
  totp_added: {
    subject: "An authenticator app was added",
    sentence: "An authenticator app was added. You’ll need one of its codes each time you sign in.",
  },
  totp_removed: {
    subject: "Your authenticator app was removed",
    sentence: "Your authenticator app was removed. You no longer need its codes to sign in.",
  },
  passkey_added: {
    subject: "A passkey was added",
    sentence: "A passkey was added. You can now sign in with it.",
  },
  passkey_removed: {
    subject: "A passkey was removed",
    sentence: "A passkey was removed. You can no longer sign in with it.",
  },
  recovery_codes_replaced: {
    subject: "Your recovery codes were replaced",
    sentence: "New recovery codes were created. The old ones no longer work.",
  },
  all_removed: {
    subject: "Your second factors were removed",
    sentence:
      "An operator removed your second factors and recovery codes and signed you out everywhere. Until you add a second factor, you sign in with your password only.",
  },
};

/** What differs for mailboxes. */
const REMOVED_BY_ADMIN =
  "An admin removed your second factors and recovery codes and signed you out everywhere. Until you add a second factor, you sign in with your password only.";

const FOOTER =
  "You’re receiving this email because you sign in to the console of this Posthouse appliance.";

export function signInNotice(
  { email, what }: { email: string; what: PersonalNotice },
  { baseUrl }: { baseUrl: string },
): NoticeText {
  const { subject, sentence } = CHANGES[what];
  return {
    subject,
    paragraphs: [
      `${sentence} This applies to ${email} at ${new URL(baseUrl).host}.`,
      "If this was you, you don’t need to do anything. If it wasn’t, reset your password right away with “Forgot your password?” on the sign-in page, review your second factors and sessions, and tell an owner of your company.",
    ],
    link: { label: "Review sign-in settings", url: `${baseUrl}/console/you` },
    footer: FOOTER,
  };
}

/** For the user of a mailbox, about a change at `/account`. */
export function mailboxFactorsNotice(
  { mailbox, what }: { mailbox: string; what: PersonalNotice },
  { baseUrl }: { baseUrl: string },
): NoticeText {
  const { subject, sentence } = CHANGES[what];
  return {
    subject,
    paragraphs: [
      `${what === "all_removed" ? REMOVED_BY_ADMIN : sentence} This applies to ${mailbox} at ${new URL(baseUrl).host}.`,
      "If you asked for this, you don’t need to do anything. If you didn’t, change your password right away, review your second factors, app passwords and sessions, and tell an admin of your company.",
    ],
    link: { label: "Review two-factor authentication", url: `${baseUrl}/account/two-factor` },
    footer: `You’re receiving this email because it is about the sign-in to ${mailbox}.`,
  };
}

export function resetLinkNotice(
  { email, link }: { email: string; link: string },
  { baseUrl }: { baseUrl: string },
): NoticeText {
  return {
    subject: "Reset your password",
    paragraphs: [
      `We received a request to reset the password of ${email} at ${new URL(baseUrl).host}. To set a new password, open the link below. It works once and expires in an hour.`,
      "If you didn’t request this, ignore this email. Your password won’t change.",
    ],
    link: { label: "Reset password", url: link },
    footer: FOOTER,
  };
}
