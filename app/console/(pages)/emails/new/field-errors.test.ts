import { expect, test } from "vitest";

import { fieldErrors } from "./field-errors.ts";

test.each([
  ["to[1]: must be a valid email address", "to", "Address 2 must be a valid email address"],
  ["to: must have at least one recipient", "to", "To must have at least one recipient"],
  ["tags[0].value: must be 1 to 256", "tags", "Tag 1: value must be 1 to 256"],
  ["subject: must not be empty", "subject", "Subject must not be empty"],
  ["scheduled_at: must not be in the past", "time", "Send time must not be in the past"],
  ["Provide html or text", "content", "Content must not be empty"],
] as const)("%s", (message, field, expected) => {
  const errors = fieldErrors(new Error(message));
  expect(errors).toMatchObject({ [field]: expected });
  expect(Object.values(errors).filter(Boolean)).toHaveLength(1);
});
