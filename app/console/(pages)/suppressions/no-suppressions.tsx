"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { CodeSamples } from "#app/console/(pages)/api-keys/code-samples.tsx";
import { requestSamples } from "#app/console/(pages)/api-keys/sample-code.ts";
import { meQuery } from "#app/console/session-queries.ts";
import { EmptyList } from "#app/console/ui/empty-list.tsx";

/** What one sees while no address is suppressed: who gets there by itself, and how others do. */
export function NoSuppressions() {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const domain = me.data.company.sending_domain ?? "your-domain.example";
  const body = { email: `left-the-newsletter@${domain}` };
  return (
    <EmptyList title="No address is suppressed">
      <Text c="dimmed">
        An address gets here by itself when an email to it bounces for good, or when its owner
        reports one as spam. Emails then skip it: mailbox providers judge a sender by how often that
        happens.
      </Text>
      <Text>You add others by hand, from a file, or from your program:</Text>
      <CodeSamples samples={requestSamples(window.location.origin, "/suppressions", body)} />
    </EmptyList>
  );
}
