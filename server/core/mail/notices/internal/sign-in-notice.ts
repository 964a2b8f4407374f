import type { NoticeText } from "./notice-text.ts";
import type { PersonalNotice } from "#server/core/platform/notices/notify-owners.ts";

const HAPPENED: Record<PersonalNotice, { subject: string; sentence: string }> = {
  password_changed: {
    subject: "Your password was changed",
    sentence: "The password that you sign in with was changed. All other sessions have ended.",
  },
  totp_added: {
    subject: "An authenticator app was added",
    sentence: "An authenticator app was added. Signing in asks for a code of it from now on.",
  },
  totp_removed: {
    subject: "Your authenticator app was removed",
    sentence: "The authenticator app was removed. Signing in asks for no code of it any more.",
  },
  passkey_added: {
    subject: "A passkey was added",
    sentence: "A passkey was added, which signs you in from now on.",
  },
  passkey_removed: {
    subject: "A passkey was removed",
    sentence: "A passkey was removed, and signs you in no more.",
  },
  recovery_codes_replaced: {
    subject: "You have new recovery codes",
    sentence: "New recovery codes were made. The ones before open nothing any more.",
  },
  all_removed: {
    subject: "Your second factors were removed",
    sentence:
      "Somebody who runs this Posthouse has removed your second factors and recovery codes, and ended your sessions. Signing in asks for the password alone until you set up a new one.",
  },
};

const FOOTER = "You get this email because you sign in at the console of this Posthouse appliance.";

/** What a person is told who signs in differently from now on. */
export function signInNotice(
  { email, what }: { email: string; what: PersonalNotice },
  { baseUrl }: { baseUrl: string },
): NoticeText {
  const { subject, sentence } = HAPPENED[what];
  return {
    subject,
    paragraphs: [
      `${sentence} This is about ${email} at ${new URL(baseUrl).host}.`,
      "Was it you? Then there is nothing to do. If it was not, set a new password at once with “Forgot your password” on the sign-in page, look at your factors and sessions, and tell an owner of your company.",
    ],
    link: { label: "Look at your sign-in", url: `${baseUrl}/console/you` },
    footer: FOOTER,
  };
}

/** How a person gets a new password who has forgotten theirs. */
export function resetLinkNotice(
  { email, link }: { email: string; link: string },
  { baseUrl }: { baseUrl: string },
): NoticeText {
  return {
    subject: "Set a new password",
    paragraphs: [
      `Somebody, hopefully you, asked for a new password for ${email} at ${new URL(baseUrl).host}. The link below leads to it. It works once, for an hour.`,
      "Was it not you? Then there is nothing to do: your password stays as it is, and the link opens nothing to whoever asked.",
    ],
    link: { label: "Set a new password", url: link },
    footer: FOOTER,
  };
}
