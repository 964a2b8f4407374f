import { expect, test } from "vitest";

import { readRow, recognizeList } from "./read-list.ts";

const NOW = new Date("2026-11-27T00:00:00Z");

/** The format's name, and each row as it is imported. */
function read(csv: string, fileName = "list.csv") {
  const rows = csv.split("\n").map((line) => line.split("|"));
  const format = recognizeList(rows[0]!, fileName);
  const found = rows.map((row) => readRow(row, format, NOW));
  return [
    format.name,
    ...found.flatMap((row) => {
      if (row === null) return [];
      if ("problem" in row) return [row.problem];
      const { email, origin, createdAt } = row.entry;
      return [`${email} ${origin} ${createdAt ?? "now"}`];
    }),
  ];
}

test.each([
  [
    "id|email|origin|source_id|created_at\n1|Ann@x.test|complaint||2026-10-06T23:47:56.678Z\n2|ben@x.test|manual||",
    "list.csv",
    ["Resend", "ann@x.test complaint 2026-10-06T23:47:56.678Z", "ben@x.test manual now"],
  ],
  [
    "email|origin|source_email_id|created_at\n'+a@x.test|unsubscribe||2026-10-06 23:47:56.6789+00",
    "suppressions.csv",
    ["Posthouse", "+a@x.test unsubscribe 2026-10-06T23:47:56.678Z"],
  ],
  [
    "EmailAddress|SuppressionReason|Origin|CreatedAt\na@x.test|HardBounce|Recipient|2019-12-10T08:58:33-05:00\nb@x.test|SpamComplaint|Recipient|\nc@x.test|ManualSuppression|Recipient|\nd@x.test|ManualSuppression|Customer|",
    "list.csv",
    [
      "Postmark",
      "a@x.test bounce 2019-12-10T13:58:33.000Z",
      "b@x.test complaint now",
      "c@x.test unsubscribe now",
      "d@x.test manual now",
    ],
  ],
  [
    "EmailAddress|Reason|LastUpdateTime\na@x.test|BOUNCE|1700000000.5\nb@x.test|COMPLAINT|2024-02-01T10:00:00+01:00",
    "ses.json",
    [
      "Amazon SES",
      "a@x.test bounce 2023-11-14T22:13:20.500Z",
      "b@x.test complaint 2024-02-01T09:00:00.000Z",
    ],
  ],
  [
    "a@x.test|BOUNCE\nb@x.test|COMPLAINT",
    "list.csv",
    ["CSV", "a@x.test bounce now", "b@x.test complaint now"],
  ],
  [
    "status|reason|email|created\n5.1.1|550 spam|a@x.test|1700000000",
    "suppression_bounces.csv",
    ["SendGrid bounces", "a@x.test bounce 2023-11-14T22:13:20.000Z"],
  ],
  [
    "status|reason|email|created\n4.0.0|blocked|a@x.test|1700000000",
    "suppression_blocks.csv",
    ["SendGrid bounces", "SendGrid blocks are temporary: it doesn't suppress these addresses"],
  ],
  [
    "reason|email|created\nKnown bad domain|a@x.test|1700000000",
    "suppression_invalid_emails.csv",
    ["SendGrid invalid addresses", "a@x.test bounce 2023-11-14T22:13:20.000Z"],
  ],
  [
    "ip|email|created\n192.0.2.1|a@x.test|1700000000",
    "suppression_spam_reports.csv",
    ["SendGrid spam reports", "a@x.test complaint 2023-11-14T22:13:20.000Z"],
  ],
  [
    "email|created\na@x.test|1700000000",
    "suppression_unsubscribes.csv",
    ["SendGrid unsubscribes", "a@x.test unsubscribe 2023-11-14T22:13:20.000Z"],
  ],
  [
    "address|code|error|created_at\na@x.test|550|No such mailbox|Mon, 06 May 2024 18:11:58 UTC",
    "bounces.csv",
    ["Mailgun bounces", "a@x.test bounce 2024-05-06T18:11:58.000Z"],
  ],
  [
    "address|tags|created_at\na@x.test|*|2024-05-06 18:11:58 UTC",
    "list.csv",
    ["Mailgun unsubscribes", "a@x.test unsubscribe 2024-05-06T18:11:58.000Z"],
  ],
  [
    "address|created_at\na@x.test|Mon, 06 May 2024 18:11:58 UTC",
    "list.csv",
    ["Mailgun complaints", "a@x.test complaint 2024-05-06T18:11:58.000Z"],
  ],
  [
    "Recipient email|Reason|Date\na@x.test|Hard bounce|2024-05-06\nb@x.test|Opted out|yesterday\nc@x.test|A note about spam that is longer than a reason|2030-01-01",
    "list.csv",
    [
      "CSV",
      "a@x.test bounce 2024-05-06T00:00:00.000Z",
      "b@x.test unsubscribe now",
      "c@x.test manual now",
    ],
  ],
  [
    "\uFEFFann@x.test\nemail\nEmail@x.test",
    "unsubscribed_2024.txt",
    [
      "List of addresses",
      "ann@x.test unsubscribe now",
      "Not a valid email address",
      "email@x.test unsubscribe now",
    ],
  ],
  [
    "Email\na@x.test\n\nEmail\nb@x.test",
    "joined.csv",
    ["CSV", "a@x.test manual now", "Not a valid email address", "b@x.test manual now"],
  ],
])("reads %j of %s", (csv, fileName, expected) => {
  expect(read(csv, fileName)).toEqual(expected);
});
