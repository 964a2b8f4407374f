"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { failedCountQuery, useReplayFailed } from "#app/console/(pages)/webhooks/event-queries.ts";
import { eventCount } from "#app/console/(pages)/webhooks/webhook-words.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";

/** Delivers every failed event once more, after it said how many they are. */
export function ReplayFailed({ webhookId }: { webhookId: string }) {
  const [isOpen, dialog] = useDisclosure();
  const replay = useReplayFailed(webhookId);
  const failed = useQuery({ ...failedCountQuery(webhookId), enabled: isOpen });
  const count = failed.data?.failed;
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Replay failed
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title="Replay failed events"
        verb={verbFor(count)}
        isHarmless
        isPending={replay.isPending || failed.isPending}
        error={replay.error ?? failed.error}
        onConfirm={() =>
          count === 0 ? dialog.close() : replay.mutate(undefined, { onSuccess: dialog.close })
        }
      >
        {count === 0 ? (
          <Text>No event of the last 30 days has failed.</Text>
        ) : (
          <Text>
            Every event of the last 30 days that is out of attempts is delivered once more, with the
            same id and content. The endpoint gets them one after the other, as quickly as it
            answers.
          </Text>
        )}
      </ConfirmDialog>
    </>
  );
}

function verbFor(count: number | undefined): string {
  if (count === undefined) return "Replay";
  return count === 0 ? "All right" : `Replay ${eventCount(count)}`;
}
