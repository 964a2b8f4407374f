import { TextInput } from "@mantine/core";

import { fieldError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { LIMIT_FIELDS, type PlanLimits, parseLimit } from "./plan-limits.ts";

/** One field for each limit of a plan or company. */
export function LimitFields({ initial, error }: { initial: PlanLimits; error: Error | null }) {
  return LIMIT_FIELDS.map(({ name, label, help }) => (
    <TextInput
      key={name}
      name={name}
      label={label}
      description={help}
      defaultValue={initial[name] ?? ""}
      error={fieldError(error, name, label)}
      inputMode="numeric"
      autoComplete="off"
      maw={360}
    />
  ));
}

/** Whether one of the fields already shows the error. */
export const hasLimitError = (error: Error | null): boolean =>
  LIMIT_FIELDS.some(({ name, label }) => fieldError(error, name, label) !== null);

export function readLimits(form: FormData): PlanLimits {
  const read = (name: keyof PlanLimits) => parseLimit(formText(form, name));
  return {
    monthly_allowance: read("monthly_allowance"),
    domains_max: read("domains_max"),
    mailboxes_max: read("mailboxes_max"),
    quota_mb_max: read("quota_mb_max"),
    // -1 makes the server reject an empty field: every mailbox has a storage limit.
    default_quota_mb: read("default_quota_mb") ?? -1,
  };
}
