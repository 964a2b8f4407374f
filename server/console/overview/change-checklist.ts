import { z } from "zod";

import {
  changeChecklist as change,
  FIRST_GOALS,
} from "#server/core/operations/overview/checklist.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const Change = z.object({ is_hidden: z.boolean(), goal: z.enum(FIRST_GOALS) }).partial();

export const changeChecklist = defineEndpoint({
  method: "PATCH",
  path: "/console/api/overview/checklist",
  summary: "Choose your first goal, or hide or show the setup checklist, for yourself",
  permission: "console",
  privilege: null,
  body: Change,
  bodyLimit: "directory",
  response: Change,
  refusals: ["invalid"],
  async handle({ ctx, signedIn, body }) {
    await change(ctx, signedIn.email, { isHidden: body.is_hidden, goal: body.goal });
    return body;
  },
});
