import type { ConsoleCompany } from "./seed-console.ts";

/** The measured console pages, and the selector that appears when a page has its data. */
export function consolePages({ emailId, mailbox }: ConsoleCompany) {
  const row = "main tbody tr";
  return [
    { path: "/console/overview", shows: 'main [aria-label="Key figures"] li' },
    { path: "/console/emails", shows: row },
    {
      ...{ path: `/console/emails/${emailId}`, shows: "main dl dd" },
      linkedFrom: "/console/emails",
    },
    { path: "/console/metrics", shows: 'main [aria-label="Emails by event"] li' },
    { path: "/console/mailboxes", shows: row },
    {
      ...{ path: `/console/mailboxes/${encodeURIComponent(mailbox)}`, shows: "main dl dd" },
      linkedFrom: "/console/mailboxes",
    },
    { path: "/console/domains", shows: row },
    { path: "/console/webhooks", shows: row },
    { path: "/console/logs", shows: row },
    { path: "/console/suppressions", shows: row },
    { path: "/console/audit", shows: 'main [aria-label="Audit log entries, newest first"] li' },
  ];
}
