import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { SendEmailSamples } from "#app/console/(pages)/api-keys/send-email-samples.tsx";
import { EmptyList } from "#app/console/ui/empty-list.tsx";

/** What one sees before the first request. The list refreshes by itself. */
export function NoLogs() {
  return (
    <EmptyList title="See what your programs ask for">
      <Text c="dimmed">
        Every request with an API key is listed here with how it was answered: what was refused says
        why and what to do. What was sent in a request is not kept. Run this, and the first one
        shows up by itself:
      </Text>
      <SendEmailSamples />
      <Text size="sm" c="dimmed">
        No key yet?{" "}
        <Anchor component={Link} href="/console/api-keys/new" inherit underline="always">
          Create one
        </Anchor>
        .
      </Text>
    </EmptyList>
  );
}
