import { expect, test } from "vitest";

import { readAddresses, readTags, readComposeForm } from "./read-compose-form.ts";

test.each<[string, string[]]>([
  ["ann@a.example", ["ann@a.example"]],
  [
    "ann@a.example, ben@b.example;\n cy@c.example,",
    ["ann@a.example", "ben@b.example", "cy@c.example"],
  ],
  [`"Lee, Ann" <ann@a.example>, b@b.example`, [`"Lee, Ann" <ann@a.example>`, "b@b.example"]],
  [`"A \\" , B" <a@a.example>`, [`"A \\" , B" <a@a.example>`]],
  [" ", []],
])("splits %s into %o", (text, addresses) => {
  expect(readAddresses(text)).toEqual(addresses);
});

test("splits tags into names and values", () => {
  expect(readTags("kind=test, order=4=2\nlone")).toEqual([
    { name: "kind", value: "test" },
    { name: "order", value: "4=2" },
    { name: "lone", value: "" },
  ]);
});

test("turns the form into an API request body", () => {
  const form = new FormData();
  const fields = {
    ...{ name: 'Ann "A" Lee', local: " hello ", domain: "x.example", to: "b@y.example" },
    ...{ subject: "Hi", time: "", tags: "" },
  };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  expect(readComposeForm(form, "text", "Hello")).toEqual({
    from: `"Ann \\"A\\" Lee" <hello@x.example>`,
    to: ["b@y.example"],
    subject: "Hi",
    text: "Hello",
  });
  form.set("name", "");
  form.set("time", "2026-03-04T09:30");
  form.set("tags", "a=1");
  expect(readComposeForm(form, "html", "<p>")).toEqual({
    from: "hello@x.example",
    to: ["b@y.example"],
    subject: "Hi",
    html: "<p>",
    scheduled_at: new Date("2026-03-04T09:30").toISOString(),
    tags: [{ name: "a", value: "1" }],
  });
});
