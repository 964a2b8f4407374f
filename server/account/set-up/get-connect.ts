import { z } from "zod";

import { findMailAddress } from "#server/core/mailboxes/client-settings/client-settings.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { SetUpAnswer, setUpAnswer } from "./set-up-answer.ts";

export const getConnect = defineEndpoint({
  method: "GET",
  path: "/account/api/connect",
  summary: "Get mail app settings for an address's domain",
  permission: "public",
  privilege: null,
  query: z.object({ email: z.string().max(1000) }),
  response: SetUpAnswer,
  refusals: ["not_found", "invalid"],
  handle: async ({ db, query }) => {
    const found = await findMailAddress(db, query.email);
    if (!found) throw new Refusal("not_found", "This server doesn't handle mail for that domain");
    return setUpAnswer(found.address, { isOwn: false });
  },
});
