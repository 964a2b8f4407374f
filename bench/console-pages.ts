import type { ConsoleCompany } from "./seed-console.ts";

type ConsolePage = {
  path: string;
  /** The selector that appears when the page has its data. */
  shows: string;
  linkedFrom?: string;
};

const row = "main tbody tr";
const entry = 'main [aria-label="Audit log entries"] li';

/** The measured console pages that others link to. */
export function consolePages({ emailId, mailbox }: ConsoleCompany): ConsolePage[] {
  return [
    { path: "/console/overview", shows: 'main [aria-label="Key figures"] li' },
    { path: "/console/emails", shows: row },
    {
      path: `/console/emails/${emailId}`,
      shows: "main dl dd",
      linkedFrom: "/console/emails",
    },
    { path: "/console/metrics", shows: 'main [aria-label="Emails by outcome and event"] li' },
    { path: "/console/mailboxes", shows: row },
    {
      path: `/console/mailboxes/${encodeURIComponent(mailbox)}`,
      shows: "main dl dd",
      linkedFrom: "/console/mailboxes",
    },
    { path: "/console/domains", shows: row },
    { path: "/console/webhooks", shows: row },
    { path: "/console/logs", shows: row },
    { path: "/console/suppressions", shows: row },
    { path: "/console/audit", shows: entry },
  ];
}

/** Lists in other orders than their own, and searches of emails. */
export function sortedPages({ emailId }: ConsoleCompany): ConsolePage[] {
  const lists = [
    "emails?sort=created",
    "logs?sort=created",
    "suppressions?sort=created",
    "mailboxes?sort=name",
    "mailboxes?sort=-storage",
    "mailboxes?sort=-sign_in",
    "groups?sort=name",
    "groups?sort=-members",
    "emails?search=customer",
    "emails?search=order",
    `emails?search=${emailId}`,
  ];
  return [
    ...lists.map((list) => ({ path: `/console/${list}`, shows: row })),
    { path: "/console/audit?sort=created", shows: entry },
  ];
}
