import { NativeSelect } from "@mantine/core";

import type { MailboxOptions } from "./queries.ts";

const INDENT = "\u2003";

/** The organisational unit that a mailbox is in; those below another one are set in. */
export function UnitSelect({
  units,
  initial,
  error,
}: {
  units: MailboxOptions["units"];
  initial?: number;
  error: string | null;
}) {
  return (
    <NativeSelect
      name="org_unit_id"
      label="Organisational unit"
      description="Its policies hold for the mailbox."
      size="md"
      data={units.map(({ id, name, depth }) => ({
        value: String(id),
        label: INDENT.repeat(depth) + name,
      }))}
      {...(initial !== undefined && { defaultValue: String(initial) })}
      error={error}
    />
  );
}
