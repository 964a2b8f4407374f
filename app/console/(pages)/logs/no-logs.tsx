import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { SendEmailSamples } from "#app/console/(pages)/api-keys/send-email-samples.tsx";
import { EmptyState } from "#app/console/ui/empty-state.tsx";

/** Shown until the company's first API request. */
export function NoLogs() {
  return (
    <EmptyState title="No API requests yet">
      <Text c="dimmed">
        API requests appear here automatically with their response status. Failed requests explain
        what went wrong and how to fix it. Request bodies aren’t stored. Run this code to make your
        first request:
      </Text>
      <SendEmailSamples />
      <Text size="sm" c="dimmed">
        No API key yet?{" "}
        <Anchor component={Link} href="/console/api-keys/new" inherit underline="always">
          Create API key
        </Anchor>
      </Text>
    </EmptyState>
  );
}
