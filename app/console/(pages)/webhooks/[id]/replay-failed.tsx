import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { useReplayFailed } from "#app/console/(pages)/webhooks/queries.ts";
import { eventCount } from "#app/console/(pages)/webhooks/webhook-labels.tsx";
import { useRead } from "#app/console/endpoint-queries.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";

type ReplayFailedEventsProps = { webhookId: string; isCompact?: boolean };

/**
 * Replays all failed events after confirming their number.
 *
 * @param isCompact for rows of a list
 */
export function ReplayFailedEvents({ webhookId, isCompact = false }: ReplayFailedEventsProps) {
  const [isOpen, dialog] = useDisclosure();
  const input = { params: { id: webhookId } };
  const replay = useReplayFailed();
  // Only when the dialog opens, because counting is slow.
  const failed = useRead("webhookEvents.countFailed", input, { enabled: isOpen });
  const count = failed.data?.failed;
  return (
    <>
      <Button
        variant="default"
        {...(isCompact && { size: "compact-sm" })}
        aria-label="Replay failed events"
        onClick={dialog.open}
      >
        {isCompact ? "Replay" : "Replay failed events"}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title="Replay failed events?"
        confirmLabel={replayLabel(count)}
        isHarmless
        onConfirm={async () => {
          if (count === undefined) await failed.refetch({ throwOnError: true });
          else if (count > 0) await replay.run(input);
        }}
      >
        {count === 0 ? (
          <Text>No failed events in the last 30 days.</Text>
        ) : (
          <Text>
            Posthouse delivers every failed event of the last 30 days again, with the same ID and
            payload. Events are sent one after another, as fast as your endpoint responds.
          </Text>
        )}
      </ConfirmDialog>
    </>
  );
}

function replayLabel(count: number | undefined): string {
  if (count === undefined) return "Replay events";
  return count === 0 ? "Close" : `Replay ${eventCount(count)}`;
}
