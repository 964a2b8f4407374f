"use client";

import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { DropMail } from "./drop-mail.tsx";
import { HoldButton } from "./hold-button.tsx";
import { ReleaseButton } from "./hold-list.tsx";
import { type Hold, type Queue, type Subject, recipientsQuery } from "./queries.ts";
import { QueuedRecipientList, QueuedRecipientListSkeleton } from "./queued-recipient-list.tsx";
import { RetryButton } from "./retry-button.tsx";

/** The recipients that wait of one destination or company, and what can be done with them. */
export function QueueSubject({ subject, queue }: { subject: Subject; queue: Queue | undefined }) {
  const waiting = useQuery(recipientsQuery(subject));
  const name = waiting.data?.name ?? subject.subject;
  const hold = queue?.holds.find(
    (held) => held.kind === subject.kind && held.subject === subject.subject,
  );
  const rows = subject.kind === "company" ? queue?.companies : queue?.destinations;
  const count = rows?.find((row) => row.subject === subject.subject)?.waiting ?? 0;
  return (
    <>
      <Breadcrumbs trail={[{ label: "Queue", href: "/console/operate/queue" }]} />
      <QueryView
        query={waiting}
        what="what waits"
        skeleton={<QueuedRecipientListSkeleton />}
        titleOrder={1}
      >
        {({ data }) => (
          <>
            <PageHeader
              title={subject.kind === "company" ? `Mail of ${name}` : `Mail to ${name}`}
              sentence={hold && <Status meaning="informing" word={holdStatus(hold)} />}
              action={<QueueSubjectActions subject={subject} name={name} hold={hold} />}
            />
            {data.length === 0 ? (
              <EmptyList title="Nothing waits">
                <Text c="dimmed">All of it has left, or there was none.</Text>
              </EmptyList>
            ) : (
              <Stack gap="md">
                <QueuedRecipientList recipients={data} />
                {count > data.length && (
                  <Text c="dimmed" size="sm">
                    The first {data.length} of {count}.
                  </Text>
                )}
                {hold && (
                  <DropMail subject={subject} name={name} count={Math.max(count, data.length)} />
                )}
              </Stack>
            )}
          </>
        )}
      </QueryView>
    </>
  );
}

const holdStatus = ({ held_by: by, is_suspension: isSuspension }: Hold) =>
  isSuspension ? "On hold: the company is suspended" : `On hold by ${by}`;

function QueueSubjectActions({
  subject,
  name,
  hold,
}: {
  subject: Subject;
  name: string;
  hold: Hold | undefined;
}) {
  if (hold) return hold.is_suspension ? null : <ReleaseButton hold={hold} />;
  return (
    <Group gap="xs">
      <RetryButton subject={subject} name={name} />
      <HoldButton subject={{ ...subject, name }} />
    </Group>
  );
}
