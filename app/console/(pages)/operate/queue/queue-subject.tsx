import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { useRead } from "#app/console/endpoint-queries.ts";
import { DataTable, DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { DropMail, HoldDialog, ReleaseButton, RetryButton } from "./holds.tsx";
import { type Hold, mailOf, type QueueAnswer, type QueuedBy } from "./queries.ts";
import { QUEUED_RECIPIENT_LIST } from "./queue-columns.tsx";

const REFRESH_MS = 10_000;
const SKELETON_ROWS = 8;

/** The queued recipients of one destination or company, with actions. */
export function QueueSubject({
  subject,
  queue,
}: {
  subject: QueuedBy;
  queue: QueueAnswer | undefined;
}) {
  const recipients = useRead(
    "queue.listWaiting",
    { query: subject },
    { refetchInterval: REFRESH_MS },
  );
  const name = recipients.data?.name ?? subject.subject;
  const hold = queue?.holds.find(
    (candidate) => candidate.kind === subject.kind && candidate.subject === subject.subject,
  );
  const rows = subject.kind === "company" ? queue?.companies : queue?.destinations;
  const count = rows?.find((row) => row.subject === subject.subject)?.waiting ?? 0;
  return (
    <>
      <Breadcrumbs trail={[{ label: "Queue", href: "/console/operate/queue" }]} />
      <QueryView
        query={recipients}
        noun="the queued mail"
        skeleton={<DataTableSkeleton layout={QUEUED_RECIPIENT_LIST} rows={SKELETON_ROWS} />}
        titleOrder={1}
      >
        {({ data }) => (
          <>
            <PageHeader
              title={`Mail ${mailOf({ kind: subject.kind, name })}`}
              description={hold && <Status tone="waiting" label={holdStatus(hold)} />}
              action={<QueueSubjectActions subject={subject} name={name} hold={hold} />}
            />
            {data.length === 0 ? (
              <EmptyState title="No queued mail">
                <Text>All mail has been delivered.</Text>
              </EmptyState>
            ) : (
              <Stack gap="md">
                <DataTable layout={QUEUED_RECIPIENT_LIST} rows={data} />
                {count > data.length && (
                  <Text c="dimmed" size="sm">
                    Showing the first {data.length} of {count}.
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

const holdStatus = ({ heldBy: by, isSuspension }: Hold) =>
  isSuspension ? "On hold because the company is suspended" : `On hold by ${by}`;

function QueueSubjectActions({
  subject,
  name,
  hold,
}: {
  subject: QueuedBy;
  name: string;
  hold: Hold | undefined;
}) {
  if (hold) return hold.isSuspension ? null : <ReleaseButton hold={hold} />;
  return (
    <Group gap="xs">
      <RetryButton subject={subject} name={name} />
      <HoldButton subject={{ ...subject, name }} />
    </Group>
  );
}

function HoldButton({ subject }: { subject: QueuedBy & { name: string } }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Hold mail
      </Button>
      <HoldDialog isOpen={isOpen} onClose={dialog.close} subject={subject} />
    </>
  );
}
