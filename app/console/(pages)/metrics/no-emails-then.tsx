import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { inFull } from "#app/console/ui/charts/numbers.ts";
import { EmptyList } from "#app/console/ui/empty-list.tsx";

/** In place of charts without a bar. */
export function NoEmailsThen({ before }: { before: number }) {
  return (
    <EmptyList title="No emails in this time">
      <Text c="dimmed">
        {before > 0
          ? `In the time before there were ${inFull(before)}. Choose a longer period to see them.`
          : "Charts begin with the first email that an application sends. Emails are counted by the time they were sent."}
      </Text>
      <Anchor component={Link} href="/console/emails">
        Go to the emails
      </Anchor>
    </EmptyList>
  );
}
