import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";

import { type EmailEvent, emailEventsQuery } from "#app/console/(pages)/emails/queries.ts";
import { readUrl } from "#app/console/console-client.ts";
import { Timeline, TimelineEntry } from "#app/console/ui/details.tsx";
import { typographic } from "#app/console/ui/format.ts";
import { DownloadButton } from "#app/console/ui/messages.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { EVENT_TYPES } from "#server/universal/event-types.ts";

type EventDescription = {
  title: string;
  /** A sentence for readers who don't know SMTP reply codes. */
  explanation: string | null;
  /** The receiving server's own words, or the clicked link. */
  quote: string | null;
};

type Description = Partial<EventDescription> & { title: string };

const byType: Record<EmailEvent["type"], (event: EmailEvent, recipient: string) => Description> = {
  scheduled: ({ reason }) => ({
    title: "Scheduled",
    explanation: reason ?? "It will be sent at the scheduled time.",
  }),
  queued: () => ({
    title: "Queued",
    explanation: "The scheduled time has passed, and the email is waiting to be sent.",
  }),
  sent: () => ({ title: "Sent", explanation: "Accepted and queued for delivery." }),
  delivered: (_, recipient) => ({ title: `Delivered to ${recipient}` }),
  delivery_delayed: ({ explanation }, recipient) => ({
    title: `Delayed for ${recipient}`,
    explanation: `${typographic(explanation?.why ?? "")} Posthouse retries automatically.`.trim(),
  }),
  bounced: (_, recipient) => ({ title: `Bounced: ${recipient}` }),
  failed: ({ recipient }) => ({ title: recipient ? `Failed for ${recipient}` : "Failed" }),
  canceled: ({ reason }) => ({
    title: "Canceled",
    explanation: reason ? `${reason}.` : "The email won’t be sent.",
  }),
  suppressed: (_, recipient) => ({ title: `Not sent to ${recipient} (suppressed)` }),
  opened: (_, recipient) => ({ title: `Opened by ${recipient}` }),
  clicked: ({ link }, recipient) => ({ title: `Link clicked by ${recipient}`, quote: link }),
  unsubscribed: (_, recipient) => ({
    title: `${recipient} unsubscribed`,
    explanation: "Added to the suppression list.",
  }),
  replied: ({ recipient }) => ({ title: `Reply from ${recipient ?? "an unknown sender"}` }),
  auto_replied: ({ recipient }) => ({
    title: `Automatic reply from ${recipient ?? "an unknown sender"}`,
    explanation: "For example, an out-of-office message. Automatic replies don’t count as replies.",
  }),
};

export function EmailTimeline({ emailId }: { emailId: string }) {
  const events = useInfiniteQuery(emailEventsQuery(emailId));
  const isDelivered = events.data?.pages.some(({ data }) =>
    data.some(({ type }) => type === "delivered"),
  );
  return (
    <Panel
      title="Timeline"
      aside={
        // Signed proof of what receiving servers accepted.
        isDelivered && (
          <DownloadButton href={readUrl("emails.downloadReceipts", { params: { id: emailId } })}>
            Download receipts
          </DownloadButton>
        )
      }
    >
      <QueryView query={events} noun="the timeline" skeleton={<TimelineSkeleton />}>
        {({ pages }) => (
          <>
            <Timeline>
              {pages
                .flatMap((page) => page.data)
                .map((event) => (
                  <EmailTimelineEntry key={event.id} event={event} />
                ))}
            </Timeline>
            {events.hasNextPage && (
              <Button
                variant="default"
                aria-busy={events.isFetchingNextPage}
                onClick={() => void events.fetchNextPage()}
              >
                Load more events
              </Button>
            )}
          </>
        )}
      </QueryView>
    </Panel>
  );
}

function EmailTimelineEntry({ event }: { event: EmailEvent }) {
  const { title, explanation, quote } = describeEvent(event);
  return (
    <TimelineEntry
      tone={EVENT_TYPES[`email.${event.type}`].tone}
      title={title}
      quote={quote}
      aside={<ExactTime at={event.createdAt} />}
    >
      {(explanation ?? event.server ?? event.tls) && (
        <>
          {explanation}
          {[event.server && `Accepted by ${event.server}.`, event.tls].map(
            (line) =>
              line && (
                <Text key={line} c="dimmed" size="sm">
                  {line}
                </Text>
              ),
          )}
        </>
      )}
    </TimelineEntry>
  );
}

const TimelineSkeleton = () => (
  <Stack gap="lg">
    {[0, 1].map((entry) => (
      <Stack key={entry} gap="xs">
        <Skeleton height={12} width="60%" />
        <Skeleton height={12} width="40%" />
      </Stack>
    ))}
  </Stack>
);

const describeEvent = (event: EmailEvent): EventDescription => ({
  explanation: event.explanation && typographic(event.explanation.why),
  quote: event.message,
  ...byType[event.type](event, event.recipient ?? "all recipients"),
});
