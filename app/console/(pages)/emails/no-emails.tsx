"use client";

import { Anchor, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { meQuery } from "#app/console/session-queries.ts";
import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { EmptyList } from "#app/console/ui/empty-list.tsx";

import { Compose } from "./compose-button.tsx";
import { curlOf } from "./curl.ts";

/** What one sees before the first email: how to send it. The list refreshes by itself. */
export function NoEmails() {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const domain = me.data.company.sending_domain;
  const code = curlOf(window.location.origin, {
    from: `Hello <hello@${domain ?? "your-domain.example"}>`,
    to: me.data.email,
    subject: "Hello from Posthouse",
    text: "It works.",
  });
  return (
    <EmptyList title="Send your first email">
      <Text c="dimmed">
        Emails are listed here with everything that happens to them. Write one in the browser, or
        put an{" "}
        <Anchor component={Link} underline="always" href="/console/api-keys">
          API key
        </Anchor>{" "}
        in <code>POSTHOUSE_API_KEY</code> and run this in a terminal; the email shows up here by
        itself.
      </Text>
      {domain === null && (
        <Text>
          Your company has no verified domain yet, and sending needs one:{" "}
          <Anchor component={Link} underline="always" href="/console/domains?new">
            add it under Domains
          </Anchor>
          , then put its name in place of your-domain.example.
        </Text>
      )}
      <CodeBlock code={code} what="curl command" />
      <Group>
        <Compose />
      </Group>
    </EmptyList>
  );
}
