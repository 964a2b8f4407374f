"use client";

import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";

import { useRights } from "#app/console/rights.ts";
import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { HelpTextLink } from "#app/console/ui/help-link.tsx";

/**
 * What one sees before the first mailbox: what it is for, and the next step.
 *
 * @param domains of the company; the next step shows once they are known
 */
export function NoMailboxes({
  create,
  domains,
}: {
  create: ReactNode;
  domains: string[] | undefined;
}) {
  return (
    <EmptyState title="Give your people mailboxes">
      <Text c="dimmed">
        A mailbox is an address with storage of its own, read with Outlook, Thunderbird, Apple Mail
        or a phone. It can have other addresses beside its own, and be a member of groups.
      </Text>
      <Text c="dimmed">
        Coming from somewhere else? <HelpTextLink topic="moving" />
      </Text>
      {domains?.length === 0 && <NoVerifiedDomain />}
      {domains && domains.length > 0 && <div>{create}</div>}
    </EmptyState>
  );
}

/** Why no address can be given yet, and where that is changed by who may. */
export function NoVerifiedDomain() {
  if (!useRights().has("domains"))
    return (
      <Text>
        Your company has no verified domain yet, so addresses can't be created. Ask an admin who
        manages domains to verify one.
      </Text>
    );
  return (
    <Text>
      First{" "}
      <Anchor component={Link} href="/console/domains" underline="always">
        add a domain
      </Anchor>{" "}
      and verify it. New addresses need a verified domain.
    </Text>
  );
}
