import { expect, test } from "vitest";

import { ConsoleError } from "#app/console/console-client.ts";

import { describeProblem, fieldErrors, isShownAtFields } from "./field-errors.ts";

const anError = (...problems: [path: string, message: string][]) =>
  new ConsoleError(
    ...(["validation_error", "invalid", { status: 422, headers: new Headers() }] as const),
    problems.map(([path, message]) => ({ path, code: "invalid", message })),
  );

test("puts each error at its field, after the field's label", () => {
  const error = anError(["name", "is required"], ["quotaMb", "must be a whole number"]);
  const labels = { name: "Name", quotaMb: "Storage limit" };
  expect(fieldErrors(error, labels)).toEqual({
    name: "Name is required",
    quotaMb: "Storage limit must be a whole number",
  });
  expect(isShownAtFields(error, labels)).toBe(true);
});

test("puts an error about an entry at the entry's field, or at the list's", () => {
  const error = anError(["to[1]", "must be an address"]);
  expect(fieldErrors(error, { to: "To", "to.1": "Address 2" })).toEqual({
    "to.1": "Address 2 must be an address",
  });
  expect(fieldErrors(error, { to: "To" })).toEqual({ to: "To must be an address" });
  expect(fieldErrors(error, { to: "To" }, { entries: { to: ["ann@a.test", "ben"] } })).toEqual({
    to: "“ben” must be an address",
  });
});

test("fields of an object in the body are named without it", () => {
  const error = anError(
    ["filters[2].name", "is required"],
    ["filters[2].conditions[0].value", "is required"],
  );
  const labels = { name: "Name", "conditions.0.value": "Value of condition 1" };
  expect(fieldErrors(error, labels, { within: "filters.2" })).toEqual({
    name: "Name is required",
    "conditions.0.value": "Value of condition 1 is required",
  });
  expect(isShownAtFields(error, labels, "filters.2")).toBe(true);
  expect(isShownAtFields(error, labels, "filters.1")).toBe(false);
});

test("an error about another field concerns the whole form", () => {
  const error = anError(["name", "is required"], ["other", "is wrong"]);
  expect(fieldErrors(error, { name: "Name" })).toEqual({ name: "Name is required" });
  expect(isShownAtFields(error, { name: "Name" })).toBe(false);
  expect(isShownAtFields(anError(), { name: "Name" })).toBe(false);
  expect(fieldErrors(new TypeError("offline"), { name: "Name" })).toEqual({});
});

test("a path isn't taken for a property that every object has", () => {
  expect(fieldErrors(anError(["constructor", "is wrong"]), {})).toEqual({});
});

test("sentences stand alone, and a single one has no period", () => {
  expect(describeProblem("Name", "northwind.test is already one of your domains.")).toBe(
    "northwind.test is already one of your domains",
  );
  expect(describeProblem("Passwords", "Passwords don’t match.")).toBe("Passwords don’t match");
  const two = "The server has no address of its own yet. Set one first.";
  expect(describeProblem("Name", two)).toBe(two);
});
