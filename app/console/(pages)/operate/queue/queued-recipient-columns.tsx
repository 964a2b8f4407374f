import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./queue.module.css";
import type { QueuedRecipient } from "./queries.ts";
import { explainTemporaryReply } from "./temporary-replies.ts";

export const QUEUED_RECIPIENT_LIST: ListLayout<QueuedRecipient> = {
  noun: "recipients",
  label: "Queued recipients by next attempt",
  columns: [
    {
      area: "name",
      header: "Recipient",
      kind: "name",
      width: "minmax(0, 4fr)",
      cell: ({ recipient, sender, queuedAt }) => (
        <span title={`From ${sender || "an empty sender"}, queued ${queuedAt}`}>{recipient}</span>
      ),
    },
    {
      area: "company",
      header: "Company",
      kind: "text",
      width: "minmax(0, 3fr)",
      isOptional: true,
      cell: ({ company }) => company.name,
    },
    {
      area: "reply",
      header: "Last reply",
      kind: "text",
      width: "minmax(0, 6fr)",
      cell: ({ lastReply: reply }) =>
        reply ? (
          <>
            {explainTemporaryReply(reply.dsn)}
            <code className={classes.quote} title={reply.text}>
              {reply.text}
            </code>
          </>
        ) : (
          "No attempt yet"
        ),
    },
    {
      area: "next",
      header: "Next attempt",
      kind: "moment",
      width: "128px",
      cell: (recipient) => <NextAttemptTime recipient={recipient} />,
    },
  ],
  phone: `"name next" auto "reply reply" auto / minmax(0, 1fr) auto`,
};

function NextAttemptTime({ recipient }: { recipient: QueuedRecipient }) {
  if (recipient.isParked) return "On hold";
  if (recipient.isInFlight) return "Delivering";
  return recipient.nextAttemptAt && <RelativeTime at={recipient.nextAttemptAt} />;
}
