import { readAllowedProtocols } from "#server/core/mailboxes/client-settings/client-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { SetUpAnswer, setUpAnswer } from "./set-up-answer.ts";

export const getSetUp = defineEndpoint({
  method: "GET",
  path: "/account/api/set-up",
  summary: "Get mail app settings",
  permission: "account",
  privilege: null,
  response: SetUpAnswer,
  refusals: [],
  handle: async ({ ctx, mailbox: { address } }) =>
    setUpAnswer(address, { isOwn: true, allowed: await readAllowedProtocols(ctx.db, address) }),
});
