import { z } from "zod";

import { accountTimestamp } from "#server/account/timestamp.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Rules } from "#server/core/mailboxes/mailbox-rules/compile-rules.ts";
import { listSuspendedForwards } from "#server/core/mailboxes/mailbox-rules/suspended-forwards.ts";
import { explainStatus } from "#server/core/sending/bounce-messages/explain-status.ts";
import { dsnStatus } from "#server/core/sending/bounce-messages/status-fields.ts";

/** Well above every rule's own limit, so that the rule reports the error. */
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

const Filters = z.array(FilterFields).max(LIST_MAX);

export const FiltersFields = z.object({
  filters: Filters,
  expected_filters: Filters.optional().describe(
    "The filters as last read; nothing is saved if they changed since",
  ),
});

export const RulesAnswer = ForwardingFields.extend({
  vacation: VacationFields.nullable(),
  filters: z.array(FilterFields),
  suspended_forwards: z.array(
    z.object({ address: z.string(), suspended_at: z.string(), reason: z.string() }),
  ),
});

/** The rules of the signed-in mailbox, with the forwards that are suspended. */
export async function rulesAnswer(
  ctx: Context,
  mailbox: string,
  rules: Rules,
): Promise<z.input<typeof RulesAnswer>> {
  const suspended = await listSuspendedForwards(ctx, mailbox);
  return {
    suspended_forwards: suspended.map(({ target, suspendedAt, dsn, reply }) => ({
      ...{ address: target, suspended_at: accountTimestamp(suspendedAt) },
      reason: explainStatus(dsnStatus({ result: "bounced", dsn }), reply).what,
    })),
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
