import { z } from "zod";

import { EmailFields } from "./email-fields.ts";

const EMAILS_MAX = 100;

const documented = z.toJSONSchema(z.array(EmailFields).min(1).max(EMAILS_MAX), {
  io: "input",
  unrepresentable: "any",
});
delete documented.$schema;

/** The body of a batch. Emails are validated one by one, so that a permissive batch can skip invalid ones. */
export const BatchBody = z
  .custom<unknown[]>(
    (body) => Array.isArray(body) && body.length >= 1 && body.length <= EMAILS_MAX,
    {
      error: `The body must be a list of 1 to ${EMAILS_MAX} emails`,
    },
  )
  .meta(documented);
