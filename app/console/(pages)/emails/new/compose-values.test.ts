import { expect, test } from "vitest";

import type { TemplateVersion } from "#app/console/(pages)/templates/queries.ts";

import {
  attachmentProblem,
  composedEmail,
  type ComposeValues,
  FILES_BYTES_MAX,
  FILES_MAX,
  parseTags,
} from "./compose-values.ts";

test("splits tags into names and values", () => {
  expect(parseTags("kind=test, order=4=2\nlone")).toEqual([
    { name: "kind", value: "test" },
    { name: "order", value: "4=2" },
    { name: "lone", value: "" },
  ]);
});

const values: ComposeValues = {
  name: 'Ann "A" Lee',
  local: " hello ",
  domain: "x.example",
  to: "b@y.example",
  cc: "",
  bcc: "",
  replyTo: "",
  subject: "Hi",
  template: "",
  variables: {},
  kind: "text",
  text: "Hello",
  html: "<p>",
  scheduledAt: "",
  tags: "",
};

test("turns the form into an API request body", () => {
  expect(composedEmail(values, null, [])).toEqual({
    from: `"Ann \\"A\\" Lee" <hello@x.example>`,
    to: ["b@y.example"],
    subject: "Hi",
    text: "Hello",
  });
  const more = { name: "", scheduledAt: "2026-03-04T09:30", tags: "a=1", kind: "html" as const };
  const copies = { cc: "c@y.example, d@y.example", bcc: "e@y.example", replyTo: "f@y.example" };
  const file = { filename: "a.txt", content: "SGk=" };
  expect(composedEmail({ ...values, ...more, ...copies }, null, [file])).toEqual({
    from: "hello@x.example",
    to: ["b@y.example"],
    cc: ["c@y.example", "d@y.example"],
    bcc: ["e@y.example"],
    replyTo: ["f@y.example"],
    subject: "Hi",
    html: "<p>",
    scheduledAt: new Date("2026-03-04T09:30").toISOString(),
    tags: [{ name: "a", value: "1" }],
    attachments: [file],
  });
});

test("sends a template with the values of its variables, and without content of its own", () => {
  const variables: TemplateVersion["variables"] = [
    { key: "ORDER", type: "number", fallbackValue: null },
    { key: "NAME", type: "string", fallbackValue: "there" },
  ];
  const version = { variables } as TemplateVersion;
  const given = { ORDER: "7", NAME: "", OTHER: "x" };
  const templated = { ...values, subject: "", template: "id", variables: given };
  const email = composedEmail(templated, version, []);
  expect(email).toMatchObject({ template: { id: "id", variables: { ORDER: 7 } } });
  expect(Object.keys(email).toSorted()).toEqual(["from", "template", "to"]);
  expect(composedEmail({ ...templated, subject: "Own" }, version, [])).toMatchObject({
    subject: "Own",
  });
});

const filesOf = (count: number, size: number) => Array.from({ length: count }, () => ({ size }));

test("names the limit that the attachments exceed", () => {
  expect(attachmentProblem([])).toBeNull();
  expect(attachmentProblem(filesOf(FILES_MAX, FILES_BYTES_MAX / FILES_MAX))).toBeNull();
  expect(attachmentProblem(filesOf(FILES_MAX + 1, 1))).toMatch(/at most 20 attachments/);
  expect(attachmentProblem(filesOf(1, FILES_BYTES_MAX + 1))).toMatch(/at most 20 MB in total/);
});
