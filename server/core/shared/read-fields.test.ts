import { expect, test } from "vitest";

import { readEach, readFields } from "./read-fields.ts";
import { Refusal } from "./refusals.ts";

const fail = (message: string, field?: string) => () => {
  throw new Refusal("invalid", message, { ...(field && { field }) });
};

test("returns what all readers return", () => {
  const read = readFields({ name: () => "Ann", size: () => 3 });
  expect(read).toEqual({ name: "Ann", size: 3 });
});

test("throws the first error and lists every invalid field", () => {
  const read = () =>
    readFields({
      name: fail("name: must not be empty"),
      size: () => 3,
      list: fail("The list can have at most 3 entries", "list"),
    });
  expect(read).toThrow(
    expect.objectContaining({
      message: "name: must not be empty",
      fields: [
        { path: "name", code: "invalid", message: "must not be empty" },
        { path: "list", code: "invalid", message: "The list can have at most 3 entries." },
      ],
    }),
  );
});

test("reads the whole list before it fails", () => {
  const read = () => readEach(["a", "b"], (item, at) => fail(`to[${at}]: ${item} is wrong`)());
  expect(read).toThrow(
    expect.objectContaining({
      fields: [
        { path: "to[0]", code: "invalid", message: "a is wrong" },
        { path: "to[1]", code: "invalid", message: "b is wrong" },
      ],
    }),
  );
});

test("passes on errors that aren't about input", () => {
  const bug = new Error("a bug");
  expect(() =>
    readFields({
      name: () => {
        throw bug;
      },
    }),
  ).toThrow(bug);
});

test("finds the field in messages that start with its path", () => {
  expect(new Refusal("invalid", "tags[0].name: must be short").fields).toEqual([
    { path: "tags[0].name", code: "invalid", message: "must be short" },
  ]);
  for (const message of ["Missing required field: to", "That took too long: start again"])
    expect(new Refusal("invalid", message).fields).toEqual([]);
});
