"use client";

import { Anchor, Skeleton, Stack } from "@mantine/core";
import Link from "next/link";

import { EmailStatus } from "#app/console/(pages)/emails/email-status.tsx";
import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { MessagePage } from "#app/console/ui/messages.tsx";
import { Panel, SideBySide } from "#app/console/ui/panel.tsx";
import { TestBadge } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { usePrivileges } from "#app/console/session.ts";

import { EmailActions } from "./email-actions.tsx";
import { EmailAttachments, EmailContentPanel } from "./email-content.tsx";
import { EmailRecipients } from "./email-recipients.tsx";
import { EmailTimeline } from "./email-timeline.tsx";

const REFRESH_MS = 5_000;

function EmailSummary({ email }: { email: EmailDetail }) {
  if (!email.isTest) return <EmailStatus state={email.status} />;
  return (
    <>
      <EmailStatus state={email.status} /> <TestBadge /> Sent in test mode. Nothing was delivered.
    </>
  );
}

export function EmailDetails({ id }: { id: string }) {
  const email = useRead("emails.get", { params: { id } }, { refetchInterval: REFRESH_MS });
  return (
    <MessagePage
      query={email}
      list={{ label: "Emails", href: "/console/emails" }}
      noun="this email"
      skeleton={<EmailSkeleton />}
      head={(email) => ({
        documentTitle: `${email.subject || "(no subject)"} · Emails`,
        description: <EmailSummary email={email} />,
        action: <EmailActions email={email} />,
      })}
      side={(email) => (
        <>
          <EmailRecipients recipients={email.recipients} />
          <EmailTimeline emailId={id} />
          <EmailFacts email={email} />
        </>
      )}
    >
      {(email) => (
        <>
          <EmailContentPanel email={email} />
          <EmailAttachments email={email} />
        </>
      )}
    </MessagePage>
  );
}

function EmailFacts({ email }: { email: EmailDetail }) {
  const lists = [
    ["To", email.to],
    ["Cc", email.cc],
    ["Bcc", email.bcc],
    ["Reply-To", email.replyTo],
    ["Headers", Object.entries(email.content?.headers ?? {}).map((header) => header.join(": "))],
  ] as const;
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem label="From">{email.from}</DescriptionItem>
        {lists
          .filter(([, lines]) => lines.length > 0)
          .map(([name, lines]) => (
            <DescriptionItem key={name} label={name}>
              <LineList lines={lines} />
            </DescriptionItem>
          ))}
        {email.tags.length > 0 && (
          <DescriptionItem label="Tags">
            <TagLinks tags={email.tags} />
          </DescriptionItem>
        )}
        <DescriptionItem label="Sent by">
          <SentBy email={email} />
        </DescriptionItem>
        <TimeFacts email={email} />
        <DescriptionItem label="ID">
          <CopyableValue value={email.id} label="ID" />
        </DescriptionItem>
        <DescriptionItem label="Message-ID">
          {email.messageId ? (
            <CopyableValue value={email.messageId} label="Message-ID" />
          ) : (
            "Assigned when the email is sent"
          )}
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

/** Links each tag to the list of emails that have it. */
const TagLinks = ({ tags }: { tags: EmailDetail["tags"] }) => (
  <ul>
    {tags.map(({ name, value }) => (
      <li key={name}>
        <Anchor
          component={Link}
          href={`/console/emails?${new URLSearchParams({ tag: `${name}=${value}` }).toString()}`}
        >
          {name}={value}
        </Anchor>
      </li>
    ))}
  </ul>
);

function SentBy({ email: { apiKey: key, sentBy: admin } }: { email: EmailDetail }) {
  const { has } = usePrivileges();
  if (key?.isRevoked) return <>API key {key.name} (revoked)</>;
  if (key && !has("api_controls")) return <>API key {key.name}</>;
  if (key)
    return (
      <>
        API key{" "}
        <Anchor component={Link} underline="always" href={`/console/api-keys/${key.id}`}>
          {key.name}
        </Anchor>
      </>
    );
  return <>{admin === null ? "Console" : `${admin}, in the console`}</>;
}

function TimeFacts({ email }: { email: EmailDetail }) {
  const moments = [
    ["Created", email.createdAt],
    ["Scheduled for", email.scheduledAt],
    ["Sent", email.scheduledAt && email.sentAt],
  ] as const;
  return moments.map(
    ([name, at]) =>
      at && (
        <DescriptionItem key={name} label={name}>
          <ExactTime at={at} />
        </DescriptionItem>
      ),
  );
}

const LineList = ({ lines }: { lines: readonly string[] }) => (
  <ul>
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
);

/** The fewest lines that each panel can have. */
const LINES = { recipients: 2, details: 6, timeline: 3 };

const PREVIEW_HEIGHT = 560;

const EmailSkeleton = () => (
  <>
    <Skeleton height={20} width="45%" mt={4} mb={8} />
    <Skeleton height={12} width={80} mb={32} />
    <SideBySide
      side={
        <>
          <Panel>
            <PanelSkeleton count={LINES.recipients} />
          </Panel>
          <Panel>
            <PanelSkeleton count={LINES.details} />
          </Panel>
          <Panel>
            <PanelSkeleton count={LINES.timeline} />
          </Panel>
        </>
      }
    >
      <Panel>
        <Skeleton height={12} width="40%" mb="lg" />
        <Skeleton height={PREVIEW_HEIGHT} />
      </Panel>
    </SideBySide>
  </>
);

const PanelSkeleton = ({ count }: { count: number }) => (
  <Stack gap={20}>
    {Array.from({ length: count }, (_, line) => (
      <Skeleton key={line} height={12} width={`${50 + ((line * 17) % 40)}%`} />
    ))}
  </Stack>
);
