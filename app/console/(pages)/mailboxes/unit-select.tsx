import { NativeSelect } from "@mantine/core";

import type { MailboxOptions } from "./queries.ts";

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
