import type { NoticeText } from "./send-to-admins.ts";
import type { MailboxNotice, PersonalNotice } from "#server/core/platform/notices/notify-admins.ts";

const allRemovedBy = (who: string) =>
  `${who} removed your second factors and recovery codes and signed you out everywhere. Until you add a second factor, you sign in with your password only.`;

type Change = { subject: string; sentence: string };

const CHANGES: Record<PersonalNotice, Change> = {
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
    sentence: allRemovedBy("An operator"),
  },
};

const MAILBOX_CHANGES: Record<MailboxNotice, Change & { page?: string; label?: string }> = {
  ...CHANGES,
  /** Mailboxes are reset by an admin of the company. */
  all_removed: { ...CHANGES.all_removed, sentence: allRemovedBy("An admin") },
  app_password_created: {
    subject: "An app password was created",
    sentence: "An app password was created. A mail app can now sign in with it.",
    page: "app-passwords",
    label: "Review app passwords",
  },
  forwarding_changed: {
    subject: "Your forwarding was changed",
    sentence:
      "Your mail is now forwarded to another address, or copies of forwarded mail are no longer kept.",
    page: "forwarding",
    label: "Review forwarding",
  },
};

const FOOTER =
  "You’re receiving this email because you sign in to the console of this Posthouse appliance.";

/** For an admin, about a change of their sign-in to the console. */
export function signInNotice(
  { email, what }: { email: string; what: PersonalNotice },
  { baseUrl }: { baseUrl: string },
): NoticeText {
  const { subject, sentence } = CHANGES[what];
  return {
    subject,
    paragraphs: [
      appliesTo(sentence, { account: email, baseUrl }),
      "If this was you, you don’t need to do anything. If it wasn’t, reset your password right away with “Forgot your password?” on the sign-in page, review your second factors and sessions, and tell an owner of your company.",
    ],
    link: { label: "Review sign-in settings", url: `${baseUrl}/console/you` },
    footer: FOOTER,
  };
}

/** For the user of a mailbox, about a change of its sign-in or forwarding. */
export function mailboxFactorsNotice(
  { mailbox, what }: { mailbox: string; what: MailboxNotice },
  { baseUrl }: { baseUrl: string },
): NoticeText {
  const {
    page = "two-factor",
    label = "Review two-factor authentication",
    subject,
    sentence,
  } = MAILBOX_CHANGES[what];
  return {
    subject,
    paragraphs: [
      appliesTo(sentence, { account: mailbox, baseUrl }),
      "If you asked for this, you don’t need to do anything. If you didn’t, change your password right away, review your second factors, app passwords, forwarding and sessions, and tell an admin of your company.",
    ],
    link: { label, url: `${baseUrl}/account/${page}` },
    footer: `You’re receiving this email because it is about the sign-in to ${mailbox}.`,
  };
}

const appliesTo = (
  sentence: string,
  { account, baseUrl }: { account: string; baseUrl: string },
): string => `${sentence} This applies to ${account} at ${new URL(baseUrl).host}.`;

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
