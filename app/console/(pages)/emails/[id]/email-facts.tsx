import { Anchor } from "@mantine/core";
import Link from "next/link";

import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./email-facts.module.css";

export function EmailFacts({ email }: { email: EmailDetail }) {
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
function TagLinks({ tags }: { tags: EmailDetail["tags"] }) {
  return (
    <ul className={classes.lines}>
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
}

function SentBy({ email: { apiKey: key, sentBy: admin } }: { email: EmailDetail }) {
  if (key?.isRevoked) return <>API key {key.name} (revoked)</>;
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

function LineList({ lines }: { lines: readonly string[] }) {
  return (
    <ul className={classes.lines}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
