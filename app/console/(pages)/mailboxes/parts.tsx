import { Anchor, NativeSelect, Text } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { formatBytes, MB } from "#app/console/ui/format.ts";
import { HelpTextLink } from "#app/console/ui/links.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";

import { usageRatio, usageTone } from "./labels.ts";
import classes from "./mailbox.module.css";
import type { MailboxOptions, MailboxRow } from "./queries.ts";

const INDENT = "\u2003";

/** Subunits are indented. */
export function UnitSelect({
  units,
  value,
  onChange,
  error,
}: {
  units: MailboxOptions["units"];
  value?: string;
  onChange?: (unit: string) => void;
  error: string | null;
}) {
  const top = Math.min(...units.map(({ depth }) => depth));
  return (
    <NativeSelect
      name="orgUnitId"
      label="Unit"
      description="The unit’s policies apply to the mailbox."
      size="md"
      data={units.map(({ id, name, depth }) => ({
        value: String(id),
        label: INDENT.repeat(depth - top) + name,
      }))}
      {...(value !== undefined && { value })}
      {...(onChange && { onChange: (event) => onChange(event.currentTarget.value) })}
      error={error}
    />
  );
}

/**
 * Storage use as text with a bar.
 *
 * @param isInList aligns the text to the end of the column
 */
export function UsageBar({
  of: mailbox,
  isInList,
}: {
  of: Pick<MailboxRow, "usedBytes" | "quotaMb">;
  isInList?: boolean;
}) {
  const share = usageRatio(mailbox);
  return (
    <span className={classes.usage} data-apart={isInList}>
      <span className={classes.bar} data-tone={usageTone(share)} aria-hidden="true">
        <span style={{ width: `${Math.min(share, 1) * 100}%` }} />
      </span>
      <span className={classes.words}>
        {formatBytes(mailbox.usedBytes)} of {formatBytes(mailbox.quotaMb * MB)}
      </span>
    </span>
  );
}

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
      <Text>
        A mailbox is an address with its own storage. Mailbox users read their mail in Outlook,
        Thunderbird, Apple Mail, or on a phone. A mailbox can have aliases and belong to groups.
      </Text>
      <Text>
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
