import { expect, test } from "vitest";

import { findBounced } from "./find-bounced.ts";

const failure = (...addresses: string[]) => ({ addresses, dsn: "5.1.1", message: "" });

test("matches a recipient ignoring the case of both local parts", () => {
  const recipients = ["Bob.Lee@there.test", "eve@there.test"];
  for (const named of ["bob.lee@there.test", "Bob.Lee@There.test"])
    expect(findBounced(recipients, failure(named), [])).toEqual({
      ...{ recipient: "Bob.Lee@there.test", isNamed: true },
    });
});

test("doesn't guess if several recipients match the trace or domain", () => {
  const recipients = ["ann@there.test", "bob@there.test", "eve@over.test"];
  const trace = ["ann@there.test", "bob@there.test"];
  expect(findBounced(recipients, failure("x@new.test"), trace)).toBeNull();
  expect(findBounced(recipients, failure("x@there.test"), [])).toBeNull();
  expect(findBounced(recipients, failure("x@over.test"), trace)).toEqual({
    ...{ recipient: "eve@over.test", isNamed: false },
  });
});
