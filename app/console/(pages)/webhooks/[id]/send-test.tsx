"use client";

import { Button } from "@mantine/core";
import { useRouter } from "next/navigation";

import { useSendTestEvent } from "#app/console/(pages)/webhooks/queries.ts";

/** Sends a test event and opens its page. */
export function SendTestEvent({ webhookId }: { webhookId: string }) {
  const router = useRouter();
  const test = useSendTestEvent((url) => router.push(url));
  return (
    <Button
      variant="default"
      aria-busy={test.isPending || test.answer !== undefined}
      onClick={() => test.start(webhookId)}
    >
      Send test event
    </Button>
  );
}
