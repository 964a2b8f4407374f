import { z } from "zod";

import { EmailFields } from "./email-fields.ts";

const EMAILS_MAX = 100;

const documented = z.toJSONSchema(z.array(EmailFields).min(1).max(EMAILS_MAX), {
  io: "input",
  unrepresentable: "any",
});
delete documented.$schema;

/** The list of a batch. Its emails are read one by one: in a permissive batch a wrong one refuses itself only. */
export const BatchBody = z
  .custom<unknown[]>(
    (body) => Array.isArray(body) && body.length >= 1 && body.length <= EMAILS_MAX,
    {
      error: `The body must be a list of 1 to ${EMAILS_MAX} emails`,
    },
  )
  .meta(documented);
