"use client";

import { Anchor, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { meQuery } from "#app/console/session-queries.ts";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";

import { ComposeButton } from "./compose-button.tsx";
import { curlSnippet } from "./curl.ts";

/** Shown until the company has sent its first email. */
export function NoEmails() {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const domain = me.data.company.sendingDomain;
  const code = curlSnippet(window.location.origin, {
    from: `Hello <hello@${domain ?? "your-domain.example"}>`,
    to: me.data.email,
    subject: "Hello from Posthouse",
    text: "It works.",
  });
  return (
    <EmptyState title="Send your first email">
      <Text c="dimmed">
        Emails you send appear here automatically, with their delivery history. Compose one in the
        console, or set <code>POSTHOUSE_API_KEY</code> to an{" "}
        <Anchor component={Link} underline="always" href="/console/api-keys">
          API key
        </Anchor>{" "}
        and run this command in a terminal:
      </Text>
      {domain === null && (
        <Text>
          You need a verified domain to send emails.{" "}
          <Anchor component={Link} underline="always" href="/console/domains?new">
            Create a domain
          </Anchor>
          , then replace your-domain.example with it.
        </Text>
      )}
      <CodeBlock code={code} label="curl command" />
      <Group>
        <ComposeButton />
        <Anchor component={Link} href="/console/emails?mode=test">
          Show test emails
        </Anchor>
      </Group>
    </EmptyState>
  );
}
