import { expect, test } from "vitest";

import { settingEffect } from "./setting-row.tsx";

const none = { over: [], overCount: 0, deletes: null };

test.each([
  ["region", none, null],
  ["keep_emails_days", { ...none, deletes: 0 }, null],
  [
    "keep_emails_days",
    { ...none, deletes: 1_200 },
    "The next cleanup will delete 1,200 emails for good.",
  ],
  [
    "keep_audit_days",
    { ...none, deletes: 2 },
    "The next cleanup will delete 2 audit entries for good.",
  ],
  [
    "hourly_recipients_company",
    { ...none, overCount: 3 },
    "This lowers the limit of 3 companies below what they use today.",
  ],
  [
    "scheduled_backlog",
    { ...none, overCount: 1 },
    "This lowers the limit of 1 company below what it uses today.",
  ],
  [
    "hourly_recipients_mailbox",
    { ...none, overCount: 2 },
    "This lowers the limit below what mailboxes of 2 companies sent in the last hour.",
  ],
  [
    "outgoing_scan_minimum",
    { ...none, overCount: 2 },
    "2 companies now do less about outgoing spam than the new minimum, which will apply to them immediately.",
  ],
])("says what a changed %s does", (name, preview, text) => {
  expect(settingEffect(name, preview)).toBe(text);
});
