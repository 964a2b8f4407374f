import { Text, VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import { readUrl } from "#app/console/console-client.ts";
import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { Menu } from "#app/console/ui/menu.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { TestBadge } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { EmailStatus } from "./email-status.tsx";
import classes from "./emails.module.css";
import { type EmailFilterParams, type EmailRow, filterSearch } from "./queries.ts";

export const EMAIL_LIST: ListLayout<EmailRow> = {
  noun: "emails",
  label: "Emails",
  columns: {
    to: {
      header: "To",
      kind: "name",
      width: "minmax(0, 5fr)",
      cell: (email) => (
        <>
          <ListRowLink href={`/console/emails/${email.id}`}>{firstRecipient(email)}</ListRowLink>
          <MoreRecipients count={Math.max(email.to.length - 1, 0) + email.furtherRecipients} />
          {email.isTest && <TestBadge />}
        </>
      ),
    },
    subject: {
      header: "Subject",
      width: "minmax(0, 6fr)",
      cell: ({ subject }) => subject || "(no subject)",
    },
    domain: {
      header: "Domain",
      width: "minmax(0, 4fr)",
      isMuted: true,
      isOptional: true,
      canHide: true,
      cell: ({ domain }) => domain,
    },
    key: {
      header: "Sent by",
      width: "minmax(0, 2fr)",
      isMuted: true,
      isOptional: true,
      canHide: true,
      cell: ({ key }) => key ?? "Console",
    },
    status: {
      header: "Status",
      kind: "status",
      width: "112px",
      cell: ({ status, troubles }) => (
        <>
          <EmailStatus state={status} />
          <TroubleIcon of={troubles} />
        </>
      ),
    },
    sent: {
      header: "Sent",
      kind: "moment",
      width: "116px",
      sort: "-created",
      cell: ({ moment }) => <RelativeTime at={moment} />,
    },
    menu: menuColumn(firstRecipient, ({ id, to: [recipient] }) => (
      <>
        {recipient && (
          <LinkItem href={`/console/emails${filterSearch({ recipient })}`}>
            Show emails to this recipient
          </LinkItem>
        )}
        <Menu.Item component="a" href={readUrl("emails.download", { params: { id: id } })} download>
          Download message
        </Menu.Item>
        <CopyItem value={id}>Copy ID</CopyItem>
      </>
    )),
  },
  phone: `"to to menu" auto "subject status status" auto "sent sent sent" auto / minmax(0, 1fr) auto 28px`,
};

/** The hidden columns: also those of filtered values, which all rows share. */
export const hiddenColumns = (
  hidden: ReadonlySet<string>,
  { domain, key }: EmailFilterParams,
): ReadonlySet<string> =>
  new Set([...hidden, ...(domain ? ["domain"] : []), ...(key ? ["key"] : [])]);

function firstRecipient({ to }: EmailRow): string {
  return to[0] ?? "(no To address)";
}

function MoreRecipients({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Text span size="xs" c="dimmed" flex="none">
      +{count}
    </Text>
  );
}

const troubleLabels: Record<EmailRow["troubles"][number], string> = {
  bounced: "Bounced for at least one recipient",
  failed: "Failed for at least one recipient",
  suppressed: "Not sent to at least one suppressed address",
  complained: "Marked as spam by at least one recipient",
};

/** Flags problems with some recipients that the status, which shows only the newest event, doesn't show. */
function TroubleIcon({ of }: { of: EmailRow["troubles"] }) {
  if (of.length === 0) return null;
  const words = of.map((trouble) => troubleLabels[trouble]).join(". ");
  const isQuiet = of.every((trouble) => trouble === "suppressed");
  return (
    <span className={classes.troubles} data-quiet={isQuiet || undefined} title={words}>
      <IconAlertTriangle size={14} aria-hidden="true" />
      <VisuallyHidden>{words}</VisuallyHidden>
    </span>
  );
}
