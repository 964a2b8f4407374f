import type { NoticeText } from "./send-to-admins.ts";
import type { MailboxNotice, PersonalNotice } from "#server/core/platform/notices/notify-admins.ts";
import { type Language, mailTexts } from "#server/universal/texts/languages.ts";

/** The page about what a mailbox user's notice reports. */
const PAGES: Partial<Record<MailboxNotice, "app-passwords" | "forwarding">> = {
  app_password_created: "app-passwords",
  forwarding_changed: "forwarding",
};

const english = mailTexts("en");

/** Admins of a company reset mailboxes; operators reset admins. */
const adminSentence = (what: PersonalNotice) =>
  what === "all_removed"
    ? english("all_removed.text").replace("An admin", "An operator")
    : english(`${what}.text`);

const FOOTER =
  "You’re receiving this email because you sign in to the console of this Posthouse appliance.";

/** For an admin, about a change of their sign-in to the console. */
export function signInNotice(
  { email, what }: { email: string; what: PersonalNotice },
  { baseUrl }: { baseUrl: string },
): NoticeText {
  const { host } = new URL(baseUrl);
  return {
    subject: english(`${what}.subject`),
    paragraphs: [
      `${adminSentence(what)} ${english("notice.account", { account: email, host })}`,
      "If this was you, you don’t need to do anything. If it wasn’t, reset your password right away with “Forgot your password?” on the sign-in page, review your second factors and sessions, and tell an owner of your company.",
    ],
    link: { label: "Review sign-in settings", url: `${baseUrl}/console/you` },
    footer: FOOTER,
  };
}

/** For the user of a mailbox, about a change of its sign-in or forwarding. */
export function mailboxFactorsNotice(
  { mailbox, what }: { mailbox: string; what: MailboxNotice },
  { baseUrl, language }: { baseUrl: string; language: Language },
): NoticeText {
  const text = mailTexts(language);
  const { host } = new URL(baseUrl);
  const page = PAGES[what] ?? "two-factor";
  return {
    language,
    subject: text(`${what}.subject`),
    paragraphs: [
      `${text(`${what}.text`)} ${text("notice.account", { account: mailbox, host })}`,
      text("notice.advice"),
    ],
    link: { label: text(`notice.${page}`), url: `${baseUrl}/account/${page}` },
    footer: text("notice.footer", { mailbox }),
  };
}

export const resetLinkNotice = (
  { email, link }: { email: string; link: string },
  { baseUrl }: { baseUrl: string },
): NoticeText => ({
  subject: "Reset your password",
  paragraphs: [
    `We received a request to reset the password of ${email} at ${new URL(baseUrl).host}. To set a new password, open the link below. It works once and expires in an hour.`,
    "If you didn’t request this, ignore this email. Your password won’t change.",
  ],
  link: { label: "Reset password", url: link },
  footer: FOOTER,
});
