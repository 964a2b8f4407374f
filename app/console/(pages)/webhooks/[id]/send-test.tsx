"use client";

import { Button, Text } from "@mantine/core";
import { useRouter } from "next/navigation";

import { useSendTestEvent } from "#app/console/(pages)/webhooks/queries.ts";

import classes from "./send-test.module.css";

/** Sends a test event and opens its page. */
export function SendTestEvent({ webhookId }: { webhookId: string }) {
  const router = useRouter();
  const test = useSendTestEvent(webhookId);
  return (
    <div className={classes.test}>
      <Button
        variant="default"
        aria-busy={test.isPending || test.isSuccess}
        onClick={() =>
          test.mutate(undefined, {
            onSuccess: ({ event_id: id }) =>
              router.push(`/console/webhooks/${webhookId}/events/${id}`),
          })
        }
      >
        Send test event
      </Button>
      {test.isError && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {test.error.message}.
        </Text>
      )}
    </div>
  );
}
