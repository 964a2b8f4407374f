import { z } from "zod";

import type { Rules } from "#server/core/mailbox-rules/compile-rules.ts";

/** Far more than any rule lets through: what is too long is told by its rule. */
const TEXT_MAX = 20_000;
const LIST_MAX = 200;

const Text = z.string().max(TEXT_MAX);

export const ForwardingFields = z.object({
  forward_to: z.array(Text).max(LIST_MAX),
  keep_copy: z.boolean(),
});

export const VacationFields = z.object({
  is_on: z.boolean(),
  subject: Text,
  text: Text,
  starts_on: Text.nullable(),
  ends_on: Text.nullable(),
  time_zone: Text,
});

const FilterFields = z.object({
  name: Text,
  is_on: z.boolean(),
  match: z.enum(["all", "any"]),
  conditions: z
    .array(
      z.object({
        field: z.enum(["from", "to", "subject"]),
        test: z.enum(["contains", "is"]),
        value: Text,
      }),
    )
    .max(LIST_MAX),
  action: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("file"), folder: Text }),
    z.object({ kind: z.literal("flag") }),
    z.object({ kind: z.literal("read") }),
    z.object({ kind: z.literal("discard") }),
  ]),
});

export const FiltersFields = z.object({ filters: z.array(FilterFields).max(LIST_MAX) });

export const RulesAnswer = ForwardingFields.extend({
  vacation: VacationFields.nullable(),
  filters: z.array(FilterFields),
});

export function rulesAnswer(rules: Rules): z.input<typeof RulesAnswer> {
  return {
    forward_to: rules.forwardTo,
    keep_copy: rules.keepCopy,
    vacation: rules.vacation && {
      is_on: rules.vacation.isOn,
      subject: rules.vacation.subject,
      text: rules.vacation.text,
      starts_on: rules.vacation.startsOn,
      ends_on: rules.vacation.endsOn,
      time_zone: rules.vacation.timeZone,
    },
    filters: rules.filters.map(({ isOn, ...filter }) => ({ is_on: isOn, ...filter })),
  };
}
