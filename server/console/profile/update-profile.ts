import { z } from "zod";

import { renamePerson } from "#server/core/access/people/people.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

export const updateProfile = defineEndpoint({
  method: "PATCH",
  path: "/console/api/profile",
  summary: "Change your name in all your companies",
  permission: "console_door",
  privilege: null,
  body: z.object({ name: trimmedText(200) }),
  bodyLimit: "directory",
  response: z.object({ changed: z.literal(true) }),
  refusals: ["invalid"],
  handle: async ({ ctx, signedIn, body }) => {
    await renamePerson(ctx.db, signedIn, body.name);
    return { changed: true as const };
  },
});
