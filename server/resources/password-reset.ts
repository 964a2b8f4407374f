import { z } from "zod";

import {
  readResetLink,
  requestPasswordReset,
  resetPassword,
} from "#server/core/access/people/person-passwords.ts";
import { change, pageEndpoints } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

/** Setting a new password without the old one. */
export const passwordResetConsole = pageEndpoints("console", "passwordReset", {
  requestReset: change({
    permission: "same_origin",
    body: z.object({ email: trimmedText(254) }),
    bodyLimit: "directory",
    handle: async ({ db, request, body }) => {
      await requestPasswordReset(db, { email: body.email, clientAddress: request.address });
      return { asked: true as const };
    },
  }),

  checkResetLink: change({
    permission: "same_origin",
    body: z.object({ token: z.string().min(1).max(200) }),
    bodyLimit: "directory",
    handle: async ({ db, request, body }) => {
      const clientAddress = request.address;
      const found = await readResetLink(db, { token: body.token, clientAddress });
      return { email: found.email, keepsFactors: found.keepsFactors };
    },
  }),

  resetOwnPassword: change({
    permission: "same_origin",
    body: z.object({ token: z.string().min(1).max(200), password: z.string().max(1000) }),
    bodyLimit: "directory",
    handle: async ({ db, request, body }) => {
      await resetPassword(db, { ...body, clientAddress: request.address });
      return { changed: true as const };
    },
  }),
});
