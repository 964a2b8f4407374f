import { TextInput } from "@mantine/core";

import { problemOfField } from "#app/console/ui/form-problem.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

import { LIMIT_FIELDS, type PlanLimits, parseLimit } from "./plan-limits.ts";

/** The figures of a plan or of a company, one field each. */
export function LimitFields({ initial, error }: { initial: PlanLimits; error: Error | null }) {
  return LIMIT_FIELDS.map(({ name, label, help }) => (
    <TextInput
      key={name}
      name={name}
      label={label}
      description={help}
      defaultValue={initial[name] ?? ""}
      error={problemOfField(error, name, label)}
      inputMode="numeric"
      autoComplete="off"
      maw={360}
    />
  ));
}

/** Whether the refusal is shown beside one of the fields. */
export const hasLimitError = (error: Error | null): boolean =>
  LIMIT_FIELDS.some(({ name, label }) => problemOfField(error, name, label) !== null);

export function readLimits(form: FormData): PlanLimits {
  const read = (name: keyof PlanLimits) => parseLimit(textOf(form, name));
  return {
    monthly_allowance: read("monthly_allowance"),
    domains_max: read("domains_max"),
    mailboxes_max: read("mailboxes_max"),
    quota_mb_max: read("quota_mb_max"),
    // Every mailbox has a size.
    default_quota_mb: read("default_quota_mb") ?? -1,
  };
}
