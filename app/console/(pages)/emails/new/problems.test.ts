import { expect, test } from "vitest";

import { problemsOf } from "./problems.ts";

test.each([
  ["to[1]: must be one email address", "to", "Address 2 must be one email address"],
  ["to: must name at least one recipient", "to", "To must name at least one recipient"],
  ["tags[0].value: must be 1 to 256", "tags", "Tag 1: its value must be 1 to 256"],
  ["subject: must not be empty", "subject", "The subject must not be empty"],
  ["scheduled_at: must not be in the past", "time", "The time must not be in the past"],
  ["Give html or text: an email needs a body", "content", "Write something: an email needs a body"],
] as const)("%s", (message, field, words) => {
  const problems = problemsOf(new Error(message));
  expect(problems).toMatchObject({ [field]: words });
  expect(Object.values(problems).filter(Boolean)).toHaveLength(1);
});
