import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";

import { EmptyList } from "#app/console/ui/empty-list.tsx";

/** What one sees before the first mailbox: what it is for, and the next step. */
export function NoMailboxes({ create, hasDomain }: { create: ReactNode; hasDomain: boolean }) {
  return (
    <EmptyList title="Give your people mailboxes">
      <Text c="dimmed">
        A mailbox is an address with storage of its own, read with Outlook, Thunderbird, Apple Mail
        or a phone. It can have other addresses beside its own, and be a member of groups.
      </Text>
      {hasDomain ? (
        <div>{create}</div>
      ) : (
        <Text>
          First{" "}
          <Anchor component={Link} href="/console/domains">
            add a domain
          </Anchor>{" "}
          and prove that it is yours: the addresses are at it.
        </Text>
      )}
    </EmptyList>
  );
}
