"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { CodeSamples } from "#app/console/(pages)/api-keys/code-samples.tsx";
import { requestSamples } from "#app/console/(pages)/api-keys/sample-code.ts";
import { meQuery } from "#app/console/session-queries.ts";
import { EmptyState } from "#app/console/ui/empty-state.tsx";

export function NoSuppressions() {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const domain = me.data.company.sending_domain ?? "your-domain.example";
  const body = { email: `left-the-newsletter@${domain}` };
  return (
    <EmptyState title="No suppressions yet">
      <Text c="dimmed">
        Posthouse suppresses an address automatically when an email to it bounces permanently or its
        owner marks one as spam. Not sending to these addresses protects your reputation with
        mailbox providers.
      </Text>
      <Text>You can also add addresses here, import them from a file, or use the API:</Text>
      <CodeSamples samples={requestSamples(window.location.origin, "/suppressions", body)} />
    </EmptyState>
  );
}
