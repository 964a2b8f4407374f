import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { listScripts, requireIdentity } from "#server/core/mailboxes/account/own-account.ts";
import type { Rules } from "#server/core/mailboxes/mailbox-rules/compile-rules.ts";
import {
  getRules,
  opensMail,
  resumeForward,
  saveRules,
} from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import {
  listUnconfirmedForwards,
  resendRequest,
  type UnconfirmedForward,
} from "#server/core/mailboxes/mailbox-rules/forward-confirmations.ts";
import { listSuspendedForwards } from "#server/core/mailboxes/mailbox-rules/suspended-forwards.ts";
import { explainStatus } from "#server/core/sending/bounce-messages/explain-status.ts";
import { dsnStatus } from "#server/core/sending/bounce-messages/dsn.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { ApiRequest } from "#server/http/api-request.ts";
import { accountChange, accountRead, pageEndpoints } from "#server/http/endpoint.ts";
import { identityFields } from "#server/http/second-factors.ts";
import { requestLanguage, translateError } from "#server/universal/texts/languages.ts";

/** Well above every rule's own limit, so that the rule reports the error. */
const TEXT_MAX = 20_000;

const LIST_MAX = 200;

const Text = z.string().max(TEXT_MAX);

const ForwardingFields = z.object({
  forwardTo: z.array(Text).max(LIST_MAX),
  keepCopy: z.boolean(),
});

const VacationFields = z.object({
  isOn: z.boolean(),
  subject: Text,
  text: Text,
  startsOn: Text.nullable(),
  endsOn: Text.nullable(),
  timeZone: Text,
});

/** What an admin can change of a mailbox's rules. */
export const AdminRules = z.object({
  forwarding: ForwardingFields.optional(),
  vacation: VacationFields.optional(),
});

const FilterFields = z.object({
  name: Text,
  isOn: z.boolean(),
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

type Caller = {
  ctx: Context;
  mailbox: { address: string };
  request: Pick<ApiRequest, "headers">;
};

/** The rules of the signed-in mailbox, with the forwards that are suspended or not confirmed. */
async function shownRules({ ctx, mailbox: { address }, request }: Caller, rules: Rules) {
  const language = requestLanguage(request.headers);
  const [suspended, unconfirmed] = await Promise.all([
    listSuspendedForwards(ctx, address),
    listUnconfirmedForwards(ctx, address, rules.forwardTo),
  ]);
  return {
    forwardTo: rules.forwardTo,
    keepCopy: rules.keepCopy,
    vacation: rules.vacation,
    filters: rules.filters,
    unconfirmedForwards: shownForwards(unconfirmed),
    suspendedForwards: suspended.map(({ target, suspendedAt, dsn, reply }) => ({
      address: target,
      suspendedAt: consoleTimestamp(suspendedAt),
      reason: translateError(
        language,
        explainStatus(dsnStatus({ result: "bounced", dsn }), reply).what,
      ),
    })),
  };
}

/** Forwarding addresses that haven't confirmed. */
export const shownForwards = (unconfirmed: UnconfirmedForward[]) =>
  unconfirmed.map(({ address, isDeclined, requestedAt }) => ({
    address,
    isDeclined,
    requestedAt: requestedAt && consoleTimestamp(requestedAt),
  }));

/** The mailbox user's forwarding, vacation reply and filters. */
export const rulesAccount = pageEndpoints("account", "rules", {
  get: accountRead({
    handle: async (call) => shownRules(call, await getRules(call.ctx, call.mailbox.address)),
  }),

  saveForwarding: accountChange({
    body: ForwardingFields.extend(identityFields),
    handle: async (call) => {
      const { ctx, mailbox, body, request } = call;
      const change = { forwardTo: body.forwardTo, keepCopy: body.keepCopy };
      const shown = { password: body.currentPassword, proof: body.proof };
      if (await opensMail(ctx, mailbox.address, change))
        await requireIdentity(ctx, mailbox, { ...shown, clientAddress: request.address });
      return shownRules(call, await saveRules(ctx, mailbox.address, change));
    },
  }),

  resumeForwarding: accountChange({
    body: z.object({ address: z.string().max(320) }),
    handle: async (call) => {
      const { ctx, mailbox, body } = call;
      await resumeForward(ctx, mailbox.address, body.address);
      return shownRules(call, await getRules(ctx, mailbox.address));
    },
  }),

  resendForwardRequest: accountChange({
    body: z.object({ address: z.string().max(320) }),
    handle: async (call) => {
      const { ctx, mailbox, body } = call;
      const rules = await getRules(ctx, mailbox.address);
      const { forwardTo } = rules;
      await resendRequest(ctx, mailbox.address, { target: body.address, forwardTo });
      return shownRules(call, rules);
    },
  }),

  saveVacation: accountChange({
    body: VacationFields,
    handle: async (call) => {
      const { ctx, mailbox, body } = call;
      return shownRules(call, await saveRules(ctx, mailbox.address, { vacation: body }));
    },
  }),

  saveFilters: accountChange({
    body: z.object({ filters: Filters, expectedFilters: Filters.optional() }),
    handle: async (call) => {
      const { filters, expectedFilters } = call.body;
      const expected = expectedFilters && { filters: expectedFilters };
      const { address } = call.mailbox;
      return shownRules(call, await saveRules(call.ctx, address, { filters }, expected));
    },
  }),

  listScripts: accountRead({
    handle: async ({ ctx, mailbox }) => ({
      data: (await listScripts(ctx, mailbox.address)).map(({ name, isActive }) => ({
        name,
        isActive,
      })),
    }),
  }),
});
