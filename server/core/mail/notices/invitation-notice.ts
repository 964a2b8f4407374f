import { inUtc, type NoticeText } from "./notice-text.ts";
import type { SentInvitation } from "./read-invitation.ts";

/** What somebody is told who is asked to become an admin. */
export function invitationNotice(
  { companyName, invitedBy, inviterName, isOwner, roles, link, expiresAt }: SentInvitation,
  { baseUrl }: { baseUrl: string },
): NoticeText {
  const { host } = new URL(baseUrl);
  const inviter = inviterName ? `${inviterName} (${invitedBy})` : invitedBy;
  return {
    subject: `Join ${companyName} on Posthouse`,
    paragraphs: [
      `${inviter} invites you to help run the mail of ${companyName}, on the Posthouse appliance at ${host}.`,
      rightsOf(isOwner, roles),
      `The link is for you alone, works once, and ends on ${inUtc(expiresAt)}.`,
    ],
    link: { label: "Accept the invitation", url: link },
    footer: `You get this email because ${invitedBy} typed your address. If you do not know them, do nothing.`,
  };
}

function rightsOf(isOwner: boolean, roles: string[]): string {
  if (isOwner) return "You will be an owner, who may do everything.";
  if (roles.length === 0) return "What you may do there is still to be decided.";
  return `Your ${roles.length === 1 ? "role" : "roles"} there: ${roles.join(", ")}.`;
}
