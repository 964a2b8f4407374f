"use client";

import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { HelpTextLink } from "#app/console/ui/links.tsx";

/**
 * @param domains the company's verified domains; undefined while loading
 */
export function NoMailboxes({
  create,
  domains,
}: {
  create: ReactNode;
  domains: string[] | undefined;
}) {
  return (
    <EmptyState title="No mailboxes yet">
      <Text c="dimmed">
        A mailbox is an address with its own storage. Mailbox users read their mail in Outlook,
        Thunderbird, Apple Mail, or on a phone. A mailbox can have aliases and belong to groups.
      </Text>
      <Text c="dimmed">
        Moving from another provider? <HelpTextLink topic="moving" />
      </Text>
      {domains?.length === 0 && <NoVerifiedDomain />}
      {domains && domains.length > 0 && <div>{create}</div>}
    </EmptyState>
  );
}

export function NoVerifiedDomain() {
  if (!usePrivileges().has("domains"))
    return (
      <Text>
        Your company has no verified domain yet, so addresses can’t be created. Ask an admin who
        manages domains to verify one.
      </Text>
    );
  return (
    <Text>
      First{" "}
      <Anchor component={Link} href="/console/domains" underline="always">
        create a domain
      </Anchor>{" "}
      and verify it. New addresses need a verified domain.
    </Text>
  );
}
